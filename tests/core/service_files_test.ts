/** The texts of service files: what they pass on, and that their readers understand them. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { PROVIDERS } from "../../src/core/registry.ts";
import { LAUNCHD_LABEL, launchdPlist } from "../../src/core/shell/service_launchd.ts";
import { isServiceText, serviceEnvironment } from "../../src/core/shell/service_spec.ts";
import { systemdIssue, systemdUnit } from "../../src/core/shell/service_systemd.ts";
import { withFolder } from "../helpers/daemon.ts";
import { writeExecutable } from "../helpers/executable.ts";

function environmentOf(values: Record<string, string>, os: "linux" | "darwin" = "linux") {
  const get = (name: string) => values[name];
  const resolve = (path: string) => `/here/${path}`;
  return serviceEnvironment({ home: "/home/me", os, get, resolve, records: PROVIDERS });
}

Deno.test("folders that are named now are passed on; a capability and other secrets are not", () => {
  const environment = environmentOf({
    PATH: "/a/bin:relative::/usr/bin:/a/bin",
    MYTTY_STATE_DIR: "state",
    CLAUDE_CONFIG_DIR: "/data/claude",
    CODEX_HOME: "relative",
    MYTTY_EVENT_CAPABILITY: "secret",
    MYTTY_SURFACE_ID: "id",
    MYTTY_EVENT_SOCKET: "/run/event.sock",
    ANTHROPIC_API_KEY: "secret",
    XDG_CACHE_HOME: "/two\nlines",
  });
  assert.deepEqual(environment, {
    PATH: "/a/bin:/usr/bin:/home/me/.local/bin:/usr/local/bin:/bin:/usr/sbin:/sbin",
    MYTTY_STATE_DIR: "/here/state",
    CLAUDE_CONFIG_DIR: "/data/claude",
  });
  assert.match(environmentOf({}, "darwin").PATH!, /:\/opt\/homebrew\/bin:/);
});

const SPEC = { command: ["/opt/my tty/mytty", "serve"], environment: { PATH: "/a b:/c%d" } };

Deno.test("both texts are known as ours, and no other text is", () => {
  assert.ok(isServiceText(systemdUnit(SPEC)));
  assert.ok(isServiceText(launchdPlist(SPEC, "/log")));
  assert.ok(!isServiceText("[Unit]\nDescription=mytty\n"));
  const late = `\n\n\n\n\n# mytty service: written by \`mytty service install\``;
  assert.ok(!isServiceText(late), "a mention further down is not a mark");
});

Deno.test("systemd: restarts after failures with a limit, words are quoted", () => {
  const text = systemdUnit({ ...SPEC, command: ["/opt/m$t/mytty", "run $x", "serve"] });
  assert.match(text, /^ExecStart="\/opt\/m\$t\/mytty" "run \$\$x" serve$/m);
  assert.match(text, /^Environment="PATH=\/a b:\/c%%d"$/m);
  for (const line of ["Restart=on-failure", "StartLimitBurst=5", "UMask=0077"]) {
    assert.match(text, new RegExp(`^${line}$`, "m"));
  }
  assert.match(systemdIssue({ ...SPEC, command: ['/a"b'] })!, /quotes or backslashes/);
  assert.equal(systemdIssue(SPEC), undefined);
});

const hasVerify = new Deno.Command("sh", { args: ["-c", "command -v systemd-analyze"] })
  .outputSync().success;

Deno.test({ name: "systemd's own check finds nothing to say", ignore: !hasVerify }, async () => {
  await withFolder(async (folder) => {
    for (const name of ["mytty", "my tty", "m$t%y", "mytty-é", "my;tty&"]) {
      const program = `${folder}/${name}/${name}`;
      writeExecutable(program, "#!/bin/sh\n");
      const environment = { PATH: '/usr/bin:/a b:/c%d:/e\\f"g:/h$i', MYTTY_STATE_DIR: "/tmp/ü" };
      const text = systemdUnit({ command: [program, "serve", "$x", "%y"], environment });
      Deno.writeTextFileSync(`${folder}/mytty.service`, text);
      const { success, stderr } = await new Deno.Command("systemd-analyze", {
        args: ["verify", "--user", "--man=no", `${folder}/mytty.service`],
        env: { XDG_RUNTIME_DIR: folder, HOME: folder },
      }).output();
      assert.deepEqual([success, new TextDecoder().decode(stderr)], [true, ""], text);
    }
  });
});

type Value = string | boolean | Value[] | { [key: string]: Value };

/** Reads the subset of property lists that is written here; throws where tags do not close. */
function readPlist(text: string): Value {
  const tags = [
    ...text.replace(/<\?.*\?>|<!--[\s\S]*?-->|<!DOCTYPE.*>/g, "").matchAll(
      /<(\/?)([\w]+)[^>]*?(\/?)>([^<]*)/g,
    ),
  ];
  let at = 0;
  const plain = (value: string) =>
    value.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  function close(name: string) {
    const [, slash, found] = tags[at++]!;
    assert.deepEqual([slash, found], ["/", name]);
  }
  function value(): Value {
    const [, , name, selfClosed, inner] = tags[at++]!;
    if (selfClosed === "/") return name === "true";
    if (name === "array") {
      const items: Value[] = [];
      while (tags[at]![1] !== "/") items.push(value());
      close("array");
      return items;
    }
    if (name === "dict") {
      const entries: [string, Value][] = [];
      while (tags[at]![1] !== "/") entries.push([value() as string, value()]);
      close("dict");
      return Object.fromEntries(entries);
    }
    close(name!);
    return plain(inner!);
  }
  assert.equal(tags[at++]![2], "plist");
  const result = value();
  close("plist");
  assert.equal(at, tags.length);
  return result;
}

Deno.test("launchd: any path and value comes out as it went in", () => {
  const word = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) =>
    // deno-lint-ignore no-control-regex
    !/[\x00-\x1f\x7f\ufffe\uffff]/.test(text)
  );
  fc.assert(fc.property(word, word, (path, value) => {
    const spec = { command: [path, "serve"], environment: { PATH: value } };
    const plist = readPlist(launchdPlist(spec, "/Users/me/Library/Logs/mytty.log"));
    assert.deepEqual(plist, {
      Label: LAUNCHD_LABEL,
      ProgramArguments: [path, "serve"],
      EnvironmentVariables: { PATH: value },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: "10",
      ExitTimeOut: "10",
      Umask: String(0o077),
      StandardErrorPath: "/Users/me/Library/Logs/mytty.log",
    });
  }));
});

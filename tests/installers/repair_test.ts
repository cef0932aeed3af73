/** Repairs, gates, conflicts and refusals of the installer (bugs.md C). */

import assert from "node:assert/strict";
import { findProvider } from "../../src/core/registry.ts";
import { isTable } from "../../src/installers/read_value.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  snapshot,
  withHome,
} from "../helpers/install_home.ts";

const claude = findProvider("claude-code")!;
const codex = findProvider("codex")!;
function group(command: string, more = {}) {
  return { ...more, hooks: [{ type: "command", command, timeout: 5 }] };
}

function withClaude(
  task: (
    place: { home: string; path: string; context: ReturnType<typeof installContextFor> },
  ) => Promise<void>,
  version?: string,
): Promise<void> {
  return withHome(async (home) => {
    putProgram(home, "claude", version);
    await task({
      home,
      path: `${home}/.claude/settings.json`,
      context: installContextFor(home),
    });
  });
}

function hooksOf(path: string): Record<string, unknown[]> {
  const { hooks } = JSON.parse(Deno.readTextFileSync(path));
  assert.ok(isTable(hooks));
  return hooks as Record<string, unknown[]>;
}

function count(path: string, needle: string): number {
  return Deno.readTextFileSync(path).split(needle).length - 1;
}

Deno.test("C4, C18, C19: stale, double and misplaced entries become one current each", () =>
  withClaude(async ({ path, context, home }) => {
    await runInstall([claude], context);
    const clean = hooksOf(path);
    const current = clean.Stop![0]!;
    const mixed = group("say user");
    mixed.hooks.push({ type: "command", command: "/c/mytty-hook claude-code", timeout: 5 });
    const wrapper = group(`nice ${home}/old/mytty-hook claude-code`);
    putFile(
      path,
      JSON.stringify({
        hooks: {
          Stop: [
            group("/a/mytty-hook claude"),
            current,
            current,
            wrapper,
            group('"$HOME/b/mytty-hook" claude-code'),
          ],
          PostToolUse: [mixed],
          PreToolUse: [group("/a/mytty-hook claude", { matcher: "*" }), group("mine")],
          UserPromptSubmit: [group("/a/mytty-hook claude"), group("after us")],
        },
      }),
    );
    const [report] = await runInstall([claude], context);
    assert.equal(report!.status, "repaired");
    assert.equal(report!.files[0]!.found, 7);
    const hooks = hooksOf(path);
    assert.deepEqual(hooks.Stop, [wrapper, current]);
    assert.deepEqual(hooks.PostToolUse, [group("say user"), clean.PostToolUse![0]]);
    assert.deepEqual(hooks.PreToolUse, [group("mine")]);
    // Renewed at its place: what stands behind it keeps its position.
    assert.deepEqual(hooks.UserPromptSubmit, [clean.UserPromptSubmit![0], group("after us")]);
    assert.equal((await runInstall([claude], context))[0]!.status, "unchanged");
    await runInstall([claude], context, { uninstalls: true });
    assert.equal(count(path, `state/hooks/mytty-hook`), 0);
    assert.equal(count(path, "/mytty-hook"), 1);
  }));

Deno.test("C3: a foreign entry in every event survives install, repair and uninstall", () =>
  withClaude(async ({ path, context }) => {
    await runInstall([claude], context);
    const events = Object.keys(hooksOf(path));
    await runInstall([claude], context, { uninstalls: true });
    const foreign = Object.fromEntries(events.map((event, at) => [event, [
      at % 2 === 0 ? group(`user ${event}`) : group(`user ${event}`, { matcher: "Bash|Edit" }),
    ]]));
    const text = JSON.stringify({ hooks: foreign, model: "x" }, null, 2);
    putFile(path, text);
    await runInstall([claude], context);
    for (const event of events) assert.deepEqual(hooksOf(path)[event]![0], foreign[event]![0]);
    await runInstall([claude], context, { uninstalls: true });
    assert.equal(Deno.readTextFileSync(path), text);
  }));

Deno.test("version gates: only events that the installed version knows", () =>
  withClaude(async ({ path, context, home }) => {
    await runInstall([claude], context);
    assert.equal(hooksOf(path).Elicitation, undefined);
    assert.notEqual(hooksOf(path).StopFailure, undefined);
    putProgram(home, "claude", "2.1.332 (Claude Code)");
    assert.equal((await runInstall([claude], context))[0]!.status, "repaired");
    assert.notEqual(hooksOf(path).Elicitation, undefined);
    putProgram(home, "claude", "1.0.0");
    await runInstall([claude], context);
    assert.equal(hooksOf(path).StopFailure, undefined);
    assert.equal(count(path, "[]"), 0, "emptied lists are dropped");
  }, "2.1.80"));

Deno.test("a program that hangs or says nothing gets what every version knows", () =>
  withClaude(async ({ path, context, home }) => {
    Deno.writeTextFileSync(`${home}/bin/claude`, "#!/bin/sh\necho hello\n");
    const [report] = await runInstall([claude], context);
    assert.equal(report!.version, null);
    assert.equal(hooksOf(path).StopFailure, undefined);
    assert.notEqual(hooksOf(path).Stop, undefined);
  }));

Deno.test("no program: nothing written unless named", () =>
  withHome(async (home) => {
    const context = installContextFor(home);
    const [report] = await runInstall([claude], context);
    assert.equal(report!.status, "cli-missing");
    assert.deepEqual(snapshot(home, ["state"]), {});
    await runInstall([claude], context, { isExplicit: true });
    assert.notEqual(hooksOf(`${home}/.claude/settings.json`).Stop, undefined);
  }));

Deno.test("folders named by variables win over the home folder", () =>
  withHome(async (home) => {
    for (const name of ["claude", "codex", "opencode"]) putProgram(home, name);
    const env = {
      PATH: `${home}/bin`,
      CLAUDE_CONFIG_DIR: `${home}/cc/`,
      CODEX_HOME: `${home}/cx`,
      XDG_CONFIG_HOME: `${home}/xdg`,
    };
    const context = installContextFor(home, { env });
    await runInstall([claude, codex, findProvider("opencode")!], context);
    for (const path of ["cc/settings.json", "cx/hooks.json", "xdg/opencode/plugins/mytty.js"]) {
      assert.ok(Deno.statSync(`${home}/${path}`).isFile, path);
    }
    const relative = installContextFor(home, { env: { ...env, CODEX_HOME: "cx" } });
    await runInstall([codex], relative);
    assert.ok(Deno.statSync(`${home}/.codex/hooks.json`).isFile);
  }));

Deno.test("what cannot be edited is refused, with path, reason and snippet, byte for byte", () =>
  withClaude(async ({ path, context }) => {
    const texts = ['{"hooks":', "{ /* c */ }", '{"hooks":[]}', '{"hooks":{"Stop":1}}', "[]"];
    for (const text of texts) {
      putFile(path, text);
      const [report] = await runInstall([claude], context);
      assert.equal(report!.status, "failed", text);
      assert.equal(Deno.readTextFileSync(path), text);
      assert.match(report!.files[0]!.snippet!, /mytty-hook/);
      JSON.parse(report!.files[0]!.snippet!);
    }
  }));

Deno.test("C22: a read-only target is said to be so, and nothing is left behind", () =>
  withClaude(async ({ path, context, home }) => {
    putFile(`${home}/store/settings.json`, "{}", 0o444);
    Deno.mkdirSync(`${home}/.claude`);
    Deno.symlinkSync(`${home}/store/settings.json`, path);
    Deno.chmodSync(`${home}/store`, 0o555);
    try {
      const before = snapshot(home, ["state"]);
      const [report] = await runInstall([claude], context);
      assert.equal(report!.status, "failed");
      assert.match(report!.files[0]!.issue!.message, /read-only/);
      assert.deepEqual(snapshot(home, ["state"]), before);
    } finally {
      Deno.chmodSync(`${home}/store`, 0o755);
    }
  }));

Deno.test("Codex hooks inside config.toml are a conflict, named and left alone", () =>
  withHome(async (home) => {
    putProgram(home, "codex");
    const text = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n';
    putFile(`${home}/.codex/config.toml`, text);
    const [report] = await runInstall([codex], installContextFor(home));
    assert.equal(report!.status, "conflict");
    assert.match(report!.obstacles.join(), /Stop.*config\.toml/);
    assert.deepEqual(snapshot(`${home}/.codex`, []), { [`${home}/.codex/config.toml`]: text });
  }));

Deno.test("a foreign file at the path of a plugin stays; a tampered one of ours is renewed", () =>
  withHome(async (home) => {
    putProgram(home, "opencode");
    const opencode = findProvider("opencode")!;
    const context = installContextFor(home);
    const path = `${home}/.config/opencode/plugins/mytty.js`;
    putFile(path, "// mine\n");
    assert.equal((await runInstall([opencode], context))[0]!.status, "conflict");
    await runInstall([opencode], context, { uninstalls: true });
    assert.equal(Deno.readTextFileSync(path), "// mine\n");
    Deno.removeSync(path);
    await runInstall([opencode], context);
    const text = Deno.readTextFileSync(path);
    Deno.writeTextFileSync(path, `${text}// more\n`);
    Deno.chmodSync(path, 0o644);
    assert.equal((await runInstall([opencode], context))[0]!.status, "repaired");
    assert.equal(Deno.readTextFileSync(path), text);
    Deno.chmodSync(path, 0o644);
    assert.equal((await runInstall([opencode], context))[0]!.status, "repaired");
    assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
  }));

Deno.test("a dry run shows the diff and writes nothing at all", () =>
  withClaude(async ({ path, context, home }) => {
    putFile(path, '{\n  "a": 1\n}\n');
    const before = snapshot(home, []);
    const [report] = await runInstall([claude], context, { isDryRun: true });
    assert.match(report!.files[0]!.diff!, /^--- .*settings\.json\n\+\+\+ .*\n@@ -1,3 \+1,\d+ @@\n/);
    assert.deepEqual(snapshot(home, []), before);
  }));

Deno.test("the user's text before us is kept once", () =>
  withClaude(async ({ path, context, home }) => {
    putFile(path, '{"mine":1}');
    await runInstall([claude], context);
    putFile(path, '{"mine":2}');
    await runInstall([claude], context);
    const backups = snapshot(`${home}/state/backups`, []);
    assert.deepEqual(Object.values(backups).filter((text) => text !== ""), ['{"mine":1}']);
  }));

Deno.test("50 installs at once beside another writer lose nothing", () =>
  withClaude(async ({ path, context }) => {
    putFile(path, '{"n":{}}');
    let isOver = false;
    const writer = (async () => {
      for (let at = 0; !isOver || at < 20; at++) {
        const value = JSON.parse(Deno.readTextFileSync(path));
        value.n[`k${at}`] = at;
        Deno.writeTextFileSync(`${path}.new`, JSON.stringify(value, null, 2));
        Deno.renameSync(`${path}.new`, path);
        await new Promise((resolve) => setTimeout(resolve, 40));
        if (isOver && at >= 20) return at;
      }
      return 20;
    })();
    const reports = await Promise.all(
      Array.from({ length: 50 }, () => runInstall([claude], context)),
    );
    isOver = true;
    await writer;
    for (const [report] of reports) assert.notEqual(report!.status, "failed");
    await runInstall([claude], context);
    const { n, hooks } = JSON.parse(Deno.readTextFileSync(path));
    const keys = Object.keys(n);
    assert.deepEqual(keys, keys.map((_, at) => `k${at}`));
    for (const list of Object.values(hooks)) assert.equal((list as unknown[]).length, 1);
  }));

Deno.test("TOML entries of several events share one list: each current once, the original back", () =>
  withHome(async (home) => {
    putProgram(home, "kimi");
    const kimi = findProvider("kimi")!;
    const context = installContextFor(home);
    const path = `${home}/.kimi-code/config.toml`;
    const texts = [
      "",
      '# mine\nmodel = "x" # y\n\n[[hooks]]\nevent = "Stop"\ncommand = "say done"\n',
      'a = 1\r\n[t]\r\nb = "é"\r\n',
    ];
    for (const text of texts) {
      putFile(path, text);
      await runInstall([kimi], context);
      const written = Deno.readTextFileSync(path);
      assert.equal((await runInstall([kimi], context))[0]!.status, "unchanged");
      assert.ok(count(path, "mytty-hook kimi --event Stop;") === 1);
      Deno.writeTextFileSync(path, written.replaceAll("--event SessionEnd", "--event Gone"));
      assert.equal((await runInstall([kimi], context))[0]!.status, "repaired");
      assert.equal(count(path, "--event Gone"), 0);
      assert.equal(count(path, "--event SessionEnd"), 1);
      await runInstall([kimi], context, { uninstalls: true });
      assert.equal(Deno.readTextFileSync(path), text);
    }
  }));

Deno.test("staging is private, unchanged the second time, and renewed on request", () =>
  withClaude(async ({ context, home }) => {
    await runInstall([claude], context);
    const launcher = `${home}/state/hooks/mytty-hook`;
    for (const [path, mode] of [["state", 0o700], ["state/hooks", 0o700], ["state/spool", 0o700]]) {
      assert.equal(Deno.statSync(`${home}/${path}`).mode! & 0o777, mode, String(path));
    }
    assert.equal(Deno.statSync(launcher).mode! & 0o777, 0o700);
    const { ino } = Deno.statSync(launcher);
    await runInstall([claude], context);
    assert.equal(Deno.statSync(launcher).ino, ino);
    await runInstall([claude], context, { isRefresh: true });
    assert.notEqual(Deno.statSync(launcher).ino, ino);
    Deno.writeTextFileSync(launcher, "#!/bin/sh\n");
    await runInstall([claude], context);
    assert.match(Deno.readTextFileSync(launcher), /curl/);
  }));

Deno.test("with a piece that cannot be staged no config is touched", () =>
  withClaude(async ({ context, home, path }) => {
    putFile(path, "{}");
    Deno.writeTextFileSync(`${home}/file`, "");
    const broken = { ...context, stateFolder: `${home}/file/state` };
    await assert.rejects(runInstall([claude], broken));
    assert.equal(Deno.readTextFileSync(path), "{}");
  }));

Deno.test("Xal: one element of a list, beside those of others, added once and undone", () =>
  withHome(async (home) => {
    putProgram(home, "xal");
    const context = installContextFor(home);
    const xal = findProvider("xal")!;
    const path = `${home}/.xal/config.json`;
    const text = '{\n  "theme": "dark",\n  "plugins": ["./plugins/mine", "./plugins/mytty2"]\n}\n';
    putFile(path, text);
    await runInstall([xal], context);
    const { plugins } = JSON.parse(Deno.readTextFileSync(path));
    assert.deepEqual(plugins, ["./plugins/mine", "./plugins/mytty2", "./plugins/mytty"]);
    assert.equal((await runInstall([xal], context))[0]!.status, "unchanged");
    // Added twice by hand: one stays.
    putFile(path, text.replace("mytty2", "mytty"));
    await runInstall([xal], context);
    assert.deepEqual(JSON.parse(Deno.readTextFileSync(path)).plugins, [
      "./plugins/mine",
      "./plugins/mytty",
    ]);
    // A list that is none is not overwritten.
    putFile(path, '{"plugins": "all"}');
    const [refused] = await runInstall([xal], context);
    assert.equal(refused!.status, "failed");
    assert.equal(Deno.readTextFileSync(path), '{"plugins": "all"}');
    putFile(path, text);
    await runInstall([xal], context);
    await runInstall([xal], context, { uninstalls: true });
    assert.equal(Deno.readTextFileSync(path), text);
  }));

Deno.test("an uninstall fails at a broken config only where something of ours may be in it", () =>
  withHome(async (home) => {
    const claude = findProvider("claude")!;
    const context = installContextFor(home);
    const path = `${home}/.claude/settings.json`;
    const broken = ["{ broken", '{ "hooks": "mytty-hook claude-code"'];
    for (const [text, status] of [[broken[0]!, "unchanged"], [broken[1]!, "failed"]] as const) {
      putFile(path, text);
      const [report] = await runInstall([claude], context, { uninstalls: true });
      assert.equal(report!.status, status, text);
      assert.equal(Deno.readTextFileSync(path), text);
    }
  }));

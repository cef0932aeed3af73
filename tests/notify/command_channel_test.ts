/** The person's own command, for real: what it gets, and what happens to one that hangs. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { CommandChannel } from "../../src/notify/command.ts";
import { runProgram } from "../../src/notify/program.ts";
import { withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { writeExecutable } from "../helpers/executable.ts";
import { delivery, notice, notifyConfig } from "../helpers/notify.ts";

const channel = new CommandChannel();

function config(run: string | string[], timeout = "10s") {
  return notifyConfig({ channels: { command: { run, timeout } } });
}

Deno.test("the notice is in the environment and, whole, on stdin", async () => {
  await withFolder(async (folder) => {
    const run = `env > '${folder}/env'; cat > '${folder}/stdin'`;
    assert.equal(await channel.deliver(delivery({ config: config(run) })), null);
    const env = Deno.readTextFileSync(`${folder}/env`).split("\n");
    for (
      const line of [
        "MYTTY_NOTIFY_KIND=approval-request",
        "MYTTY_NOTIFY_PROVIDER=claude-code",
        "MYTTY_NOTIFY_TITLE=Claude Code needs approval · api",
        "MYTTY_NOTIFY_BODY=Bash: rm -rf build",
        "MYTTY_NOTIFY_SURFACE=pane",
        "MYTTY_NOTIFY_PLACE=api",
        "MYTTY_NOTIFY_CWD=/src/api",
      ]
    ) assert.ok(env.includes(line), line);
    const json = JSON.parse(Deno.readTextFileSync(`${folder}/stdin`));
    assert.deepEqual(
      [json.kind, json.title, json.body, json.toolName, json.cwd],
      [
        "approval-request",
        "Claude Code needs approval · api",
        "Bash: rm -rf build",
        "Bash",
        "/src/api",
      ],
    );
  });
});

Deno.test("a text is never run: not from a message, not from a folder's name", async () => {
  await withFolder(async (folder) => {
    const evil = `$(touch ${folder}/pwned)'; touch ${folder}/pwned; \`touch ${folder}/pwned\` #`;
    const one = notice({ title: evil, body: evil }, { cwd: evil, name: evil });
    const run = `printf '%s' "$MYTTY_NOTIFY_BODY" > '${folder}/body'`;
    await channel.deliver(delivery({ notice: one, config: config(run) }));
    await channel.deliver(delivery({ notice: one, config: config(["true", "x"]) }));
    assert.equal(Deno.readTextFileSync(`${folder}/body`), evil);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["body"]);
  });
});

Deno.test("a command that hangs is ended with everything it started", async () => {
  await withFolder(async (folder) => {
    const run = `sleep 300 & echo $! > '${folder}/child'; echo $$ > '${folder}/shell'; wait`;
    await assert.rejects(
      channel.deliver(delivery({ config: config(run, "400ms") })),
      { name: "TimeoutError" },
    );
    for (const name of ["child", "shell"]) {
      const pid = Number(Deno.readTextFileSync(`${folder}/${name}`));
      await eventually(() => isGone(pid));
    }
  });
});

/** A wrapper in the shapes that people write: each leaves the pid of the one that hangs. */
const WRAPPERS: Readonly<Record<string, string>> = {
  "a plain child": "sleep 300 & echo $! > child; wait",
  "the last command": "echo $$ > child; exec sleep 300",
  "a child's child": "sh -c 'sleep 300 & echo $! > child; wait'; true",
  "a child in a group of its own": "timeout 300 sh -c 'echo $$ > child; sleep 300; true'",
  "job control": "set -m; sleep 300 & echo $! > child; wait",
};

for (const [what, wrapper] of Object.entries(WRAPPERS)) {
  const ignore = Deno.build.os !== "linux";
  Deno.test({ name: `a wrapper that hangs in ${what} leaves nothing`, ignore }, async () => {
    await withFolder(async (folder) => {
      const [path, file] = [`${folder}/wrapper`, `${folder}/child`];
      writeExecutable(path, `#!/bin/sh\ncd '${folder}'\n${wrapper}\n`);
      const stop = new AbortController();
      const ended = assert.rejects(runProgram({ program: path, args: [], signal: stop.signal }));
      const child = () => existsSync(file) ? Number(Deno.readTextFileSync(file)) : 0;
      await eventually(() => child() > 0);
      stop.abort();
      await ended;
      await eventually(() => isGone(child()));
    });
  });
}

Deno.test("what a command leaves in the background does not hold it up", async () => {
  const began = performance.now();
  assert.equal(await channel.deliver(delivery({ config: config("sleep 5 & exit 0") })), null);
  assert.ok(performance.now() - began < 4_000);
});

Deno.test("a failing, a missing, a deaf command", async () => {
  await assert.rejects(channel.deliver(delivery({ config: config("exit 3") })), /status 3/);
  await assert.rejects(
    channel.deliver(delivery({ config: config(["no-such-program-here"]) })),
    /There is no program "no-such-program-here"/,
  );
  // It does not read its stdin, which is larger than a pipe holds.
  const long = notice({ body: "x".repeat(100_000) });
  assert.equal(await channel.deliver(delivery({ notice: long, config: config(["true"]) })), null);
});

function isGone(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return true;
  }
}

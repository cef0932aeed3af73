/** A server that is stopped: whoever asks it gets an end and a reason, and no command is held up. */

import assert from "node:assert/strict";
import { withFolder } from "../helpers/daemon.ts";
import { mytty, Victim } from "./victim.ts";

/** Far more than the two seconds of patience: what hangs for ever does not end in it. */
const PATIENCE_MS = 60_000;

async function withStopped(
  task: (folder: string, victim: Victim) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const victim = await Victim.start(folder);
    try {
      victim.signal("SIGSTOP");
      await task(folder, victim);
    } finally {
      await victim.end("SIGKILL");
    }
  });
}

/** Rejects instead of hanging with what hangs; that ends with the server, which is killed then. */
async function ran(folder: string, args: readonly string[]) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${args.join(" ")} hangs`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([mytty(folder, args), late]);
  } finally {
    clearTimeout(timer);
  }
}

Deno.test("a stopped server is named with its pid and the next step, by every command that asks it", async () => {
  await withStopped(async (folder, { pid }) => {
    const id = crypto.randomUUID();
    const asking = [
      ["list"],
      ["list", "--json"],
      ["attention"],
      ["attention", "ack", "--all"],
      ["notifications"],
      ["events"],
      ["events", "--follow"],
      ["watch", "--json"],
      ["wait", "x", "--until", "idle"],
      ["focus", "--next"],
      ["notify", "test"],
      ["surface", "open"],
      ["surface", "list"],
      ["surface", "finished", id, "--status", "0"],
      ["surface", "close", id],
    ];
    const said = new RegExp(
      `^mytty: The server does not answer \\(is pid ${pid} stopped\\?\\); .*kill -CONT ${pid}.*\\n$`,
    );
    const results = await Promise.all(asking.map((args) => ran(folder, args)));
    for (const [at, { code, stdout, stderr }] of results.entries()) {
      const args = asking[at]!;
      assert.equal(code, 1, args.join(" "));
      assert.equal(stdout, "", args.join(" "));
      assert.match(stderr, said, args.join(" "));
    }
  });
});

Deno.test("with a stopped server run runs its command, and a shell gets its text", async () => {
  await withStopped(async (folder) => {
    const { code, stdout, stderr } = await ran(folder, [
      "run",
      "--",
      "sh",
      "-c",
      "echo on; exit 3",
    ]);
    assert.deepEqual([code, stdout], [3, "on\n"]);
    assert.match(stderr, /^mytty: The server does not answer .*; running without a surface\n$/);
    const shell = await ran(folder, ["shell-init", "bash"]);
    assert.deepEqual([shell.code, shell.stderr], [0, ""]);
    assert.match(shell.stdout, /__mytty_precmd/);
  });
});

Deno.test("a stopped server is no reason for a status bar, a health table or the estimate to hang", async () => {
  await withStopped(async (folder, { pid }) => {
    assert.deepEqual(await ran(folder, ["status-line", "--tmux"]), {
      code: 3,
      stdout: "",
      stderr: "",
    });
    const status = await ran(folder, ["status"]);
    assert.match(status.stdout, new RegExp(`^server {3}The server does not answer .*${pid}`));
    const doctor = await ran(folder, ["doctor", "--json"]);
    assert.match(doctor.stdout, new RegExp(`pid ${pid} runs but does not answer`));
    assert.equal((await ran(folder, ["estimate", "--json"])).code, 0);
  });
});

Deno.test("a server that stops after the command began does not keep its end back", async () => {
  await withFolder(async (folder) => {
    const victim = await Victim.start(folder);
    try {
      const script = `kill -STOP ${victim.pid}; exit 5`;
      const { code } = await ran(folder, ["run", "--", "sh", "-c", script]);
      assert.equal(code, 5);
    } finally {
      await victim.end("SIGKILL");
    }
  });
});

import assert from "node:assert/strict";
import net from "node:net";
import { fileURLToPath } from "node:url";
import { startTestServer, type TestServer, withFolder, withServer } from "../helpers/daemon.ts";
import { agentEvents, assertNoTrace, eventually, folderTexts } from "../helpers/events.ts";
import { promptPayload } from "../helpers/hooks.ts";
import {
  programEnv,
  type ProgramOptions,
  type ProgramResult,
  runProgram,
} from "../helpers/program.ts";

const PAYLOAD = JSON.stringify(promptPayload("hooked"));

/** A budget of 400 ms, the start of a process, and a very busy machine. Without it: for ever. */
const IN_TIME_MS = 20_000;

function folderOf({ paths }: TestServer): string {
  return paths.state.replace(/\/state$/, "");
}

async function hook(
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const result = await runProgram(["hook", ...args], options);
  assert.ok(result.millis < IN_TIME_MS, `took ${result.millis} ms`);
  return result;
}

/** The agent sees nothing of us. */
async function assertSilent(args: readonly string[], options: ProgramOptions): Promise<void> {
  const { code, stdout, stderr } = await hook(args, options);
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
}

function spoolOf(folder: string): string[] {
  try {
    return [...Deno.readDirSync(`${folder}/state/spool`)].map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

/** A busy server may answer too late; then the event comes through the spool, a moment later. */
function arrived({ control }: TestServer, count: number, millis?: number) {
  return eventually(async () => {
    const rows = await agentEvents(control);
    return rows.length >= count && rows;
  }, millis);
}

/** On a machine too busy to read within the budget an agent's next hook gets through. */
async function deliver(test: TestServer, options: ProgramOptions) {
  for (let attempt = 1; attempt <= 8; attempt++) {
    await assertSilent(["claude-code"], options);
    const rows = await arrived(test, 1, 2_000).catch(() => null);
    if (rows !== null) return rows;
  }
  return assert.fail("no event arrived");
}

type LogLine = {
  ts: string;
  provider: string;
  event: string | null;
  error: string;
  spooled: boolean;
};

function hookLogText(folder: string): string {
  try {
    return Deno.readTextFileSync(`${folder}/state/hooks.log`);
  } catch {
    return ""; // Nothing went wrong.
  }
}

function hookLog(folder: string): LogLine[] {
  const text = hookLogText(folder);
  assert.ok(text.endsWith("\n"));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line) as LogLine);
}

Deno.test("with a server the hook is silent and its event is stored in its surface", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface("pane");
    const env = programEnv(folderOf(test), surface.env);
    await assertSilent(["claude-code"], { env, stdin: PAYLOAD });
    await assertSilent(["claude", "--unknown-flag"], { env, stdin: PAYLOAD });
    await assertSilent(["claude-code", "--event", "Stop"], {
      env,
      stdin: '{"session_id":"hooked"}',
    });
    const rows = await arrived(test, 3);
    assert.deepEqual(rows.map(({ kind }) => kind), ["started", "started", "succeeded"]);
    for (const row of rows) assert.equal(row.surfaceID, surface.surfaceID);
    assert.deepEqual(spoolOf(folderOf(test)), []);
    await assertNoTrace(test, [surface.capability]);
  });
});

Deno.test("without a server the hook is silent, spools privately, and says why in hooks.log", async () => {
  await withFolder(async (folder) => {
    const secret = "c0ffee".repeat(10);
    const env = programEnv(folder, {
      MYTTY_SURFACE_ID: crypto.randomUUID(),
      MYTTY_EVENT_CAPABILITY: secret,
    });
    await assertSilent(["claude-code"], { env, stdin: PAYLOAD });
    const [file, ...others] = spoolOf(folder);
    assert.deepEqual(others, []);
    const path = `${folder}/state/spool/${file}`;
    assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
    assert.ok(Deno.readTextFileSync(path).endsWith(`\n\n${PAYLOAD}`));
    const [line] = hookLog(folder);
    assert.equal(Deno.statSync(`${folder}/state/hooks.log`).mode! & 0o777, 0o600);
    assert.deepEqual([line!.provider, line!.spooled], ["claude-code", true]);
    assert.match(line!.error, /no server|no time left/);
    assert.ok(!Number.isNaN(Date.parse(line!.ts)));
    const log = Deno.readTextFileSync(`${folder}/state/hooks.log`);
    assert.ok(!log.includes("Do it"), "no payload in the log");
    for (const text of folderTexts(folder)) assert.ok(!text.includes(secret), "no capability");
  });
});

Deno.test("a state folder that cannot be written, or a socket that cannot be, hurts no agent", async () => {
  await withFolder(async (folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "");
    for (const state of [`${folder}/file`, `${folder}/file/below`, "/proc/nowhere/state"]) {
      const env = programEnv(folder, { MYTTY_STATE_DIR: state });
      await assertSilent(["claude-code"], { env, stdin: PAYLOAD });
    }
    for (const socket of [`${folder}/file`, folder, "/".padEnd(300, "s"), "relative", "\u0001"]) {
      const env = programEnv(folder, { MYTTY_EVENT_SOCKET: socket });
      await assertSilent(["claude-code"], { env, stdin: PAYLOAD });
    }
    assert.equal(spoolOf(folder).length, 5);
  });
});

Deno.test("a server that accepts and never answers costs the budget and no more", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/run`, { mode: 0o700 });
    const sockets: net.Socket[] = [];
    const server = net.createServer((socket) => void sockets.push(socket.resume()));
    await new Promise<void>((resolve) => server.listen(`${folder}/run/event.sock`, resolve));
    try {
      await assertSilent(["claude-code"], { env: programEnv(folder), stdin: PAYLOAD });
      assert.equal(spoolOf(folder).length, 1);
      assert.match(hookLog(folder)[0]!.error, /did not answer in time|no time left/);
    } finally {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

Deno.test("a standard input that never ends is taken when its JSON ends, or given up in time", async () => {
  await withServer(async (test) => {
    const env = programEnv(folderOf(test));
    const { length } = await deliver(test, { env, stdin: PAYLOAD, keepStdinOpen: true });
    for (const stdin of ["", "{"]) {
      await assertSilent(["claude-code"], { env, stdin, keepStdinOpen: true });
    }
    assert.equal((await agentEvents(test.control)).length, length);
    // What came whole before the time was over counts.
    const stdin = PAYLOAD.slice(0, -1);
    await assertSilent(["claude-code"], { env, stdin, keepStdinOpen: true });
    await eventually(async () => (await agentEvents(test.control)).length > length);
  });
});

Deno.test("50 MB on the standard input end in time, and ids and kind arrive", async () => {
  await withServer(async (test) => {
    const env = programEnv(folderOf(test));
    const prompt = "🙂 long ".repeat(5_000_000);
    const stdin = JSON.stringify(promptPayload("huge", { prompt }));
    const [row] = await deliver(test, { env, stdin });
    assert.deepEqual([row!.sessionID, row!.kind], ["huge", "started"]);
    assert.ok(row!.message!.isWellFormed());
  });
});

Deno.test("the same without a server: the cut payload is spooled and taken in whole", async () => {
  await withFolder(async (folder) => {
    const stdin = JSON.stringify(promptPayload("huge", { prompt: "p".repeat(3_000_000) }));
    // More than once, for a machine too busy to read it all within the budget.
    for (let run = 1; run <= 3; run++) {
      await assertSilent(["claude-code"], { env: programEnv(folder), stdin });
      assert.equal(spoolOf(folder).length, run);
    }
    const test = await startTestServer({ folder });
    try {
      const [row] = await agentEvents(test.control);
      assert.deepEqual([row?.sessionID, row?.kind], ["huge", "started"]);
    } finally {
      await test.server.stop();
    }
  });
});

Deno.test("what the server refuses is not spooled, and said in hooks.log without the payload", async () => {
  await withServer(async (test) => {
    const folder = folderOf(test);
    const env = programEnv(folder);
    for (const stdin of ["", "not json SECRET", "{SECRET", "[]"]) {
      await assertSilent(["claude-code"], { env, stdin });
    }
    const lines = hookLog(folder);
    assert.equal(lines.length, 4);
    for (const { error, spooled } of lines) {
      assert.match(error, /refused: invalid-request|did not answer in time|no time left/);
      assert.equal(spooled, !error.includes("refused"));
    }
    await eventually(() => spoolOf(folder).length === 0);
    assert.deepEqual(await agentEvents(test.control), []);
    await assertNoTrace(test, ["SECRET"]);
  });
});

const STRANGE = [
  ["no-such-agent"],
  [],
  [""],
  ["--event"],
  ["--event", "Stop"],
  ["constructor"],
  ["__proto__"],
  ["toString"],
  ["../x"],
  ["a b"],
  ["a\r\nmytty-test: 1"],
  ["é"],
  ["claude-code", "x", "y"],
];

Deno.test("unknown providers and strange arguments are silent, with and without a server", async () => {
  await withServer(async (test) => {
    await withFolder(async (folder) => {
      await Promise.all(STRANGE.map(async (args) => {
        await assertSilent(args, { env: programEnv(folder), stdin: "{}" });
        await assertSilent(args, { env: programEnv(folderOf(test)), stdin: "{}" });
      }));
      const spooled = spoolOf(folder).map((name) =>
        /^mytty-provider: (.*)$/m.exec(Deno.readTextFileSync(`${folder}/state/spool/${name}`))![1]
      );
      assert.deepEqual(new Set(spooled), new Set(["claude-code"]), "only providers that are known");
    });
    assert.deepEqual(await agentEvents(test.control), []);
  });
});

Deno.test("an agent that reads the output gets exactly what it expects, whatever happens", async () => {
  await withServer(async (test) => {
    const nowhere = { MYTTY_RUNTIME_DIR: "/dev/null/run", MYTTY_STATE_DIR: "/dev/null/state" };
    for (const extra of [{}, nowhere]) {
      for (const stdin of ['{"hook_event_name":"AfterAgent"}', "broken"]) {
        const env = programEnv(folderOf(test), extra);
        const { code, stdout, stderr } = await hook(["gemini"], { env, stdin });
        assert.deepEqual([code, stdout, stderr], [0, "{}\n", ""]);
      }
    }
    const script = '"$@" >&- <&- 2>&-; echo $?';
    const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
    const args = ["-c", script, "sh", Deno.execPath(), "run", "-A", main, "hook", "gemini"];
    const env = programEnv(folderOf(test));
    const { stdout } = await new Deno.Command("/bin/sh", { args, env, clearEnv: true }).output();
    assert.equal(new TextDecoder().decode(stdout), "0\n", "closed streams are no reason to fail");
  });
});

Deno.test("variables that fit no header are left out, and the event arrives at once all the same", async () => {
  await withServer(async (test) => {
    const env = programEnv(folderOf(test), {
      TMUX: "a\nmytty-test: 1",
      TERM_PROGRAM: "bell\u0007 and \u001b[31mred",
      KITTY_WINDOW_ID: "k".repeat(100_000),
      TERM_SESSION_ID: "größe 🙂",
      MYTTY_EVENT_CAPABILITY: "x\r\nmytty-test: 1",
      MYTTY_SURFACE_ID: "y\nmytty-test: 1",
    });
    await deliver(test, { env, stdin: PAYLOAD });
    // Not by way of the spool, except on a machine that is too busy.
    assert.doesNotMatch(hookLogText(folderOf(test)), /closed without an answer|refused/);
  });
});

Deno.test("with an empty PATH and no HOME the hook works the same", async () => {
  await withServer(async (test) => {
    const { HOME: _home, ...env } = programEnv(folderOf(test), { PATH: "" });
    await assertSilent(["claude-code"], { env, stdin: PAYLOAD });
    await arrived(test, 1);
  });
});

Deno.test("hooks.log is turned over once at 1 MiB", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder);
    Deno.mkdirSync(`${folder}/state`, { mode: 0o700 });
    const path = `${folder}/state/hooks.log`;
    const old = `${JSON.stringify({ old: "o".repeat(99) })}\n`.repeat(10_000);
    Deno.writeTextFileSync(`${path}.1`, "older\n");
    Deno.writeTextFileSync(path, old);
    await assertSilent(["claude-code"], { env, stdin: PAYLOAD });
    assert.equal(Deno.readTextFileSync(`${path}.1`), old);
    assert.equal(hookLog(folder).length, 1);
    const names = [...Deno.readDirSync(`${folder}/state`)].map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name.startsWith("hooks.log")).sort(), [
      "hooks.log",
      "hooks.log.1",
    ]);
  });
});

Deno.test("--test reports on stderr and by the exit status, and stores and spools nothing", async () => {
  await withServer(async (test) => {
    const folder = folderOf(test);
    const env = programEnv(folder);
    const good = await eventually(async () => {
      const ran = await hook(["claude-code", "--test"], { env, stdin: PAYLOAD });
      return !/in time|no time/.test(ran.stderr) && ran;
    }, 30_000);
    assert.deepEqual([good.code, good.stdout, good.stderr], [0, "", ""]);
    const refused = await hook(["no-such-agent", "--test"], { env, stdin: "{}" });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^mytty hook: (the server refused: invalid-request|.* time.*)\n$/);
    assert.deepEqual(await agentEvents(test.control), []);
    await withFolder(async (elsewhere) => {
      const down = await hook(["claude-code", "--test"], {
        env: programEnv(elsewhere),
        stdin: "{}",
      });
      assert.equal(down.code, 1);
      assert.match(down.stderr, /^mytty hook: no (server: .*|time left to send)\n$/);
      assert.deepEqual(spoolOf(elsewhere), []);
    });
  });
});

Deno.test("an agent that outlives a server restart reports again by itself", async () => {
  await withFolder(async (folder) => {
    const first = await startTestServer({ folder });
    const surface = await first.openSurface();
    const env = programEnv(folder, surface.env);
    await first.server.stop();
    await assertSilent(["claude-code"], { env, stdin: PAYLOAD });
    const second = await startTestServer({ folder });
    try {
      await assertSilent(["claude-code"], { env, stdin: PAYLOAD });
      const rows = await eventually(async () => {
        const found = await agentEvents(second.control);
        return found.length === 2 && found;
      });
      for (const row of rows) assert.equal(row.surfaceID, surface.surfaceID);
    } finally {
      await second.server.stop();
    }
  });
});

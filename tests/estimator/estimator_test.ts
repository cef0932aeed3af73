/** The estimator as a whole: made-up processes, real files, a simulated clock (bugs.md A, B, F). */

import assert from "node:assert/strict";
import { isOpenItem } from "../../src/core/log/attention.ts";
import { runIDOf } from "../../src/core/ids.ts";
import { withFolder } from "../helpers/daemon.ts";
import { CLAUDE, surfaceOf, World } from "../helpers/estimator_world.ts";

const S1 = "11111111-1111-4111-8111-111111111111";
const S2 = "22222222-2222-4222-8222-222222222222";
const TRANSCRIPT = `.claude/projects/-proj/${S1}.jsonl`;

function world(name: string, task: (world: World) => Promise<void>): void {
  Deno.test(name, () => withFolder((folder) => task(new World(folder))));
}

function status(world: World, pid: number, words: Record<string, string>): void {
  world.write(`.claude/sessions/${pid}.json`, {
    pid,
    sessionId: S1,
    cwd: "/proj",
    kind: "interactive",
    statusUpdatedAt: world.now,
    ...words,
  });
}

function claudeHook(world: World, event: string, rest: Record<string, string> = {}): void {
  world.hook("claude-code", {
    hook_event_name: event,
    session_id: S1,
    transcript_path: `${world.home}/${TRANSCRIPT}`,
    ...rest,
  }, 10);
}

world(
  "an agent without any other sign runs after the start grace, and ends with its process",
  async (it) => {
    it.run({ pid: 10, argv: ["/bin/goose"] });
    await it.passes(2_500);
    assert.deepEqual(it.names(), []);
    await it.passes(1_000);
    assert.deepEqual(it.names(), ["started launchObserved"]);
    assert.equal(it.shown(10), "running");
    it.kill(10);
    await it.pass(500);
    assert.equal(it.shown(10), "idle");
    assert.deepEqual(it.names().at(-1), "idle processExited");
    assert.equal(it.view(10).run?.message, "Its process ended");
    assert.equal(it.state.items.size, 0, "people quit it like any program");
  },
);

world("a table that cannot be read ends nothing", async (it) => {
  it.run({ pid: 10, argv: ["/bin/goose"] });
  await it.passes(4_000);
  it.isTableBroken = true;
  await assert.rejects(it.estimator.scan());
  it.isTableBroken = false;
  await it.pass(500);
  assert.equal(it.shown(10), "running");
});

world("the same pid with another start is another process (B14)", async (it) => {
  it.run({ pid: 10, argv: ["/bin/goose"], startTime: "1" });
  await it.passes(4_000);
  const first = it.view(10).run!.runID;
  it.run({ pid: 10, argv: ["/bin/goose"], startTime: "2" });
  await it.pass(500);
  assert.equal(it.state.runs.get(first)?.state, "idle");
  await it.passes(3_500);
  assert.notEqual(it.view(10).run!.runID, first);
  assert.equal(it.shown(10), "running");
  it.run({ pid: 10, argv: ["/bin/vim"], startTime: "3" });
  await it.pass(500);
  assert.equal(it.shown(10), "idle");
});

/** Launches one after the other, each of which lives for `life` and is gone half a second later. */
async function launches(it: World, argv: readonly string[], { count = 5, life = 500 } = {}) {
  for (let turn = 0; turn < count; turn++) {
    it.run({ pid: 10, argv, startTime: `${it.now}` });
    await it.passes(life, 250);
    it.kill(10);
    await it.pass(250);
    await it.pass(250);
  }
}

world("an agent that dies right after its start, again and again, has failed (A30)", async (it) => {
  await launches(it, ["/bin/goose"]);
  assert.equal(it.shown(10), "failed");
  assert.deepEqual(it.names(), ["failed crashLoop"]);
  assert.match(it.view(10).run?.message ?? "", /5 times within a minute/);
  await launches(it, ["/bin/goose"], { count: 100 });
  assert.deepEqual(it.names(), ["failed crashLoop"], "one loop, one alarm, however long");
});

world("short commands of a healthy agent are no crash loop", async (it) => {
  await launches(it, ["/bin/goose"], { count: 4 });
  await launches(it, ["/bin/claude", "-p", "hello"], { count: 8 });
  await launches(it, ["/bin/codex", "exec", "fix"], { count: 8 });
  await launches(it, ["/bin/claude", "mcp", "list"], { count: 8 });
  await launches(it, ["/bin/codex"], { count: 8, life: 1_500 });
  assert.deepEqual(it.names(), []);
});

world("launches that are known to have ended with status 0 are no crash loop", async (it) => {
  for (const when of [0, 100]) {
    for (let turn = 0; turn < 8; turn++) {
      await launches(it, ["/bin/goose"], { count: 1 });
      // Told while it is still in the table, or a moment after it was found gone.
      it.endedWell.set(surfaceOf(10), it.now - 500 + when * 5);
    }
  }
  assert.deepEqual(it.names(), []);
});

world("exits with a longer life between them are not in a row", async (it) => {
  for (let turn = 0; turn < 3; turn++) {
    await launches(it, ["/bin/goose"], { count: 3 });
    await launches(it, ["/bin/goose"], { count: 1, life: 2_000 });
  }
  assert.deepEqual(it.names(), []);
});

world(
  "turns from the transcript have the hooks' run ids, and a late hook takes over",
  async (it) => {
    it.run({ pid: 10, argv: ["/bin/claude"] });
    status(it, 10, { status: "idle" });
    await it.passes(1_500);
    assert.equal(it.shown(10), "idle");
    it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p1"));
    status(it, 10, { status: "busy" });
    await it.passes(1_500);
    const runID = runIDOf("claude-code", S1, "p1");
    assert.equal(it.view(10).run?.runID, runID);
    assert.equal(it.view(10).run?.source, "transcript");
    claudeHook(it, "UserPromptSubmit", { prompt_id: "p1", prompt: "go" });
    claudeHook(it, "Stop", { prompt_id: "p1" });
    await it.passes(1_000);
    assert.equal(it.shown(10), "succeeded");
    assert.equal(it.view(10).run?.source, "hook");
    assert.deepEqual([...it.state.runs.keys()].includes(runID), true);
    assert.equal([...it.state.runs.values()].filter(({ state }) => state === "running").length, 0);
  },
);

world(
  "a turn that a transcript begins supersedes the one before, under its own name",
  async (it) => {
    it.run({ pid: 10, argv: ["/bin/claude", "--resume", S1] });
    it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p1"));
    await it.passes(1_500);
    it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p2"));
    await it.passes(1_500);
    assert.deepEqual(it.names().filter((name) => name.startsWith("idle")), ["idle turnSuperseded"]);
    const ended = it.state.runs.get(runIDOf("claude-code", S1, "p1"))!;
    assert.deepEqual([ended.state, ended.hookName], ["idle", "mytty.native.turnSuperseded"]);
    assert.equal(it.view(10).run?.runID, runIDOf("claude-code", S1, "p2"));
  },
);

world("while hooks speak, nothing is estimated; the same turn is told once", async (it) => {
  it.run({ pid: 10, argv: ["/bin/claude"] });
  claudeHook(it, "SessionStart");
  claudeHook(it, "UserPromptSubmit", { prompt_id: "p1", prompt: "go" });
  it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(-100), "p1"));
  await it.passes(1_000);
  claudeHook(it, "Stop", { prompt_id: "p1" });
  it.write(TRANSCRIPT, CLAUDE.answer(it.iso(-200)));
  await it.passes(2_000);
  assert.deepEqual(it.names(), ["started UserPromptSubmit", "succeeded Stop"]);
});

world("hooks that let a turn begin unsaid are noticed, and estimation takes over", async (it) => {
  it.run({ pid: 10, argv: ["/bin/claude"] });
  claudeHook(it, "SessionStart");
  await it.pass(500);
  it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p1"));
  await it.passes(1_500);
  assert.equal(it.shown(10), "running");
  assert.equal(it.view(10).run?.hookName, "mytty.native.turnStarted");
  const [report] = await it.estimator.pass();
  assert.equal(report?.hooks, "silent");
  claudeHook(it, "Stop", { prompt_id: "p1" });
  assert.equal(it.shown(10), "succeeded");
  assert.equal((await it.estimator.pass())[0]?.hooks, "speaking");
});

world("ESC: idle within one look, no alarm, and a second pass adds nothing (A1)", async (it) => {
  it.run({ pid: 10, argv: ["/bin/claude"] });
  claudeHook(it, "SessionStart");
  claudeHook(it, "UserPromptSubmit", { prompt_id: "p1", prompt: "go" });
  it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p1"));
  await it.passes(2_000);
  it.write(TRANSCRIPT, CLAUDE.interrupt(it.iso(), "p1"));
  await it.files(100);
  assert.equal(it.shown(10), "idle");
  const count = it.rows.length;
  await it.passes(2_000);
  assert.equal(it.rows.length, count);
  assert.equal([...it.state.items.values()].filter(isOpenItem).length, 0);
});

world("ESC on a permission prompt settles it (A5)", async (it) => {
  it.run({ pid: 10, argv: ["/bin/claude"] });
  claudeHook(it, "UserPromptSubmit", { prompt_id: "p1", prompt: "go" });
  claudeHook(it, "PermissionRequest", { prompt_id: "p1", tool_name: "Bash" });
  await it.pass(500);
  assert.equal(it.shown(10), "waiting-approval");
  it.write(TRANSCRIPT, CLAUDE.interrupt(it.iso(), "p1"));
  await it.passes(1_000);
  assert.equal(it.shown(10), "idle");
  assert.equal([...it.state.items.values()].filter(isOpenItem).length, 0);
});

world("a new child of an agent that waits says that it was probably answered (A10)", async (it) => {
  it.run({ pid: 10, argv: ["/bin/codex"] });
  const said = { session_id: S1, turn_id: "t1" };
  it.hook("codex", { hook_event_name: "UserPromptSubmit", prompt: "go", ...said }, 10);
  await it.pass(500);
  it.run({ pid: 20, ppid: 10, argv: ["/bin/old"], tty: null });
  await it.pass(500);
  const request = { hook_event_name: "PermissionRequest", tool_name: "Bash", ...said };
  it.hook("codex", { ...request, tool_input: { command: "make" } }, 10);
  await it.passes(3_000);
  assert.equal(it.shown(10), "waiting-approval");
  it.run({ pid: 21, ppid: 10, argv: ["/bin/sh", "-c", "x/mytty-hook codex"], tty: null });
  await it.passes(2_000);
  assert.equal(it.shown(10), "waiting-approval");
  it.run({ pid: 22, ppid: 10, argv: ["/usr/bin/make"], tty: null });
  await it.passes(2_000);
  assert.equal(it.shown(10), "running");
  assert.match(it.view(10).run?.message ?? "", /^Probably answered/);
});

world("a status file shows question, approval and denial though no hook runs", async (it) => {
  it.run({ pid: 10, argv: ["/bin/claude"] });
  claudeHook(it, "UserPromptSubmit", { prompt_id: "p1", prompt: "go" });
  await it.pass(500);
  status(it, 10, { status: "waiting", waitingFor: "permission prompt" });
  await it.passes(1_000, 200);
  assert.equal(it.shown(10), "waiting-approval");
  it.now += 500;
  status(it, 10, { status: "busy" });
  await it.files(200);
  assert.equal(it.shown(10), "running");
  it.now += 500;
  status(it, 10, { status: "waiting", waitingFor: "input needed" });
  await it.passes(1_000, 200);
  assert.equal(it.shown(10), "waiting-input");
  status(it, 10, { status: "idle" });
  await it.files(200);
  assert.equal(it.shown(10), "idle");
});

world("a left-over status file of another process says nothing", async (it) => {
  it.run({ pid: 10, argv: ["/bin/claude"], startTime: "777@boot" });
  status(it, 10, { status: "busy", procStart: "123" });
  await it.passes(2_000);
  assert.deepEqual(it.rows, []);
});

world(
  "an open turn is running however old its file; a dead process's is not (F5, F6)",
  async (it) => {
    it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(-3_600_000), "old"));
    it.run({ pid: 10, argv: ["/bin/claude", "--resume", S1] });
    await it.passes(4_500);
    assert.equal(it.shown(10), "idle");
    it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p1"), CLAUDE.call(it.iso(1), "c1"));
    await it.passes(1_500);
    assert.equal(it.shown(10), "running");
    await it.passes(30 * 60_000, 60_000);
    assert.equal(it.shown(10), "running");
    it.kill(10);
    await it.pass(500);
    assert.equal(it.shown(10), "disconnected");
  },
);

world("three agents in one folder: by open file, or not at all (B6)", async (it) => {
  const rollout = (id: string) =>
    `.codex/sessions/2026/11/30/rollout-2026-11-30T12-00-00-${id}.jsonl`;
  const meta = { type: "session_meta", payload: { id: S1, source: "cli" } };
  const started = (turn: string) => ({
    type: "event_msg",
    timestamp: it.iso(),
    payload: { type: "task_started", turn_id: turn },
  });
  const first = it.write(rollout(S1), meta, started("t1"));
  const second = it.write(rollout(S2), meta, started("t2"));
  it.run({ pid: 10, argv: ["/bin/codex"], openFiles: [second] });
  it.run({ pid: 11, argv: ["/bin/codex"], openFiles: [first] });
  it.run({ pid: 12, argv: ["/bin/codex"] });
  await it.passes(4_500);
  const sessions = new Map([...it.state.sessions.values()].map((each) => [each.sessionID, each]));
  assert.equal(sessions.get(S2)?.surfaceID, surfaceOf(10));
  assert.equal(sessions.get(S1)?.surfaceID, surfaceOf(11));
  assert.equal(it.view(12).session, null);
  assert.equal(sessions.size, 2);
});

world("a rewritten transcript brings no stale turn and no second run (F4)", async (it) => {
  it.run({ pid: 10, argv: ["/bin/claude", "--resume", S1] });
  const path = it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p1"), CLAUDE.answer(it.iso(5)));
  it.now += 100;
  it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p2"));
  await it.passes(4_000);
  const runs = it.state.runs.size;
  Deno.writeTextFileSync(path, `${JSON.stringify(CLAUDE.prompt(it.iso(-4_000), "p2"))}\n`);
  await it.passes(1_000);
  assert.equal(it.state.runs.size, runs);
  assert.equal(it.shown(10), "running");
});

world("working in the background is idle after four seconds; waiting stays", async (it) => {
  it.run({ pid: 10, argv: ["/bin/codex"], tty: "/dev/pts/1" });
  it.run({ pid: 9, argv: ["/bin/bash"], tty: "/dev/pts/1" });
  const said = { session_id: S1, turn_id: "t1" };
  it.hook("codex", { hook_event_name: "UserPromptSubmit", prompt: "go", ...said }, 10);
  await it.pass(500);
  it.front("/dev/pts/1", 9);
  await it.passes(3_000);
  assert.equal(it.shown(10), "running");
  await it.passes(2_000);
  assert.equal(it.shown(10), "idle");
  it.front("/dev/pts/1", 10);
  await it.pass(500);
  assert.equal(it.shown(10), "running");
  const request = { hook_event_name: "PermissionRequest", tool_name: "Bash", ...said };
  it.hook("codex", request, 10);
  it.front("/dev/pts/1", 9);
  await it.passes(60_000, 5_000);
  assert.equal(it.shown(10), "waiting-approval");
  it.kill(10);
  await it.pass(500);
  assert.equal(it.shown(10), "disconnected");
});

world("a Codex API error, which no hook tells, is shown before the session ends", async (it) => {
  const path = it.write(
    `.codex/sessions/2026/11/30/rollout-2026-11-30T12-00-00-${S1}.jsonl`,
    { type: "session_meta", payload: { id: S1, source: "cli" } },
  );
  it.run({ pid: 10, argv: ["/bin/codex"], openFiles: [path] });
  const said = { session_id: S1, turn_id: "t1" };
  it.hook("codex", { hook_event_name: "UserPromptSubmit", prompt: "go", ...said }, 10);
  await it.pass(500);
  const payload = { type: "task_complete", turn_id: "t1", error: { message: "Overloaded" } };
  Deno.writeTextFileSync(
    path,
    `${JSON.stringify({ type: "event_msg", timestamp: it.iso(), payload })}\n`,
    { append: true },
  );
  await it.files(100);
  assert.equal(it.shown(10), "failed");
  assert.equal(it.view(10).run?.message, "Overloaded");
});

world("one table reading per pass, however many agents (F7)", async (it) => {
  for (let pid = 10; pid < 40; pid++) it.run({ pid, argv: ["/bin/claude"] });
  const before = it.tableReads;
  await it.passes(5_000, 1_000);
  assert.equal(it.tableReads - before, 5);
});

world("a turn without a sign for ten minutes is idle, unless a tool still runs", async (it) => {
  it.run({ pid: 10, argv: ["/bin/claude"] });
  it.write(TRANSCRIPT, CLAUDE.prompt(it.iso(), "p1"));
  await it.passes(4_000);
  it.write(TRANSCRIPT, CLAUDE.call(it.iso(), "t1"));
  await it.passes(1_000);
  await it.pass(3_600_000);
  assert.equal(it.shown(10), "running", "a build may take an hour");
  it.write(TRANSCRIPT, CLAUDE.result(it.iso(), "p1", "t1"));
  await it.passes(1_000);
  await it.pass(9 * 60_000);
  assert.equal(it.shown(10), "running");
  await it.pass(61_000);
  assert.equal(it.shown(10), "idle");
  assert.equal(it.names().at(-1), "idle turnStale");
  it.write(TRANSCRIPT, CLAUDE.answer(it.iso()));
  await it.passes(2_000);
  assert.equal(it.shown(10), "succeeded", "it had gone on after all");
});

/** What a program says when its terminal is closed comes after its end was seen, and still counts. */

import assert from "node:assert/strict";
import type { LogEntry, ProcessID } from "../../src/core/log/event.ts";
import { initialState, sessionKey, type State } from "../../src/core/log/state.ts";
import { commandEnds } from "../../src/core/log/command_end.ts";
import type { Processes } from "../../src/core/process/process.ts";
import { EventLog } from "../../src/socket/event_log.ts";
import { ExitWatch, NO_PATIENCE, type Patience } from "../../src/socket/exit_watch.ts";
import { Mailbox } from "../../src/socket/mailbox.ts";
import { withFolder } from "../helpers/daemon.ts";

const ROOT: ProcessID = { pid: 10, startTime: "1" };
const AGENT: ProcessID = { pid: 11, startTime: "2" };
const SESSION = { provider: "test-agent", sessionID: "s" };
const TOLD = { ...SESSION, source: "hook", hookName: "hook", surfaceID: "pane" } as const;
const LONG: Patience = { lastHook: 60_000, report: 60_000 };

const OPENED: LogEntry = {
  type: "surface-opened",
  id: "opened",
  surfaceID: "pane",
  capabilityHash: null,
  label: null,
  cwd: null,
  tty: null,
  root: ROOT,
  multiplexer: null,
  adopted: true,
};

const STARTED: LogEntry = {
  ...TOLD,
  type: "agent-event",
  id: "started",
  runID: "run",
  kind: "started",
  occurredAt: 1,
  message: "hello",
  toolUseID: null,
  toolName: null,
  process: AGENT,
};

/** A pane with an agent at work; both are gone unless `living` says otherwise. */
async function withGone(
  task: (gone: {
    readonly watch: ExitWatch;
    readonly state: State;
    readonly say: (...entries: LogEntry[]) => Promise<void>;
  }) => Promise<void>,
  living: readonly ProcessID[] = [],
  opened: LogEntry = OPENED,
): Promise<void> {
  await withFolder(async (folder) => {
    const log = new EventLog(`${folder}/log.sqlite`);
    const state = initialState();
    const mailbox = new Mailbox({ state, log, now: () => 2, publish: () => {} });
    const isAlive = ({ pid }: ProcessID) => Promise.resolve(living.some((it) => it.pid === pid));
    const watch = new ExitWatch({ mailbox, processes: { isAlive } as Processes });
    const say = async (...entries: LogEntry[]) => void await mailbox.submit(() => ({ entries }));
    try {
      await say(opened, STARTED);
      await task({ watch, state, say });
      await mailbox.drain();
    } finally {
      log.close();
    }
  });
}

const ENDED: LogEntry = {
  ...TOLD,
  type: "session-ended",
  id: "ended",
  occurredAt: 3,
  reason: "closed",
};

for (const [what, living] of [["agent and pane are", []], ["only the pane is", [AGENT]]] as const) {
  Deno.test(`a last word that comes when ${what} gone counts: nobody died`, async () => {
    await withGone(async ({ watch, state, say }) => {
      await watch.check(LONG);
      assert.equal(state.runs.get("run")!.state, "running");
      await say(ENDED);
      await watch.check(LONG);
      assert.equal(state.runs.get("run")!.state, "idle");
      assert.notEqual(state.surfaces.get("pane")!.closedAt, null);
      assert.equal(state.items.size, 0);
    }, living);
  });
}

Deno.test("without a last word what is gone is lost, when its time is over", async () => {
  await withGone(async ({ watch, state }) => {
    await watch.check();
    await watch.check();
    assert.equal(state.runs.get("run")!.state, "running");
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    await watch.check();
    assert.equal(state.runs.get("run")!.state, "disconnected");
    assert.notEqual(state.sessions.get(sessionKey("test-agent", "s"))!.endedAt, null);
    assert.notEqual(state.surfaces.get("pane")!.closedAt, null);
    assert.deepEqual([...state.items.values()].map(({ kind }) => kind), ["disconnect"]);
  });
});

Deno.test("what was not at work ends at the first look, and at a start everything does", async () => {
  await withGone(async ({ watch, state, say }) => {
    await say({ ...STARTED, id: "done", kind: "succeeded", occurredAt: 2 } as LogEntry);
    await watch.check(LONG);
    assert.notEqual(state.sessions.get(sessionKey("test-agent", "s"))!.endedAt, null);
    assert.notEqual(state.surfaces.get("pane")!.closedAt, null);
  });
  await withGone(async ({ watch, state }) => {
    await watch.check(NO_PATIENCE);
    assert.equal(state.runs.get("run")!.state, "disconnected");
  });
});

Deno.test("with its pane still there, an agent that is gone died: at the first look", async () => {
  await withGone(async ({ watch, state }) => {
    await watch.check(LONG);
    assert.equal(state.runs.get("run")!.state, "disconnected");
    assert.equal(state.surfaces.get("pane")!.closedAt, null);
  }, [ROOT]);
});

Deno.test("where a shell tells how its commands end, it is waited for, and no longer than that", async () => {
  const reported = { ...OPENED, adopted: false, reportsEnds: true } as LogEntry;
  await withGone(
    async ({ watch, state, say }) => {
      await watch.check(LONG);
      assert.equal(state.runs.get("run")!.state, "running");
      const isAlive = () => false;
      await say(...commandEnds(state, "pane", { exitCode: 0, now: 3, isAlive }));
      await watch.check(LONG);
      assert.equal(state.runs.get("run")!.state, "succeeded");
      assert.notEqual(state.sessions.get(sessionKey("test-agent", "s"))!.endedAt, null);
      assert.equal(state.items.size, 0);
    },
    [ROOT],
    reported,
  );
  await withGone(
    async ({ watch, state }) => {
      await watch.check({ lastHook: 60_000, report: 0 });
      assert.equal(state.runs.get("run")!.state, "disconnected");
    },
    [ROOT],
    reported,
  );
});

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { AgentEvent, EventKind, LogEntry } from "../../src/core/log/event.ts";
import { replay } from "../../src/core/log/reduce.ts";
import { prunable } from "../../src/core/log/retention.ts";
import { initialState, type State } from "../../src/core/log/state.ts";
import { EventLog } from "../../src/socket/event_log.ts";
import { type Applied, Mailbox } from "../../src/socket/mailbox.ts";
import { withFolder } from "../helpers/daemon.ts";

type Box = {
  readonly mailbox: Mailbox;
  readonly log: EventLog;
  readonly state: State;
  readonly path: string;
  readonly published: (readonly Applied[])[];
};

async function withMailbox(task: (box: Box) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/log.sqlite`;
    const log = new EventLog(path);
    const state = initialState();
    const published: (readonly Applied[])[] = [];
    let now = 1_000;
    const publish = (applied: readonly Applied[]) => void published.push(applied);
    const mailbox = new Mailbox({ state, log, now: () => now++, publish });
    try {
      await task({ mailbox, log, state, path, published });
      await mailbox.drain();
      assertIsFold({ state, log });
    } finally {
      log.close();
    }
  });
}

/** The state says exactly what a restart would make of the log. */
function assertIsFold({ state, log }: Pick<Box, "state" | "log">): void {
  const again = replay(initialState(), log.all(() => assert.fail("a damaged row")));
  assert.deepEqual(plain(state), plain(again));
}

function plain({ journal: _journal, ...maps }: State) {
  return Object.fromEntries(
    Object.entries(maps).map(([name, value]) => [
      name,
      typeof value === "number" ? value : [...value as Map<string, unknown>].sort(byKey),
    ]),
  );
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function agentEvent(fields: Partial<AgentEvent> = {}): AgentEvent {
  return {
    type: "agent-event",
    id: crypto.randomUUID(),
    runID: crypto.randomUUID(),
    provider: "test-agent",
    kind: "started",
    occurredAt: 5,
    source: "envelope",
    sessionID: null,
    surfaceID: null,
    message: null,
    hookName: null,
    toolUseID: null,
    toolName: null,
    ...fields,
  };
}

Deno.test("what arrives together is stored in the order it came, in few commits", async () => {
  await withMailbox(async ({ mailbox, log, published }) => {
    const events = Array.from({ length: 1_300 }, () => agentEvent());
    const settled: string[] = [];
    await Promise.all(events.map(async (event) => {
      const submitted = await mailbox.submit(() => ({ entries: [event] }));
      assert.ok("inserted" in submitted && submitted.inserted);
      settled.push(event.id);
    }));
    const ids = events.map(({ id }) => id);
    assert.deepEqual([...log.all(() => {})].map(({ entry }) => entry.id), ids);
    assert.deepEqual(settled, ids);
    assert.deepEqual(published.flat().map(({ row }) => row.entry.id), ids);
    assert.ok(published.length <= 5, `${published.length} commits`);
  });
});

Deno.test("an answer comes, and readers are told, only after the rows are in the file", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/log.sqlite`;
    const log = new EventLog(path);
    const seen: number[] = [];
    const rows = () => {
      const other = new DatabaseSync(path);
      const row = other.prepare("SELECT count(*) AS n FROM log").get() as { n: number };
      other.close();
      return row.n;
    };
    const state = initialState();
    const publish = () => void seen.push(rows());
    const mailbox = new Mailbox({ state, log, now: () => 1, publish });
    await mailbox.submit(() => ({ entries: [agentEvent(), agentEvent()] }));
    assert.deepEqual([...seen, rows()], [2, 2]);
    log.close();
  });
});

Deno.test("one failing job takes no other with it, and leaves nothing of its own", async () => {
  await withMailbox(async ({ mailbox, log, published }) => {
    const good = Array.from({ length: 20 }, () => agentEvent());
    const unstorable = { ...agentEvent(), message: 1n } as unknown as LogEntry;
    const jobs = good.flatMap((event, index) => {
      const job = mailbox.submit(() => ({ entries: [event] }));
      if (index % 5 !== 2) return [job];
      const half = mailbox.submit(() => ({ entries: [agentEvent(), unstorable] }));
      const thrown = mailbox.submit(() => {
        throw new Error("It was a bad job");
      });
      return [half, job, thrown];
    });
    const results = await Promise.allSettled(jobs);
    assert.equal(results.filter(({ status }) => status === "rejected").length, 8);
    assert.deepEqual(
      [...log.all(() => {})].map(({ entry }) => entry.id),
      good.map(({ id }) => id),
    );
    assert.equal(published.flat().length, 20);
  });
});

Deno.test("a refusal stores nothing, and a repeated id is no insertion", async () => {
  await withMailbox(async ({ mailbox, log }) => {
    const event = agentEvent();
    const results = await Promise.all([
      mailbox.submit(() => ({ entries: [event] })),
      mailbox.submit<"no">(() => ({ refuse: "no" })),
      mailbox.submit(() => ({ entries: [{ ...event, kind: "failed" }] })),
      mailbox.submit(() => ({ entries: [] })),
    ]);
    assert.deepEqual(results.map((result) => "refused" in result ? "no" : result.inserted), [
      true,
      "no",
      false,
      false,
    ]);
    assert.equal(log.count(), 1);
  });
});

Deno.test("each job decides on the state that those before it in the batch have made", async () => {
  await withMailbox(async ({ mailbox }) => {
    const seen: number[] = [];
    await Promise.all(Array.from({ length: 5 }, () =>
      mailbox.submit((state) => {
        seen.push(state.runs.size);
        return { entries: [agentEvent()] };
      })));
    assert.deepEqual(seen, [0, 1, 2, 3, 4]);
  });
});

const KINDS: readonly EventKind[] = [
  "started",
  "running",
  "approval-requested",
  "input-requested",
  "succeeded",
  "failed",
  "disconnected",
  "idle",
];

/** Some of everything that can be in a log, about few runs, so that it meets itself. */
function randomEntries(runs: readonly string[], surfaces: readonly string[]): LogEntry[] {
  const pick = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)]!;
  const surfaceID = pick(surfaces);
  const sessionID = pick(["s1", "s2", "s3"]);
  const id = crypto.randomUUID();
  switch (Math.floor(Math.random() * 8)) {
    case 0:
      return [{ type: "surface-closed", id, surfaceID, reason: pick(["closed", "ended", "gone"]) }];
    case 1:
      return [surfaceOpened(id, surfaceID)];
    case 2: {
      const facts = { provider: "test-agent", sessionID, occurredAt: 7, hookName: null };
      return [{ type: "session-ended", id, ...facts, source: "hook", reason: "lost" }];
    }
    default:
      return Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () =>
        agentEvent({
          runID: pick(runs),
          kind: pick(KINDS),
          surfaceID: pick([null, surfaceID]),
          sessionID: pick([null, sessionID]),
          occurredAt: Math.floor(Math.random() * 1_000),
        }));
  }
}

function surfaceOpened(id: string, surfaceID: string): LogEntry {
  return {
    type: "surface-opened",
    id,
    surfaceID,
    capabilityHash: surfaceID,
    label: null,
    cwd: null,
    tty: null,
    root: null,
    multiplexer: null,
    adopted: false,
  };
}

Deno.test("after any mixture of good, bad and pruning jobs the state is the fold of the log", async () => {
  await withMailbox(async ({ mailbox, log, state }) => {
    const runs = Array.from({ length: 12 }, () => crypto.randomUUID());
    const surfaces = Array.from({ length: 4 }, () => crypto.randomUUID());
    for (let round = 0; round < 60; round++) {
      const jobs = Array.from({ length: 8 }, (_, index) =>
        mailbox.submit(() => {
          const entries = randomEntries(runs, surfaces);
          const isBad = round % 2 === 0 && index % 3 === 1;
          const bad = { ...agentEvent(), message: 1n } as unknown as LogEntry;
          return { entries: isBad ? [...entries, bad] : entries };
        }));
      await Promise.allSettled(jobs);
      assertIsFold({ state, log });
    }
  });
});

Deno.test("what is pruned is gone from the log and the state alike, or from neither", async () => {
  await withMailbox(async ({ mailbox, log, state }) => {
    const turn = async (sessionID: string) => {
      const surfaceID = crypto.randomUUID();
      const fields = { runID: crypto.randomUUID(), sessionID, surfaceID };
      const id = crypto.randomUUID();
      const facts = {
        provider: "test-agent",
        occurredAt: 1,
        hookName: null,
        source: "hook",
      } as const;
      await mailbox.submit(() => ({ entries: [surfaceOpened(crypto.randomUUID(), surfaceID)] }));
      await mailbox.submit(() => ({
        entries: [
          { type: "session-started", id, sessionID, surfaceID, ...facts },
          agentEvent(fields),
          agentEvent({ ...fields, kind: "succeeded", occurredAt: 6 }),
          { type: "session-ended", ...facts, id: crypto.randomUUID(), sessionID, reason: "closed" },
          { type: "surface-closed", id: crypto.randomUUID(), surfaceID, reason: "closed" },
        ],
      }));
    };
    for (let index = 0; index < 5; index++) await turn(`old-${index}`);
    const retention = 1;
    for (let index = 0; index < 5; index++) await turn(`new-${index}`);
    const old = [...state.sessions.values()].find(({ sessionID }) => sessionID === "old-4")!;
    const choose = (current: State) => prunable(current, { now: old.at + 3, retention });
    const bad = { ...agentEvent(), message: 1n } as unknown as LogEntry;
    const [pruned, failed] = await Promise.allSettled([
      mailbox.prune(choose),
      mailbox.submit(() => ({ entries: [bad] })),
    ]);
    assert.deepEqual([pruned.status, failed.status], ["fulfilled", "rejected"]);
    assert.deepEqual(
      new Set([...state.sessions.values()].map((one) => one.sessionID.slice(0, 3))),
      new Set(["new"]),
    );
    assert.equal(log.count(), 5 * 6);
  });
});

Deno.test("when the database refuses, everybody is told and the state stays what the log says", async () => {
  await withMailbox(async ({ mailbox, log, state, path, published }) => {
    await mailbox.submit(() => ({ entries: [agentEvent()] }));
    const before = plain(state);
    const blocker = new DatabaseSync(path);
    blocker.exec("BEGIN IMMEDIATE");
    const jobs = Array.from(
      { length: 10 },
      () => mailbox.submit(() => ({ entries: [agentEvent()] })),
    );
    const results = await Promise.allSettled([
      ...jobs,
      mailbox.prune((current) => prunable(current, { now: 1e15, retention: 1 })),
    ]);
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(["rejected"]));
    assert.deepEqual(plain(state), before);
    assert.equal(published.length, 1);
    blocker.exec("ROLLBACK");
    blocker.close();
    await mailbox.submit(() => ({ entries: [agentEvent()] }));
    assert.equal(log.count(), 2);
  });
});

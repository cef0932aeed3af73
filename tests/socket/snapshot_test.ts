/** Start-up from a snapshot: the same state, only sooner; at any doubt the rows alone decide. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { AgentEvent } from "../../src/core/log/event.ts";
import { snapshotOf } from "../../src/core/log/snapshot.ts";
import type { State } from "../../src/core/log/state.ts";
import { startTestServer, type TestServer, withFolder } from "../helpers/daemon.ts";

const ROWS = 2_500;
const ONE = { program: "one" };

function eventOf(row: number, pid: number): AgentEvent {
  const run = String(Math.floor(row / 5)).padStart(12, "0");
  return {
    type: "agent-event",
    id: crypto.randomUUID(),
    runID: `00000000-0000-4000-8000-${run}`,
    provider: "my-agent",
    kind: row % 5 === 0 ? "started" : row % 5 === 4 ? "approval-requested" : "running",
    occurredAt: Date.now(),
    source: "hook",
    sessionID: `session ${run}`,
    surfaceID: null,
    message: "words",
    hookName: "Hook",
    toolUseID: row % 5 === 4 ? `t${row}` : null,
    toolName: null,
    process: { pid, startTime: "0" },
  };
}

/** Processes of that many runs that all live. */
const processes = {
  readTable: () => Promise.resolve(new Map()),
  readProcess: () => Promise.resolve(null),
  readChain: () => Promise.resolve(new Map()),
  readEnv: () => Promise.resolve(null),
  openFiles: () => Promise.resolve(null),
  isAlive: () => Promise.resolve(true),
};

function start(folder: string, options: { readonly program?: string } = {}): Promise<TestServer> {
  return startTestServer({ folder, processes, ...options });
}

async function fill({ server: { daemon } }: TestServer): Promise<void> {
  const entries = Array.from({ length: ROWS }, (_, row) => eventOf(row, row + 1));
  await daemon.mailbox.submit(() => ({ entries }));
}

/** Two servers' states, also in what only the order of the maps tells. */
function folded({ server: { daemon } }: TestServer): unknown {
  return JSON.parse(JSON.stringify(snapshotOf(daemon.state)));
}

function shownOf({ runs, items }: State): string[] {
  return [...runs.values()].map(({ runID, state }) => `${runID} ${state}`).concat([
    ...items.keys(),
  ]);
}

/** A folder whose log has a snapshot of program "one"; what was shown when it was made. */
async function withKept(
  task: (folder: string, before: unknown) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const test = await start(folder, ONE);
    await fill(test);
    const before = folded(test);
    await test.server.stop();
    await task(folder, before);
  });
}

function changeDatabase(folder: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(`${folder}/state/mytty.sqlite`);
  for (const statement of statements) database.exec(statement);
  database.close();
}

async function stateAt(folder: string, program: string): Promise<[TestServer, unknown]> {
  const test = await start(folder, { program });
  const state = folded(test);
  await test.server.stop();
  return [test, state];
}

Deno.test("a restart from a snapshot shows what was shown, and goes on from there", () =>
  withKept(async (folder, before) => {
    // Only a snapshot can still know of them.
    changeDatabase(folder, "DELETE FROM log WHERE position <= 1000");
    const test = await start(folder, ONE);
    assert.deepEqual(folded(test), before);
    assert.deepEqual(test.logged, []);
    const runID = crypto.randomUUID();
    const more = { ...eventOf(0, 1), runID, sessionID: "more" };
    await test.server.daemon.mailbox.submit(() => ({ entries: [more] }));
    const after = folded(test);
    await test.server.stop();
    const [again, state] = await stateAt(folder, "one");
    assert.deepEqual(state, after, "too few rows for another snapshot: these were folded");
    assert.ok(again.server.daemon.state.runs.has(runID));
  }));

Deno.test("with and without a snapshot the state is the same, hearing included", () =>
  withKept(async (folder, before) => {
    const [kept, fromSnapshot] = await stateAt(folder, "one");
    const [anew, fromRows] = await stateAt(folder, "another");
    assert.deepEqual(fromSnapshot, before);
    assert.deepEqual(fromRows, before);
    const [one, other] = [kept, anew].map(({ server }) => server.daemon.hearing.times());
    assert.equal(one!.length, ROWS / 5);
    assert.deepEqual(one, other);
  }));

Deno.test("a snapshot of another program, or a damaged one, is not believed", () =>
  withKept(async (folder) => {
    changeDatabase(folder, "DELETE FROM log WHERE position <= 1000");
    const [other] = await stateAt(folder, "another");
    assert.equal(other.server.daemon.state.runs.size, (ROWS - 1_000) / 5);
    const damages = [
      "UPDATE snapshot SET program = 'one', text = replace(text, 'waiting-approval', 'running')",
      "UPDATE snapshot SET text = '{}', hash = ''",
      "UPDATE snapshot SET position = 99999999",
    ];
    for (const damage of damages) {
      changeDatabase(folder, damage);
      const [test] = await stateAt(folder, "one");
      assert.equal(test.server.daemon.state.runs.size, (ROWS - 1_000) / 5, damage);
    }
    const [test] = await stateAt(folder, "one");
    assert.equal(shownOf(test.server.daemon.state).length, (ROWS - 1_000) / 5 * 2);
  }));

Deno.test("what is forgotten takes the snapshot along, in one transaction", () =>
  withKept(async (folder) => {
    const test = await start(folder, ONE);
    const { daemon } = test.server;
    assert.ok(daemon.eventLog.snapshot() !== null);
    const [runID] = daemon.state.runs.keys();
    const nothing = { runIDs: [], sessionKeys: [], surfaceIDs: [], rejectedBefore: 0 };
    const forgotten = { ...nothing, runIDs: [runID!] };
    const failing = daemon.mailbox.prune(() => {
      daemon.eventLog.prune(forgotten);
      throw new Error("no room");
    });
    await assert.rejects(failing, /no room/);
    assert.ok(daemon.eventLog.snapshot() !== null, "rolled back with the rest");
    await daemon.mailbox.prune(() => nothing);
    assert.ok(daemon.eventLog.snapshot() !== null, "nothing was forgotten");
    await daemon.mailbox.prune(() => forgotten);
    assert.equal(daemon.eventLog.snapshot(), null);
    const after = shownOf(daemon.state);
    await test.server.stop();
    const [again] = await stateAt(folder, "one");
    assert.deepEqual(shownOf(again.server.daemon.state), after);
  }));

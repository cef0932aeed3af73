/**
 * Placing a hook with 200 panes open beside the same with 2: the decision alone, and a whole hook
 * from its POST to the answer after the commit, its process tree read for real.
 */

import { processID, type ProcessRow } from "../src/core/process/process.ts";
import { placeHook, type PlacementEvidence } from "../src/core/placement/placement.ts";
import { reduce } from "../src/core/log/reduce.ts";
import { initialState, type State } from "../src/core/log/state.ts";
import type { Built } from "../tests/helpers/built.ts";
import { postHook } from "../tests/helpers/hooks.ts";
import { fixed, median, type Result, withServed, withTemporary } from "./measure.ts";

const FEW = 2;
const MANY = 200;
const DECISIONS = 20_000;
const HOOKS = 150;
const ROUNDS = 3;

function row(pid: number, ppid: number, tty: string): ProcessRow {
  const ids = { pgid: pid, sid: ppid, foregroundPgid: pid, startTime: String(pid) };
  return { pid, ppid, tty, comm: "agent", argv: ["agent"], exe: null, ...ids };
}

function evidenceOf(at: number): PlacementEvidence {
  const tty = `/dev/pts/${at}`;
  const shell = row(10_000 + at * 2, 1, tty);
  const agent = row(10_001 + at * 2, shell.pid, tty);
  return {
    provider: "bench-agent",
    sessionID: `s${at}`,
    backgroundJob: false,
    claim: null,
    chain: [agent, shell],
    agent,
    shared: false,
    outer: processID(shell),
    paneKey: null,
  };
}

/** A state in which `count` agents each have a pane and a session. */
function stateWith(count: number): State {
  const state = initialState();
  for (let at = 0; at < count; at++) {
    const evidence = evidenceOf(at);
    const { opens } = placeHook(state, evidence);
    reduce(state, { position: state.position + 1, at: at + 1, entry: opens! });
    reduce(state, {
      position: state.position + 1,
      at: at + 1,
      entry: {
        type: "session-started",
        id: crypto.randomUUID(),
        provider: "bench-agent",
        sessionID: `s${at}`,
        surfaceID: opens!.surfaceID,
        occurredAt: at,
        source: "hook",
        hookName: null,
        process: processID(evidence.agent!),
      },
    });
  }
  return state;
}

/** Microseconds for one decision, the last pane's agent speaking of a session not seen yet. */
function decisionTime(count: number): number {
  const state = stateWith(count);
  const evidence = { ...evidenceOf(count - 1), sessionID: "new" };
  for (let at = 0; at < DECISIONS / 10; at++) placeHook(state, evidence);
  const from = performance.now();
  for (let at = 0; at < DECISIONS; at++) placeHook(state, evidence);
  return (performance.now() - from) / DECISIONS * 1000;
}

async function openPanes({ control }: Built, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await control.request("/v1/surfaces", { method: "POST", body: { label: `p${at}` } });
  }
}

/** Milliseconds of a hook of ours, with this very process above it. */
async function hookTime({ folder }: Built): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < HOOKS; at++) {
    const body = { session_id: "bench", hook_event_name: "PostToolBatch", cwd: "/" };
    const headers = { "mytty-pid": String(Deno.pid), "mytty-at": String(Date.now()) };
    const from = performance.now();
    await postHook(`${folder}/run/event.sock`, { headers, body });
    times.push(performance.now() - from);
  }
  return median(times);
}

async function hookTimes(): Promise<[number, number]> {
  return await withTemporary((folder) =>
    withServed(folder, async (built) => {
      await openPanes(built, FEW);
      await hookTime(built);
      const few = await hookTime(built);
      await openPanes(built, MANY - FEW);
      return [few, await hookTime(built)] as [number, number];
    })
  );
}

export async function benchPlacement(): Promise<Result[]> {
  const decisions = Array.from({ length: ROUNDS }, () => [decisionTime(FEW), decisionTime(MANY)]);
  const hooks: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) hooks.push(await hookTimes());
  const middle = (pairs: readonly (readonly number[])[]) =>
    pairs.toSorted((a, b) => a[1]! / a[0]! - b[1]! / b[0]!)[ROUNDS >> 1]!;
  const [decided, hooked] = [middle(decisions), middle(hooks)];
  return [{
    work: `decide a hook's pane, ${MANY} panes against ${FEW}`,
    measured: `${fixed(decided[1]!)} µs against ${fixed(decided[0]!)} µs`,
    ratio: decided[1]! / decided[0]!,
    bar: { most: 1.3 },
  }, {
    work: `a whole hook, ${MANY} panes against ${FEW}`,
    measured: `${fixed(hooked[1]!)} ms against ${fixed(hooked[0]!)} ms`,
    ratio: hooked[1]! / hooked[0]!,
    bar: { most: 1.3 },
  }];
}

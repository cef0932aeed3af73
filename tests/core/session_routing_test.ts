/** Which pane a session of a shared process belongs to: every rule, every ambiguity. */

import assert from "node:assert/strict";
import { processID, type ProcessRow } from "../../src/core/process/process.ts";
import { codexFiles } from "../../src/core/providers/rollouts/codex.ts";
import {
  type RouteEvidence,
  type RoutePane,
  routeSession,
} from "../../src/core/placement/session_routing.ts";
import { fakeRow } from "../fixtures/processes/rows.ts";
import { closed, Log, opened, sessionEnded, sessionStarted, uuid } from "./log.ts";

const NOW = 1_796_042_700_000;
const S = "01a22c7c-cc63-7f10-ae5b-6f12a3227e5c";
const T = "01a22c7c-e5ad-7433-9a4d-9aded10c62bb";
const PROVIDER = "codex";

function pane(pid: number, fields: Partial<RoutePane> = {}): RoutePane {
  const shell = fakeRow({ pid: pid - 1, ppid: 1 });
  return {
    agent: fakeRow({ pid, ppid: pid - 1, comm: "codex" }),
    chain: [shell],
    paneKey: null,
    cwd: "/proj",
    openSessions: [],
    resumes: null,
    startedAt: NOW,
    ...fields,
  };
}

function evidence(panes: RoutePane[], fields: Partial<RouteEvidence> = {}): RouteEvidence {
  return {
    panes,
    isComplete: true,
    cwd: "/proj",
    openedAt: NOW + 3_000,
    others: [],
    isOpenedByTerminal: false,
    mayRebind: false,
    isResumed: false,
    ...fields,
  };
}

/** The pid of the pane, or why there is none. */
function told(log: Log, given: RouteEvidence, sessionID = S): [number, string] | string {
  const route = routeSession({ state: log.state, provider: PROVIDER, sessionID, evidence: given });
  return route.pane === null ? route.why : [route.pane.agent.pid, route.rule];
}

function bind(log: Log, agent: ProcessRow, sessionID: string, at = 1): void {
  const surfaceID = uuid(`pane ${agent.pid}`);
  log.tell(opened(surfaceID), at);
  const process = processID(agent);
  log.tell(sessionStarted(sessionID, at, { provider: PROVIDER, surfaceID, process }), at);
}

const [A, B] = [pane(101), pane(201)];

Deno.test("the pane that holds the session's transcript open comes first, unless two do", () => {
  const log = new Log();
  const holder = pane(301, { openSessions: [S], cwd: "/elsewhere" });
  bind(log, A.agent, S);
  assert.deepEqual(told(log, evidence([A, B, holder])), [301, "open-transcript"]);
  const other = pane(401, { openSessions: [S] });
  assert.match(told(log, evidence([holder, other])) as string, /more than one pane holds/);
});

Deno.test("a binding holds while its process is the same and holds no other transcript", () => {
  const log = new Log();
  bind(log, A.agent, S);
  assert.deepEqual(told(log, evidence([A, B])), [101, "session"]);
  assert.deepEqual(told(log, evidence([A], { isComplete: false, cwd: null })), [101, "session"]);
  const replaced = { ...A, agent: { ...A.agent, startTime: "later" } };
  assert.match(told(log, evidence([replaced], { isComplete: false })) as string, /binding ended/);
  assert.deepEqual(told(log, evidence([{ ...A, openSessions: [T] }, B])), [
    201,
    "only-pane-in-folder",
  ]);
  log.tell(closed(uuid("pane 101"), "gone"), 2);
  assert.match(told(log, evidence([pane(501, { cwd: "/x" })])) as string, /no pane of this agent/);
});

Deno.test("a pane that was started to resume the session gets it, once and alone", () => {
  const log = new Log();
  const resuming = pane(301, { resumes: S, startedAt: NOW + 90_000, cwd: "/elsewhere" });
  assert.deepEqual(told(log, evidence([A, resuming])), [301, "resume-argument"]);
  const twice = pane(401, { resumes: S });
  assert.match(told(log, evidence([resuming, twice])) as string, /more than one pane was started/);
  bind(log, resuming.agent, T);
  assert.deepEqual(told(log, evidence([A, resuming])), [101, "only-pane-in-folder"]);
});

Deno.test("the only free pane in the folder gets it; two free ones, or none, do not", () => {
  const log = new Log();
  const elsewhere = pane(301, { cwd: "/proj/sub" });
  assert.deepEqual(told(log, evidence([A, elsewhere])), [101, "only-pane-in-folder"]);
  assert.equal(told(log, evidence([A, B])), "2 free panes of this agent are in its folder");
  assert.match(
    told(log, evidence([elsewhere])) as string,
    /no pane of this agent is in its folder/,
  );
  assert.match(told(log, evidence([A], { cwd: null })) as string, /does not name/);
  assert.match(
    told(log, evidence([{ ...A, openSessions: [T] }])) as string,
    /no pane of this agent is in its folder/,
  );
  bind(log, A.agent, T);
  assert.deepEqual(told(log, evidence([A, B])), [201, "only-pane-in-folder"]);
});

Deno.test("an agent did not open what is older than itself, unless it resumes", () => {
  const log = new Log();
  const young = pane(101, { startedAt: NOW + 60_000 });
  assert.match(told(log, evidence([young])) as string, /every pane in its folder/);
  assert.deepEqual(told(log, evidence([young, B])), [201, "only-pane-in-folder"]);
  const picker = pane(101, { startedAt: NOW + 60_000, resumes: "any" });
  assert.deepEqual(told(log, evidence([picker])), [101, "only-pane-in-folder"]);
  assert.deepEqual(told(log, evidence([young], { isResumed: true })), [
    101,
    "only-pane-in-folder",
  ]);
});

Deno.test("a pane goes over to another session only where something begins, and alone", () => {
  const log = new Log();
  bind(log, A.agent, T);
  assert.match(told(log, evidence([A])) as string, /is taken or younger/);
  const begins = { mayRebind: true, openedAt: NOW + 50_000 };
  assert.deepEqual(told(log, evidence([A], begins)), [101, "rebound"]);
  bind(log, B.agent, uuid("other"));
  assert.match(told(log, evidence([A, B], begins)) as string, /more than one pane .* taken it up/);
  const young = pane(201, { startedAt: NOW + 60_000 });
  assert.deepEqual(told(log, evidence([A, young], begins)), [101, "rebound"]);
});

Deno.test("two free panes are told apart by start times, where each opened its own session", () => {
  const log = new Log();
  const late = pane(201, { startedAt: NOW + 20_000 });
  const own = { isOpenedByTerminal: true, others: [{ sessionID: T, openedAt: NOW + 23_000 }] };
  assert.deepEqual(told(log, evidence([A, late], own)), [101, "only-pane-in-folder"]);
  const both = "2 free panes of this agent are in its folder";
  const second = {
    ...own,
    openedAt: NOW + 23_000,
    others: [{ sessionID: S, openedAt: NOW + 3_000 }],
  };
  assert.deepEqual(told(log, evidence([A, late], second), T), [201, "thread-time"]);
  // Without the terminal's own note, or where a pane has not opened one yet, nothing is told.
  assert.equal(told(log, evidence([A, late], { ...second, isOpenedByTerminal: false }), T), both);
  assert.equal(told(log, evidence([A, late], { ...second, others: [] }), T), both);
  const close = pane(201, { startedAt: NOW + 1_000 });
  const near = { ...own, others: [{ sessionID: T, openedAt: NOW + 4_000 }] };
  assert.equal(told(log, evidence([A, close], near)), both);
});

Deno.test("an ended session is bound to nothing", () => {
  const log = new Log();
  bind(log, A.agent, S);
  log.tell(sessionEnded(S, 2, { provider: PROVIDER, reason: "lost" }), 2);
  const late = pane(201, { startedAt: NOW + 60_000 });
  assert.match(told(log, evidence([late])) as string, /every pane in its folder/);
});

Deno.test("Codex: what names, words and first lines tell", () => {
  const { openedAt, sessionOfPath, resumes, folders, folderOfHead } = codexFiles;
  assert.equal(new Date(openedAt(S)!).toISOString(), "2026-11-30T12:45:06.019Z");
  assert.equal(openedAt("9b2c3d4e-0000-4000-8000-000000000000"), null);
  assert.equal(openedAt("01a22c7c"), null);
  const path = `/h/.codex/sessions/2026/11/30/rollout-2026-11-30T12-45-06-${S}.jsonl`;
  assert.deepEqual([path, `${path}.zst`, `${path}.bak`, `/h/${S}.jsonl`].map(sessionOfPath), [
    S,
    S,
    null,
    null,
  ]);
  assert.deepEqual(folders(S).map((folder) => folder.slice(-2)), ["30", "29", "01"]);
  assert.deepEqual(folders("x"), []);
  const words: [string, string | null][] = [
    [`resume ${S}`, S],
    [`resume ${S.toUpperCase()}`, S],
    [`-m x resume --yolo ${S}`, S],
    [`exec resume ${S}`, null],
    [`resume --last`, "any"],
    [`resume`, "any"],
    [`resume my-session`, "any"],
    [`fix it`, null],
  ];
  for (const [line, wanted] of words) assert.equal(resumes(line.split(" ")), wanted, line);
  const head = (fields: Record<string, unknown>, type = "session_meta") =>
    JSON.stringify({
      type,
      payload: {
        session_id: S,
        id: S,
        originator: "codex-tui",
        thread_source: "user",
        source: "cli",
        cwd: "/proj",
        ...fields,
      },
    });
  assert.equal(folderOfHead(head({}), S), "/proj");
  assert.equal(folderOfHead(head({ session_id: undefined }), S), "/proj");
  const refused = [
    head({ id: T }),
    head({ originator: "codex_exec" }),
    head({ thread_source: "subagent" }),
    head({ source: { subagent: "x" } }),
    head({ cwd: "proj" }),
    head({ cwd: "/a\nb" }),
    head({ cwd: `/${"x".repeat(5000)}` }),
    head({}, "event_msg"),
    "[]",
    "{",
    "",
  ];
  for (const line of refused) assert.equal(folderOfHead(line, S), null, line.slice(0, 80));
});

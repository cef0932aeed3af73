/** Which pane a hook belongs to: variables are claims, processes and sessions are evidence. */

import assert from "node:assert/strict";
import { authorizedSurface } from "../../src/core/placement/authorize.ts";
import { sha256Hex } from "../../src/core/ids.ts";
import {
  placeHook,
  type Placement,
  type PlacementEvidence,
} from "../../src/core/placement/placement.ts";
import { processID, type ProcessRow } from "../../src/core/process/process.ts";
import { fakeRow } from "../fixtures/processes/rows.ts";
import { closed, event, Log, opened, PANE, sessionStarted, uuid } from "./log.ts";

const B = uuid("b");
const SHELL = fakeRow({ pid: 100, ppid: 1, sid: 100, cwd: "/home/user" });
const AGENT = fakeRow({ pid: 200, ppid: 100, sid: 100, comm: "claude" });
const CHAIN = [AGENT, SHELL];

function evidence(fields: Partial<PlacementEvidence> = {}): PlacementEvidence {
  return {
    provider: "claude-code",
    sessionID: "S",
    backgroundJob: false,
    claim: null,
    chain: [],
    agent: null,
    shared: false,
    outer: null,
    paneKey: null,
    ...fields,
  };
}

function told(placement: Placement): [string | null, string] {
  return [placement.surfaceID, placement.rule];
}

/** PANE is led by SHELL and holds the capability "secret"; B is another one. */
function twoPanes(): Log {
  const log = new Log();
  const capabilityHash = sha256Hex("secret");
  log.tell(opened(PANE, { root: processID(SHELL), capabilityHash }), 0);
  log.tell(opened(B, { capabilityHash: sha256Hex("other") }), 0);
  return log;
}

const CLAIM_B = { surfaceID: B, capability: "other" };

Deno.test("an explicit background job has no pane, whatever else speaks for one", () => {
  const log = twoPanes();
  log.event("started", 1, { process: processID(AGENT) });
  const all = { chain: CHAIN, agent: AGENT, claim: CLAIM_B, outer: processID(AGENT) };
  const placement = placeHook(log.state, evidence({ ...all, backgroundJob: true }));
  assert.deepEqual(placement, {
    surfaceID: null,
    parentRunID: null,
    rule: "background-job",
    opens: null,
  });
});

Deno.test("a session stays in its pane as long as the same process speaks", () => {
  const log = twoPanes();
  log.event("started", 1, { surfaceID: B, process: processID(AGENT) });
  const place = (fields: Partial<PlacementEvidence>) =>
    told(placeHook(log.state, evidence({ chain: CHAIN, agent: AGENT, ...fields })));
  assert.deepEqual(place({}), [B, "session"], "before the process tree");
  const reused = { ...AGENT, startTime: "other" };
  assert.deepEqual(place({ agent: reused, chain: [reused, SHELL] }), [PANE, "process"]);
  assert.deepEqual(place({ agent: null }), [PANE, "process"], "unknown process: no proof");
  assert.deepEqual(place({ sessionID: "T" }), [PANE, "process"]);
  assert.deepEqual(place({ provider: "gemini" }), [PANE, "process"]);
});

Deno.test("a session whose pane is closed is not bound to it any more", () => {
  const log = twoPanes();
  log.event("started", 1, { surfaceID: B, process: processID(AGENT) });
  log.tell(closed(B, "closed"), 2);
  assert.deepEqual(told(placeHook(log.state, evidence({ chain: CHAIN, agent: AGENT }))), [
    PANE,
    "process",
  ]);
});

Deno.test("the nearest ancestor that leads a pane tells it, before an inherited capability", () => {
  const log = twoPanes();
  log.tell(opened(uuid("inner"), { root: processID(AGENT) }), 1);
  const inner = evidence({ chain: CHAIN, claim: CLAIM_B });
  assert.deepEqual(told(placeHook(log.state, inner)), [uuid("inner"), "process"]);
  log.tell(closed(uuid("inner"), "gone"), 2);
  assert.deepEqual(told(placeHook(log.state, inner)), [PANE, "process"]);
  const reused = evidence({ chain: [{ ...SHELL, startTime: "x" }], claim: CLAIM_B });
  assert.deepEqual(told(placeHook(log.state, reused)), [B, "capability"]);
});

Deno.test("two panes led by one process: never guess", () => {
  const log = twoPanes();
  log.tell(opened(uuid("twin"), { root: processID(SHELL) }), 1);
  const placement = placeHook(log.state, evidence({ chain: CHAIN, agent: AGENT, claim: CLAIM_B }));
  assert.deepEqual(told(placement), [null, "unplaced"]);
  assert.equal(placement.opens, null);
});

Deno.test("a capability counts for its own open pane only", () => {
  const cases: [string, string, string | null][] = [
    [PANE, "secret", PANE],
    [PANE, "other", null],
    [B, "secret", null],
    [PANE, "wrong", null],
    [PANE, "", null],
    [uuid("nowhere"), "secret", null],
  ];
  for (const [surfaceID, capability, expected] of cases) {
    const placement = placeHook(
      twoPanes().state,
      evidence({ claim: { surfaceID, capability } }),
    );
    assert.equal(placement.surfaceID, expected, `${surfaceID} ${capability}`);
    assert.equal(placement.rule, expected === null ? "unplaced" : "capability");
  }
  const revoked = twoPanes();
  revoked.tell(closed(PANE, "closed"), 1);
  const claim = { surfaceID: PANE, capability: "secret" };
  assert.deepEqual(told(placeHook(revoked.state, evidence({ claim }))), [null, "unplaced"]);
});

Deno.test("a claim from our own spool needs no capability, but an open pane", () => {
  const log = twoPanes();
  const place = (surfaceID: string) =>
    told(placeHook(log.state, evidence({ claim: { surfaceID, capability: null } })));
  assert.deepEqual(place(B), [B, "capability"]);
  assert.deepEqual(place(uuid("nowhere")), [null, "unplaced"]);
  log.tell(closed(B, "closed"), 1);
  assert.deepEqual(place(B), [null, "unplaced"]);
});

Deno.test("one process for many panes proves none: only the session's binding counts", () => {
  const log = twoPanes();
  const shared = { shared: true, chain: CHAIN, agent: AGENT, claim: CLAIM_B, paneKey: "k" };
  assert.deepEqual(told(placeHook(log.state, evidence(shared))), [null, "unplaced"]);
  assert.equal(placeHook(log.state, evidence(shared)).opens, null);
  log.event("started", 1);
  assert.deepEqual(told(placeHook(log.state, evidence(shared))), [PANE, "session"]);
});

Deno.test("an agent in a terminal nobody opened gets a pane, the same one every time", () => {
  const log = new Log();
  const seen = evidence({ chain: CHAIN, agent: AGENT, paneKey: "tmux:x" });
  const placement = placeHook(log.state, seen);
  const { opens } = placement;
  assert.ok(opens !== null && placement.surfaceID === opens.surfaceID);
  assert.deepEqual(
    [placement.rule, opens.adopted, opens.capabilityHash, opens.tty, opens.cwd, opens.multiplexer],
    ["adopted", true, null, "/dev/pts/1", "/home/user", "tmux:x"],
  );
  assert.deepEqual(opens.root, processID(SHELL), "the pane is known by its leader");
  log.tell(opens, 1);
  const again = placeHook(log.state, evidence({ agent: AGENT, paneKey: "tmux:x", chain: CHAIN }));
  assert.deepEqual([again.surfaceID, again.opens], [opens.surfaceID, null]);
});

Deno.test("a reused terminal, pid or pane number is another pane", () => {
  const key = (shell: ProcessRow, paneKey: string | null, tty = "/dev/pts/1") => {
    const agent = { ...AGENT, tty };
    const chain = [agent, { ...shell, tty }];
    return placeHook(new Log().state, evidence({ chain, agent, paneKey })).surfaceID;
  };
  const keys = [
    key(SHELL, "tmux:x"),
    key({ ...SHELL, startTime: "later" }, "tmux:x"),
    key(SHELL, "tmux:y"),
    key(SHELL, null),
    key(SHELL, null, "/dev/pts/2"),
    key({ ...SHELL, startTime: "later" }, null),
  ];
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(!keys.includes(null));
});

Deno.test("the leader of the terminal's session leads the pane, else the outermost on the terminal", () => {
  const root = (agent: ProcessRow, ...chain: ProcessRow[]) =>
    placeHook(new Log().state, evidence({ agent, chain: [agent, ...chain] })).opens!.root!.pid;
  const login = fakeRow({ pid: 50, tty: "/dev/pts/9" });
  assert.equal(root(AGENT, fakeRow({ pid: 150, sid: 100 }), SHELL, login), 100);
  const unknown = { ...AGENT, sid: 0 };
  assert.equal(root(unknown, { ...SHELL, sid: 0 }, login), 100);
  assert.equal(root({ ...AGENT, sid: 0 }), 200);
});

Deno.test("an agent without a terminal, or none that was recognised, is not adopted", () => {
  const hidden = evidence({ chain: CHAIN, agent: { ...AGENT, tty: null }, paneKey: "k" });
  assert.deepEqual(told(placeHook(new Log().state, hidden)), [null, "unplaced"]);
  assert.deepEqual(told(placeHook(new Log().state, evidence({ chain: CHAIN, paneKey: "k" }))), [
    null,
    "unplaced",
  ]);
});

Deno.test("a pane that the person closed is not opened again by its agent's next hook", () => {
  const log = new Log();
  const seen = evidence({ chain: CHAIN, agent: AGENT });
  const { opens } = placeHook(log.state, seen);
  log.tell(opens!, 1);
  const fields = { surfaceID: opens!.surfaceID, process: processID(AGENT) };
  log.event("started", 1, fields);
  log.tell(closed(opens!.surfaceID, "closed"), 2);
  for (const sessionID of ["S", "the next one"]) {
    const placement = placeHook(log.state, { ...seen, sessionID });
    assert.deepEqual([...told(placement), placement.opens], [null, "unplaced", null]);
  }
  const inner = fakeRow({ pid: 300, ppid: 200, sid: 100, comm: "codex" });
  const started = { provider: "codex", agent: inner, chain: [inner, ...CHAIN] };
  const placement = placeHook(log.state, evidence({ ...started, outer: processID(AGENT) }));
  assert.deepEqual(told(placement), [null, "unplaced"], "what it starts is no news either");
});

Deno.test("the next agent in a pane that was closed opens it anew, however often", () => {
  for (const sessionID of ["S", null]) {
    const log = new Log();
    const ids = new Set<string>();
    for (const pid of [200, 201, 202]) {
      const agent = fakeRow({ pid, ppid: 100, sid: 100, comm: "claude" });
      const seen = evidence({ sessionID: `of ${pid}`, chain: [agent, SHELL], agent });
      const { surfaceID, rule, opens } = placeHook(log.state, seen);
      assert.equal(rule, "adopted");
      assert.equal(log.tell(opens!, pid)[0]!.outcome.applied, true);
      const fields = { surfaceID, process: processID(agent), runID: uuid(`${pid}`) };
      log.event("started", pid, { ...fields, sessionID: sessionID && `of ${pid}` });
      assert.deepEqual(told(placeHook(log.state, seen))[0], surfaceID);
      log.tell(closed(surfaceID!, "closed"), pid);
      assert.equal(placeHook(log.state, seen).surfaceID, null);
      ids.add(surfaceID!);
    }
    assert.equal(ids.size, 3);
  }
});

Deno.test("closing a pane that was opened by name holds for its agent, not for the next", () => {
  const log = twoPanes();
  log.event("started", 1, { process: processID(AGENT) });
  log.tell(closed(PANE, "closed"), 2);
  assert.deepEqual(told(placeHook(log.state, evidence({ chain: CHAIN, agent: AGENT }))), [
    null,
    "unplaced",
  ]);
  const next = fakeRow({ pid: 201, ppid: 100, sid: 100, comm: "claude" });
  const placement = placeHook(log.state, evidence({ chain: [next, SHELL], agent: next }));
  assert.deepEqual([placement.rule, placement.opens?.surfaceID], ["adopted", placement.surfaceID]);
});

Deno.test("an agent that another agent started is its child, in whichever pane it is found", () => {
  const log = twoPanes();
  log.event("started", 1, { process: processID(AGENT) });
  const inner = fakeRow({ pid: 300, ppid: 200, sid: 100, comm: "codex" });
  const nested = evidence({
    provider: "codex",
    sessionID: "C",
    agent: inner,
    chain: [inner, AGENT, SHELL],
    outer: processID(AGENT),
  });
  const placement = placeHook(log.state, nested);
  assert.deepEqual([placement.surfaceID, placement.parentRunID], [PANE, uuid("run")]);
  const same = { ...nested, provider: "claude-code", sessionID: "S" };
  assert.equal(placeHook(log.state, same).parentRunID, null, "it is not its own child");
  const stranger = { ...nested, outer: { pid: 200, startTime: "other" } };
  assert.equal(placeHook(log.state, stranger).parentRunID, null);
  log.event("idle", 2);
  log.tell({
    ...sessionStarted("X", 3, { process: processID(AGENT) }),
    surfaceID: PANE,
  }, 3);
  const { parentRunID } = placeHook(log.state, nested);
  assert.notEqual(
    parentRunID,
    null,
    "the outer agent has no turn now, and started it all the same",
  );
  assert.equal(log.state.runs.has(parentRunID!), false);
});

Deno.test("an envelope speaks for its capability's pane; one routed by session for its session's", () => {
  const log = twoPanes();
  const authorized = (
    capability: string,
    surfaceID: string,
    provider = "claude-code",
    sessionID: string | null = "S",
  ) =>
    authorizedSurface(log.state, {
      capability,
      event: { ...event("started", { provider, sessionID }), surfaceID },
    });
  assert.equal(authorized("secret", PANE), PANE);
  assert.equal(authorized("secret", B), null);
  assert.equal(authorized("other", PANE), null);
  assert.equal(authorized("", PANE), null);
  assert.equal(authorized("secret", PANE, "an-agent-nobody-knows"), PANE);
  assert.equal(authorized("secret", PANE, "codex", "C"), null, "no pane can be told");
  log.event("started", 1, { provider: "codex", sessionID: "C", surfaceID: B });
  assert.equal(authorized("secret", PANE, "codex", "C"), B);
  assert.equal(authorized("", PANE, "codex", "C"), B);
  assert.equal(authorized("secret", PANE, "codex", null), null);
  log.tell(closed(B, "closed"), 2);
  assert.equal(authorized("other", B, "codex", "C"), null);
});

/** The rules of announcing, on a simulated clock: what is held, delivered, suppressed, and why. */

import assert from "node:assert/strict";
import { type NotifyConfig, parseConfig } from "../../src/core/config.ts";
import { COALESCE_MS } from "../../src/core/notify/notify_match.ts";
import { type Decision, NotifyQueue } from "../../src/core/notify/notify_queue.ts";
import type { Moment } from "../../src/core/notify/notify_rules.ts";
import type { Notice } from "../../src/core/notify/notice.ts";

function notice(fields: Partial<Notice> = {}, surfaceID: string | null = "pane"): Notice {
  return {
    id: "n1",
    origin: "agent",
    kind: "approval-request",
    provider: "claude-code",
    runID: "run",
    sessionID: "S",
    toolName: null,
    title: "Claude Code needs approval · api",
    body: "Bash: rm x",
    subject: "Claude Code",
    place: { surfaceID, name: "api", cwd: null, tty: null, multiplexer: null },
    child: false,
    late: false,
    ...fields,
  };
}

/** Only the desktop, unless `more` says otherwise. */
function config(notify: Record<string, unknown> = {}): NotifyConfig {
  const channels = { tmux: { enabled: false }, ...(notify.channels as object) };
  const parsed = parseConfig({ notify: { ...notify, channels } });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.config.notify;
}

function moment(now: number, fields: Partial<Moment> = {}): Moment {
  return { now, minuteOfDay: 12 * 60, focused: null, ...fields };
}

function settleAll(
  queue: NotifyQueue,
  at: Moment,
  rules: NotifyConfig,
): (readonly [string, string, string])[] {
  const decisions = queue.due(at.now).map((held) => queue.settle(held, at, rules))
    .filter((decision) => decision !== null);
  return decisions.map(short);
}

function short({ channel, verdict, reason }: Decision): readonly [string, string, string] {
  return [channel, verdict, reason];
}

Deno.test("a notice is held for a second and then delivered once", () => {
  const queue = new NotifyQueue();
  const rules = config();
  assert.deepEqual(queue.announce(notice(), 0, rules).map(short), [
    ["desktop", "held", "for 1000 ms"],
  ]);
  assert.equal(queue.nextDue(), 1_000);
  assert.deepEqual(settleAll(queue, moment(999), rules), []);
  assert.deepEqual(settleAll(queue, moment(1_000), rules), [["desktop", "deliver", ""]]);
  assert.deepEqual(settleAll(queue, moment(5_000), rules), []);
});

Deno.test("what is answered within the hold time is never announced", () => {
  const queue = new NotifyQueue();
  const rules = config();
  queue.announce(notice(), 0, rules);
  const [withdrawn] = queue.withdraw("n1", "answered before it was announced");
  assert.deepEqual(short(withdrawn!), [
    "desktop",
    "suppressed",
    "answered before it was announced",
  ]);
  assert.deepEqual(settleAll(queue, moment(1_000), rules), []);
  assert.deepEqual(queue.takePosts(1_000), []);
});

Deno.test("an answer between the end of the hold time and the delivery still counts", () => {
  const queue = new NotifyQueue();
  const rules = config();
  queue.announce(notice(), 0, rules);
  const [held] = queue.due(1_000);
  queue.withdraw("n1", "answered");
  assert.equal(queue.settle(held!, moment(1_000), rules), null);
});

Deno.test("a sub-agent's and a late notice never go out, on no channel and in no stream", () => {
  const rules = config({ channels: { terminal: { enabled: true } } });
  const cases: [Partial<Notice>, string][] = [
    [{ child: true }, "a sub-agent's"],
    [{ late: true }, "late: it happened before it could be told"],
  ];
  for (const [fields, reason] of cases) {
    const queue = new NotifyQueue();
    assert.deepEqual(queue.announce(notice(fields), 0, rules).map(short), [
      ["desktop", "suppressed", reason],
      ["terminal", "suppressed", reason],
    ]);
    assert.equal(queue.nextDue(), null);
  }
  const queue = new NotifyQueue();
  queue.announce(notice({ child: true }), 0, config({ children: true }));
  assert.equal(queue.due(1_000).length, 1);
});

Deno.test("kinds and providers are chosen per channel, aliases included", () => {
  const rules = config({
    kinds: ["approval-request"],
    channels: {
      terminal: { enabled: true, kinds: ["failure"], providers: ["claude"] },
      webhook: { url: "http://localhost:1/", providers: ["codex"] },
    },
  });
  const told = (fields: Partial<Notice>) =>
    new NotifyQueue().announce(notice(fields), 0, rules).filter(({ verdict }) => verdict === "held")
      .map(({ channel }) => channel);
  assert.deepEqual(told({}), ["desktop"]);
  assert.deepEqual(told({ kind: "failure" }), ["terminal"]);
  assert.deepEqual(told({ provider: "codex" }), ["desktop", "webhook"]);
  assert.deepEqual(told({ kind: "failure", provider: "codex" }), []);
});

Deno.test("hold, cooldown and quiet hours of a channel come before the general ones", () => {
  const rules = config({
    hold: "3s",
    cooldown: "1m",
    channels: { desktop: { hold: 0 }, terminal: { enabled: true, cooldown: 0 } },
  });
  const queue = new NotifyQueue();
  queue.announce(notice(), 0, rules);
  assert.deepEqual(settleAll(queue, moment(0), rules), [["desktop", "deliver", ""]]);
  assert.deepEqual(settleAll(queue, moment(3_000), rules), [["terminal", "deliver", ""]]);
  queue.announce(notice({ id: "n2" }), 10_000, rules);
  assert.deepEqual(settleAll(queue, moment(13_000), rules), [
    ["desktop", "suppressed", "cooldown: the pane was announced 13000 ms ago"],
    ["terminal", "deliver", ""],
  ]);
  queue.announce(notice({ id: "n3" }, "other pane"), 20_000, rules);
  assert.deepEqual(settleAll(queue, moment(20_000), rules), [["desktop", "deliver", ""]]);
  settleAll(queue, moment(23_000), rules);
  queue.announce(notice({ id: "n4" }), 60_000, rules);
  assert.deepEqual(settleAll(queue, moment(60_000), rules), [["desktop", "deliver", ""]]);
});

Deno.test("quiet hours end at their minute and may go over midnight", () => {
  const cases: [string, string, number, boolean][] = [
    ["22:00", "07:00", 22 * 60, true],
    ["22:00", "07:00", 0, true],
    ["22:00", "07:00", 7 * 60 - 1, true],
    ["22:00", "07:00", 7 * 60, false],
    ["22:00", "07:00", 22 * 60 - 1, false],
    ["12:00", "13:30", 13 * 60 + 29, true],
    ["12:00", "13:30", 13 * 60 + 30, false],
    ["12:00", "13:30", 0, false],
    ["00:00", "00:00", 300, true],
  ];
  for (const [from, to, minuteOfDay, isQuiet] of cases) {
    const rules = config({ hold: 0, quietHours: { from, to } });
    const queue = new NotifyQueue();
    queue.announce(notice(), 0, rules);
    const [decision] = settleAll(queue, moment(0, { minuteOfDay }), rules);
    const expected = isQuiet
      ? ["desktop", "suppressed", `quiet hours until ${to}`]
      : ["desktop", "deliver", ""];
    assert.deepEqual(decision, expected, `${from}-${to} at ${minuteOfDay}`);
  }
  const excepted = config({
    quietHours: { from: "00:00", to: "00:00" },
    channels: { desktop: { quietHours: null } },
  });
  const queue = new NotifyQueue();
  queue.announce(notice(), 0, excepted);
  assert.deepEqual(settleAll(queue, moment(1_000), excepted), [["desktop", "deliver", ""]]);
});

Deno.test("the pane in front of the person is not announced; one that is not known to be, is", () => {
  for (const [focused, told] of [[true, false], [false, true], [null, true]] as const) {
    const rules = config();
    const queue = new NotifyQueue();
    queue.announce(notice(), 0, rules);
    const [decision] = settleAll(queue, moment(1_000, { focused }), rules);
    assert.equal(decision![1] === "deliver", told, String(focused));
  }
  const always = config({ whenFocused: true });
  const queue = new NotifyQueue();
  queue.announce(notice(), 0, always);
  const [decision] = settleAll(queue, moment(1_000, { focused: true }), always);
  assert.equal(decision![1], "deliver");
});

Deno.test("a mark is set whatever the hour and whoever looks", () => {
  const rules = config({
    quietHours: { from: "00:00", to: "00:00" },
    cooldown: "1h",
    channels: { desktop: { enabled: false }, tmux: { enabled: true } },
  });
  const queue = new NotifyQueue();
  for (const id of ["n1", "n2"]) {
    queue.announce(notice({ id }), 0, rules);
    assert.deepEqual(settleAll(queue, moment(1_000, { focused: true }), rules), [
      ["tmux", "deliver", ""],
    ]);
  }
});

Deno.test("a channel that nobody configured leaves no trace, a switched off whole says so", () => {
  const off = config({ enabled: false });
  assert.deepEqual(new NotifyQueue().announce(notice(), 0, off).map(short), [
    ["desktop", "suppressed", "notifications are switched off"],
  ]);
  const none = config({ channels: { desktop: { enabled: false } } });
  assert.deepEqual(new NotifyQueue().announce(notice(), 0, none), []);
});

const TERMINAL: Partial<Notice> = {
  id: "t1",
  origin: "terminal",
  kind: "message",
  provider: null,
  title: "Claude Code",
  subject: "Claude Code",
  body: "Claude needs your permission",
};

type Case = {
  readonly hooks: readonly [Partial<Notice>, number, string?][];
  readonly terminal?: Partial<Notice>;
  readonly at: number;
  readonly pane?: string | null;
  /** Ids that the desktop shows. */
  readonly shown: readonly string[];
};

/** Everything is told in order of time, and settled when it is due. */
function play({ hooks, terminal = {}, at, pane = "pane" }: Case): string[] {
  const queue = new NotifyQueue();
  const rules = config();
  const shown: string[] = [];
  const told = [
    ...hooks.map(([fields, when, where]) => ({ one: notice(fields, where ?? "pane"), when })),
    { one: notice({ ...TERMINAL, ...terminal }, pane), when: at },
  ].sort((a, b) => a.when - b.when);
  for (let now = 0; now <= 10_000; now += 50) {
    for (const { one } of told.filter(({ when }) => when === now)) queue.announce(one, now, rules);
    for (const held of queue.due(now)) {
      const decision = queue.settle(held, moment(now), rules);
      if (decision?.verdict === "deliver") shown.push(decision.notice.id);
    }
  }
  return shown.sort();
}

Deno.test("a hook and a terminal notice of one thing are one delivery, with the hook's text", () => {
  const cases: Record<string, Case> = {
    "the hook first": { hooks: [[{}, 0]], at: 500, shown: ["n1"] },
    "the terminal first": { hooks: [[{}, 1_500]], at: 0, shown: ["n1"] },
    "two seconds apart": { hooks: [[{}, 0]], at: COALESCE_MS, shown: ["n1"] },
    "more than two seconds apart": { hooks: [[{}, 0]], at: COALESCE_MS + 50, shown: ["n1", "t1"] },
    "the terminal more than two seconds before": {
      hooks: [[{}, COALESCE_MS + 50]],
      at: 0,
      shown: ["n1", "t1"],
    },
    "no hook": { hooks: [], at: 0, shown: ["t1"] },
    "another pane": { hooks: [[{}, 0, "other"]], at: 0, shown: ["n1", "t1"] },
    "no pane known": { hooks: [[{}, 0]], at: 0, pane: null, shown: ["n1", "t1"] },
    "another title": {
      hooks: [[{}, 0]],
      at: 0,
      terminal: { subject: "make", title: "make" },
      shown: ["n1", "t1"],
    },
    "the same text without a title": {
      hooks: [[{}, 0]],
      at: 0,
      terminal: { subject: "", body: "bash: RM x" },
      shown: ["n1"],
    },
    "default completion titles": {
      hooks: [[{ kind: "completion", subject: "Codex" }, 0]],
      at: 100,
      terminal: { subject: "Command executed!" },
      shown: ["n1"],
    },
    "a completion title for a request": {
      hooks: [[{ subject: "Codex" }, 0]],
      at: 100,
      terminal: { subject: "Command executed!" },
      shown: ["n1", "t1"],
    },
    "two hooks that match": {
      hooks: [[{}, 0], [{ id: "n2" }, 100]],
      at: 200,
      shown: ["n1", "n2", "t1"],
    },
    "another provider among them": {
      hooks: [
        [{ kind: "completion", subject: "Claude Code" }, 0],
        [{ id: "n2", kind: "completion", provider: "codex", subject: "Codex" }, 0],
      ],
      at: 100,
      terminal: { subject: "Task completed!" },
      shown: ["n1", "n2", "t1"],
    },
  };
  for (const [name, one] of Object.entries(cases)) assert.deepEqual(play(one), one.shown, name);
});

Deno.test("one hook notice stands for one terminal notice only", () => {
  const queue = new NotifyQueue();
  const rules = config();
  queue.announce(notice(), 0, rules);
  queue.announce(notice({ ...TERMINAL, id: "t1" }), 100, rules);
  queue.announce(notice({ ...TERMINAL, id: "t2" }), 200, rules);
  const verdicts = queue.due(5_000).map((held) => queue.settle(held, moment(5_000), rules))
    .map((decision) => `${decision!.notice.id} ${decision!.verdict}`);
  assert.deepEqual(verdicts, ["n1 deliver", "t1 suppressed", "t2 deliver"]);
});

Deno.test("only the desktop is coalesced", () => {
  const rules = config({ channels: { terminal: { enabled: true } } });
  const queue = new NotifyQueue();
  queue.announce(notice(), 0, rules);
  queue.announce(notice(TERMINAL), 0, rules);
  const told = queue.due(2_000).map((held) => queue.settle(held, moment(2_000), rules)!)
    .filter(({ verdict }) => verdict === "deliver")
    .map(({ notice: { id }, channel }) => `${channel} ${id}`).sort();
  assert.deepEqual(told, ["desktop n1", "terminal n1", "terminal t1"]);
  assert.deepEqual(queue.takePosts(2_000).map(({ id }) => id), ["n1", "t1"]);
});

Deno.test("a hook's notice that was answered takes its terminal notice with it", () => {
  const queue = new NotifyQueue();
  const rules = config();
  queue.announce(notice(), 0, rules);
  queue.announce(notice(TERMINAL), 100, rules);
  queue.withdraw("n1", "answered");
  assert.deepEqual(settleAll(queue, moment(5_000), rules).map(([, verdict]) => verdict), [
    "suppressed",
  ]);
});

Deno.test("a flood is bounded and said so", () => {
  const queue = new NotifyQueue();
  const rules = config();
  let last: Decision | undefined;
  for (let at = 0; at < 5_000; at++) last = queue.announce(notice({ id: `n${at}` }), 0, rules)[0];
  assert.deepEqual(short(last!), ["desktop", "suppressed", "too many at once"]);
});

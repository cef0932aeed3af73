/** The engine on a simulated clock, with channels that behave well, hang, refuse and throw. */

import assert from "node:assert/strict";
import type { AgentEvent, EventKind } from "../../src/core/log/event.ts";
import type { ChannelName, Notice } from "../../src/core/notify/notice.ts";
import type { Channel, Delivery } from "../../src/notify/channel.ts";
import { NotifyEngine } from "../../src/notify/engine.ts";
import { NoticeHistory } from "../../src/notify/history.ts";
import { MAX_WAITING } from "../../src/notify/lane.ts";
import { Agent, Log, opened, PANE, uuid } from "../core/log.ts";
import { withFolder } from "../helpers/daemon.ts";
import { notifyConfig, TestClock } from "../helpers/notify.ts";

class FakeChannel implements Channel {
  readonly name: ChannelName;
  readonly delivered: Notice[] = [];
  readonly withdrawn: string[] = [];
  behave: (delivery: Delivery) => Promise<string | null> = () => Promise.resolve(null);

  constructor(name: ChannelName = "desktop") {
    this.name = name;
  }

  deliver(delivery: Delivery): Promise<string | null> {
    this.delivered.push(delivery.notice);
    return this.behave(delivery);
  }

  withdraw({ notice }: Delivery): Promise<void> {
    this.withdrawn.push(notice.id);
    return Promise.resolve();
  }
}

class Scene {
  readonly log = new Log();
  readonly clock = new TestClock();
  readonly channel = new FakeChannel();
  readonly logged: string[] = [];
  readonly posted: string[] = [];
  focused: boolean | null = null;
  notify: Record<string, unknown> = {};
  readonly engine = new NotifyEngine({
    config: () => notifyConfig({ channels: { tmux: { enabled: false } }, ...this.notify }),
    channels: [this.channel],
    isFocused: () => Promise.resolve(this.focused),
    history: new NoticeHistory(null, () => {}),
    log: (text) => this.logged.push(text),
    clock: this.clock,
    maxDeliveryMs: 50,
  });

  constructor() {
    this.engine.onPosted(({ title }) => this.posted.push(title));
    this.log.tell(opened(PANE, { label: "api", cwd: "/src/api" }), 0);
  }

  event(kind: EventKind, fields: Partial<AgentEvent> = {}): void {
    const told = this.log.event(kind, this.clock.steady(), fields);
    this.engine.observe(told, this.log.state);
  }

  /** What the desktop was shown. */
  shown(): string[] {
    return this.channel.delivered.map(({ title, body }) => `${title} | ${body}`);
  }

  outcome(at = 0): string {
    const { outcome, reason } = this.engine.records()[at]!.outcomes[0]!;
    return reason === "" ? outcome : `${outcome}: ${reason}`;
  }
}

Deno.test("an approval that is still open after a second is announced, in words", async () => {
  const scene = new Scene();
  scene.event("started");
  scene.event("approval-requested", { toolUseID: "t", toolName: "Bash", message: "rm -rf build" });
  await scene.clock.pass(999);
  assert.deepEqual(scene.shown(), []);
  assert.equal(scene.outcome(), "held: for 1000 ms");
  await scene.clock.pass(1);
  assert.deepEqual(scene.shown(), ["Claude Code needs approval · api | Bash: rm -rf build"]);
  assert.equal(scene.outcome(), "delivered");
  assert.deepEqual(scene.posted, ["Claude Code needs approval · api"]);
});

Deno.test("an auto-approved request is never announced", async () => {
  const scene = new Scene();
  scene.event("started");
  for (let at = 0; at < 20; at++) {
    const toolUseID = `t${at}`;
    scene.event("approval-requested", { toolUseID, message: "ls" });
    await scene.clock.pass(900);
    scene.event("running", { toolUseID, settles: [toolUseID] });
    await scene.clock.pass(5_000);
  }
  assert.deepEqual(scene.shown(), []);
  assert.deepEqual(scene.posted, []);
  assert.equal(scene.outcome(), "suppressed: answered before it was announced");
});

Deno.test("acknowledged within the hold time: not announced; afterwards: taken back", async () => {
  const scene = new Scene();
  scene.event("started");
  scene.event("failed", { message: "boom" });
  const [item] = scene.log.openItems();
  const acknowledged = { type: "acknowledged" as const, id: uuid("ack"), itemIDs: [item!.id] };
  scene.engine.observe(scene.log.tell(acknowledged, 1), scene.log.state);
  await scene.clock.pass(5_000);
  assert.deepEqual(scene.shown(), []);
  assert.equal(scene.outcome(), "suppressed: acknowledged before it was announced");
  scene.event("started", { runID: uuid("run 2") });
  scene.event("input-requested", { runID: uuid("run 2"), toolUseID: "q", message: "Which?" });
  await scene.clock.pass(2_000);
  assert.deepEqual(scene.shown(), ["Claude Code needs an answer · api | Which?"]);
  assert.deepEqual(scene.channel.withdrawn, []);
  scene.event("running", { runID: uuid("run 2"), settles: "all" });
  await scene.clock.pass(0);
  assert.equal(scene.channel.withdrawn.length, 1);
});

Deno.test("a sub-agent's request is never announced, a spooled event neither, nor the sweep's", async () => {
  const scene = new Scene();
  scene.event("started");
  scene.event("approval-requested", {
    runID: uuid("child"),
    parentRunID: uuid("run"),
    toolUseID: "c",
    message: "rm",
  });
  scene.event("failed", { late: true, message: "told an hour later" });
  scene.event("started", { runID: uuid("run 2") });
  scene.event("disconnected", { runID: uuid("run 2"), hookName: "mytty.startupSweep" });
  await scene.clock.pass(60_000);
  assert.deepEqual(scene.shown(), []);
  assert.deepEqual(scene.posted, []);
  const reasons = [0, 1, 2].map((at) => scene.outcome(at));
  assert.deepEqual(reasons, [
    "suppressed: late: it happened before it could be told",
    "suppressed: late: it happened before it could be told",
    "suppressed: a sub-agent's",
  ]);
});

Deno.test("nothing for the pane in front of the person", async () => {
  const scene = new Scene();
  scene.focused = true;
  scene.event("started");
  scene.event("failed");
  await scene.clock.pass(2_000);
  assert.deepEqual(scene.shown(), []);
  assert.equal(scene.outcome(), "suppressed: the pane is in front of you");
  assert.equal(scene.log.openItems().length, 1, "the item stays");
});

Deno.test("a hook and its terminal notice: one on the desktop, both in the record and the stream", async () => {
  const scene = new Scene();
  scene.event("started");
  const words = { id: "t", origin: "terminal", kind: "message", provider: null } as const;
  const told = { ...words, surfaceID: PANE, title: "Claude Code", body: "Claude needs you" };
  scene.engine.tell(told, scene.log.state);
  await scene.clock.pass(500);
  scene.event("approval-requested", { toolUseID: "t", toolName: "Bash", message: "rm x" });
  await scene.clock.pass(5_000);
  assert.deepEqual(scene.shown(), ["Claude Code needs approval · api | Bash: rm x"]);
  assert.equal(scene.engine.records().length, 2);
  assert.match(scene.outcome(1), /^suppressed: the same as "Claude Code needs approval · api"/);
  assert.deepEqual(scene.posted.toSorted(), ["Claude Code", "Claude Code needs approval · api"]);
});

Deno.test("a channel that hangs, throws or refuses holds up nothing and is written down", async () => {
  const scene = new Scene();
  scene.event("started");
  scene.channel.behave = () => new Promise(() => {});
  scene.event("approval-requested", { toolUseID: "a" });
  await scene.clock.pass(1_000);
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(scene.outcome(), "failed: it took too long and was ended");
  scene.channel.behave = () => Promise.reject(new Error("No bus"));
  for (const toolUseID of ["b", "c"]) {
    scene.event("approval-requested", { toolUseID });
    await scene.clock.pass(1_000);
  }
  assert.equal(scene.outcome(), "failed: No bus");
  scene.channel.behave = () => {
    throw new Error("At once");
  };
  scene.event("approval-requested", { toolUseID: "d" });
  await scene.clock.pass(1_000);
  assert.equal(scene.outcome(), "failed: At once");
  scene.channel.behave = () => Promise.resolve("nowhere to show it");
  scene.event("approval-requested", { toolUseID: "e" });
  await scene.clock.pass(1_000);
  assert.equal(scene.outcome(), "suppressed: nowhere to show it");
  // Said once each, not for every notice.
  assert.deepEqual(scene.logged, [
    "notifications: desktop: it took too long and was ended",
    "notifications: desktop: No bus",
    "notifications: desktop: At once",
  ]);
});

Deno.test("behind a slow delivery only so much waits", async () => {
  const scene = new Scene();
  scene.event("started");
  scene.channel.behave = () => new Promise(() => {});
  for (let at = 0; at < MAX_WAITING + 5; at++) {
    scene.event("approval-requested", { toolUseID: `t${at}` });
  }
  await scene.clock.pass(1_000);
  const ends = scene.engine.records().map(({ outcomes }) => outcomes[0]!.reason);
  assert.equal(ends.filter((reason) => reason === "the channel is too far behind").length, 5);
  await scene.engine.stop();
});

Deno.test("a test goes out at once, whatever the rules say, and only where it was asked for", async () => {
  const scene = new Scene();
  scene.notify = { kinds: [], hold: "1h", quietHours: { from: "00:00", to: "00:00" } };
  scene.focused = true;
  const place = { surfaceID: null, name: "test", cwd: null, tty: null, multiplexer: null };
  const record = await scene.engine.test(null, place);
  assert.deepEqual(record.outcomes.map(({ channel, outcome }) => [channel, outcome]), [
    ["desktop", "delivered"],
  ]);
  assert.equal((await scene.engine.test("webhook", place)).outcomes.length, 0);
});

Deno.test("the last 200 are kept, across a restart, newest first", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/notifications.json`;
    const history = new NoticeHistory(path, () => {});
    const scene = new Scene();
    scene.event("started");
    for (let at = 0; at < 205; at++) {
      history.add({ ...await someNotice(scene), id: `n${at}` }, at);
      history.note(`n${at}`, { channel: "desktop", outcome: "delivered", reason: "", at: "" });
    }
    history.save();
    assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
    const again = new NoticeHistory(path, () => {}).all();
    assert.equal(again.length, 200);
    assert.deepEqual([again[0]!.id, again.at(-1)!.id], ["n204", "n5"]);
    assert.equal(again[0]!.outcomes[0]!.outcome, "delivered");
    Deno.writeTextFileSync(path, "{ damaged");
    assert.deepEqual(new NoticeHistory(path, () => {}).all(), []);
  });
});

async function someNotice(scene: Scene): Promise<Notice> {
  if (scene.channel.delivered.length === 0) {
    scene.event("approval-requested", { toolUseID: "x" });
    await scene.clock.pass(1_000);
  }
  return scene.channel.delivered[0]!;
}

Deno.test("a sub-agent's request as the real decoder tells it is never announced", async () => {
  const scene = new Scene();
  const agent = new Agent(scene.log, "claude-code");
  const prompt = agent.hook("UserPromptSubmit", { prompt_id: "p", prompt: "go" }, { at: 1 });
  scene.engine.observe(prompt, scene.log.state);
  const asked = { prompt_id: "p", tool_name: "Bash", tool_input: { command: "ls" } };
  const told = agent.hook("PermissionRequest", { ...asked, agent_id: "sub-1" }, { at: 2 });
  scene.engine.observe(told, scene.log.state);
  assert.deepEqual(scene.log.openItems().map(({ child }) => child), [true]);
  await scene.clock.pass(10_000);
  assert.deepEqual(scene.shown(), []);
});

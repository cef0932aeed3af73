/** The live view without a terminal: what keys do, what every size looks like. */

import assert from "node:assert/strict";
import type { WatchPlace } from "../../src/core/view/watch_view.ts";
import { KeyDecoder } from "../../src/views/keys.ts";
import { displayWidth } from "../../src/views/paint.ts";
import { drawWatch } from "../../src/views/watch_draw.ts";
import { pressKey } from "../../src/views/watch_keys.ts";
import {
  emptyModel,
  takeLine,
  takeText,
  visibleRows,
  type WatchAction,
  type WatchModel,
} from "../../src/views/watch_model.ts";
import { item, NOW, place } from "./watch_places.ts";

function modelOf(...places: WatchPlace[]): WatchModel {
  const snapshot = { type: "snapshot", reason: "start", position: 1, attention: [] } as const;
  return takeLine(emptyModel(), { ...snapshot, places }, NOW);
}

function press(model: WatchModel, ...keys: string[]): [WatchModel, WatchAction | null] {
  let action: WatchAction | null = null;
  for (const key of keys) ({ model, action } = pressKey(model, key));
  return [model, action];
}

function draw(model: WatchModel, width: number, height: number, colour = false): string[] {
  return drawWatch(model, { width, height, colour }, NOW + 1_000);
}

const FIVE = modelOf(
  place("done", "succeeded"),
  place("busy", "running"),
  place("ask", "waiting-input"),
  place("shell", "unknown", { provider: null }),
  place("approve", "waiting-approval", { toolName: "Bash", attention: [item("i1"), item("i2")] }),
);

function names(model: WatchModel): string[] {
  return visibleRows(model).map(({ label }) => label!);
}

Deno.test("who needs somebody is on top; panes without an agent only when asked for", () => {
  assert.deepEqual(names(FIVE), ["approve", "ask", "busy", "done"]);
  assert.deepEqual(names(press(FIVE, "x")[0]), ["approve", "ask", "busy", "done", "shell"]);
  const open = modelOf(
    place("busy", "running"),
    place("quiet", "idle", { attention: [item("i")] }),
  );
  assert.deepEqual(names(open), ["quiet", "busy"]);
});

Deno.test("the screen at 100 and at 40 columns", () => {
  assert.deepEqual(draw(FIVE, 100, 9), [
    "mytty  ◆ 2 need you  ● 1 working  ✔ 1 done",
    "▌◆ Claude Code approve needs approval  13s Bash: message of approve",
    " ◆ Claude Code ask     needs answer    13s message of ask",
    " ● Claude Code busy    working         13s message of busy",
    " ✔ Claude Code done    done            13s message of done",
    "",
    "",
    "approve: Bash: message of approve",
    "enter go  a ack  / filter  e explain  ? help  q quit",
  ]);
  assert.deepEqual(draw(FIVE, 40, 7), [
    "mytty  ◆2  ●1  ✔1",
    "▌◆ claude approve approve  13s Bash: me…",
    " ◆ claude ask     answer   13s message …",
    " ● claude busy    working  13s message …",
    " ✔ claude done    done     13s message …",
    "",
    "enter go  a ack  / filter  ? help  q",
  ]);
});

Deno.test("no size is too small: never more lines or columns than there are", () => {
  const models = [
    FIVE,
    emptyModel(),
    modelOf(),
    ...["/", "?", "e"].map((key) => press(FIVE, key)[0]),
  ];
  for (const model of models) {
    for (const width of [10, 20, 39, 40, 55, 56, 71, 72, 200]) {
      for (const height of [1, 2, 3, 7, 8, 30]) {
        const lines = draw(model, width, height);
        assert.ok(lines.length <= height, `${width}x${height}`);
        for (const line of lines) {
          assert.ok(displayWidth(line) <= width, `${width}x${height}: ${line}`);
        }
      }
    }
  }
});

Deno.test("with 256 colours and with none it says the same", () => {
  // deno-lint-ignore no-control-regex
  const plain = draw(FIVE, 100, 9, true).map((line) => line.replace(/\x1b\[\d*m/g, "").trimEnd());
  assert.deepEqual(plain, draw(FIVE, 100, 9).map((line) => line.trimEnd()));
});

Deno.test("keys choose a row, which stays chosen when others move around it", () => {
  const [chosen] = press(FIVE, "j", "down");
  assert.equal(chosen.selected, "busy");
  const change = {
    type: "change",
    position: 2,
    event: null,
    runs: [],
    gone: ["ask"],
    attention: [],
  } as const;
  const moved = takeLine(chosen, { ...change, places: [place("done", "waiting-approval")] }, NOW);
  assert.deepEqual(names(moved), ["approve", "done", "busy"]);
  assert.equal(press(moved, "k")[0].selected, "done");
  assert.equal(press(FIVE, "G")[0].selected, "done");
  assert.equal(press(FIVE, "G", "g")[0].selected, "approve");
  assert.equal(press(FIVE, "up")[0].selected, "approve");
});

Deno.test("enter goes to the pane, a and A acknowledge, q ends", () => {
  assert.deepEqual(press(FIVE, "j", "enter")[1], { do: "jump", surfaceID: "ask" });
  assert.deepEqual(press(FIVE, "a")[1], { do: "acknowledge", ids: ["i1", "i2"] });
  assert.deepEqual(press(FIVE, "A")[1], { do: "acknowledge", ids: ["i1", "i2"] });
  const [quiet, none] = press(FIVE, "j", "a");
  assert.equal(none, null);
  assert.equal(quiet.message, "Nothing to acknowledge here");
  assert.deepEqual(press(FIVE, "q")[1], { do: "quit" });
  assert.deepEqual(press(FIVE, "/", "ctrl-c")[1], { do: "quit" });
  const unplaced = modelOf(place("x", "running", { surfaceID: null }));
  assert.equal(press(unplaced, "enter")[1], null);
});

Deno.test("a filter is typed, kept, and taken away again; its letters are no commands", () => {
  const [typed, action] = press(FIVE, "/", "q", "backspace", "b", "u", "s");
  assert.equal(action, null);
  assert.deepEqual(names(typed), ["busy"]);
  const [kept] = press(typed, "enter");
  assert.equal(kept.mode, "list");
  assert.deepEqual(names(kept), ["busy"]);
  assert.equal(names(press(kept, "escape")[0]).length, 4);
  assert.match(draw(press(FIVE, "/", "z")[0], 60, 5).join("\n"), /No agent matches "z"/);
});

Deno.test("a lost server is said, what was seen stays, and a new snapshot takes its place", () => {
  const lost = { ...FIVE, offline: "The server stopped" };
  assert.match(draw(lost, 80, 8)[0]!, /✖ The server stopped/);
  assert.match(draw(lost, 80, 8)[1]!, /approve/);
  const again = takeLine(lost, {
    type: "snapshot",
    reason: "start",
    position: 9,
    places: [place("new", "running")],
    attention: [],
  }, NOW);
  assert.deepEqual([again.offline, names(again)], [null, ["new"]]);
});

Deno.test("more rows than lines: the chosen one stays in sight", () => {
  const many = modelOf(...Array.from({ length: 50 }, (_, at) => place(`p${at}`, "running")));
  let [model] = press(many, "g");
  for (let at = 0; at < 50; at++) {
    assert.ok(draw(model, 60, 10).some((line) => line.startsWith("▌")), String(at));
    [model] = press(model, "j");
  }
});

Deno.test("keys arrive whole however their bytes were cut", () => {
  const bytes = new TextEncoder().encode("\x1b[A\x1bOBj\x1b[5~é\r\x7f\x1b[1;5Cq");
  const expected = ["up", "down", "j", "page-up", "é", "enter", "backspace", "q"];
  for (const size of [1, 2, 3, 5, 100]) {
    const decoder = new KeyDecoder();
    const keys: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      keys.push(...decoder.push(bytes.subarray(at, at + size)));
    }
    assert.deepEqual(keys, expected, `in pieces of ${size}`);
  }
  const escape = new KeyDecoder();
  assert.deepEqual(escape.push(new Uint8Array([0x1b])), []);
  assert.deepEqual(escape.flush(), ["escape"]);
});

Deno.test("a server that gives no sign for more than five seconds is said to be silent, until it speaks", () => {
  const header = (model: WatchModel, at: number) =>
    drawWatch(model, { width: 40, height: 6, colour: false }, at)[0];
  const heard = takeText(FIVE, "", NOW);
  assert.equal(header(heard, NOW + 5_000), "mytty  ◆2  ●1  ✔1");
  assert.equal(header(heard, NOW + 5_001), "mytty  ✖ the server does not answer");
  assert.equal(header(takeText(heard, "", NOW + 9_000), NOW + 9_500), "mytty  ◆2  ●1  ✔1");
  // One of an older version, which gives no such signs.
  assert.equal(header(FIVE, NOW + 60_000), "mytty  ◆2  ●1  ✔1");
});

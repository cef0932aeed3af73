/** What must be read or typed is never cut, however narrow the terminal is. */

import assert from "node:assert/strict";
import type { NoticeRecord } from "../../src/core/notify/notice_record.ts";
import { attentionTable } from "../../src/views/attention_table.ts";
import { doctorPage } from "../../src/views/doctor_page.ts";
import { explainPlace } from "../../src/views/explain.ts";
import { listTable } from "../../src/views/list_table.ts";
import { notificationsTable } from "../../src/views/notifications_table.ts";
import { displayWidth } from "../../src/views/paint.ts";
import { wrapped } from "../../src/views/wrap.ts";
import { findProvider } from "../../src/core/registry.ts";
import { item, NOW, place } from "./watch_places.ts";

const ID = "76e2b1aa-52cf-4f0e-9f6c-0a1b2c3d4e5f";
const WIDTHS = [40, 60, 80, 120];

/** Nothing is wider than the terminal, and nothing has an ellipsis; spaces as one. */
function whole(text: string, width: number): string {
  for (const line of text.split("\n")) assert.ok(displayWidth(line) <= width, `${width}: ${line}`);
  assert.doesNotMatch(text, /…/, `${width} columns`);
  return text.replace(/\s+/g, " ");
}

Deno.test("explanations keep every id in one piece and every word of the blind spots", () => {
  const row = place("api", "waiting-approval", { surfaceID: ID, runID: ID, sessionID: ID });
  for (const width of WIDTHS) {
    const text = whole(explainPlace(row, { width, colour: false }), width);
    assert.equal(text.split(ID).length, 4, text);
    for (const spot of findProvider("claude-code")!.capabilities.blindSpots) {
      assert.ok(text.includes(spot), spot);
    }
  }
});

Deno.test("the reason of every outcome and the doctor's next steps are told to their end", () => {
  const reason = "notify-send ended with status 1; is a notification daemon running?";
  const outcome = { channel: "desktop", outcome: "failed", reason, at: "" } as const;
  const record = { at: new Date(NOW).toISOString(), title: "t", body: "", outcomes: [outcome] };
  const next = "Install an agent, or report from your own with `mytty emit`";
  const check = { group: "Agents", name: "agents", state: "warn", detail: reason, next } as const;
  for (const width of WIDTHS) {
    const screen = { width, colour: false };
    const notices = [record as unknown as NoticeRecord];
    assert.ok(whole(notificationsTable(notices, { screen, now: NOW }), width).includes(reason));
    const page = whole(doctorPage([check], screen), width);
    assert.ok(page.includes(reason) && page.includes(next), page);
  }
});

Deno.test("ids to be typed are told far enough to be taken, at any width", () => {
  const open = { ...item(ID), message: "rm -rf build and then make all of it again, please" };
  for (const width of WIDTHS) {
    const screen = { width, colour: false };
    const drawer = attentionTable([open], { screen, now: NOW });
    assert.match(drawer, /^76e2b1aa {2}/m);
    const surfaces = listTable([place("a", "running", { surfaceID: ID })], screen, {
      withIDs: true,
    });
    assert.match(surfaces, width < 100 ? /^76e2b1aa {2}/m : new RegExp(`^${ID} {2}`, "m"));
  }
  const narrow = attentionTable([open], { screen: { width: 40, colour: false }, now: NOW });
  assert.ok(whole(narrow, 40).includes(open.message), narrow);
});

Deno.test("an approval and a question are told apart in a narrow list", () => {
  const rows = [place("a", "waiting-approval"), place("b", "waiting-input")];
  const text = listTable(rows, { width: 40, colour: false });
  assert.match(text, /^◆ approve {2}claude {2}a /m);
  assert.match(text, /^◆ answer {3}claude {2}b /m);
  assert.match(text, /^STATE {6}AGENT {3}PANE {2}FOR/);
  assert.match(listTable(rows, { width: 80, colour: false }), /◆ needs approval {2}Claude Code/);
});

Deno.test("a word that is longer than a line is broken, wide characters count as two", () => {
  assert.deepEqual(wrapped("one two three", 7), ["one two", "three"]);
  assert.deepEqual(wrapped("abcdefgh ij", 5), ["abcde", "fgh", "ij"]);
  assert.deepEqual(wrapped("日本語", 4), ["日本", "語"]);
  assert.deepEqual(wrapped("日", 1), ["日"]);
  assert.deepEqual(wrapped("", 5), [""]);
});

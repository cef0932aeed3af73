/** Nothing that a stranger said reaches a terminal as a command: every text we draw, fuzzed. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { RunState } from "../../src/core/log/event.ts";
import { outsideNotice } from "../../src/core/notify/notice.ts";
import { newRecord } from "../../src/core/notify/notice_record.ts";
import { initialState } from "../../src/core/log/state.ts";
import { terminalNotice, type TerminalStyle } from "../../src/core/wire/terminal_notice.ts";
import { desktopRun } from "../../src/notify/desktop.ts";
import { doctorPage } from "../../src/views/doctor_page.ts";
import { notificationsTable } from "../../src/views/notifications_table.ts";
import { displayWidth } from "../../src/views/paint.ts";
import { drawWatch } from "../../src/views/watch_draw.ts";
import { emptyModel, takeLine } from "../../src/views/watch_model.ts";
import { pressKey } from "../../src/views/watch_keys.ts";
import { notice } from "../helpers/notify.ts";
import { item, place } from "./watch_places.ts";

// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** Text of the worst kind: control sequences, C1, bidirectional overrides, halves of pairs. */
const nasty = fc.array(
  fc.oneof(
    fc.constantFrom(
      "\x1b]0;t\x07",
      "\x1b[2J",
      "\x1b\\",
      "\x9b31m",
      "\x9d9;x\x9c",
      "\x07",
      "\n",
      "\r",
      "\0",
      "\u202e",
      "\u2028",
      "\ud800",
      "\udfff",
      "日本",
      "👍🏽",
      "e\u0301",
      ";",
      "#[fg=red]",
      "#(touch x)",
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
  ),
  { maxLength: 12 },
).map((parts) => parts.join(""));

const STATES: RunState[] = ["waiting-approval", "running", "failed", "idle", "unknown"];

Deno.test("the live view draws no control character, and keeps its width", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(nasty, nasty, nasty, fc.constantFrom(...STATES)), {
      minLength: 1,
      maxLength: 5,
    }),
    fc.integer({ min: 10, max: 120 }),
    fc.integer({ min: 1, max: 20 }),
    fc.constantFrom("", "e", "/", "?"),
    (rows, width, height, key) => {
      const places = rows.map(([label, message, provider, state], at) =>
        place(`p${at}`, state, {
          label,
          message,
          provider,
          toolName: message,
          cwd: label,
          attention: [{ ...item(`i${at}`), message }],
        })
      );
      const snapshot = { type: "snapshot", reason: "start", position: 1, attention: [] } as const;
      let model = takeLine(emptyModel(), { ...snapshot, places }, 0);
      model = pressKey(model, key).model;
      for (const shown of [model, { ...model, offline: rows[0]![1] }]) {
        for (const line of drawWatch(shown, { width, height, colour: false }, 5_000)) {
          assert.doesNotMatch(line, CONTROL);
          assert.ok(line.isWellFormed());
          assert.ok(displayWidth(line) <= width, `${displayWidth(line)} of ${width}: ${line}`);
        }
      }
    },
  ));
});

Deno.test("notices, records and the doctor's page hold one line of harmless text", () => {
  fc.assert(fc.property(nasty, nasty, (title, body) => {
    const words = { id: "n", origin: "terminal", kind: "message", provider: null } as const;
    const made = outsideNotice(initialState(), { ...words, surfaceID: null, title, body });
    for (const text of [made.title, made.body, made.subject]) {
      assert.doesNotMatch(text, CONTROL);
      assert.ok(text.isWellFormed() && text.length <= 400);
    }
    const screen = { width: 60, colour: false };
    const record = {
      ...newRecord(notice({ title, body }), 0),
      outcomes: [{ channel: "desktop", outcome: "failed", reason: body, at: "" } as const],
    };
    const checks = [{ group: "G", name: title, state: "warn", detail: body, next: title } as const];
    const pages = [notificationsTable([record], { screen, now: 0 }), doctorPage(checks, screen)];
    for (const page of pages) assert.doesNotMatch(page.replaceAll("\n", ""), CONTROL);
    for (const argument of desktopRun("notify-send", made).args) {
      assert.doesNotMatch(argument, CONTROL);
    }
  }));
});

Deno.test("a notice's bytes are one sequence of its style and nothing else", () => {
  const shapes: Record<Exclude<TerminalStyle, "bell">, RegExp> = {
    // deno-lint-ignore no-control-regex
    osc9: /^\x1b\]9;(?!\d)[^\x00-\x1f\x7f-\x9f]*\x07$/,
    // deno-lint-ignore no-control-regex
    osc777: /^\x1b\]777;notify;[^;\x00-\x1f\x7f-\x9f]*;[^\x00-\x1f\x7f-\x9f]*\x07$/,
    osc99:
      // deno-lint-ignore no-control-regex
      /^\x1b\]99;i=[\w+.-]*:d=0:p=title;[^\x00-\x1f\x7f-\x9f]*\x1b\\\x1b\]99;i=[\w+.-]*:d=1:p=body;[^\x00-\x1f\x7f-\x9f]*\x1b\\$/,
  };
  fc.assert(fc.property(nasty, nasty, nasty, (id, title, body) => {
    for (const [style, shape] of Object.entries(shapes)) {
      assert.match(terminalNotice(style as TerminalStyle, { id, title, body }), shape);
    }
  }));
});

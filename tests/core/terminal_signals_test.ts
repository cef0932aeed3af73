/** Control sequences that mean something, out of a stream of bytes in any pieces. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { TerminalSignals } from "../../src/core/estimate/terminal_signals.ts";

const encoder = new TextEncoder();

function signals(text: string) {
  return new TerminalSignals().push(encoder.encode(text));
}

Deno.test("command marks, with and without a status", () => {
  assert.deepEqual(signals("\x1b]133;A\x07$ \x1b]133;B\x07ls\x1b]133;C\x1b\\out\x1b]133;D;2\x07"), [
    { signal: "prompt" },
    { signal: "command-started" },
    { signal: "command-ended", exitCode: 2 },
  ]);
  assert.deepEqual(signals("\x1b]133;D\x07"), [{ signal: "command-ended", exitCode: null }]);
});

Deno.test("notices of the three kinds; numbered requests are none", () => {
  assert.deepEqual(signals("\x1b]9;Done\x07\x1b]9;4;1;40\x07\x1b]9;12\x07"), [
    { signal: "notice", title: null, body: "Done" },
    { signal: "progress", state: "running", percent: 40 },
  ]);
  assert.deepEqual(signals("\x1b]777;notify;Title;the; body\x1b\\"), [
    { signal: "notice", title: "Title", body: "the; body" },
  ]);
  assert.deepEqual(
    signals(
      "\x1b]99;i=1:d=0;Ti\x07\x1b]99;i=1:d=0:p=title;tle\x07\x1b]99;i=1:p=body:e=1;w7xiZXI=\x07",
    ),
    [
      { signal: "notice", title: "Title", body: "über" },
    ],
  );
  assert.deepEqual(signals("\x1b]99;i=2:p=?;\x07"), []);
});

Deno.test("folder and program status", () => {
  assert.deepEqual(signals("\x1b]7;file://host/a%20b\x07\x1b]7;file:///%zz\x07"), [
    { signal: "folder", host: "host", path: "/a b" },
  ]);
  assert.deepEqual(
    signals("\x1b]7501;?\x07\x1b]7501;state=blocked;message=ok?\x07\x1b]7501;idle\x07"),
    [
      { signal: "status", state: "blocked", message: "ok?" },
      { signal: "status", state: "idle", message: null },
    ],
  );
});

Deno.test("titles, texts, cut and endless sequences are passed over", () => {
  assert.deepEqual(signals("\x1b]0;Action Required\x07 approve? [y/n]"), []);
  assert.deepEqual(signals("\x1b]9;cut\x1b]9;whole\x07"), [
    { signal: "notice", title: null, body: "whole" },
  ]);
  assert.deepEqual(signals(`\x1b]9;${"x".repeat(100_000)}\x07\x1b]9;y\x07`), [
    { signal: "notice", title: null, body: "y" },
  ]);
  assert.deepEqual(signals("\x1b]9;a\x18\x1b]9;b\x07"), [
    { signal: "notice", title: null, body: "b" },
  ]);
});

Deno.test("tmux passthrough is unwrapped", () => {
  assert.deepEqual(signals("\x1bPtmux;\x1b\x1b]9;hello\x07\x1b\\"), [
    { signal: "notice", title: null, body: "hello" },
  ]);
});

Deno.test("the same signals however the bytes are cut, and never a control character", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "\x1b]133;D;1\x07",
      "\x1b]9;né\u{1f389}\x07",
      "\x1b]777;notify;a;b\x1b\\",
      "\x1b]99;i=1:d=0;x\x07",
      "\x1bPtmux;\x1b\x1b]9;z\x07\x1b\\",
      "\x1b",
      "\x1b]",
      "\x07",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.nat(9), (pieces, step) => {
      const bytes = encoder.encode(pieces.join(""));
      const whole = new TerminalSignals().push(bytes);
      const parser = new TerminalSignals();
      const cut = [];
      for (let at = 0; at < bytes.length; at += step + 1) {
        cut.push(...parser.push(bytes.subarray(at, at + step + 1)));
      }
      assert.deepEqual(cut, whole);
      // deno-lint-ignore no-control-regex -- exactly what must not be there.
      for (const text of textsOf(whole)) assert.doesNotMatch(text, /[\x00-\x1f\x7f-\x9f]/);
    }),
    { numRuns: 300 },
  );
});

Deno.test("any bytes at all are survived", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
    new TerminalSignals().push(Uint8Array.of(0x1b, 0x5d, ...bytes, 7));
  }));
});

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

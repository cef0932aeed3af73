/** The config watch's own rules: six writes a minute, own writes known, changes settled. */

import assert from "node:assert/strict";
import {
  Debounce,
  DEBOUNCE_MS,
  MAX_WRITES,
  OwnWrites,
  WRITE_WINDOW_MS,
  WriteLimiter,
} from "../../src/installers/drift.ts";

Deno.test("six writes per path in a rolling minute, then none", () => {
  const limiter = new WriteLimiter();
  for (let at = 0; at < MAX_WRITES; at++) {
    assert.ok(limiter.mayWrite("a", at * 1_000));
    limiter.wrote("a", at * 1_000);
  }
  assert.ok(!limiter.mayWrite("a", 6_000));
  assert.ok(limiter.mayWrite("b", 6_000));
  assert.ok(!limiter.mayWrite("a", WRITE_WINDOW_MS - 1));
  assert.ok(limiter.mayWrite("a", WRITE_WINDOW_MS));
  limiter.wrote("a", WRITE_WINDOW_MS);
  assert.ok(!limiter.mayWrite("a", WRITE_WINDOW_MS + 1));
  limiter.forget("a");
  assert.ok(limiter.mayWrite("a", WRITE_WINDOW_MS + 1));
  assert.ok(limiter.mayWrite("a", -1), "a clock set back blocks nothing");
});

Deno.test("own writes are known by content, also removals", () => {
  const own = new OwnWrites();
  assert.ok(!own.isOwn("a", null));
  own.remember("a", "x");
  assert.ok(own.isOwn("a", "x"));
  assert.ok(!own.isOwn("a", "y"));
  assert.ok(!own.isOwn("a", null));
  own.remember("a", null);
  assert.ok(own.isOwn("a", null));
});

Deno.test("a change counts once its path is quiet", () => {
  const debounce = new Debounce();
  assert.equal(debounce.next(0), null);
  debounce.changed("a", 0);
  debounce.changed("b", 100);
  debounce.changed("a", 200);
  assert.equal(debounce.next(200), 300);
  assert.deepEqual(debounce.settled(DEBOUNCE_MS), []);
  assert.deepEqual(debounce.settled(100 + DEBOUNCE_MS), ["b"]);
  assert.deepEqual(debounce.settled(200 + DEBOUNCE_MS), ["a"]);
  assert.deepEqual(debounce.settled(9_999), []);
});

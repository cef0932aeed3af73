/** Who of many connections is read, told by sockets that do what they are told. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { Admission, type Count, MAX_SPEAKING } from "../../src/socket/admission.ts";

const MEBIBYTE = 1_048_576;

class FakeSocket extends EventEmitter {
  destroyed = false;
  isFlowing = false;

  resume(): void {
    this.isFlowing = true;
  }

  pause(): void {
    this.isFlowing = false;
  }

  setTimeout(_millis: number, _done: () => void): void {}

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit("close");
  }

  say(bytes: number): void {
    assert.ok(this.isFlowing, "only who is read can be heard");
    this.emit("data", new Uint8Array(bytes));
  }
}

function stage() {
  const counts = new Map<FakeSocket, Count>();
  const admission = new Admission({
    speak: (socket, _first, count) => counts.set(socket as unknown as FakeSocket, count),
    empty: (socket) => socket.destroy(),
  });
  const open: FakeSocket[] = [];
  return {
    counts,
    come: (many: number) => {
      const sockets = Array.from({ length: many }, () => new FakeSocket());
      sockets.forEach((socket) => admission.admit(socket as unknown as Socket));
      open.push(...sockets);
      return sockets;
    },
    /** No deadline of theirs outlives the test. */
    end: () => open.forEach((socket) => socket.destroy()),
  };
}

/** Longer than all batches of those that waited. */
function batches(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 500));
}

Deno.test("however many are silent, one that speaks is heard at once", () => {
  const { come, counts, end } = stage();
  come(20_000);
  const [honest] = come(1);
  honest!.say(10);
  assert.equal(counts.size, 1);
  end();
});

Deno.test("while as many speak as may, the others wait unread, and are read in their order", async () => {
  const { come, counts, end } = stage();
  const early = come(2);
  const speaking = come(MAX_SPEAKING);
  speaking.forEach((socket) => socket.say(1));
  const late = come(3);
  assert.deepEqual([...early, ...late].map(({ isFlowing }) => isFlowing), Array(5).fill(false));
  speaking[0]!.destroy();
  await batches();
  [...early, ...late].slice(0, 1).forEach((socket) => socket.say(1));
  assert.ok(counts.has(early[0]!), "who came first is heard first");
  assert.ok(!late[0]!.isFlowing, "full again");
  speaking.forEach((socket) => socket.destroy());
  await batches();
  late.forEach((socket) => socket.say(1));
  assert.ok(late.every((socket) => counts.has(socket)));
  end();
});

Deno.test("what is held is bounded: newcomers wait from 64 MiB on, and who goes beyond 128 MiB is closed", async () => {
  const { come, counts, end } = stage();
  const [big, greedy, silent] = come(3);
  big!.say(1);
  greedy!.say(1);
  counts.get(big!)!(64 * MEBIBYTE);
  assert.ok(!silent!.isFlowing && !big!.destroyed);
  assert.ok(!come(1)[0]!.isFlowing);
  counts.get(greedy!)!(65 * MEBIBYTE);
  assert.ok(greedy!.destroyed && !big!.destroyed);
  big!.destroy();
  await batches();
  silent!.say(1);
  assert.ok(counts.has(silent!), "there is room again");
  end();
});

Deno.test("one that is gone before its turn is passed over", async () => {
  const { come, counts, end } = stage();
  const [big] = come(1);
  big!.say(1);
  counts.get(big!)!(64 * MEBIBYTE);
  const [gone, waiting] = come(2);
  gone!.destroy();
  big!.destroy();
  await batches();
  assert.ok(!gone!.isFlowing && waiting!.isFlowing);
  end();
});

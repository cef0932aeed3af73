/** A followed file: half lines, torn lines, cuts, replacements, sizes (bugs.md F). */

import assert from "node:assert/strict";
import fc from "fast-check";
import { Tail } from "../../src/estimator/tail.ts";
import { withFolder } from "../helpers/daemon.ts";

const encoder = new TextEncoder();

function append(path: string, bytes: Uint8Array | string): void {
  const data = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
  Deno.writeFileSync(path, data, { append: true, create: true });
}

function numbers(tail: Tail): unknown[] {
  return tail.read().lines.map(({ n }) => n);
}

Deno.test("a row written in three parts with cut characters is read exactly once", async () => {
  await withFolder((folder) => {
    const path = `${folder}/t.jsonl`;
    const row = encoder.encode(`{"n":1,"text":"日本語🎉"}\n`);
    const tail = new Tail(path);
    append(path, row.subarray(0, 17));
    assert.deepEqual(numbers(tail), []);
    append(path, row.subarray(17, 27));
    assert.deepEqual(numbers(tail), []);
    append(path, row.subarray(27));
    assert.deepEqual(tail.read().lines, [{ n: 1, text: "日本語🎉" }]);
    assert.deepEqual(numbers(tail), []);
    assert.equal(tail.damaged, 0);
    return Promise.resolve();
  });
});

Deno.test("a follower begun between two parts of a row reads it once too", async () => {
  await withFolder((folder) => {
    const path = `${folder}/t.jsonl`;
    append(path, `{"n":1}\n{"n":`);
    assert.deepEqual(numbers(new Tail(path)), [1]);
    const tail = new Tail(path);
    assert.deepEqual(numbers(tail), [1]);
    append(path, `2}\n`);
    assert.deepEqual(numbers(tail), [2]);
    return Promise.resolve();
  });
});

Deno.test("a torn last line is no damage; a torn middle one is, and the rest goes on", async () => {
  await withFolder((folder) => {
    const path = `${folder}/t.jsonl`;
    append(path, `{"n":1}\n{"n":2,"te\n[3]\n\0\0\0{"n":4}\n{"n":5`);
    const tail = new Tail(path);
    assert.deepEqual(numbers(tail), [1, 4]);
    assert.equal(tail.damaged, 2);
    return Promise.resolve();
  });
});

Deno.test("a truncated, a replaced and a rewritten file are begun anew", async () => {
  await withFolder((folder) => {
    const path = `${folder}/t.jsonl`;
    append(path, `{"n":1}\n{"n":2}\n{"n":3}\n`);
    const tail = new Tail(path);
    assert.deepEqual(numbers(tail), [1, 2, 3]);
    Deno.writeTextFileSync(path, `{"n":9}\n`);
    let read = tail.read();
    assert.deepEqual([read.lines, read.isFirst], [[{ n: 9 }], true]);
    Deno.writeTextFileSync(`${path}.new`, `{"n":9}\n{"n":10}\n`);
    Deno.renameSync(`${path}.new`, path);
    assert.deepEqual(numbers(tail), [9, 10]);
    // Grown, but not by appending: the bytes before the place are others.
    Deno.writeTextFileSync(path, `{"n":20}\n{"n":21}\n{"n":22}\n`);
    read = tail.read();
    assert.deepEqual([read.lines.map(({ n }) => n), read.isFirst], [[20, 21, 22], true]);
    Deno.removeSync(path);
    assert.deepEqual(numbers(tail), []);
    append(path, `{"n":30}\n`);
    assert.deepEqual(numbers(tail), [30]);
    return Promise.resolve();
  });
});

Deno.test("a large file: the first line and the end are read, whatever the window cuts", async () => {
  await withFolder((folder) => {
    const path = `${folder}/t.jsonl`;
    append(path, `{"n":0,"head":true}\n`);
    const filler = `{"n":1,"text":"${"日".repeat(1_000)}"}\n`.repeat(500);
    append(path, filler);
    append(path, `{"n":2,"text":"${"語".repeat(1_700_000)}"}\n`);
    append(path, `{"n":3}\n`);
    const rows = new Tail(path, { firstBytes: 10_001 }).read().lines.map(({ n }) => n);
    assert.deepEqual(rows, [0, 3]);
    // A last row longer than the window is found by looking further back.
    append(path, `{"n":4,"text":"${"語".repeat(1_700_000)}"}\n`);
    const last = new Tail(path, { firstBytes: 10_001 }).read().lines;
    assert.equal(last.at(-1)?.n, 4);
    assert.equal(String(last.at(-1)?.text).length, 1_700_000);
    return Promise.resolve();
  });
});

Deno.test("200 MB cost a bounded first look", async () => {
  await withFolder((folder) => {
    const path = `${folder}/t.jsonl`;
    const file = Deno.openSync(path, { create: true, write: true });
    const block = encoder.encode(`{"n":1,"text":"${"x".repeat(1_000)}"}\n`.repeat(1_000));
    for (let written = 0; written < 200 * 1024 * 1024; written += block.length) {
      file.writeSync(block);
    }
    file.writeSync(encoder.encode(`{"n":2}\n`));
    file.close();
    const read = new Tail(path).read();
    assert.equal(read.lines.at(-1)?.n, 2);
    // Rows of the window and no more: time and memory follow from it.
    assert.ok(read.lines.length < 1_200, `${read.lines.length} rows`);
    return Promise.resolve();
  });
});

Deno.test("whatever the cuts and the order of reads, every whole row comes once, in order", async () => {
  await withFolder((folder) => {
    const rows = fc.array(fc.record({ n: fc.nat(), text: fc.string({ unit: "binary" }) }), {
      maxLength: 12,
    });
    let run = 0;
    fc.assert(
      fc.property(rows, fc.array(fc.nat(40), { minLength: 1, maxLength: 30 }), (values, sizes) => {
        const path = `${folder}/${run++}.jsonl`;
        const bytes = encoder.encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        const tail = new Tail(path);
        const seen: unknown[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = 1 + sizes[turn % sizes.length]!;
          append(path, bytes.subarray(at, at + size));
          at += size;
          seen.push(...tail.read().lines);
        }
        assert.deepEqual(seen, JSON.parse(JSON.stringify(values)));
      }),
      { numRuns: 60 },
    );
    return Promise.resolve();
  });
});

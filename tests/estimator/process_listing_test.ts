import assert from "node:assert/strict";
import { createPidListing } from "../../src/estimator/process_listing.ts";
import type { ProcFiles } from "../../src/estimator/process_proc_files.ts";

const ZOMBIE = 66;

/** A root whose census and pids a test sets, and which counts its listings. */
function fakeRoot() {
  const root = { census: "100 200" as string | null, pids: [9], listings: 0 };
  const files: ProcFiles = {
    bootTag: "",
    census: () => root.census,
    uptime: () => null,
    listPids() {
      root.listings++;
      return [...root.pids];
    },
    exists: () => true,
    read: () => "stat",
    link: () => null,
    owner: () => undefined,
    openFiles: () => null,
  };
  const list = createPidListing(files);
  let known = new Map<number, unknown>();
  const pass = () => {
    const pids = [...list(known)];
    // As the table does: what is dead is not kept.
    known = new Map(pids.filter((pid) => pid !== ZOMBIE).map((pid) => [pid, pid]));
    return pids;
  };
  return { root, pass };
}

Deno.test("while nothing was made or reaped, one pass of four lists", () => {
  const { root, pass } = fakeRoot();
  for (let at = 0; at < 9; at++) assert.deepEqual(pass(), [9]);
  assert.equal(root.listings, 3);
});

Deno.test("a process made or reaped is seen by the next pass", () => {
  const { root, pass } = fakeRoot();
  pass();
  [root.pids, root.census] = [[9, 10], "101 201"];
  assert.deepEqual(pass(), [9, 10]);
  [root.pids, root.census] = [[10], "100 201"];
  assert.deepEqual(pass(), [10]);
});

Deno.test("a census that lies or is missing is not used", () => {
  const { root, pass } = fakeRoot();
  pass();
  root.pids = [9, 10];
  for (let at = 0; at < 4; at++) pass();
  root.pids = [9, 10, 11];
  assert.deepEqual(pass(), [9, 10, 11]);
  root.listings = 0;
  for (let at = 0; at < 5; at++) pass();
  assert.equal(root.listings, 5);
  const other = fakeRoot();
  other.root.census = null;
  for (let at = 0; at < 5; at++) other.pass();
  assert.equal(other.root.listings, 5);
});

Deno.test("a zombie, listed and never kept, is no lie", () => {
  const { root, pass } = fakeRoot();
  root.pids = [9, ZOMBIE];
  for (let at = 0; at < 9; at++) pass();
  assert.equal(root.listings, 3);
});

Deno.test("a process made during the listing is no lie", () => {
  const { root, pass } = fakeRoot();
  const listed = Array.from({ length: 4 }, pass);
  assert.equal(listed.length, 4);
  let asked = 0;
  const pids = root.pids;
  // The census changes between its reading and the listing of the fifth pass.
  Object.defineProperty(root, "census", { get: () => asked++ === 0 ? "100 200" : "101 201" });
  root.pids = [...pids, 10];
  assert.deepEqual(pass(), [9, 10]);
  root.listings = 0;
  pass();
  pass();
  assert.equal(root.listings, 1);
});

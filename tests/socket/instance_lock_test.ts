import assert from "node:assert/strict";
import { acquireInstanceLock } from "../../src/socket/instance_lock.ts";
import { withFolder } from "../helpers/daemon.ts";

/** Starts one program after the other on a thread of its own, until it is terminated. */
function startForking(): Promise<Worker> {
  const source = `
    const spawn = () => new Deno.Command("true").outputSync();
    spawn();
    postMessage("forking");
    while (true) spawn();`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = () => resolve(worker);
    worker.onerror = (event) => reject(new Error(event.message));
  });
}

Deno.test("a lock that was let go is free at once, also while other threads start processes", async () => {
  await withFolder(async (folder) => {
    const worker = await startForking();
    try {
      for (let turn = 0; turn < 2_000; turn++) {
        const lock = await acquireInstanceLock(`${folder}/lock`);
        assert.ok(lock !== null, `turn ${turn}: the lock is still held`);
        lock.release();
      }
    } finally {
      worker.terminate();
    }
  });
});

Deno.test("a lock whose file was deleted is taken anew under its name, and only there", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/lock`;
    const first = await acquireInstanceLock(path);
    assert.ok(first !== null);
    assert.equal(await acquireInstanceLock(path), null);
    Deno.removeSync(path);
    assert.equal(await first.keep(), true);
    assert.equal(await acquireInstanceLock(path), null);
    Deno.removeSync(path);
    const second = await acquireInstanceLock(path);
    assert.ok(second !== null);
    assert.equal(await first.keep(), false);
    second.release();
    assert.equal(await first.keep(), true);
    first.release();
  });
});

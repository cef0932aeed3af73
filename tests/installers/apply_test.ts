/** Writing config files: atomic, private, only what was planned for, nothing left behind. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { applyFile, type ApplyInput, type ApplyResult } from "../../src/installers/apply.ts";
import { withInstallLock } from "../../src/installers/install_lock.ts";
import { readTarget } from "../../src/installers/read_target.ts";
import { sealText } from "../../src/installers/verified_text.ts";

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "mytty-apply-" }));
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();
}

function mode(path: string): number {
  return (Deno.lstatSync(path).mode ?? 0) & 0o777;
}

function put(
  path: string,
  before: string | null,
  after: string | null,
  more: Partial<ApplyInput> = {},
): Promise<ApplyResult> {
  return applyFile({ path, before, after: after === null ? null : sealText(after), ...more });
}

function codeOf(result: ApplyResult): string {
  return result.status === "failed" ? result.issue.code : result.status;
}

Deno.test("C6: the mode is kept, and a new file is private", () =>
  inFolder(async (folder) => {
    for (const bits of [0o600, 0o640, 0o644, 0o755]) {
      const path = join(folder, `m${bits}`);
      await Deno.writeTextFile(path, "a");
      await Deno.chmod(path, bits);
      assert.equal((await put(path, "a", "b")).status, "written");
      assert.equal(mode(path), bits);
      assert.equal(await Deno.readTextFile(path), "b");
    }
    const path = join(folder, "new");
    await put(path, null, "b");
    assert.equal(mode(path), 0o600);
    await put(join(folder, "run"), null, "b", { newFileMode: 0o700 });
    assert.equal(mode(join(folder, "run")), 0o700);
  }));

Deno.test("C6: no temporary file is ever wider than the target", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    await Deno.writeTextFile(path, "a", { mode: 0o600 });
    const seen: number[] = [];
    const onBeforeRename = () => {
      seen.push(...names(folder).map((name) => mode(join(folder, name))));
    };
    await put(path, "a", "b", { onBeforeRename });
    assert.deepEqual(seen, [0o600, 0o600]);
    assert.deepEqual(names(folder), ["f"]);
  }));

Deno.test("an unchanged file is not touched: same bytes, same modification time", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    await Deno.writeTextFile(path, "a");
    await Deno.utime(path, 1000, 1000);
    const { ino } = await Deno.stat(path);
    assert.equal((await put(path, "a", "a")).status, "unchanged");
    const info = await Deno.stat(path);
    assert.equal(info.mtime?.getTime(), 1_000_000);
    assert.equal(info.ino, ino);
  }));

Deno.test("C8: a file that changed since it was read is not overwritten", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    await Deno.writeTextFile(path, "theirs");
    assert.equal((await put(path, "a", "b")).status, "changed");
    assert.equal((await put(path, null, "b")).status, "changed");
    assert.equal((await put(path, "a", null)).status, "changed");
    assert.equal((await put(join(folder, "gone"), "a", "b")).status, "changed");
    assert.deepEqual(names(folder), ["f"]);
    assert.equal(await Deno.readTextFile(path), "theirs");
  }));

Deno.test("C8: a write into the file between the last check and the rename is put back", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    await Deno.writeTextFile(path, "a");
    const backupPath = join(folder, "kept");
    const onBeforeRename = () => Deno.writeTextFile(path, "late");
    const result = await put(path, "a", "b", { onBeforeRename, backupPath });
    assert.equal(result.status, "changed");
    assert.equal(await Deno.readTextFile(path), "late");
    assert.deepEqual(names(folder), ["f"]);
  }));

Deno.test("C8: a file that another program renames into place meanwhile is not overwritten", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    await Deno.writeTextFile(path, "a");
    const onBeforeRename = async () => {
      await Deno.writeTextFile(join(folder, "g"), "late");
      await Deno.rename(join(folder, "g"), path);
    };
    assert.equal((await put(path, "a", "b", { onBeforeRename })).status, "changed");
    assert.equal(await Deno.readTextFile(path), "late");
    assert.deepEqual(names(folder), ["f"]);
  }));

Deno.test("C8: a file that appears between the last check and the rename is not overwritten", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    const onBeforeRename = () => Deno.writeTextFile(path, "late");
    assert.equal((await put(path, null, "b", { onBeforeRename })).status, "changed");
    assert.equal(await Deno.readTextFile(path), "late");
    assert.deepEqual(names(folder), ["f"]);
  }));

Deno.test("symbolic links stay; what they lead to is written, dangling ones too", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(join(folder, "real"));
    await Deno.writeTextFile(join(folder, "real", "f"), "a");
    await Deno.symlink("real", join(folder, "dir"));
    await Deno.symlink("dir/f", join(folder, "link"));
    await Deno.symlink("real/new", join(folder, "dangling"));
    await Deno.symlink("loop", join(folder, "loop"));
    const result = await put(join(folder, "link"), "a", "b");
    assert.equal("path" in result && result.path, join(folder, "real", "f"));
    assert.equal(await Deno.readTextFile(join(folder, "real", "f")), "b");
    assert.equal(await Deno.readLink(join(folder, "link")), "dir/f");
    assert.equal((await put(join(folder, "dangling"), null, "b")).status, "written");
    assert.equal(await Deno.readTextFile(join(folder, "real", "new")), "b");
    assert.equal(codeOf(await put(join(folder, "loop"), null, "b")), "io-error");
    assert.deepEqual(names(join(folder, "real")), ["f", "new"]);
  }));

Deno.test("C22: read-only files and folders are said to be so, and nothing is left behind", () =>
  inFolder(async (folder) => {
    const store = join(folder, "store");
    await Deno.mkdir(store);
    await Deno.writeTextFile(join(store, "f"), "a");
    await Deno.chmod(join(store, "f"), 0o444);
    await Deno.symlink("store/f", join(folder, "link"));
    const backupPath = join(folder, "kept");
    assert.equal(codeOf(await put(join(folder, "link"), "a", "b", { backupPath })), "read-only");
    await Deno.chmod(join(store, "f"), 0o644);
    await Deno.chmod(store, 0o555);
    try {
      for (
        const [path, before] of [["link", "a"], ["store/x", null], ["store/d/x", null]] as const
      ) {
        const result = await put(join(folder, path), before, "b", { backupPath });
        assert.equal(codeOf(result), "read-only", path);
        assert.match(result.status === "failed" ? result.issue.message : "", /read-only$/);
      }
      assert.deepEqual(names(store), ["f"]);
      assert.deepEqual(names(folder), ["link", "store"]);
    } finally {
      await Deno.chmod(store, 0o755);
    }
  }));

Deno.test("what is no regular file, or not UTF-8, is left alone", () =>
  inFolder(async (folder) => {
    assert.equal(codeOf(await put(folder, null, "b")), "not-a-file");
    const path = join(folder, "f");
    await Deno.writeFile(path, new Uint8Array([0xff, 0xfe, 0x7b, 0]));
    const read = await readTarget(path);
    assert.ok(!read.ok);
    assert.equal(read.issue.code, "not-utf8");
    await Deno.writeTextFile(path, "\uFEFF{}");
    const marked = await readTarget(path);
    assert.ok(marked.ok);
    assert.equal(marked.text, "\uFEFF{}");
    assert.equal((await put(path, marked.text, "\uFEFF{ }")).status, "written");
  }));

Deno.test("the original is kept once, privately, and never overwritten", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    const backupPath = join(folder, "state", "backup", "f");
    await Deno.writeTextFile(path, "first", { mode: 0o644 });
    await put(path, "first", "second", { backupPath });
    await put(path, "second", "third", { backupPath });
    assert.equal(await Deno.readTextFile(backupPath), "first");
    assert.equal(mode(backupPath), 0o600);
    assert.equal(mode(join(folder, "state")), 0o700);
  }));

Deno.test("missing folders are made private, and reported; a removed file is gone", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a", "b", "f");
    const result = await put(path, null, "x");
    assert.ok(result.status === "written");
    assert.deepEqual(result.createdFolders, [join(folder, "a"), join(folder, "a", "b")]);
    assert.equal(mode(join(folder, "a")), 0o700);
    assert.equal((await put(path, "x", null)).status, "removed");
    assert.deepEqual(names(join(folder, "a", "b")), []);
    assert.equal((await put(path, null, null)).status, "unchanged");
  }));

Deno.test("a text that was not verified is never written", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    const result = await applyFile({ path, before: null, after: { text: "x" } });
    assert.equal(codeOf(result), "not-verified");
    assert.deepEqual(names(folder), []);
  }));

Deno.test("left-overs of a killed run are swept, those of a running one are not", () =>
  inFolder(async (folder) => {
    const old = join(folder, ".f.mytty-0000.tmp");
    const young = join(folder, ".f.mytty-1111.tmp");
    for (const path of [old, young]) await Deno.writeTextFile(path, "");
    await Deno.utime(old, 1000, 1000);
    await put(join(folder, "f"), null, "x");
    assert.deepEqual(names(folder), [".f.mytty-1111.tmp", "f"]);
  }));

Deno.test("kill -9 at any moment leaves the old or the new text whole", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    const size = 300_000;
    const writer = join(import.meta.dirname ?? ".", "apply_writer.ts");
    for (let round = 0; round < 8; round++) {
      await Deno.writeTextFile(path, "a".repeat(size));
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-lock", "-q", writer, path, "ab", String(size)],
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const reader = child.stdout.getReader();
      const { value } = await reader.read();
      assert.equal(new TextDecoder().decode(value).trim(), "written");
      await new Promise((resolve) => setTimeout(resolve, 7 * round + Math.random() * 10));
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
      const text = await Deno.readTextFile(path);
      assert.equal(text.length, size);
      assert.ok(text === "a".repeat(size) || text === "b".repeat(size));
      assert.ok(
        names(folder).filter((name) => name !== "f").every((name) => name.endsWith(".tmp")),
      );
    }
  }));

Deno.test("of concurrent writers each either writes its plan or starts over; no change is lost", () =>
  inFolder(async (folder) => {
    const path = join(folder, "f");
    const lockPath = join(folder, "state", "install.lock");
    await Deno.writeTextFile(path, "");
    const add = async (line: string) => {
      for (;;) {
        const done = await withInstallLock(lockPath, async () => {
          const read = await readTarget(path);
          assert.ok(read.ok);
          return (await put(path, read.text, read.text + line)).status;
        });
        assert.ok(done.ok);
        if (done.value === "written") return;
      }
    };
    const lines = Array.from({ length: 12 }, (_, index) => `${index}\n`);
    await Promise.all(lines.map(add));
    const found = (await Deno.readTextFile(path)).split("\n").filter((line) => line !== "");
    assert.deepEqual(found.sort(), lines.map((line) => line.trim()).sort());
    assert.equal(mode(lockPath), 0o600);
  }));

Deno.test("a held lock is waited for, up to the time given, and is free after a failure", () =>
  inFolder(async (folder) => {
    const lockPath = join(folder, "install.lock");
    const inner = await withInstallLock(
      lockPath,
      () => withInstallLock(lockPath, () => Promise.resolve("in"), { timeoutMs: 60 }),
    );
    assert.ok(inner.ok && !inner.value.ok);
    assert.equal(inner.value.issue.code, "locked");
    await assert.rejects(withInstallLock(lockPath, () => Promise.reject(new Error("Failed"))));
    assert.ok((await withInstallLock(lockPath, () => Promise.resolve(1))).ok);
  }));

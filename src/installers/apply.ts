/**
 * I/O edge: writes a verified text to a config file, or removes a file that is ours.
 *
 * Atomic, durable, on the resolved path, with the file's mode and owner; only if the file still is
 * what the plan was made for; with the original kept once. On any failure nothing is left behind.
 */

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { type EditIssue, refuse, type Refused } from "./edit_op.ts";
import { createFolders, exists, removeFolders } from "./folders.ts";
import { ioIssue, openTarget, type Target } from "./read_target.ts";
import { replaceFile, syncFolder } from "./replace_file.ts";
import { textHash } from "./undo_note.ts";
import { isVerified, type VerifiedText } from "./verified_text.ts";

export interface ApplyInput {
  readonly path: string;
  /** The text that the plan was made for; null = there was no file. */
  readonly before: string | null;
  /** null = remove the file. */
  readonly after: VerifiedText | null;
  /** Where the original is kept. An existing backup is never overwritten. */
  readonly backupPath?: string;
  /** Of a file that does not exist yet; 0600 by default. */
  readonly newFileMode?: number;
  /** Of a file that is ours alone: whatever it has now, it is to have this one. */
  readonly ownMode?: number;
  /** Called after the last look at the file's content; for tests of races. */
  readonly onBeforeRename?: () => void | Promise<void>;
}

export type ApplyResult =
  /** Written; `createdFolders` (outermost first) did not exist before. */
  | {
    readonly status: "written" | "removed";
    readonly path: string;
    readonly hash: string | null;
    readonly createdFolders: readonly string[];
  }
  | { readonly status: "unchanged"; readonly path: string }
  /** The file is not what the plan was made for: read it again and start over. */
  | { readonly status: "changed"; readonly path: string }
  | { readonly status: "failed"; readonly path: string; readonly issue: EditIssue };

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

const ANY_WRITE = 0o222;

/** Mode bits count even for root, to whom the system would allow the write. */
async function readOnlyIssue(path: string, target: Target): Promise<Refused | undefined> {
  const deny = (what: string) =>
    refuse("read-only", `Cannot write "${path}": ${what} is read-only`);
  if (target.info !== null) {
    if (((target.info.mode ?? ANY_WRITE) & ANY_WRITE) === 0) return deny("the file");
    if (!await access(target.path, constants.W_OK).then(() => true, () => false)) {
      return deny("the file");
    }
  }
  let folder = dirname(target.path);
  while (!await exists(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const info = await Deno.stat(folder).catch(() => null);
  if (info === null) {
    return refuse("io-error", `Cannot write "${path}": "${folder}" is a link that leads nowhere`);
  }
  const { mode } = info;
  if (((mode ?? ANY_WRITE) & ANY_WRITE) === 0) return deny("its folder");
  const writable = await access(folder, constants.W_OK).then(() => true, () => false);
  return writable ? undefined : deny("its folder");
}

/** Keeps the original; returns what takes the backup back, should the write not come about. */
async function keepBackup(target: Target, backupPath: string): Promise<() => Promise<void>> {
  const nothing = () => Promise.resolve();
  // An older backup is the truer original: it stays.
  if (target.bytes === null || await exists(backupPath)) return nothing;
  const folders = await createFolders(dirname(backupPath));
  const made = await replaceFile(backupPath, target.bytes, {
    mode: 0o600,
    stillWanted: () => Promise.resolve(true),
    replaces: null,
  });
  if (!made) return nothing;
  return async () => {
    await Deno.remove(backupPath);
    await removeFolders(folders);
  };
}

async function isStill(target: Target, bytes: Uint8Array | null): Promise<boolean> {
  const now = await openTarget(target.path);
  return now.ok && now.path === target.path && sameBytes(now.bytes, bytes);
}

/** Whether a program that had the old file open wrote to it after our last check. */
async function lateWrite(old: Deno.FsFile, known: Uint8Array): Promise<Uint8Array | undefined> {
  const { size } = await old.stat();
  const late = new Uint8Array(size);
  await old.seek(0, Deno.SeekMode.Start);
  for (let done = 0; done < size;) {
    const count = await old.read(late.subarray(done));
    if (count === null) break;
    done += count;
  }
  return sameBytes(late, known) ? undefined : late;
}

async function write(input: ApplyInput, target: Target, text: string): Promise<ApplyResult> {
  const { path, info, bytes } = target;
  const { newFileMode = 0o600 } = input;
  const createdFolders = await createFolders(dirname(path));
  const options = {
    mode: input.ownMode ?? (info === null ? newFileMode : (info.mode ?? 0o600) & 0o7777),
    owner: info === null ? undefined : { uid: info.uid ?? 0, gid: info.gid ?? 0 },
    replaces: info,
  };
  using old = bytes === null ? undefined : await Deno.open(path, { read: true });
  try {
    const stillWanted = async () => {
      const still = await isStill(target, bytes);
      if (still) await input.onBeforeRename?.();
      return still;
    };
    const done = await replaceFile(path, encode(text), { ...options, stillWanted });
    if (!done) return await giveUp({ status: "changed", path }, createdFolders);
  } catch (error) {
    await removeFolders(createdFolders);
    throw error;
  }
  const late = old === undefined || bytes === null ? undefined : await lateWrite(old, bytes);
  if (late === undefined) return { status: "written", path, hash: textHash(text), createdFolders };
  const stillWanted = () => isStill(target, encode(text));
  await replaceFile(path, late, { ...options, stillWanted, replaces: await Deno.lstat(path) });
  return { status: "changed", path };
}

async function giveUp(result: ApplyResult, createdFolders: readonly string[]) {
  await removeFolders(createdFolders);
  return result;
}

async function remove(target: Target): Promise<ApplyResult> {
  if (!await isStill(target, target.bytes)) return { status: "changed", path: target.path };
  await Deno.remove(target.path);
  await syncFolder(dirname(target.path));
  return { status: "removed", path: target.path, hash: null, createdFolders: [] };
}

/** Brings the file from `before` to `after`, or says why not; never throws for what files do. */
export async function applyFile(input: ApplyInput): Promise<ApplyResult> {
  const { path, before, after } = input;
  const failed = ({ issue }: Refused): ApplyResult => ({ status: "failed", path, issue });
  if (after !== null && !isVerified(after)) {
    return failed(refuse("not-verified", `Cannot write "${path}": the text was not verified`));
  }
  const target = await openTarget(path);
  if (!target.ok) return failed(target);
  if (!sameBytes(target.bytes, before === null ? null : encode(before))) {
    return { status: "changed", path: target.path };
  }
  if (before === (after?.text ?? null)) return { status: "unchanged", path: target.path };
  let takeBackupBack = () => Promise.resolve();
  try {
    const readOnly = await readOnlyIssue(path, target);
    if (readOnly !== undefined) return failed(readOnly);
    if (input.backupPath !== undefined) {
      takeBackupBack = await keepBackup(target, input.backupPath);
    }
    const result = after === null ? await remove(target) : await write(input, target, after.text);
    if (result.status === "changed") await takeBackupBack();
    return result;
  } catch (error) {
    await takeBackupBack().catch(() => {});
    return failed(ioIssue(`write "${path}"`, error));
  }
}

/**
 * I/O edge: our own pieces in the state folder, which every written command counts on. They come
 * first and whole: with one of them missing no config is touched.
 */

import { dirname } from "node:path";
import { isHalfWritten, SPOOL_STALE_MS } from "../core/wire/spool_file.ts";
import { type InstallContext, launcherPath } from "./context.ts";
import type { Refused } from "./edit_op.ts";
import type { LauncherProvider } from "./launcher.ts";
import { launcherFile } from "./launcher_file.ts";
import type { LauncherTools } from "./launcher_tools.ts";
import { ioIssue } from "./read_target.ts";
import { replaceFile } from "./replace_file.ts";

export interface Staged {
  readonly ok: true;
  readonly launcher: string;
  readonly changed: boolean;
}

export interface StageOptions {
  readonly providers: readonly LauncherProvider[];
  readonly tools: LauncherTools;
  readonly isRefresh?: boolean;
}

const LAUNCHER_MODE = 0o700;

export async function stage(
  context: InstallContext,
  { providers, tools, isRefresh = false }: StageOptions,
): Promise<Staged | Refused> {
  const path = launcherPath(context);
  try {
    for (const folder of [context.stateFolder, dirname(path), `${context.stateFolder}/spool`]) {
      await privateFolder(folder);
    }
    await sweepSpool(`${context.stateFolder}/spool`);
    const changed = await putLauncher(
      path,
      launcherFile({ ...context, providers, tools }),
      isRefresh,
    );
    return { ok: true, launcher: path, changed };
  } catch (error) {
    return ioIssue(`stage the launcher "${path}"`, error);
  }
}

async function privateFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  const info = await Deno.lstat(path);
  if (!info.isDirectory) throw new Error(`"${path}" is not a folder`);
  if (((info.mode ?? 0o700) & 0o777) !== 0o700) await Deno.chmod(path, 0o700);
}

async function putLauncher(path: string, text: string, isRefresh: boolean): Promise<boolean> {
  const info = await Deno.lstat(path).catch(() => null);
  const mode = (info?.mode ?? LAUNCHER_MODE) & 0o777;
  const isCurrent = !isRefresh && info?.isFile && await Deno.readTextFile(path) === text;
  if (isCurrent && mode === LAUNCHER_MODE) return false;
  if (isCurrent) await Deno.chmod(path, LAUNCHER_MODE);
  else {
    if (info !== null && !info.isFile) await Deno.remove(path, { recursive: true });
    await replaceFile(path, new TextEncoder().encode(text), {
      mode: LAUNCHER_MODE,
      stillWanted: () => Promise.resolve(true),
      replaces: info?.isFile ? info : null,
    });
  }
  return true;
}

/** A hook that runs meanwhile may finish or remove its own files: never an error. */
async function sweepSpool(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!isHalfWritten(name)) continue;
    const info = await Deno.lstat(`${folder}/${name}`).catch(() => null);
    const touchedAt = info?.mtime?.getTime() ?? Date.now();
    if (Date.now() - touchedAt <= SPOOL_STALE_MS) continue;
    await Deno.remove(`${folder}/${name}`).catch(() => {});
  }
}

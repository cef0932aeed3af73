/**
 * I/O edge: the launcher as the file that it is: stamped when it is staged, so that a look at it can
 * tell whether it still is what was written, without knowing which tools were on PATH then.
 */

import { PROVIDERS } from "../core/registry.ts";
import { type InstallContext, launcherPath } from "./context.ts";
import { refuse, type Refused } from "./edit_op.ts";
import { type LauncherOptions, type LauncherProvider, launcherText } from "./launcher.ts";
import type { LauncherTools } from "./launcher_tools.ts";
import { inspectOwnFile, stampOwnFile } from "./own_file.ts";
import { textHash } from "./undo_note.ts";

const COMMENT = { comment: "#" } as const;

const NO_TOOLS: LauncherTools = {
  curl: null,
  cat: null,
  mv: null,
  rm: null,
  mkdir: null,
  date: null,
  sleep: null,
  du: null,
  makeID: "",
  readTime: "",
  isExact: true,
};

export function launcherProviders(): LauncherProvider[] {
  return PROVIDERS.map(({ id, aliases, hook }) => ({
    id,
    aliases,
    env: hook.env,
    reply: hook.reply,
  }));
}

/** The whole text of the file. */
export function launcherFile(options: LauncherOptions): string {
  const [shebang, ...rest] = launcherText(options).split("\n");
  const text = [shebang, formLine(options.providers), ...rest].join("\n");
  return stampOwnFile(text, COMMENT);
}

/** Differs between releases that write different launchers, not between machines. */
function formLine(providers: readonly LauncherProvider[]): string {
  const bare = { eventSocket: "", stateFolder: "", program: [], tools: NO_TOOLS };
  return `# form ${textHash(launcherText({ ...bare, providers })).slice(0, 16)}`;
}

/** Whether the launcher is there, can be run, and is what this release stages. */
export async function checkLauncher(
  context: Pick<InstallContext, "stateFolder">,
): Promise<{ readonly ok: true } | Refused> {
  const path = launcherPath(context);
  const no = (why: string) => refuse("io-error", `Cannot run "${path}": the launcher ${why}`);
  const info = await Deno.stat(path).catch(() => null);
  if (info === null) return no("is missing");
  if (!info.isFile || ((info.mode ?? 0o100) & 0o100) === 0) return no("is not executable");
  const text = await Deno.readTextFile(path).catch(() => null);
  if (text === null) return no("cannot be read");
  if (inspectOwnFile(text, COMMENT).kind !== "ours") return no("was changed");
  return text.includes(`\n${formLine(launcherProviders())}\n`)
    ? { ok: true }
    : no("is that of another release");
}

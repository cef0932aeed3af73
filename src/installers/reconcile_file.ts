/** I/O edge: one file of a provider, from what is there to what should be. */

import type { ProviderRecord } from "../core/provider.ts";
import { PROVIDERS } from "../core/registry.ts";
import { applyFile, type ApplyResult } from "./apply.ts";
import { resolveFile } from "./context.ts";
import type { Desired } from "./desired.ts";
import { refuse, type Refused } from "./edit_op.ts";
import { planTarget, snippetOf, type TargetPlan } from "./plan_target.ts";
import { notePending } from "./pending.ts";
import { ioIssue, readTarget } from "./read_target.ts";
import { sweepTemporaries } from "./replace_file.ts";
import type { ReconcileOptions } from "./reconcile.ts";
import { type Records, withFile, withFolders } from "./records.ts";
import { failedFile, type FileReport } from "./report.ts";
import { unifiedDiff } from "./unified_diff.ts";
import { textHash } from "./undo_note.ts";

/** Somebody else writes the same file all the time: give up before it becomes a fight. */
const ATTEMPTS = 12;

export type FileOptions = ReconcileOptions & { readonly record: ProviderRecord };

type FileDone = { readonly report: FileReport; readonly records: Records };

/** Never throws: one bad path must not keep the others from being done. */
export async function reconcileFile(desired: Desired, options: FileOptions): Promise<FileDone> {
  try {
    return await attemptFile(desired, options);
  } catch (error) {
    // What overflows the stack is nested more deeply than any program would write it.
    const issue = error instanceof RangeError
      ? refuse("unsupported", `Cannot read "${desired.path}": it is nested too deeply`)
      : ioIssue(`handle "${desired.path}"`, error);
    return refused(desired, issue, options);
  }
}

async function attemptFile(desired: Desired, options: FileOptions): Promise<FileDone> {
  const { path } = desired;
  const neighbours = neighboursOf(desired, options);
  const { uninstalls = false } = options;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const record = options.records.files[path];
    const read = await readTarget(path);
    if (!read.ok) {
      const isNoneOfOurs = uninstalls && record === undefined && await isStrange(path, read);
      return isNoneOfOurs ? untouched(desired, options) : refused(desired, read, options);
    }
    // Also where nothing is to be written: nobody else knows of them.
    if (attempt === 1 && !options.isDryRun) await sweepTemporaries(read.path);
    const plan = planTarget(read.text, desired, { record, neighbours, uninstalls });
    if (!plan.ok) {
      const isNoneOfOurs = uninstalls && record === undefined && !/mytty/.test(read.text ?? "");
      // Whatever is wrong with it: every command of ours has that word.
      if (isNoneOfOurs) return untouched(desired, options);
      return refused(desired, plan, options);
    }
    const done = await carryOut(plan, { ...options, desired, before: read.text });
    if (done !== "again") return done;
    await new Promise((resolve) => setTimeout(resolve, 5 * attempt * Math.random()));
  }
  const issue = refuse("conflict", `Cannot write "${path}": another program keeps changing it`);
  return refused(desired, issue, options);
}

/** No text at all, or one without our name: it never was ours, and there is nothing to take out. */
async function isStrange(path: string, { issue }: Refused): Promise<boolean> {
  if (issue.code === "not-a-file") return true;
  if (issue.code !== "not-utf8") return false;
  const text = new TextDecoder("latin1").decode(await Deno.readFile(path));
  return !/mytty/.test(text);
}

function untouched({ path }: Desired, { records }: FileOptions): FileDone {
  return { report: { path, action: "unchanged", found: 0, findings: [] }, records };
}

type CarryOptions = FileOptions & { readonly desired: Desired; readonly before: string | null };

async function carryOut(plan: TargetPlan, options: CarryOptions): Promise<FileDone | "again"> {
  const { desired, before, records, isDryRun } = options;
  const { path } = desired;
  if (!plan.changed) return await settleUnchanged(plan, options);
  const after = plan.after?.text ?? null;
  const action = after === null ? "removed" : before === null ? "created" : "updated";
  const report: FileReport = {
    path,
    action,
    found: plan.found,
    findings: plan.findings,
    diff: unifiedDiff({ path, before, after }),
  };
  if (isDryRun) return { report, records };
  const denial = options.gate?.denies(path) ?? null;
  if (denial !== null) return refused(desired, refuse("conflict", denial), options);
  const unnoted = await noted(plan, options);
  if (unnoted !== null) return refused(desired, unnoted, options);
  const result = await applyFile({
    path,
    before,
    after: plan.after,
    // Of the user's own text only: what we wrote ourselves is no original.
    ...options.uninstalls || records.files[path] !== undefined
      ? {}
      : { backupPath: backupPath(options) },
    newFileMode: desired.target?.mode ?? 0o600,
    ...desired.kind === "file" ? { ownMode: desired.target?.mode ?? 0o600 } : {},
  });
  if (result.status === "changed") return "again";
  if (result.status === "failed") {
    return refused(desired, { ok: false, issue: result.issue }, options);
  }
  options.gate?.wrote(path, after === null ? null : textHash(after));
  return { report, records: remember(plan, result, options) };
}

/** Null once it is noted what is about to be written; a state folder that cannot be written stops us. */
async function noted(
  plan: TargetPlan,
  { context: { stateFolder }, desired: { path }, before }: CarryOptions,
): Promise<Refused | null> {
  try {
    await notePending(stateFolder, { path, before, record: plan.record });
    return null;
  } catch (error) {
    return ioIssue(`note what is written to "${path}"`, error);
  }
}

function remember(
  plan: TargetPlan,
  result: ApplyResult,
  { desired: { path }, records }: CarryOptions,
): Records {
  const made = result.status === "written" ? result.createdFolders : [];
  return withFolders(withFile(records, path, plan.record), [...records.folders, ...made]);
}

/** The text is right; the mode of a file that is ours alone must be, too. */
async function settleUnchanged(
  plan: TargetPlan,
  { desired, before, records, isDryRun, uninstalls }: CarryOptions,
): Promise<FileDone> {
  const { path } = desired;
  const report: FileReport = { path, action: "unchanged", found: plan.found, findings: [] };
  const left = uninstalls ? withFile(records, path, plan.record) : records;
  if (desired.kind !== "file" || desired.text === null || before === null) {
    return { report, records: left };
  }
  const mode = desired.target?.mode ?? 0o600;
  const now = ((await Deno.stat(path)).mode ?? mode) & 0o777;
  const kept = records.files[path] ?? { hashes: [textHash(before)] };
  const next = isDryRun ? records : withFile(records, path, kept);
  if (now === mode) return { report, records: next };
  if (!isDryRun) await Deno.chmod(path, mode);
  const findings = [`mode ${now.toString(8)} instead of ${mode.toString(8)}`];
  return { report: { ...report, action: "updated", findings }, records: next };
}

function refused(
  desired: Desired,
  { issue }: Refused,
  { records }: Pick<FileOptions, "records">,
): FileDone {
  return { report: failedFile(desired.path, issue, snippetOf(desired)), records };
}

/** Outside the provider's folder: a file beside its config might be read as one. */
function backupPath({ context, desired: { path }, record }: CarryOptions): string {
  const name = path.split("/").at(-1)!;
  return `${context.stateFolder}/backups/${record.id}/${textHash(path).slice(0, 12)}-${name}`;
}

/** Others that keep entries in the same file. */
function neighboursOf(
  { path }: Desired,
  { context, record }: FileOptions,
): ReadonlySet<string> {
  const others = PROVIDERS.filter((other) =>
    other.id !== record.id &&
    other.install.targets.some(({ base, file }) => resolveFile(context, base, file) === path)
  );
  return new Set(others.flatMap(({ id, aliases }) => [id, ...aliases]));
}

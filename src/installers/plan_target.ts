/** From an observed text and what is desired to a verified new text, or the reason why not. Pure. */

import type { Dialect } from "../core/install/install_target.ts";
import type { Desired, DesiredHooks } from "./desired.ts";
import type { EditOp, Refused } from "./edit_op.ts";
import { isPlaceholder } from "./keep_positions.ts";
import { parseOwnCommand } from "./ownership.ts";
import { planFile } from "./plan_file.ts";
import { type HooksOptions, type HooksPlan, isOwnElement, planHooks } from "./plan_hooks.ts";
import { isTable, sameValue, valueAt } from "./read_value.ts";
import type { FileRecord } from "./records.ts";
import { planEdit, planUndo } from "./undo.ts";
import { makeNote } from "./undo_note.ts";
import type { VerifiedText } from "./verified_text.ts";
import { type ConfigFormat, type OwnershipTest, readConfig, verifyEdit } from "./verify.ts";

export interface TargetPlan {
  readonly ok: true;
  readonly changed: boolean;
  /** Null: no file is to be there. */
  readonly after: VerifiedText | null;
  /** What was found to be wrong, in a person's words. */
  readonly findings: readonly string[];
  /** Things of ours that were there before. */
  readonly found: number;
  /** What to remember once it is written; null: nothing is left to undo. */
  readonly record: FileRecord | null;
}

export interface PlanOptions {
  readonly record: FileRecord | undefined;
  readonly neighbours: ReadonlySet<string>;
  readonly uninstalls: boolean;
}

const FORMATS: Readonly<Record<Dialect, ConfigFormat>> = {
  json: "strict",
  jsonc: "jsonc",
  toml: "toml",
};

export function formatOf(dialect: Dialect): ConfigFormat {
  return FORMATS[dialect];
}

export function planTarget(
  text: string | null,
  desired: Desired,
  options: PlanOptions,
): TargetPlan | Refused {
  return desired.kind === "file"
    ? planFile(text, desired, options)
    : planConfig(text, desired, options);
}

function planConfig(
  text: string | null,
  { target, entries }: DesiredHooks,
  options: PlanOptions,
): TargetPlan | Refused {
  const format = formatOf(target.dialect);
  const read = readConfig(text, format);
  if (!read.ok) return read;
  const hasGaps = options.record?.hasGaps ?? false;
  const hooks = { target, entries, neighbours: options.neighbours, hasGaps };
  const plan = planHooks(read.value, hooks);
  if (options.uninstalls) return planRemoval(text, plan, { ...options, hooks });
  const unchanged = { changed: false, after: null, findings: [], found: plan.found };
  if (plan.ops.length === 0) {
    return { ok: true, ...unchanged, record: options.record ?? null };
  }
  const edit = planEdit(text, plan.ops, format);
  if (!edit.ok) return edit;
  const owns = ownershipTest(read.value, hooks);
  const verified = verifyEdit(
    { before: text, after: edit.after, ops: plan.ops, owns },
    format,
  );
  if (!verified.ok) return verified;
  const earlier = options.record?.note;
  const note = makeNote(edit, { format, ...(earlier === undefined ? {} : { earlier }) });
  const { findings, found } = plan;
  const hasNewGap = plan.ops.some((op) => op.op === "replaceWhere" && isPlaceholder(op.value));
  const gaps = hasNewGap ? { hasGaps: true as const } : {};
  const record = { ...options.record, note, ...gaps };
  return { ok: true, changed: edit.changed, after: verified.text, findings, found, record };
}

function planRemoval(
  text: string | null,
  { removal, found, leavesGaps }: HooksPlan,
  { record, hooks }: PlanOptions & { readonly hooks: HooksOptions },
): TargetPlan | Refused {
  const note = record?.note;
  const left = leavesGaps ? { hasGaps: true as const } : null;
  if (removal.length === 0 && note === undefined) {
    return { ok: true, changed: false, after: null, findings: [], found, record: left };
  }
  const format = formatOf(hooks.target.dialect);
  const ops = note === undefined ? [...removal, ...prunes(removal)] : removal;
  const undo = planUndo(text, { format, removal: ops, note });
  if (!undo.ok) return undo;
  const { changed, after } = undo;
  return { ok: true, changed, after, findings: [], found, record: left };
}

/** Without a note we cannot know what we created; an emptied list of hooks is worth nothing. */
function prunes(removal: readonly EditOp[]): EditOp[] {
  const paths = removal.map(({ path }) => path);
  return [
    ...paths.map((path): EditOp => ({ op: "pruneEmpty", path })),
    ...paths.filter((path) => path.length > 1).map((path): EditOp => ({
      op: "pruneEmpty",
      path: path.slice(0, -1),
    })),
  ];
}

function ownershipTest(before: unknown, hooks: HooksOptions): OwnershipTest {
  const required = (hooks.target.required ?? []).filter(({ path }) =>
    valueAt(before, path) === undefined
  );
  return (value, path) =>
    required.some((entry) => sameValue(entry.path, path)) || isOwnElement(value, hooks) ||
    isHandler(value, hooks);
}

function isHandler(value: unknown, { neighbours }: HooksOptions): boolean {
  return isTable(value) && Object.values(value).some((text) => {
    const own = typeof text === "string" ? parseOwnCommand(text) : null;
    return own !== null && !neighbours.has(own.provider);
  });
}

/** What a person pastes where we may not write. */
export function snippetOf(desired: Desired): string {
  if (desired.kind === "file") return desired.text ?? "";
  const ops = desired.entries.map(({ path, value }) => ({
    op: "appendToArray" as const,
    path,
    value: value as never,
  }));
  const plan = planEdit(null, ops, formatOf(desired.target.dialect));
  return plan.ok ? plan.after : JSON.stringify(desired.entries.map(({ value }) => value), null, 2);
}

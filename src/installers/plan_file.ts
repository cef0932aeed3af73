/** What becomes of a file that is wholly ours: made, renewed or removed; a foreign one stays. Pure. */

import { extname } from "node:path";
import type { DesiredFile } from "./desired.ts";
import { refuse, type Refused } from "./edit_op.ts";
import { inspectOwnFile, planOwnFile, planOwnFileRemoval, stampOwnFile } from "./own_file.ts";
import { parseOwnCommand } from "./ownership.ts";
import type { TargetPlan } from "./plan_target.ts";
import type { FileRecord } from "./records.ts";
import { textHash } from "./undo_note.ts";

export function planFile(
  text: string | null,
  { path, text: wanted, known: expected }: DesiredFile,
  { record }: { readonly record: FileRecord | undefined },
): TargetPlan | Refused {
  const comment = commentOf(path);
  const known = [...record?.hashes ?? []];
  const isEmptied = expected !== null && text !== null && isOursThoughBlank(path, text, record);
  const isOurs = text === expected || (text !== null && isOursByContent(path, text));
  const isKnown = isEmptied || (comment === null && isOurs);
  if (text !== null && isKnown) known.push(textHash(text));
  const options = { comment, knownHashes: known, force: true };
  const state = inspectOwnFile(text, options).kind;
  const found = state === "ours" || state === "modified" ? 1 : 0;
  // An obsolete path may hold a file of the user; that is no business of ours.
  if (wanted === null && state === "foreign") {
    return { ok: true, changed: false, after: null, findings: [], found, record: null };
  }
  const plan = wanted === null
    ? planOwnFileRemoval(text, options)
    : planOwnFile(text, wanted, options);
  if (!plan.ok) {
    return refuse(plan.issue.code, `Cannot write "${path}": a file that is not ours is there`);
  }
  const findings = plan.changed && found === 1 && wanted !== null ? ["the file differs"] : [];
  const stamped = wanted === null ? null : stampOwnFile(wanted, options);
  const next = stamped === null ? null : { ...record, hashes: [textHash(stamped)] };
  return { ok: true, changed: plan.changed, after: plan.after, findings, found, record: next };
}

/** What begins a comment line; null where a marker line would break the file. */
function commentOf(path: string): string | null {
  switch (extname(path)) {
    case ".ts":
    case ".js":
    case ".mjs":
    case ".cjs":
      return "//";
    case ".json":
    case ".md":
      return null;
    default:
      return "#";
  }
}

/** A crash or a full disk may have left nothing in it, and so nothing of anybody. */
function isOursThoughBlank(path: string, text: string, record: FileRecord | undefined): boolean {
  return text.trim() === "" && (record !== undefined || isNamedOurs(path));
}

/** Our records may be lost; a file of our name that runs our commands is ours all the same. */
function isOursByContent(path: string, text: string): boolean {
  const strings = text.match(/"(?:[^"\\\n]|\\.)*"/g) ?? [];
  return isNamedOurs(path) && strings.some((literal) => {
    const value = parseLiteral(literal);
    return value !== null && parseOwnCommand(value) !== null;
  });
}

function isNamedOurs(path: string): boolean {
  return /\/[^/]*mytty[^/]*(\/[^/]+){0,2}$/.test(path);
}

function parseLiteral(literal: string): string | null {
  try {
    return JSON.parse(literal);
  } catch {
    return null;
  }
}

/**
 * Files that are wholly ours (plugins, hook scripts, one-provider hook files). Pure.
 *
 * A marker line carries a hash of the rest, so that we know our file on sight, and know whether the
 * user changed it. A format without comments (strict JSON) has no marker; there the hashes of what
 * we wrote, kept in the state directory, decide.
 */

import { createHash } from "node:crypto";
import { refuse, type Refused } from "./edit_op.ts";
import { textHash } from "./undo_note.ts";
import { sealText, type VerifiedText } from "./verified_text.ts";

export interface OwnFileOptions {
  /** What begins a comment line; `null`: the format has none. */
  readonly comment: string | null;
  /** Hashes (`textHash`) of what we wrote to this path. */
  readonly knownHashes?: readonly string[];
}

export type OwnFileState =
  | { readonly kind: "absent" }
  /** Ours and as we wrote it. */
  | { readonly kind: "ours" }
  /** Ours by its marker, but changed since. */
  | { readonly kind: "modified" }
  | { readonly kind: "foreign" };

export type OwnFilePlan =
  | { readonly ok: true; readonly changed: boolean; readonly after: VerifiedText | null }
  | Refused;

const MARK = "mytty-managed: do not edit, sha256=";

function contentHash(text: string): string {
  const plain = text.replace(/\r\n?/g, "\n");
  return createHash("sha256").update(plain, "utf8").digest("hex");
}

function isMarker(line: string): boolean {
  return /^\s*\S+ mytty-managed: do not edit, sha256=[0-9a-f]{64}\s*$/.test(line);
}

/** Splits the marker line off; it is the first line, or the second below a `#!` line. */
function splitMarker(text: string): { hash: string; rest: string } | undefined {
  const lines = text.split(/(?<=\n)/);
  const index = text.startsWith("#!") ? 1 : 0;
  const line = lines[index];
  if (line === undefined || !isMarker(line)) return undefined;
  const hash = /sha256=([0-9a-f]{64})/.exec(line)?.[1] ?? "";
  return { hash, rest: lines.toSpliced(index, 1).join("") };
}

/** The content with its marker line, as it is to be written. */
export function stampOwnFile(content: string, options: OwnFileOptions): string {
  if (options.comment === null) return content;
  const marker = `${options.comment} ${MARK}${contentHash(content)}\n`;
  if (!content.startsWith("#!")) return marker + content;
  const end = content.indexOf("\n") + 1;
  return content.slice(0, end) + marker + content.slice(end);
}

/** Whose file this is. */
export function inspectOwnFile(text: string | null, options: OwnFileOptions): OwnFileState {
  if (text === null) return { kind: "absent" };
  if (options.knownHashes?.includes(textHash(text))) return { kind: "ours" };
  const marked = options.comment === null ? undefined : splitMarker(text);
  if (marked === undefined) return { kind: "foreign" };
  return { kind: contentHash(marked.rest) === marked.hash ? "ours" : "modified" };
}

/**
 * Plans that the file holds this content.
 *
 * @param options.force Also replaces our file if the user changed it; a foreign file never.
 */
export function planOwnFile(
  current: string | null,
  content: string,
  options: OwnFileOptions & { readonly force?: boolean },
): OwnFilePlan {
  const wanted = stampOwnFile(content, options);
  if (current === wanted) return { ok: true, changed: false, after: sealText(wanted) };
  const issue = replaceable(current, options);
  return issue ?? { ok: true, changed: true, after: sealText(wanted) };
}

/** Plans that our file is gone. */
export function planOwnFileRemoval(
  current: string | null,
  options: OwnFileOptions & { readonly force?: boolean },
): OwnFilePlan {
  if (current === null) return { ok: true, changed: false, after: null };
  return replaceable(current, options) ?? { ok: true, changed: true, after: null };
}

function replaceable(
  current: string | null,
  options: OwnFileOptions & { readonly force?: boolean },
): Refused | undefined {
  const { kind } = inspectOwnFile(current, options);
  if (kind === "foreign") {
    return refuse("conflict", "Cannot replace the file: it is not one of ours");
  }
  if (kind === "modified" && options.force !== true) {
    return refuse("modified-by-user", "Cannot replace the file: it was changed since we wrote it");
  }
  return undefined;
}

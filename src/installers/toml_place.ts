/** Where lines go into a TOML text and how they come out of it again. Pure. */

import type { ConfigPath } from "./edit_op.ts";
import { dominantEol } from "./json_style.ts";
import type { TextEdit } from "./text_edit.ts";
import {
  lineEnd,
  lineStart,
  type PlacedStatement,
  samePath,
  startsWith,
  type TomlDocument,
} from "./toml_document.ts";

function endsWithEol(text: string): boolean {
  return text.endsWith("\n");
}

/** Inserts a block of lines as a paragraph of its own, at the end or after a statement. */
export function insertBlock(
  document: TomlDocument,
  lines: readonly string[],
  options: { readonly after?: PlacedStatement | undefined } = {},
): TextEdit {
  const { body } = document;
  const eol = dominantEol(body);
  const at = options.after === undefined ? body.length : lineEnd(body, options.after.end);
  const above = body.slice(0, at);
  const blank = above.trim() === "";
  const missing = above === "" || endsWithEol(above) ? "" : eol;
  const gap = blank || /\n\r?\n$/.test(above) ? "" : eol;
  // A text without a final line ending keeps that habit.
  const tail = missing === "" || at < body.length ? eol : "";
  return { offset: at, length: 0, text: missing + gap + lines.join(eol) + tail };
}

function insertLine(body: string, at: number, line: string): TextEdit {
  const eol = dominantEol(body);
  const text = at === 0 || endsWithEol(body.slice(0, at)) ? line + eol : eol + line;
  return { offset: at, length: 0, text };
}

/** Inserts a line below a statement, indented as that is. */
export function insertBelow(
  document: TomlDocument,
  statement: PlacedStatement,
  line: string,
): TextEdit {
  const { body } = document;
  const indent = statement.kind === "pair"
    ? body.slice(lineStart(body, statement.start), statement.start)
    : "";
  return insertLine(body, lineEnd(body, statement.end), indent + line);
}

/** Inserts a line at the top level of a text whose first statement is a header. */
export function insertAtTop(document: TomlDocument, line: string): TextEdit {
  const { body, comments } = document;
  const eol = dominantEol(body);
  let top = 0;
  for (const comment of comments) {
    if (lineStart(body, comment.start) !== top) break;
    top = lineEnd(body, comment.end);
  }
  // Comments that touch the first header speak about it; those above a blank line, about the file.
  if (top > 0 && /^[ \t]*\r?\n/.test(body.slice(top))) return insertLine(body, top, line);
  const gap = /^[ \t]*\r?\n/.test(body) ? "" : eol;
  return { offset: 0, length: 0, text: line + eol + gap };
}

/** The last statement in or below the place, if the place is written as tables. */
export function lastStatement(
  document: TomlDocument,
  path: ConfigPath,
): PlacedStatement | undefined {
  return document.statements.findLast((statement) => startsWith(statement.path, path));
}

/** The last pair of the table's own body, else its header. */
export function lastOwnLine(document: TomlDocument, path: ConfigPath): PlacedStatement | undefined {
  return document.statements.findLast((statement) => samePath(statement.scope, path));
}

interface LineRange {
  start: number;
  end: number;
  whole: boolean;
}

function rangeOf(body: string, statement: PlacedStatement): LineRange {
  // The comment on the line is the user's and stays.
  if (statement.comment !== undefined) {
    return { start: statement.start, end: statement.comment.start, whole: false };
  }
  const start = lineStart(body, statement.start);
  return { start, end: lineEnd(body, statement.end), whole: true };
}

type Gaps = "keep" | "end" | "all";

function closeGap(body: string, range: LineRange, gaps: Gaps): LineRange {
  if (!range.whole || gaps === "keep") return range;
  let { start } = range;
  const below = body.slice(range.end);
  const blankAbove = /(?:^|\n)(\r?\n)$/.exec(body.slice(0, start))?.[1];
  if (gaps === "all" && blankAbove !== undefined && (below === "" || /^\r?\n/.test(below))) {
    start -= blankAbove.length;
  }
  if (below === "" && !endsWithEol(body.slice(0, range.end))) {
    start -= /\r?\n$/.exec(body.slice(0, start))?.[0].length ?? 0;
  }
  return { ...range, start };
}

/**
 * Deletes whole statements with the blank lines between them; comments stay.
 *
 * @param options.gaps `all` also closes the gap that a paragraph leaves; `end` only keeps a text
 * without final line ending so.
 */
export function deleteStatements(
  body: string,
  statements: readonly PlacedStatement[],
  options: { readonly gaps: Gaps },
): TextEdit[] {
  const ranges: LineRange[] = [];
  for (const statement of statements) {
    const range = rangeOf(body, statement);
    const last = ranges.at(-1);
    const between = last === undefined ? "x" : body.slice(last.end, range.start);
    if (last !== undefined && last.whole && range.whole && between.trim() === "") {
      last.end = range.end;
    } else ranges.push(range);
  }
  return ranges.map((range) => closeGap(body, range, options.gaps))
    .map(({ start, end }) => ({ offset: start, length: end - start, text: "" }));
}

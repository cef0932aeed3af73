/**
 * Text hygiene: everything a stranger sent is made well-formed and bounded here, before it is
 * stored, and made harmless for a terminal before it is shown.
 */

// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
// Bidirectional overrides can make a line read as something else; line separators break tables.
const INVISIBLE = /[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Number of bytes `text` takes in UTF-8 (a lone surrogate counts as its replacement, 3 bytes). */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

export function hasControl(text: string): boolean {
  return text.search(CONTROL) !== -1;
}

export function stripControl(text: string): string {
  return text.replace(CONTROL, "");
}

/** Well-formed text of at most `limit` characters; never cuts a surrogate pair in two. */
export function boundedText(text: string, limit: number): string {
  const formed = text.toWellFormed();
  if (formed.length <= limit) return formed;
  const cut = formed.slice(0, limit);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Control characters stripped, then cut to `limit` UTF-8 bytes at a character. */
export function boundedName(text: string, limit: number): string | null {
  let out = "";
  let bytes = 0;
  for (const char of stripControl(text.toWellFormed())) {
    bytes += utf8Length(char);
    if (bytes > limit) break;
    out += char;
  }
  return out === "" ? null : out;
}

/** A session id is kept whole or not at all: 1 to 256 bytes, well-formed, no control characters. */
export function sessionIDOrNull(value: unknown): string | null {
  if (typeof value !== "string" || value === "") return null;
  return value.isWellFormed() && !hasControl(value) && utf8Length(value) <= 256 ? value : null;
}

/** One line that may be written to a terminal: no control or invisible characters, no line breaks. */
export function terminalLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, " ").replace(CONTROL, "").replace(INVISIBLE, "")
    .trim();
}

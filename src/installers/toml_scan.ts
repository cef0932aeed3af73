/**
 * TOML text -> statements and values with their offsets. Pure.
 *
 * Expects a text that `readToml` has accepted and only finds out where things stand; what it does
 * not understand it reports by `undefined`, and the text is then refused.
 */

import type { ListComment, ListItem } from "./list_layout.ts";
import type { TomlEntry, TomlNode, TomlScan, TomlStatement } from "./toml_node.ts";

class ScanFailure extends Error {}

class TomlScanner {
  #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): TomlScan {
    const statements: TomlStatement[] = [];
    const comments: ListComment[] = [];
    while (this.#skip(/[ \t\r\n]*/y)) {
      const start = this.#at;
      if (this.#peek("#")) {
        comments.push(this.#comment());
        continue;
      }
      const head = this.#peek("[") ? this.#header() : this.#pair();
      const end = this.#at;
      this.#skip(/[ \t]*/y);
      const comment = this.#peek("#") ? { comment: this.#comment() } : {};
      if (this.#at < this.#text.length && !/[\r\n]/.test(this.#text[this.#at]!)) this.#fail();
      statements.push({ ...head, ...comment, start, end });
    }
    return { statements, comments };
  }

  /** Skips what the sticky pattern matches; false at the end of the text. */
  #skip(pattern: RegExp): boolean {
    this.#take(pattern);
    return this.#at < this.#text.length;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += match.length;
    return match;
  }

  #peek(token: string): boolean {
    return this.#text.startsWith(token, this.#at);
  }

  #expect(token: string): void {
    if (!this.#peek(token)) this.#fail();
    this.#at += token.length;
  }

  #fail(): never {
    throw new ScanFailure(`Cannot scan TOML: unexpected text at offset ${this.#at}`);
  }

  #comment(): ListComment {
    const start = this.#at;
    this.#take(/#[^\r\n]*/y);
    return { start, end: this.#at, line: true };
  }

  #header(): Pick<TomlStatement, "kind" | "keys"> {
    const array = this.#peek("[[");
    this.#expect(array ? "[[" : "[");
    const keys = this.#keys();
    this.#expect(array ? "]]" : "]");
    return { kind: array ? "array-table" : "table", keys };
  }

  #pair(): Pick<TomlStatement, "kind" | "keys"> & { node: TomlNode } {
    return { kind: "pair", ...this.#entry() };
  }

  #entry(): TomlEntry {
    const keys = this.#keys();
    this.#expect("=");
    this.#skip(/[ \t]*/y);
    return { keys, node: this.#value() };
  }

  #keys(): string[] {
    const keys: string[] = [];
    do {
      this.#skip(/[ \t]*/y);
      keys.push(this.#key());
      this.#skip(/[ \t]*/y);
    } while (this.#take(/\./y) !== "");
    return keys;
  }

  #key(): string {
    if (this.#peek("'")) return this.#take(/'[^'\r\n]*'/y).slice(1, -1);
    if (this.#peek('"')) return unescapeKey(this.#take(/"(?:[^"\\\r\n]|\\.)*"/y));
    const bare = this.#take(/[^\s.=[\]{}"'#,]+/y);
    if (bare === "") this.#fail();
    return bare;
  }

  #value(): TomlNode {
    const start = this.#at;
    if (this.#peek("[")) return this.#array();
    if (this.#peek("{")) return this.#inlineTable();
    if (this.#peek('"""')) this.#take(/"""(?:[^"\\]|\\[^]|"(?!""))*"""("{0,2})/y);
    else if (this.#peek("'''")) this.#take(/'''(?:[^']|'(?!''))*'''('{0,2})/y);
    else if (this.#peek('"')) this.#take(/"(?:[^"\\\r\n]|\\.)*"/y);
    else if (this.#peek("'")) this.#take(/'[^'\r\n]*'/y);
    else this.#at += this.#peekPlain().trimEnd().length;
    if (this.#at === start) this.#fail();
    return { start, end: this.#at, kind: "scalar" };
  }

  #peekPlain(): string {
    const pattern = /[^,\]}#\r\n]*/y;
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? "";
  }

  #array(): TomlNode {
    const elements: TomlNode[] = [];
    const head = this.#list("]", () => {
      const node = this.#value();
      elements.push(node);
      return node;
    });
    return { ...head, kind: "array", elements };
  }

  #inlineTable(): TomlNode {
    const entries: TomlEntry[] = [];
    const head = this.#list("}", () => {
      const start = this.#at;
      const entry = this.#entry();
      entries.push(entry);
      return { start, end: entry.node.end };
    });
    return { ...head, kind: "inline-table", entries };
  }

  #list(bracket: string, item: () => { start: number; end: number }) {
    const start = this.#at;
    const open = ++this.#at;
    const items: ListItem[] = [];
    const comments: ListComment[] = [];
    while (this.#skip(/[ \t\r\n]*/y) && !this.#peek(bracket)) {
      if (this.#peek("#")) comments.push(this.#comment());
      else if (this.#peek(",")) {
        const last = items.pop() ?? this.#fail();
        items.push({ ...last, comma: this.#at++ });
      } else {
        const { start, end } = item();
        items.push({ start, end });
      }
    }
    const close = this.#at;
    this.#expect(bracket);
    return { start, end: this.#at, list: { open, close, items, comments } };
  }
}

function unescapeKey(quoted: string): string {
  try {
    return JSON.parse(quoted);
  } catch {
    // TOML knows a few escapes that JSON does not.
    throw new ScanFailure("Cannot scan TOML: unknown escape in a key");
  }
}

/** Scans a text without byte order mark; `undefined` if it is not understood. */
export function scanToml(body: string): TomlScan | undefined {
  try {
    return new TomlScanner(body).scan();
  } catch {
    return undefined;
  }
}

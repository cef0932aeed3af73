/**
 * Bytes in chunks of any size to lines: the same lines however the bytes were cut.
 *
 * A line longer than the limit is reported once, as soon as it is known, and its bytes are dropped:
 * memory stays bounded by the limit.
 */

const NEWLINE = 0x0a;

export type Line = { readonly bytes: Uint8Array } | { readonly tooLong: true };

export class LineSplitter {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #isDropping = false;

  /** `limit`: bytes a line may have, its newline not counted. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let from = 0;
    while (from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline === -1 ? chunk.length : newline;
      this.#take(chunk.subarray(from, to), lines);
      if (newline !== -1) this.#endLine(lines);
      from = to + 1;
    }
    return lines;
  }

  /** The unterminated rest at the end of the stream; undefined when there is none. */
  end(): Line | undefined {
    if (this.#isDropping || this.#length === 0) return undefined;
    const lines: Line[] = [];
    this.#endLine(lines);
    return lines[0];
  }

  #take(part: Uint8Array, lines: Line[]): void {
    if (this.#isDropping || part.length === 0) return;
    if (this.#length + part.length > this.#limit) {
      this.#isDropping = true;
      this.#parts = [];
      this.#length = 0;
      lines.push({ tooLong: true });
      return;
    }
    // The caller may reuse its buffer.
    this.#parts.push(part.slice());
    this.#length += part.length;
  }

  #endLine(lines: Line[]): void {
    if (!this.#isDropping) lines.push({ bytes: join(this.#parts, this.#length) });
    this.#isDropping = false;
    this.#parts = [];
    this.#length = 0;
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/**
 * Follows a file of JSON lines. The place in it moves only past a newline, so a half-written line is
 * read once it is whole; a file that was cut, replaced or rewritten is begun anew; a line that is no
 * JSON is skipped. Memory is bounded by one line and one chunk, whatever the file's size.
 */

import { isObject, type JsonObject, parseJson } from "../core/json.ts";
import { LineSplitter } from "../core/line_splitter.ts";

export type TailRead = {
  readonly lines: readonly JsonObject[];
  /** The lines come from a first look: the file may have had them for long. */
  readonly isFirst: boolean;
  /** More is there than one turn may take. */
  readonly hasMore: boolean;
  readonly modifiedAt: number | null;
};

export type TailLimits = {
  /** A first look reads this much from the end, and the first line. */
  readonly firstBytes?: number;
  /** Longer lines are skipped. */
  readonly lineBytes?: number;
  /** Of one call. */
  readonly turnBytes?: number;
};

const FIRST_BYTES = 1024 * 1024;
const LINE_BYTES = 16 * 1024 * 1024;
const TURN_BYTES = 8 * 1024 * 1024;
const HEAD_BYTES = 256 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Bytes before the place, compared to tell an appended file from a rewritten one. */
const SEAL_BYTES = 64;
const NEWLINE = 0x0a;

const NOTHING: TailRead = { lines: [], isFirst: false, hasMore: false, modifiedAt: null };

export class Tail {
  readonly path: string;
  readonly #limits: Required<TailLimits>;
  #splitter: LineSplitter;
  /** Everything before was read; the rest of a line may be in the splitter. */
  #place = 0;
  #file: string | null = null;
  #seal: Uint8Array = new Uint8Array();
  #seen = "";
  #damaged = 0;

  constructor(path: string, limits: TailLimits = {}) {
    this.path = path;
    this.#limits = {
      firstBytes: limits.firstBytes ?? FIRST_BYTES,
      lineBytes: limits.lineBytes ?? LINE_BYTES,
      turnBytes: limits.turnBytes ?? TURN_BYTES,
    };
    this.#splitter = new LineSplitter(this.#limits.lineBytes);
  }

  /** Whole lines that were skipped because they are no JSON objects, or too long. */
  get damaged(): number {
    return this.#damaged;
  }

  /** What was appended since the last call; nothing when the file cannot be read. */
  read(): TailRead {
    try {
      const info = Deno.statSync(this.path);
      const modifiedAt = info.mtime?.getTime() ?? null;
      const seen = `${info.ino} ${info.size} ${modifiedAt}`;
      if (seen === this.#seen) return { ...NOTHING, modifiedAt };
      using file = Deno.openSync(this.path);
      const result = this.#readFrom(file, info);
      if (!result.hasMore) this.#seen = seen;
      return { ...result, modifiedAt };
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      // Gone, or not ours to read; it may come back.
      return NOTHING;
    }
  }

  /** A last line without a newline, of a file that nobody writes any more. */
  end(): readonly JsonObject[] {
    const lines: JsonObject[] = [];
    const rest = this.#splitter.end();
    if (rest !== undefined && "bytes" in rest) this.#parse(rest.bytes, lines);
    return lines;
  }

  #readFrom(file: Deno.FsFile, info: Deno.FileInfo): TailRead {
    const name = `${info.dev} ${info.ino}`;
    const isSame = this.#file === name && info.size >= this.#place && this.#isSealed(file);
    const lines: JsonObject[] = [];
    if (!isSame) {
      this.#splitter = new LineSplitter(this.#limits.lineBytes);
      this.#place = this.#firstPlace(file, info.size, lines);
      this.#file = name;
    }
    const end = Math.min(info.size, this.#place + this.#limits.turnBytes);
    this.#take(file, end, lines);
    this.#seal = readAt(file, Math.max(0, this.#place - SEAL_BYTES), this.#place);
    return { lines, isFirst: !isSame, hasMore: this.#place < info.size, modifiedAt: null };
  }

  #isSealed(file: Deno.FsFile): boolean {
    const now = readAt(file, this.#place - this.#seal.length, this.#place);
    return now.length === this.#seal.length && now.every((byte, at) => byte === this.#seal[at]);
  }

  /** Where a first look begins: behind a newline near the end, the first line apart. */
  #firstPlace(file: Deno.FsFile, size: number, lines: JsonObject[]): number {
    const { firstBytes, lineBytes } = this.#limits;
    if (size <= firstBytes) return 0;
    const head = readAt(file, 0, Math.min(HEAD_BYTES, size));
    const newline = head.indexOf(NEWLINE);
    if (newline > 0) this.#parse(head.subarray(0, newline), lines);
    // A last line longer than the window: look further back, but not for ever.
    for (let window = firstBytes; window <= 2 * lineBytes; window *= 2) {
      const from = Math.max(0, size - window);
      const at = nextNewline(file, from, size);
      if (at !== null && at + 1 < size) return at + 1;
      if (from === 0) return 0;
    }
    return size;
  }

  #take(file: Deno.FsFile, end: number, lines: JsonObject[]): void {
    file.seekSync(this.#place, Deno.SeekMode.Start);
    const chunk = new Uint8Array(CHUNK_BYTES);
    while (this.#place < end) {
      const count = file.readSync(chunk.subarray(0, Math.min(chunk.length, end - this.#place)));
      if (count === null || count === 0) break;
      this.#place += count;
      for (const line of this.#splitter.push(chunk.subarray(0, count))) {
        if ("tooLong" in line) this.#damaged++;
        else this.#parse(line.bytes, lines);
      }
    }
  }

  #parse(bytes: Uint8Array, lines: JsonObject[]): void {
    // A crash may leave zero bytes behind.
    const text = decoder.decode(bytes).replace(/^\0+|\0+$/g, "").trim();
    if (text === "") return;
    const value = parseJson(text);
    if (isObject(value)) lines.push(value);
    else this.#damaged++;
  }
}

const decoder = new TextDecoder();

function readAt(file: Deno.FsFile, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, to - from));
  file.seekSync(Math.max(0, from), Deno.SeekMode.Start);
  let length = 0;
  while (length < bytes.length) {
    const count = file.readSync(bytes.subarray(length));
    if (count === null || count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

/** The first newline from `from` on, looked for in chunks. */
function nextNewline(file: Deno.FsFile, from: number, size: number): number | null {
  const chunk = new Uint8Array(CHUNK_BYTES);
  file.seekSync(from, Deno.SeekMode.Start);
  for (let at = from; at < size;) {
    const count = file.readSync(chunk);
    if (count === null || count === 0) return null;
    const newline = chunk.subarray(0, count).indexOf(NEWLINE);
    if (newline !== -1) return at + newline;
    at += count;
  }
  return null;
}

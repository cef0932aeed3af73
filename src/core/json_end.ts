/**
 * Finds the end of a JSON object in a byte stream, so that a payload is complete although the
 * sender keeps its stream open. Bytes are looked at once; nothing is kept.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

export class JsonEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;

  /** True as soon as the outermost object or array is closed within `chunk`. */
  push(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        continue;
      }
      if (byte === QUOTE) this.#inString = true;
      else if (OPEN.has(byte)) {
        this.#begun = true;
        this.#depth++;
      } else if (CLOSE.has(byte)) {
        this.#depth--;
        if (this.#begun && this.#depth <= 0) return true;
      }
    }
    return false;
  }
}

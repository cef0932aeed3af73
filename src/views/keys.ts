/** Bytes of a terminal in raw mode to names of keys. Pure, but for what it keeps of a torn sequence. */

const SEQUENCES: Readonly<Record<string, string>> = {
  "[A": "up",
  "[B": "down",
  "OA": "up",
  "OB": "down",
  "[H": "home",
  "[F": "end",
  "OH": "home",
  "OF": "end",
  "[1~": "home",
  "[4~": "end",
  "[5~": "page-up",
  "[6~": "page-down",
};

const CONTROLS: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x03": "ctrl-c",
  "\x15": "ctrl-u",
};

// deno-lint-ignore no-control-regex
const SEQUENCE = /^\x1b(\[[0-9;?<]*[ -/]*[@-~]|O[@-~])/;
// deno-lint-ignore no-control-regex
const BEGUN = /^\x1b(\[[0-9;?<]*[ -/]*|O)?$/;

export class KeyDecoder {
  readonly #decoder = new TextDecoder();
  #rest = "";

  push(bytes: Uint8Array): string[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const keys: string[] = [];
    while (this.#rest !== "" && !BEGUN.test(this.#rest)) keys.push(...this.#next());
    return keys;
  }

  /**
   * Nothing has come after an ESC: it was the key itself. To be called a moment after `push`; over a
   * slow line a sequence may come in pieces, and its letters must not be taken for keys.
   */
  flush(): string[] {
    const isEscape = this.#rest === "\x1b";
    this.#rest = "";
    return isEscape ? ["escape"] : [];
  }

  get isPending(): boolean {
    return this.#rest !== "";
  }

  #next(): string[] {
    const sequence = SEQUENCE.exec(this.#rest);
    if (sequence !== null) {
      this.#rest = this.#rest.slice(sequence[0].length);
      const key = SEQUENCES[sequence[1]!];
      return key === undefined ? [] : [key];
    }
    const char = String.fromCodePoint(this.#rest.codePointAt(0)!);
    this.#rest = this.#rest.slice(char.length);
    if (char === "\x1b") return ["escape"];
    const control = CONTROLS[char];
    if (control !== undefined) return [control];
    // deno-lint-ignore no-control-regex
    return /[\x00-\x1f\x7f-\x9f]/.test(char) ? [] : [char];
  }
}

/**
 * Structured control sequences in a terminal's output, found in bytes that come in pieces of any
 * size: command marks (OSC 133), notices (9, 99, 777), folder (7), progress (9;4) and program
 * status (7501). What is meant for people's eyes (text, titles) is passed over unread.
 */

import { signalOf, type TerminalSignal } from "./terminal_signal.ts";

/** A longer sequence is no notice but damage, or an image: dropped to its end. */
const MAX_BYTES = 8_192;

const [BEL, ESC, CAN, SUB, BACKSLASH, OSC_BYTE, DCS_BYTE] = [7, 27, 24, 26, 92, 93, 80];
const PASSTHROUGH = "tmux;";

type Mode = "text" | "escape" | "string" | "string-escape";

export class TerminalSignals {
  #mode: Mode = "text";
  #isPassthrough = false;
  #bytes: number[] = [];
  #isTooLong = false;
  /** Kitty's notices come in parts, by their id. */
  readonly #parts = new Map<string, { title: string; body: string }>();

  push(chunk: Uint8Array): TerminalSignal[] {
    const signals: TerminalSignal[] = [];
    for (const byte of chunk) this.#take(byte, signals);
    return signals;
  }

  #take(byte: number, signals: TerminalSignal[]): void {
    switch (this.#mode) {
      case "text":
        if (byte === ESC) this.#mode = "escape";
        return;
      case "escape":
        if (byte === OSC_BYTE || byte === DCS_BYTE) this.#begin(byte === DCS_BYTE);
        else this.#mode = byte === ESC ? "escape" : "text";
        return;
      case "string":
        if (byte === ESC) this.#mode = "string-escape";
        else if (byte === CAN || byte === SUB) this.#mode = "text";
        // Inside a passthrough a bell ends the sequence that is passed, not the passing.
        else if (byte === BEL && !this.#isPassthrough) this.#end(signals);
        else this.#keep(byte);
        return;
      case "string-escape":
        this.#afterEscape(byte, signals);
    }
  }

  #afterEscape(byte: number, signals: TerminalSignal[]): void {
    this.#mode = "string";
    if (byte === BACKSLASH) return this.#end(signals);
    if (this.#isPassthrough) {
      // Escapes of the passed sequence are doubled.
      if (byte === ESC) return this.#keep(ESC);
      this.#keep(ESC);
      return this.#keep(byte);
    }
    // A new sequence: the one before was cut off.
    this.#mode = "escape";
    this.#take(byte, signals);
  }

  #begin(isPassthrough: boolean): void {
    this.#mode = "string";
    this.#isPassthrough = isPassthrough;
    this.#bytes = [];
    this.#isTooLong = false;
  }

  #keep(byte: number): void {
    if (this.#bytes.length < MAX_BYTES) this.#bytes.push(byte);
    else this.#isTooLong = true;
  }

  #end(signals: TerminalSignal[]): void {
    const [bytes, isPassthrough] = [this.#bytes, this.#isPassthrough];
    this.#mode = "text";
    this.#bytes = [];
    if (this.#isTooLong) return;
    const text = decode(bytes);
    if (!isPassthrough) {
      const signal = signalOf(text, this.#parts);
      if (signal !== null) signals.push(signal);
      return;
    }
    if (!text.startsWith(PASSTHROUGH)) return;
    signals.push(...new TerminalSignals().push(Uint8Array.from(bytes.slice(PASSTHROUGH.length))));
  }
}

/** UTF-8 to text, without the runtime's decoder; damage becomes the replacement character. */
function decode(bytes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at]!;
    const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const rest = bytes.slice(at + 1, at + length);
    const isWhole = length > 0 && rest.length === length - 1 && rest.every(isContinuation);
    const code = isWhole ? codeOf(first, rest, length) : 0xfffd;
    const isCode = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    text += String.fromCodePoint(isCode ? code : 0xfffd);
    at += isWhole ? length : 1;
  }
  return text;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function codeOf(first: number, rest: readonly number[], length: number): number {
  const lead = length === 1 ? first : first & (0xff >> (length + 1));
  return rest.reduce((code, byte) => (code << 6) | (byte & 0x3f), lead);
}

/**
 * Reading JSON that was cut off: the object's members that arrived whole, and as much of the last
 * one as did. A hook payload over the size cap keeps its ids and its kind this way.
 */

import { isObject, type JsonObject, parseJson } from "./json.ts";

/** Every level may cost one more try, each over the whole text. */
const MAX_DEPTH = 64;

type Frame = { readonly close: "}" | "]"; lastComma: number };

/** The object begun by `text`, or undefined when `text` does not begin one. */
export function parseObjectPrefix(text: string): JsonObject | undefined {
  const whole = parseJson(text);
  if (whole !== undefined) return isObject(whole) ? whole : undefined;
  for (const candidate of closings(text)) {
    const value = parseJson(candidate);
    if (isObject(value)) return value;
  }
  return undefined;
}

/** Ways to end `text`: closing what is open as it stands, else after the last whole member. */
function* closings(text: string): Generator<string> {
  const { frames, inString, escapeAt } = scan(text);
  const close = frames.map((frame) => frame.close).reverse().join("");
  if (frames.length === 0 || frames.length > MAX_DEPTH) return;
  if (inString) {
    const kept = escapeAt === -1 ? text : text.slice(0, escapeAt);
    yield `${kept}"${close}`;
  } else {
    yield text + close;
  }
  for (let depth = frames.length - 1; depth >= 0; depth--) {
    const rest = frames.slice(0, depth + 1).map((frame) => frame.close).reverse().join("");
    const comma = frames[depth]!.lastComma;
    if (comma !== -1) yield text.slice(0, comma) + rest;
  }
}

type Scan = { readonly frames: Frame[]; readonly inString: boolean; readonly escapeAt: number };

function scan(text: string): Scan {
  const frames: Frame[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") {
        const width = text[at + 1] === "u" ? 6 : 2;
        if (at + width > text.length) return { frames, inString, escapeAt: at };
        at += width - 1;
      } else if (char === '"') inString = false;
      continue;
    }
    if (char === '"') inString = true;
    else if (char === "{") frames.push({ close: "}", lastComma: -1 });
    else if (char === "[") frames.push({ close: "]", lastComma: -1 });
    else if (char === "}" || char === "]") frames.pop();
    else if (char === "," && frames.length > 0) frames.at(-1)!.lastComma = at;
  }
  return { frames, inString, escapeAt: -1 };
}

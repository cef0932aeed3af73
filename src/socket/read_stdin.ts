/** Reads a hook's payload: to its end, the end of its JSON, the cap, or the time, whichever is first. */

import { JsonEnd } from "../core/json_end.ts";
import { concat } from "./bytes.ts";

const CHUNK = 65_536;

/** On a busy machine the time may be over before a payload that is there has been looked at. */
const LAST_LOOK_MS = 50;

export type Stdin = {
  readonly bytes: Uint8Array;
  /** The time was over before its end: it is what came until then. */
  readonly isCut: boolean;
};

/** `deadline`: a `performance.now()` time, kept to 50 ms. A payload that fills the cap was cut there. */
export async function readStdin(cap: number, deadline: number): Promise<Stdin> {
  const end = new JsonEnd();
  const parts: Uint8Array[] = [];
  let length = 0;
  let isCut = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<"late">((resolve) => {
    const over = () => timer = setTimeout(() => resolve("late"), LAST_LOOK_MS);
    timer = setTimeout(over, Math.max(0, deadline - performance.now()));
  });
  while (length < cap) {
    const chunk = new Uint8Array(Math.min(CHUNK, cap - length));
    const read = await Promise.race([Deno.stdin.read(chunk).catch(() => null), timeout]);
    isCut = read === "late";
    if (read === null || read === "late") break;
    const part = chunk.subarray(0, read);
    parts.push(part);
    length += read;
    if (end.push(part)) break;
  }
  clearTimeout(timer);
  return { bytes: concat(parts, length), isCut };
}

/** Reads a hook's payload: to its end, the end of its JSON, the cap, or the time, whichever is first. */

import { JsonEnd } from "../core/json_end.ts";

const CHUNK = 65_536;

/** On a busy machine the time may be over before a payload that is there has been looked at. */
const LAST_LOOK_MS = 50;

/** `deadline`: a `performance.now()` time, kept to 50 ms. A payload cut by cap or time is given as it is. */
export async function readStdin(cap: number, deadline: number): Promise<Uint8Array> {
  const end = new JsonEnd();
  const parts: Uint8Array[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<null>((resolve) => {
    const over = () => timer = setTimeout(() => resolve(null), LAST_LOOK_MS);
    timer = setTimeout(over, Math.max(0, deadline - performance.now()));
  });
  while (length < cap) {
    const chunk = new Uint8Array(Math.min(CHUNK, cap - length));
    const read = await Promise.race([Deno.stdin.read(chunk).catch(() => null), timeout]);
    if (read === null) break;
    const part = chunk.subarray(0, read);
    parts.push(part);
    length += read;
    if (end.push(part)) break;
  }
  clearTimeout(timer);
  return join(parts, length);
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

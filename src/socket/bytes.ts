/** Parts that came one by one, as one: at most `length` bytes of them. */
export function concat(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part.subarray(0, length - at), at);
    at += Math.min(part.length, length - at);
  }
  return all;
}

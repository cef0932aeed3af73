/** A text that passed its verification. `apply.ts` accepts nothing else. Pure. */

const verified = new WeakSet<VerifiedText>();

export interface VerifiedText {
  readonly text: string;
}

/** Marks a text as verified. Only the functions that verify may call this. */
export function sealText(text: string): VerifiedText {
  const sealed = Object.freeze({ text });
  verified.add(sealed);
  return sealed;
}

/** Whether the object came from `sealText`: a look-alike literal did not. */
export function isVerified(candidate: VerifiedText): boolean {
  return verified.has(candidate);
}

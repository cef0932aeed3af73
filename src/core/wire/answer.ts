/** The one line that answers an envelope or a hook, and its error codes (protocol 3.1). */

export const ERROR_CODES = [
  "request-too-large",
  "invalid-request",
  "unauthorized",
  "internal-error",
] as const;

export type ErrorCode = typeof ERROR_CODES[number];

export type Answer =
  | { readonly ok: true; readonly inserted: boolean }
  | { readonly ok: false; readonly error: ErrorCode };

export function failure(error: ErrorCode): Answer {
  return { ok: false, error };
}

export function answerLine(answer: Answer): string {
  return `${JSON.stringify(answer)}\n`;
}

/** The last line of a stream of the control API: why there is no more. Pure. */

export const STREAM_END_REASONS = ["stopping", "fell-behind", "internal-error"] as const;

export type StreamEndReason = typeof STREAM_END_REASONS[number];

/** Null for any other line. */
export function streamEndReason(line: string): StreamEndReason | null {
  if (!line.startsWith(PREFIX)) return null;
  return STREAM_END_REASONS.find((reason) => line === `${PREFIX}${reason}"}`) ?? null;
}

const PREFIX = '{"type":"end","reason":"';

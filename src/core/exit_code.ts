/** Exit codes of the command contract (design section 11). */

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notRunning: 3,
  timedOut: 124,
} as const;

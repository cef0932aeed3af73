/** When a process began, in milliseconds since the epoch, from the start time that names it. */

import type { ProcessID } from "../core/process/process.ts";

/** Fixed for programs, whatever the kernel's own rate is (USER_HZ). */
const TICK_MS = 10;

/** Ticks since boot, which began `uptime` seconds ago by the clock of now. */
export function linuxStart(
  { startTime }: ProcessID,
  clock: { readonly uptime: string; readonly now: number },
): number | null {
  const ticks = /^\d+/.exec(startTime)?.[0];
  const uptime = Number.parseFloat(clock.uptime);
  if (ticks === undefined || !Number.isFinite(uptime)) return null;
  return clock.now - uptime * 1000 + Number(ticks) * TICK_MS;
}

/** "Mon Nov 30 12:45:06 2026", printed in UTC. */
export function darwinStart({ startTime }: ProcessID): number | null {
  const millis = Date.parse(`${startTime} UTC`);
  return Number.isNaN(millis) ? null : millis;
}

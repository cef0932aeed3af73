/** Waits held by the server, so that no transition between two questions is missed. */

import {
  isWaitOver,
  type WaitQuery,
  type WaitTarget,
  type WaitView,
  waitView,
} from "../../core/view/wait.ts";
import type { State } from "../../core/log/state.ts";
import type { Feed } from "../feed.ts";

export type HeldQuery = Omit<WaitQuery, "target"> & {
  readonly target: (state: State) => WaitTarget;
};

export type WaitResult = WaitView & { readonly timedOut: boolean };

/** Resolves when the condition is met, the time is over, or `signal` (client gone, shutdown). */
export function holdWait(
  { state, feed }: { state: State; feed: Feed },
  { target, ...query }: HeldQuery,
  { timeoutMs, signal }: { timeoutMs: number | null; signal: AbortSignal },
): Promise<WaitResult> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function finish(timedOut: boolean): void {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener("abort", onAbort);
      resolve({ ...waitView(state, target(state)), timedOut });
    }
    function onAbort(): void {
      finish(true);
    }
    function check(): void {
      if (isWaitOver(state, { ...query, target: target(state) })) finish(false);
    }
    const unsubscribe = feed.subscribe(check);
    signal.addEventListener("abort", onAbort);
    if (timeoutMs !== null) timer = setTimeout(() => finish(true), timeoutMs);
    if (signal.aborted) onAbort();
    else check();
  });
}

/** Waits held by the server, so that no transition between two questions is missed. */

import {
  isPaneClosed,
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

export type WaitResult = WaitView & {
  readonly timedOut: boolean;
  /** The pane was closed before the condition was met: it never will be. */
  readonly closed: boolean;
};

/**
 * Resolves when the condition is met, its pane is closed, or the time is over. Null when `signal`
 * (client gone, shutdown) ends it: what was asked for was neither met nor over.
 */
export function holdWait(
  { state, feed }: { state: State; feed: Feed },
  { target, ...query }: HeldQuery,
  { timeoutMs, signal }: { timeoutMs: number | null; signal: AbortSignal },
): Promise<WaitResult | null> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function forget(): void {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener("abort", onAbort);
    }
    function finish({ timedOut = false, closed = false }): void {
      forget();
      resolve({ ...waitView(state, target(state)), timedOut, closed });
    }
    function onAbort(): void {
      forget();
      resolve(null);
    }
    function check(): void {
      const now = target(state);
      // What met the condition at the end counts: a closed pane's run has finished.
      if (isWaitOver(state, { ...query, target: now })) finish({});
      else if (isPaneClosed(state, now)) finish({ closed: true });
    }
    const unsubscribe = feed.subscribe(check);
    signal.addEventListener("abort", onAbort);
    if (timeoutMs !== null) timer = setTimeout(() => finish({ timedOut: true }), timeoutMs);
    if (signal.aborted) onAbort();
    else check();
  });
}

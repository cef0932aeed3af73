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

/** Null when `signal` (client gone, shutdown) ends it: what was asked for was neither met nor over. */
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
    function finish(timedOut: boolean): void {
      forget();
      resolve({ ...waitView(state, target(state)), timedOut });
    }
    function onAbort(): void {
      forget();
      resolve(null);
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

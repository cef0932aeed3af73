/** What the server tells of the providers, for their health. */

import { bodyOf, client } from "./_command.ts";
import type { ToldSession } from "./_open_sessions.ts";

export type ProviderJson = {
  readonly id: string;
  readonly received: number;
  readonly malformed: number;
  readonly foreign: number;
  readonly tests: number;
  readonly lastAt: string | null;
  readonly sessions: readonly ToldSession[];
};

/** One provider's: when it was last heard, and its open sessions. */
export type Told = { readonly lastAt: number | null; readonly sessions: readonly ToldSession[] };

export async function askProviders(): Promise<readonly ProviderJson[]> {
  const reply = await client().request("/v1/providers");
  return bodyOf<{ providers: ProviderJson[] }>(reply).providers;
}

/** By provider id. */
export function toldBy(providers: readonly ProviderJson[]): Map<string, Told> {
  return new Map(providers.map(({ id, lastAt, sessions }) => [
    id,
    { lastAt: lastAt === null ? null : Date.parse(lastAt), sessions },
  ]));
}

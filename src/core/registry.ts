/** Look-ups in the generated registry. */

import { PROVIDERS } from "./providers/registry.ts";
import type { ProviderRecord } from "./provider.ts";

const BY_WORD: ReadonlyMap<string, ProviderRecord> = new Map(
  PROVIDERS.flatMap((record) => [record.id, ...record.aliases].map((word) => [word, record])),
);

/** The record for an id or alias; undefined for an agent that is not on our list. */
export function findProvider(word: string): ProviderRecord | undefined {
  return BY_WORD.get(word);
}

/** The id under which a word is stored: an alias becomes its provider, a stranger stays itself. */
export function providerID(word: string): string {
  return findProvider(word)?.id ?? word;
}

export function displayName(id: string): string {
  return findProvider(id)?.displayName ?? id;
}

export { PROVIDERS };

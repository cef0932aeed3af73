/**
 * What CHANGELOG.md says of the version that is released:
 *
 *   deno run --allow-read tools/release_notes.ts v0.1.0
 *
 * Fails unless the tag, the program's version and the newest entry are one version.
 */

import { RELEASED, VERSION } from "../src/core/version.ts";

const CHANGELOG = new URL("../CHANGELOG.md", import.meta.url);

export type Entry = { readonly version: string; readonly date: string; readonly text: string };

/** The newest entry: `## VERSION (DATE)` and what is below it. */
export function newestEntry(changelog: string): Entry {
  const [, head, ...rest] = changelog.split(/^## /m);
  const match = /^(\S+) \((\d{4}-\d{2}-\d{2})\)\n([\s\S]*)$/.exec(head ?? "");
  if (match === null) {
    throw new Error(
      `The changelog has no entry like "## 1.2.3 (2026-01-31)" (${rest.length} more)`,
    );
  }
  return { version: match[1]!, date: match[2]!, text: match[3]!.trim() };
}

/** Null when all agree; else what does not. */
export function releaseIssue(tag: string, entry: Entry): string | null {
  if (tag !== `v${VERSION}`) return `The tag is ${tag}, the program's version ${VERSION}`;
  if (entry.version !== VERSION) {
    return `The newest entry of the changelog is of ${entry.version}, the program of ${VERSION}`;
  }
  return entry.date === RELEASED
    ? null
    : `The changelog dates it ${entry.date}, the program ${RELEASED}`;
}

if (import.meta.main) {
  const entry = newestEntry(Deno.readTextFileSync(CHANGELOG));
  const issue = releaseIssue(Deno.args[0] ?? "", entry);
  if (issue !== null) {
    console.error(issue);
    Deno.exit(1);
  }
  console.log(entry.text);
}

/**
 * The Homebrew formula of a release, from its template and the release's checksums:
 *
 *   deno run --allow-read tools/formula.ts --repository OWNER/NAME --checksums checksums.txt
 */

import { parseArgs } from "node:util";
import { VERSION } from "../src/core/version.ts";

const TEMPLATE = new URL("../packaging/homebrew/mytty.rb", import.meta.url);

export type Release = {
  readonly repository: string;
  readonly version: string;
  /** As sha256sum prints them: one line for each `mytty-OS-ARCH`. */
  readonly checksums: string;
};

/** Throws when the template wants something that the release does not have. */
export function filledFormula(
  template: string,
  { repository, version, checksums }: Release,
): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error(`No repository: "${repository}"`);
  const values = new Map([["REPOSITORY", repository], ["VERSION", version]]);
  for (const [, sum, name] of checksums.matchAll(/^([0-9a-f]{64}) [ *]mytty-(\S+)$/gm)) {
    values.set(name!, sum!);
  }
  // The first line tells of the template, which the result is not.
  const [, ...lines] = template.split("\n");
  return lines.join("\n").replace(/@([\w-]+)@/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`The release has no checksum for mytty-${name}`);
    return value;
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: { repository: { type: "string" }, checksums: { type: "string" } },
  });
  if (values.repository === undefined || values.checksums === undefined) {
    console.error("Usage: formula.ts --repository OWNER/NAME --checksums FILE");
    Deno.exit(2);
  }
  const checksums = Deno.readTextFileSync(values.checksums);
  const release = { repository: values.repository, version: VERSION, checksums };
  await Deno.stdout.write(
    new TextEncoder().encode(filledFormula(Deno.readTextFileSync(TEMPLATE), release)),
  );
}

/** What a release is made of: one version everywhere, the formula, names that fit together. */

import assert from "node:assert/strict";
import { RELEASED, VERSION } from "../../src/core/version.ts";
import { filledFormula } from "../../tools/formula.ts";
import { newestEntry, releaseIssue } from "../../tools/release_notes.ts";

function read(path: string): string {
  return Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
}

const SYSTEMS = ["linux-x64", "linux-arm64", "macos-x64", "macos-arm64"];

function checksumsOf(systems: readonly string[]): string {
  return systems.map((name, at) => `${String(at).repeat(64)}  mytty-${name}\n`).join("");
}

Deno.test("the newest entry of the changelog is the program's version, and so is deno.json's", () => {
  const entry = newestEntry(read("CHANGELOG.md"));
  assert.deepEqual([entry.version, entry.date], [VERSION, RELEASED]);
  assert.ok(entry.text.length > 100);
  assert.equal(JSON.parse(read("deno.json")).version, VERSION);
  assert.equal(releaseIssue(`v${VERSION}`, entry), null);
});

Deno.test("a tag, a version or a day that is another stops a release", () => {
  const entry = newestEntry(
    `# Changelog\n\n## ${VERSION} (${RELEASED})\n\n- New.\n\n## 0.0.1 (2026-01-01)\n`,
  );
  assert.equal(entry.text, "- New.");
  assert.match(releaseIssue("v9.9.9", entry)!, /The tag is v9\.9\.9/);
  assert.match(releaseIssue(`v${VERSION}`, { ...entry, version: "9.9.9" })!, /newest entry/);
  assert.match(releaseIssue(`v${VERSION}`, { ...entry, date: "2020-01-01" })!, /dates it/);
  assert.throws(() => newestEntry("# Changelog\n\n## Unreleased\n"), /has no entry like/);
});

Deno.test("the formula has version, address and checksum of every system, and nothing left open", () => {
  const release = { repository: "o/mytty", version: "1.2.3", checksums: checksumsOf(SYSTEMS) };
  const formula = filledFormula(read("packaging/homebrew/mytty.rb"), release);
  SYSTEMS.forEach((name, at) => {
    const url = `https://github.com/o/mytty/releases/download/v1.2.3/mytty-${name}`;
    assert.ok(formula.includes(`url "${url}"\n      sha256 "${String(at).repeat(64)}"`), name);
  });
  assert.match(formula, /^class Mytty < Formula\n/);
  assert.doesNotMatch(formula, /@/);
  const opened = formula.match(/(^class | do$|^\s+def )/gm)!.length;
  assert.equal(formula.match(/^\s*end$/gm)!.length, opened);
  assert.throws(
    () =>
      filledFormula(read("packaging/homebrew/mytty.rb"), {
        ...release,
        checksums: checksumsOf(SYSTEMS.slice(1)),
      }),
    /no checksum for mytty-linux-x64/,
  );
});

Deno.test("the workflow builds and tries what install.sh and the formula ask for", () => {
  const workflow = read(".github/workflows/release.yml");
  for (const name of SYSTEMS) {
    assert.equal(workflow.split(`name: ${name} }`).length - 1, 2, `${name} is built and tried`);
  }
  // The workflow fills in this very line.
  assert.match(read("install.sh"), /^repository=""$/m);
  for (const line of workflow.match(/uses: \S+.*/g)!.filter((text) => !text.includes("./"))) {
    assert.match(line, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, line);
  }
});

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import plugin from "../../tools/lint_plugin.ts";

const CASES = [
  ["core-purity", "src/core/a.ts", "export const now = () => Date.now();", true],
  ["core-purity", "src/core/a.ts", 'import { readFileSync } from "node:fs";', true],
  ["core-purity", "src/core/a.ts", "fetch(url);", true],
  ["core-purity", "src/core/a.ts", "const at = new Date(given); row.process = at;", false],
  ["core-purity", "src/socket/a.ts", "export const now = () => Date.now();", false],
  ["no-provider-literal", "src/socket/a.ts", 'if (id === "codex") act();', true],
  ["no-provider-literal", "src/core/providers/codex.ts", 'if (id === "codex") act();', false],
  ["no-provider-literal", "src/socket/a.ts", 'if (id === "other") act();', false],
  ["error-message", "src/socket/a.ts", 'throw new Error("cannot read it");', true],
  ["error-message", "src/socket/a.ts", 'throw new Error("Cannot read it.");', true],
  ["error-message", "src/socket/a.ts", 'throw new Error("Cannot read it");', false],
  ["function-declaration", "src/socket/a.ts", "const go = () => 1;", true],
  ["function-declaration", "src/socket/a.ts", "function go() { const one = () => 1; }", false],
  ["file-path", "tools/a.ts", 'new URL("../", import.meta.url).pathname;', true],
  ["file-path", "tools/a.ts", "new URL(request.url).pathname;", false],
] as const;

for (const [rule, file, source, isReported] of CASES) {
  Deno.test(`lint ${rule} ${isReported ? "reports" : "allows"} in ${file}: ${source}`, () => {
    const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
    const found = Deno.lint.runPlugin(plugin, path, source);
    const ours = found.filter(({ id }) => id === `mytty/${rule}`);
    assert.equal(ours.length > 0, isReported, JSON.stringify(found));
  });
}

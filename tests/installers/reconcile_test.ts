/** Install, repair and uninstall on real files, for every provider of the registry (bugs.md C). */

import assert from "node:assert/strict";
import { PROVIDERS } from "../../src/core/registry.ts";
import { resolveFile } from "../../src/installers/context.ts";
import { parseOwnCommand } from "../../src/installers/ownership.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  snapshot,
  withHome,
} from "../helpers/install_home.ts";

const OURS = ["state", "bin"];

/** Real-looking and odd texts; those that a provider's parser would refuse are for `jsonc` only. */
const TEXTS: readonly { readonly text: string; readonly isJsonc?: true }[] = [
  { text: "" },
  { text: "{}" },
  { text: "{ }\n" },
  { text: '\uFEFF{"a":1}' },
  { text: '{\r\n\t"z": "2>&1 && x é / \\/",\r\n\t"a": [1,  2]\r\n}\r\n' },
  { text: '{"hooks":{}}' },
  { text: '{\n    "hooks": {"Stop": [ ]},\n    "env": {"A": "1"}\n}' },
  { text: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say mytty-hook done"}]}]}}\n` },
  { text: '{\n  // mine\n  "a": 1, /* b */\n  "u": "https://x,]",\n}\n', isJsonc: true },
];

for (const record of PROVIDERS) {
  for (const target of record.install.targets) {
    if (target.kind !== "json-hooks" || target.dialect === "toml") continue;
    Deno.test(`${record.id} ${target.file}: the original bytes come back`, () =>
      withHome(async (home) => {
        for (const name of record.install.programs) putProgram(home, name);
        const context = installContextFor(home);
        const path = resolveFile(context, target.base, target.file);
        for (const { text, isJsonc } of TEXTS) {
          if (isJsonc && target.dialect === "json") continue;
          putFile(path, text, 0o640);
          await runInstall([record], context);
          const written = Deno.readTextFileSync(path);
          assert.notEqual(written, text);
          Deno.utimeSync(path, 1000, 1000);
          const [again] = await runInstall([record], context);
          assert.equal(again!.status, "unchanged");
          assert.equal(Deno.readTextFileSync(path), written);
          assert.equal(Deno.statSync(path).mtime!.getTime(), 1_000_000);
          await runInstall([record], context, { uninstalls: true });
          assert.equal(Deno.readTextFileSync(path), text);
          assert.equal(Deno.statSync(path).mode! & 0o777, 0o640);
        }
      }));
  }

  Deno.test(`${record.id}: from an empty home to an empty home`, () =>
    withHome(async (home) => {
      for (const name of record.install.programs) putProgram(home, name);
      const context = installContextFor(home);
      const before = snapshot(home, OURS);
      const [report] = await runInstall([record], context);
      const written = snapshot(home, OURS);
      for (const file of report!.files) assert.ok(file.action !== "refused", file.issue?.message);
      assert.deepEqual((await runInstall([record], context))[0]!.status, "unchanged");
      assert.deepEqual(snapshot(home, OURS), written);
      await runInstall([record], context, { uninstalls: true });
      assert.deepEqual(snapshot(home, OURS), before);
    }));

  Deno.test(`${record.id}: without our records everything of ours still goes`, () =>
    withHome(async (home) => {
      for (const name of record.install.programs) putProgram(home, name);
      const context = installContextFor(home);
      await runInstall([record], context);
      Deno.removeSync(`${home}/state`, { recursive: true });
      await runInstall([record], context, { uninstalls: true });
      for (const [path, text] of Object.entries(snapshot(home, OURS))) {
        assert.doesNotMatch(text, /mytty/, path);
      }
    }));

  Deno.test(`${record.id}: every written command names its provider and event`, () =>
    withHome(async (home) => {
      for (const name of record.install.programs) putProgram(home, name);
      const context = installContextFor(`${home}/a b'c $x;é`, { env: { PATH: `${home}/bin` } });
      Deno.mkdirSync(context.home);
      await runInstall([record], context);
      for (const text of Object.values(snapshot(context.home, ["state"]))) {
        for (const literal of text.match(/"\[ -x (?:[^"\\]|\\.)*"/g) ?? []) {
          const own = parseOwnCommand(JSON.parse(literal));
          assert.equal(own?.provider, record.id);
          assert.equal(own?.launcher, `${context.stateFolder}/hooks/mytty-hook`);
        }
      }
    }));
}

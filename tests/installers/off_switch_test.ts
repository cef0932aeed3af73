/** A setting that makes our hooks dead is named with its file, and nothing is green beside it. */

import assert from "node:assert/strict";
import { findProvider } from "../../src/core/registry.ts";
import { observeHealth } from "../../src/installers/health.ts";
import { isHealthy } from "../../src/installers/judge.ts";
import { observePrograms } from "../../src/installers/observe.ts";
import { readRecords } from "../../src/installers/records.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  withHome,
} from "../helpers/install_home.ts";

const SWITCHES: readonly (readonly [string, string, string, RegExp])[] = [
  ["claude-code", ".claude/settings.json", '{"disableAllHooks":true}', /disableAllHooks/],
  [
    "codex",
    ".codex/config.toml",
    "[features]\nhooks = false\n",
    /features\.hooks\): set it to true/,
  ],
  ["codex", ".codex/config.toml", "[features]\ncodex_hooks = false\n", /features\.codex_hooks/],
  ["codex", ".codex/hooks.json", '{"$schema":"x","hooks":{}}', /rejects.*"\$schema"/],
  ["droid", ".factory/hooks.json", '{"Stop":[]}', /merged into settings\.json and removed/],
  ["droid", ".factory/settings.json", '{"hooksDisabled":true}', /hooksDisabled\): set it to false/],
  ["gemini", ".gemini/settings.json", '{"hooksConfig":{"enabled":false}}', /hooksConfig\.enabled/],
  ["gemini", ".gemini/settings.json", '{"hooksConfig":{"disabled":["mytty"]}}', /take "mytty" out/],
  ["gemini", ".gemini/settings.json", '{"tools":{"enableHooks":false}}', /tools\.enableHooks/],
  ["qwen", ".qwen/settings.json", '{"disableAllHooks":true}', /disableAllHooks/],
  [
    "copilot",
    ".copilot/settings.json",
    '{\n  // x\n  "disableAllHooks":true\n}',
    /disableAllHooks/,
  ],
  ["antigravity", ".gemini/config/hooks.json", '{"mytty":{"enabled":false}}', /mytty\.enabled/],
];

for (const [id, file, text, what] of SWITCHES) {
  Deno.test(`${id}: ${text.replace(/\s+/g, " ")} in ${file}`, () =>
    withHome(async (home) => {
      const record = findProvider(id)!;
      for (const name of record.install.programs) putProgram(home, name);
      putFile(`${home}/${file}`, text);
      const context = installContextFor(home);
      const [report] = await runInstall([record], context);
      assert.match(report!.obstacles.join("\n"), what);
      const health = async () => {
        const records = await readRecords(context.stateFolder);
        const program = (await observePrograms([record], context)).get(id) ?? null;
        const heard = { lastEventAt: 5, sessions: [] };
        return await observeHealth(record, { context, records, program, heard, now: 9 });
      };
      const off = await health();
      assert.ok(!isHealthy(off.state), off.state);
      assert.match(off.detail, what);
      assert.ok(off.detail.includes(`"${home}/${file}"`), off.detail);
      await runInstall([record], context, { uninstalls: true });
      assert.equal(Deno.readTextFileSync(`${home}/${file}`), text);
      Deno.removeSync(`${home}/${file}`);
      await runInstall([record], context);
      assert.doesNotMatch((await health()).detail, what);
    }));
}

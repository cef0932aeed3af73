/** mytty's own files, damaged by whatever: nothing throws, and people's configs stay theirs. */

import assert from "node:assert/strict";
import { PROVIDERS } from "../../src/core/registry.ts";
import { readConflicts, writeConflicts } from "../../src/installers/conflicts.ts";
import { readHeard } from "../../src/socket/heard_file.ts";
import { type Chance, fuzz } from "../helpers/chance.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  snapshot,
  withHome,
} from "../helpers/install_home.ts";
import { mutatedJson, mutatedText } from "./mutate.ts";

const AGENTS = ["claude-code", "codex"];
const SETTINGS =
  '{\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}\n';
const CONFIG = '# mine\nmodel = "gpt"\n';

Deno.test("fuzz: with damaged records an install works, and an uninstall takes out what is ours", async () => {
  await withHome(async (home) => {
    putProgram(home, "claude");
    putProgram(home, "codex");
    const records = PROVIDERS.filter(({ id }) => AGENTS.includes(id));
    const context = installContextFor(home);
    await runInstall(records, context);
    const path = `${home}/state/installs.json`;
    const kept = Deno.readTextFileSync(path);
    const pending = pendingOf(kept);
    await fuzz(25, async (chance) => {
      putFile(`${home}/.claude/settings.json`, SETTINGS);
      putFile(`${home}/.codex/config.toml`, CONFIG);
      putFile(path, damaged(kept, chance));
      if (chance.below(2) === 0) {
        putFile(`${home}/state/install-pending.json`, damaged(pending, chance));
      }
      await runInstall(records, context);
      if (chance.below(2) === 0) putFile(path, damaged(Deno.readTextFileSync(path), chance));
      await runInstall(records, context, { uninstalls: true });
      const texts = Object.values(snapshot(home, ["state", "bin"])).join("\n");
      assert.doesNotMatch(texts, /mytty-hook/, "nothing of ours is left");
      assert.match(texts, /say done/);
      assert.match(texts, /# mine\nmodel = "gpt"/);
    });
  });
});

/** What a run that was killed in the middle would have noted. */
function pendingOf(text: string): string {
  const { files } = JSON.parse(text) as { files: Record<string, unknown> };
  const writes = Object.entries(files).map(([path, record]) => ({
    path,
    before: null,
    record,
    folders: [],
  }));
  return JSON.stringify(writes);
}

function damaged(text: string, chance: Chance): string {
  return chance.below(2) === 0
    ? mutatedText(text, chance)
    : JSON.stringify(mutatedJson(JSON.parse(text), chance));
}

Deno.test("fuzz: damaged notes of what was heard and of conflicts are read as far as they make sense", async () => {
  await withHome(async (home) => {
    const heard = '{"version":1,"lastAt":{"codex":1,"claude-code":3}}';
    const conflicts = '{"version":1,"providers":{"codex":["another manager"],"gemini":[]}}';
    await fuzz(100, async (chance) => {
      putFile(`${home}/heard.json`, damaged(heard, chance));
      putFile(`${home}/conflicts.json`, damaged(conflicts, chance));
      for (const at of readHeard(home).values()) assert.ok(Number.isFinite(at));
      for (const messages of Object.values(await readConflicts(home))) {
        for (const message of messages) assert.equal(typeof message, "string");
      }
      await writeConflicts(home, { gemini: ["new"] });
    });
  });
});

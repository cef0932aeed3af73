/** `kill -9` of an install or uninstall at any step: the next one needs no hand. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { PROVIDERS } from "../../src/core/registry.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  snapshot,
  withHome,
} from "../helpers/install_home.ts";
import { chanceOf, rounds } from "../helpers/chance.ts";

const VICTIM = fileURLToPath(new URL("install_victim.ts", import.meta.url));
const AGENTS = ["claude-code", "codex", "gemini", "opencode"];
const OURS = ["state", "run", "bin"];
const SIDE_BY_SIDE = 3;

/** Whatever is asked for next: to go on, to begin anew, or to be rid of it. */
const NEXT = ["same", "install", "none"] as const;

const CONFIGS: Readonly<Record<string, string>> = {
  ".claude/settings.json":
    '{\n  "model": "opus",\n  "hooks": {"Stop": [\n    {"hooks": [{"type": "command", "command": "say done"}]}\n  ]}}',
  ".codex/config.toml": '# mine\r\nmodel = "gpt"\r\n\r\n[features]\r\nhooks = false\r\n',
};

Deno.test("an install that is killed at any step is gone on with, and undone to the byte", async () => {
  const chance = chanceOf("kill the installer");
  for (const what of ["install", "uninstall"] as const) {
    const last = await stepsOf(what);
    assert.ok(last > 10, `${last} steps`);
    const all = Array.from({ length: last }, (_, index) => index + 1);
    const steps = rounds(1) > 1 ? all : Array.from({ length: 5 }, () => chance.pick(all));
    for (let at = 0; at < steps.length; at += SIDE_BY_SIDE) {
      const some = steps.slice(at, at + SIDE_BY_SIDE);
      await Promise.all(some.map((step) => killedAt(what, { step, next: chance.pick(NEXT) })));
    }
  }
});

function prepare(home: string): void {
  for (const name of AGENTS) putProgram(home, name === "claude-code" ? "claude" : name);
  for (const [name, text] of Object.entries(CONFIGS)) {
    putFile(`${home}/${name}`, text);
  }
}

async function stepsOf(what: string): Promise<number> {
  let steps = 0;
  await withHome(async (home) => {
    prepare(home);
    if (what === "uninstall") await victim(home, { step: 0, what: "install" });
    steps = Number((await victim(home, { step: 0, what })).stdout);
  });
  return steps;
}

type Kill = { readonly step: number; readonly what: string };

async function victim(home: string, { step, what }: Kill) {
  const { signal, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--no-lock", VICTIM, home, String(step), what],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { signal, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function killedAt(
  what: "install" | "uninstall",
  { step, next }: { step: number; next: typeof NEXT[number] },
): Promise<void> {
  await withHome(async (home) => {
    prepare(home);
    const before = snapshot(home, OURS);
    const records = PROVIDERS.filter(({ id }) => AGENTS.includes(id));
    const context = installContextFor(home);
    if (what === "uninstall") await runInstall(records, context, { isExplicit: true });
    const killed = await victim(home, { step, what });
    assert.equal(killed.signal, "SIGKILL", killed.stderr);
    age(home);
    if (next !== "none") {
      const uninstalls = next === "same" && what === "uninstall";
      await runInstall(records, context, { uninstalls, isExplicit: true });
    }
    const reports = await runInstall(records, context, { uninstalls: true });
    assert.ok(reports.every(({ status }) => status !== "failed"), JSON.stringify(reports));
    assert.deepEqual(snapshot(home, OURS), before, `${what} killed at step ${step}, then ${next}`);
    assert.deepEqual(temporaries(home), [], `${what} killed at step ${step}: left-overs`);
  });
}

/** As if some minutes had passed: a file that is being written is nobody's to remove. */
function age(folder: string): void {
  const then = new Date(Date.now() - 10 * 60_000);
  for (const path of temporaries(folder)) Deno.utimeSync(path, then, then);
}

function temporaries(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return temporaries(path);
    return /\.tmp$|install-pending/.test(name) ? [path] : [];
  });
}

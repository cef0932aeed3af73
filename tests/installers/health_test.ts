/** Health: never green on hope (bugs.md C17, C22, C24, C26, C27). */

import assert from "node:assert/strict";
import { findProvider, PROVIDERS } from "../../src/core/registry.ts";
import { isPositionallyTrusted } from "../../src/core/install/positional_trust.ts";
import { compareVersions, isInRange, versionIn } from "../../src/core/install/version_range.ts";
import { observeHealth, readHealth, writeHealth } from "../../src/installers/health.ts";
import { type HealthFacts, judgeHealth } from "../../src/installers/judge.ts";
import { observePrograms } from "../../src/installers/observe.ts";
import { askVersion, findVersion } from "../../src/installers/program_version.ts";
import { ProgramWatch } from "../../src/installers/program_watch.ts";
import { readRecords } from "../../src/installers/records.ts";
import { unifiedDiff } from "../../src/installers/unified_diff.ts";
import { sha256Hex } from "../../src/core/ids.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  withHome,
} from "../helpers/install_home.ts";
import { writeExecutable } from "../helpers/executable.ts";

const FACTS: HealthFacts = {
  isManaged: true,
  hasProgram: true,
  repairs: [],
  errors: [],
  conflicts: [],
  unsupported: null,
  untrusted: [],
  trustFix: "fix",
  afterInstall: "restart",
  installedAt: 1_000_000,
  lastEventAt: null,
  sessions: [],
};

const session = { name: "/work (pid 7)", startedAt: 2_000_000, movedAt: null, heardAt: null };

Deno.test("each state has its facts, and the worst is told", () => {
  const rows: [string, Partial<HealthFacts>][] = [
    ["installed", {}],
    ["receiving", { lastEventAt: 5 }],
    ["not-installed", { isManaged: false }],
    ["not-installed", { isManaged: false, hasProgram: false, conflicts: ["x"] }],
    ["conflict", { isManaged: false, conflicts: ["x"] }],
    ["cli-missing", { hasProgram: false, lastEventAt: 5 }],
    ["needs-repair", { repairs: ["x"], lastEventAt: 5 }],
    ["error", { errors: ["x"], repairs: ["y"] }],
    ["untrusted", { untrusted: ["Stop"], lastEventAt: 5 }],
    ["restart-needed", { sessions: [{ ...session, startedAt: 900_000 }], lastEventAt: 5 }],
    ["installed", { sessions: [{ ...session, startedAt: 900_000 }], afterInstall: null }],
    ["receiving", {
      sessions: [{ ...session, startedAt: 900_000, heardAt: 1_100_000 }],
      lastEventAt: 1_100_000,
    }],
    ["silent", { sessions: [{ ...session, movedAt: 3_000_000 }] }],
    ["receiving", {
      sessions: [{ ...session, movedAt: 3_000_000, heardAt: 2_990_000 }],
      lastEventAt: 2_990_000,
    }],
  ];
  for (const [state, facts] of rows) {
    assert.equal(judgeHealth({ ...FACTS, ...facts }).state, state, JSON.stringify(facts));
  }
  const old = judgeHealth({ ...FACTS, sessions: [{ ...session, startedAt: 1 }] });
  assert.match(old.detail, /\/work \(pid 7\)/);
});

async function stateOf(home: string, id: string, env: Record<string, string> = {}) {
  const context = installContextFor(home, { env: { PATH: `${home}/bin`, ...env } });
  const records = await readRecords(context.stateFolder);
  const heard = { lastEventAt: null, sessions: [] };
  const record = findProvider(id)!;
  const program = (await observePrograms([record], context)).get(id) ?? null;
  return await observeHealth(record, { context, records, program, heard, now: 5 });
}

Deno.test("C27: in an empty home nothing is installed", () =>
  withHome(async (home) => {
    for (const { id } of PROVIDERS) assert.equal((await stateOf(home, id)).state, "not-installed");
  }));

Deno.test("C24: a missing or unusable launcher is said, drift too", () =>
  withHome(async (home) => {
    putProgram(home, "claude");
    const context = installContextFor(home);
    const claude = findProvider("claude-code")!;
    await runInstall([claude], context);
    assert.equal((await stateOf(home, "claude-code")).state, "installed");
    Deno.chmodSync(`${home}/state/hooks/mytty-hook`, 0o600);
    assert.match((await stateOf(home, "claude-code")).detail, /not executable/);
    Deno.removeSync(`${home}/state/hooks/mytty-hook`);
    assert.equal((await stateOf(home, "claude-code")).state, "needs-repair");
    await runInstall([claude], context);
    putFile(`${home}/.claude/settings.json`, '{"hooks":{}}');
    assert.match((await stateOf(home, "claude-code")).detail, /missing/);
    putFile(`${home}/.claude/settings.json`, '{"hooks":');
    assert.equal((await stateOf(home, "claude-code")).state, "error");
    await runInstall([claude], context);
    putFile(`${home}/.claude/settings.json`, '{"disableAllHooks":true}');
    await runInstall([claude], context);
    assert.equal((await stateOf(home, "claude-code")).state, "conflict");
    Deno.removeSync(`${home}/bin/claude`);
    putFile(`${home}/.claude/settings.json`, "{}");
    await runInstall([claude], context, { isExplicit: true });
    assert.equal((await stateOf(home, "claude-code")).state, "cli-missing");
  }));

Deno.test("C17: untrusted until every hook's own hash is there; trust is never written", () =>
  withHome(async (home) => {
    putProgram(home, "codex");
    const context = installContextFor(home);
    await runInstall([findProvider("codex")!], context);
    assert.equal((await stateOf(home, "codex")).state, "untrusted");
    const path = `${home}/.codex/hooks.json`;
    const { hooks } = JSON.parse(Deno.readTextFileSync(path));
    let toml = "";
    for (const [name, groups] of Object.entries(hooks as Record<string, [Record<string, never>]>)) {
      const event = name.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
      const { command, timeout } = groups[0].hooks![0] as { command: string; timeout: number };
      const matcher = groups[0].matcher;
      const identity = JSON.stringify({
        event_name: event,
        hooks: [{ async: false, command, timeout, type: "command" }],
        ...(matcher === undefined ? {} : { matcher }),
      });
      toml += `[hooks.state."${path}:${event}:0:0"]\n`;
      toml += `trusted_hash = "sha256:${sha256Hex(identity)}"\n`;
    }
    putFile(`${home}/.codex/config.toml`, toml);
    assert.equal((await stateOf(home, "codex")).state, "installed");
    putFile(`${home}/.codex/config.toml`, toml.replace(/sha256:./, "sha256:x"));
    const health = await stateOf(home, "codex");
    assert.equal(health.state, "untrusted");
    assert.match(health.action ?? "", /Trust all/);
    await runInstall([findProvider("codex")!], context);
    assert.match(Deno.readTextFileSync(`${home}/.codex/config.toml`), /sha256:x/);
  }));

Deno.test("the recorded hash of a Codex hook is reproduced", () => {
  const command = "/rec/record.sh";
  const entry = { hooks: [{ type: "command", command }] };
  const identity =
    `{"event_name":"stop","hooks":[{"async":false,"command":"${command}","timeout":600,"type":"command"}]}`;
  const key = "/h/.codex/hooks.json:stop:2:0";
  const config = { hooks: { state: { [key]: { trusted_hash: `sha256:${sha256Hex(identity)}` } } } };
  const placed = { files: ["/h/.codex/hooks.json"], event: "Stop", index: 2, entry };
  assert.ok(isPositionallyTrusted(config, placed));
  assert.ok(!isPositionallyTrusted(config, { ...placed, index: 1 }));
  assert.ok(!isPositionallyTrusted({}, placed));
});

Deno.test("health is kept in the state folder", () =>
  withHome(async (home) => {
    const health = await stateOf(home, "codex");
    await writeHealth(`${home}/state`, [health]);
    await writeHealth(`${home}/state`, [{ ...health, provider: "pi" }]);
    assert.deepEqual([...(await readHealth(`${home}/state`)).keys()], ["codex", "pi"]);
    assert.equal(Deno.statSync(`${home}/state/health.json`).mode! & 0o777, 0o600);
  }));

Deno.test("versions are found in what programs print, and compared as numbers", () => {
  const rows: [string, string | null][] = [
    ["2.1.332 (Claude Code)", "2.1.332"],
    ["codex-cli 0.171.0\n", "0.171.0"],
    ["v1.0.78", "1.0.78"],
    ["GitHub Copilot CLI 1.0.102.", "1.0.102"],
    ["hello", null],
    ["node v20", null],
  ];
  for (const [text, version] of rows) assert.equal(versionIn(text), version, text);
  assert.ok(compareVersions("2.1.101", "2.1.78") > 0);
  assert.equal(compareVersions("1.0", "1.0.0"), 0);
  assert.ok(isInRange("1.5", { from: "1.5", below: "2" }));
  assert.ok(!isInRange("2.0", { from: "1.5", below: "2" }));
  assert.ok(!isInRange(null, { from: "1" }));
  assert.ok(isInRange(null, undefined));
});

Deno.test("the diff is one that git can apply", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at}\n`).join("");
  const pairs: [string | null, string | null][] = [
    [null, "a\n"],
    ["a\n", null],
    ["a", "a\n"],
    [numbers(30), numbers(30).replace("5\n", "five\nmore\n").replace("25\n", "")],
  ];
  for (const [before, after] of pairs) {
    const folder = Deno.makeTempDirSync();
    const path = `${folder}/f`;
    if (before !== null) Deno.writeTextFileSync(path, before);
    Deno.writeTextFileSync(`${folder}/d`, unifiedDiff({ path: "f", before, after }));
    const args = ["apply", "--unsafe-paths", "-p0", `${folder}/d`];
    const { success, stderr } = new Deno.Command("git", { args, cwd: folder }).outputSync();
    assert.ok(success, new TextDecoder().decode(stderr));
    const text = after === null ? null : Deno.readTextFileSync(path);
    assert.equal(text, after);
    Deno.removeSync(folder, { recursive: true });
  }
  assert.equal(unifiedDiff({ path: "f", before: "x", after: "x" }), "");
});

Deno.test("a program whose file is still being written is asked once it is whole", () =>
  withHome(async (home) => {
    const path = putProgram(home, "agent", "3.2.1");
    const writer = Deno.openSync(path, { append: true });
    const version = askVersion(path, ["--version"]);
    // It cannot be started now: the kernel refuses to run what is open for writing.
    assert.throws(() => new Deno.Command(path).outputSync(), /busy/);
    writer.close();
    assert.equal(await version, "3.2.1");
  }));

Deno.test("a program that told no version is asked at a few more looks, then left alone", () =>
  withHome(async (home) => {
    const gemini = findProvider("gemini")!;
    const asked = `${home}/asked`;
    const says = (more: string) => `#!/bin/sh\necho x >> '${asked}'\n${more}\n`;
    writeExecutable(`${home}/bin/gemini`, says("exit 1"));
    const watch = new ProgramWatch(installContextFor(home));
    for (let look = 0; look < 6; look++) await watch.look([gemini]);
    assert.equal(Deno.readTextFileSync(asked), "x\n".repeat(3));
    writeExecutable(`${home}/bin/gemini`, says("echo 1.2.3"));
    assert.deepEqual(await watch.look([gemini]), [gemini]);
    assert.equal(watch.of("gemini")?.version, "1.2.3");
    assert.deepEqual(await watch.look([gemini]), []);
  }));

Deno.test("a program that does not answer in time tells its version by its own package", () =>
  withHome(async (home) => {
    const folder = `${home}/lib/node_modules/@x/agent`;
    writeExecutable(`${folder}/dist/cli.js`, "#!/bin/sh\nexit 1\n");
    putFile(`${folder}/package.json`, '{"version":"3.2.1","bin":{"agent":"dist/cli.js"}}');
    Deno.mkdirSync(`${home}/bin`);
    Deno.symlinkSync(`${folder}/dist/cli.js`, `${home}/bin/agent`);
    assert.equal(await findVersion(`${home}/bin/agent`, ["--version"]), "3.2.1");
    // Of a package that merely lies above it nothing is believed.
    putFile(`${folder}/package.json`, '{"version":"3.2.1","bin":"dist/other.js"}');
    assert.equal(await findVersion(`${home}/bin/agent`, ["--version"]), null);
    writeExecutable(`${folder}/dist/cli.js`, "#!/bin/sh\necho 4.0.0\n");
    assert.equal(await findVersion(`${home}/bin/agent`, ["--version"]), "4.0.0");
  }));

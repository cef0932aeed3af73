/** A provider's files belong together; providers do not: one bad path spoils its own only. */

import assert from "node:assert/strict";
import { findProvider } from "../../src/core/registry.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  snapshot,
  withHome,
} from "../helpers/install_home.ts";
import { withProgram } from "../helpers/program_home.ts";

const OURS = ["state", "bin"];

Deno.test("no file of a provider is written when one of them is refused", async () => {
  const cases = [
    ["xal", "xal", ".xal/plugins/mytty/plugin.ts", "export default {};\n"],
    ["xal", "xal", ".xal/config.json", '{"plugins":"a"}'],
    ["goose", "goose", ".agents/plugins/mytty/hooks/hooks.json", '{"mine":true}'],
  ] as const;
  for (const [id, name, file, text] of cases) {
    await withHome(async (home) => {
      putProgram(home, name);
      putFile(`${home}/${file}`, text);
      const before = snapshot(home, OURS);
      const [report] = await runInstall([findProvider(id)!], installContextFor(home));
      assert.match(report!.status, /conflict|failed/, file);
      assert.deepEqual(snapshot(home, OURS), before, file);
    });
  }
});

Deno.test("a folder that leads nowhere and a bottomless config are refused; all others are done", () =>
  withProgram(async (run, home) => {
    const agents = ["claude", "agy", "codex", "cursor-agent"];
    for (const agent of agents) putProgram(home, agent);
    Deno.symlinkSync("nowhere", `${home}/.claude`);
    putFile(`${home}/.codex/hooks.json`, `{"d":${"[".repeat(2_000)}${"]".repeat(2_000)}}`);
    Deno.mkdirSync(`${home}/.gemini`);
    Deno.symlinkSync("nowhere", `${home}/.gemini/config`);
    const { code, stdout } = await run("install", "--json");
    assert.equal(code, 1);
    type Report = { provider: string; status: string; files: { issue?: { message: string } }[] };
    const reports = JSON.parse(stdout).providers as Report[];
    const told = Object.fromEntries(
      reports.map(({ provider, status, files }) => [provider, [status, files[0]!.issue?.message]]),
    );
    assert.equal(told.cursor![0], "installed");
    assert.match(told["claude-code"]![1] ?? "", /\.claude\/settings\.json.*leads nowhere/);
    assert.match(told.antigravity![1] ?? "", /\.gemini\/config\/hooks\.json.*leads nowhere/);
    assert.match(told.codex![1] ?? "", /\.codex\/hooks\.json.*nested too deeply/);
    assert.equal((await run("status", "--json")).code, 0);
    assert.equal((await run("uninstall", "--all", "--json")).code, 0);
  }));

Deno.test("--json prints its document also when nothing could be begun", () =>
  withProgram(async (run, home) => {
    putProgram(home, "claude");
    putFile(`${home}/state`, "a file where our folder belongs");
    const { code, stdout } = await run("install", "--json");
    assert.equal(code, 1);
    const { providers, error } = JSON.parse(stdout);
    assert.deepEqual(providers, []);
    assert.match(error, /state/);
  }));

Deno.test("a file of ours that is repaired has its mode again, too", () =>
  withHome(async (home) => {
    putProgram(home, "cline");
    const cline = findProvider("cline")!;
    const path = `${home}/.cline/hooks/TaskStart`;
    await runInstall([cline], installContextFor(home));
    const text = Deno.readTextFileSync(path);
    Deno.writeTextFileSync(path, `${text}\n`);
    Deno.chmodSync(path, 0o600);
    const [report] = await runInstall([cline], installContextFor(home));
    assert.equal(report!.status, "repaired");
    assert.equal(Deno.readTextFileSync(path), text);
    assert.equal(Deno.statSync(path).mode! & 0o777, 0o700);
  }));

Deno.test("an uninstall passes over what never was ours, whatever it is", () =>
  withProgram(async (run, home) => {
    for (const agent of ["claude", "codex", "cursor-agent"]) putProgram(home, agent);
    putFile(`${home}/.claude/settings.json`, "{}");
    Deno.writeFileSync(`${home}/.claude/settings.json`, Uint8Array.of(0x7b, 0xe9, 0x7d));
    Deno.mkdirSync(`${home}/.codex/hooks.json`, { recursive: true });
    assert.equal((await run("install", "cursor")).code, 0);
    const { code, stdout, stderr } = await run("uninstall", "--all");
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual([...Deno.readFileSync(`${home}/.claude/settings.json`)], [0x7b, 0xe9, 0x7d]);
  }));

Deno.test("a file of ours that was emptied is filled again; an empty one of the user's is not", () =>
  withHome(async (home) => {
    const cases = [
      ["copilot", "copilot", ".copilot/hooks/mytty.json"],
      ["cline", "cline", ".cline/hooks/TaskStart"],
      ["pi", "pi", ".pi/agent/extensions/mytty.ts"],
    ] as const;
    for (const [id, name, file] of cases) {
      putProgram(home, name);
      const record = findProvider(id)!;
      await runInstall([record], installContextFor(home));
      const text = Deno.readTextFileSync(`${home}/${file}`);
      Deno.writeTextFileSync(`${home}/${file}`, "");
      const [report] = await runInstall([record], installContextFor(home));
      assert.equal(report!.status, "repaired", id);
      assert.equal(Deno.readTextFileSync(`${home}/${file}`), text);
    }
    await runInstall([findProvider("cline")!], installContextFor(home), { uninstalls: true });
    putFile(`${home}/.cline/hooks/TaskStart`, "");
    const [theirs] = await runInstall([findProvider("cline")!], installContextFor(home));
    assert.equal(theirs!.status, "conflict");
  }));

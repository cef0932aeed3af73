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

/** What only the server knows of a provider's hooks: heard, silent, older than the install. */

import assert from "node:assert/strict";
import type { AgentEvent, LogRow } from "../../src/core/log/event.ts";
import type { ProcessRow } from "../../src/core/process/process.ts";
import { findProvider } from "../../src/core/registry.ts";
import { openSessions, type ToldSession } from "../../src/commands/_open_sessions.ts";
import { readConflicts, writeConflicts } from "../../src/installers/conflicts.ts";
import { discover, keepDiscovery, readDiscoveries } from "../../src/installers/discover.ts";
import { observeHealth } from "../../src/installers/health.ts";
import { judgeHealth } from "../../src/installers/judge.ts";
import { readRecords } from "../../src/installers/records.ts";
import { HeardFile, readHeard } from "../../src/socket/heard_file.ts";
import { Hearing } from "../../src/socket/hearing.ts";
import { ProviderCounters } from "../../src/socket/provider_counters.ts";
import { healthTable } from "../../src/views/health_table.ts";
import { installContextFor, putProgram, runInstall, withHome } from "../helpers/install_home.ts";
import { writeExecutable } from "../helpers/executable.ts";

const claude = findProvider("claude-code")!;

function agentRow(pid: number, more: Partial<ProcessRow> = {}): ProcessRow {
  return {
    pid,
    ppid: 1,
    pgid: pid,
    sid: pid,
    tty: "/dev/pts/3",
    foregroundPgid: pid,
    startTime: `${pid}`,
    comm: "claude",
    argv: ["claude"],
    cwd: "/srv/site",
    ...more,
  };
}

const told: ToldSession = { pid: 7, startTime: "7", tty: null, heardAt: 50, movedAt: null };

function sessions(rows: readonly ProcessRow[], list: readonly ToldSession[] | null) {
  const processes = new Map(rows.map((row) => [row.pid, row]));
  const startOf = ({ pid }: ProcessRow) => pid * 10;
  return openSessions(claude, { processes, told: list, lastEventAt: 99, startOf });
}

Deno.test("a running agent is told by its own process, one below it, or its terminal", () => {
  const heardAt = (list: readonly ToldSession[] | null, rows = [agentRow(7)]) =>
    sessions(rows, list)[0]!.heardAt;
  assert.equal(heardAt([told]), 50);
  assert.equal(heardAt([{ ...told, startTime: "other" }]), null, "a pid used again");
  const below = agentRow(8, { ppid: 7, comm: "node", argv: ["node", "x.js"] });
  const inner = { ...told, pid: 8, startTime: "8" };
  assert.equal(heardAt([inner], [agentRow(7), below]), 50);
  assert.equal(heardAt([{ ...told, pid: null, tty: "/dev/pts/3" }]), 50);
  assert.equal(heardAt([{ ...told, pid: null, tty: "/dev/pts/4" }]), null);
  assert.equal(heardAt(null), 99, "without a server: the provider as a whole");
  assert.equal(sessions([agentRow(7, { tty: null })], []).length, 0, "a tool, not a pane");
  assert.equal(sessions([agentRow(7, { argv: ["claude", "-p", "x"] })], []).length, 0);
});

Deno.test("C26: only the session that is older and unheard is to be restarted, by name", () => {
  const rows = [agentRow(7), agentRow(8, { cwd: "/srv/new", tty: "/dev/pts/4" })];
  const open = sessions(rows, [{ ...told, pid: 8, startTime: "8", heardAt: 2_000 }]);
  const facts = {
    isManaged: true,
    hasProgram: true,
    repairs: [],
    errors: [],
    conflicts: [],
    unsupported: null,
    untrusted: [],
    trustFix: null,
    afterInstall: "Restart it",
    installedAt: 1_000,
    lastEventAt: 2_000,
    sessions: open,
  };
  const health = judgeHealth(facts);
  assert.equal(health.state, "restart-needed");
  assert.match(health.detail, /\/srv\/site \(pid 7\)$/);
});

function row(at: number, more: Partial<AgentEvent>): LogRow {
  const entry = { type: "agent-event", provider: "codex", sessionID: "s", ...more } as AgentEvent;
  return { position: at, at, entry };
}

Deno.test("a turn that only the transcript told makes its session silent; an interrupt does not", () => {
  const hearing = new Hearing();
  const session = {
    key: "codex s",
    provider: "codex",
    sessionID: "s",
    endedAt: null,
    process: null,
    surfaceID: null,
    cwd: null,
  };
  const state = { sessions: new Map([["codex s", session]]), surfaces: new Map() } as never;
  const times = () => {
    const [one] = hearing.sessionsOf("codex", state);
    return [one!.heardAt, one!.movedAt];
  };
  assert.deepEqual(times(), [null, null]);
  const rows = [
    row(10, { source: "hook", kind: "started" }),
    row(90, { source: "transcript", kind: "idle" }),
  ];
  assert.equal([...hearing.following(rows)].length, 2);
  assert.deepEqual(times(), [10, null]);
  hearing.observe(row(100_000, { source: "transcript", kind: "started" }));
  assert.deepEqual(times(), [10, 100_000]);
});

Deno.test("when a provider was last heard outlives the server; others' events do not count", () =>
  withHome(async (home) => {
    const counters = new ProviderCounters();
    const file = new HeardFile(home, counters);
    counters.count("codex", "inserted");
    counters.count("cursor", "foreign");
    counters.count("pi", "malformed");
    await file.keep();
    const kept = readHeard(home);
    assert.deepEqual([...kept.keys()], ["codex"]);
    const again = new ProviderCounters(kept);
    assert.equal(again.of("codex").lastAt, counters.of("codex").lastAt);
    assert.equal(again.of("codex").received, 0);
    Deno.writeTextFileSync(`${home}/heard.json`, "damaged");
    assert.equal(readHeard(home).size, 0);
  }));

Deno.test("a fight that was given up is a conflict until a person installs again", () =>
  withHome(async (home) => {
    const program = { path: putProgram(home, "claude"), version: "999.0.0" };
    const context = installContextFor(home);
    await runInstall([claude], context);
    const state = async () => {
      const records = await readRecords(context.stateFolder);
      const conflicts = (await readConflicts(context.stateFolder))["claude-code"] ?? [];
      const heard = { lastEventAt: null, sessions: [] };
      const options = { context, records, program, heard, conflicts, now: 5 };
      return (await observeHealth(claude, options)).state;
    };
    await writeConflicts(context.stateFolder, { "claude-code": ["another program changed it"] });
    assert.equal(await state(), "conflict");
    await runInstall([claude], context);
    assert.equal(await state(), "installed");
  }));

Deno.test("OpenCode tells its own plugin list: bounded, and no path of it is kept", () =>
  withHome(async (home) => {
    const opencode = findProvider("opencode")!;
    const context = installContextFor(home);
    putProgram(home, "opencode");
    await runInstall([opencode], context);
    const path = `${home}/bin/opencode`;
    const ours = `file://${home}/.config/opencode/plugins/mytty.js`;
    const says = (lines: string[]) =>
      writeExecutable(
        path,
        `#!/bin/sh\ncat <<'X'\nopencode version: 1.18.33\nplugins:\n${lines.join("\n")}\nX\n`,
      );
    const found = () => discover(opencode, context, path);
    says([`- ${ours}`, "- file:///secret/place/other.js"]);
    assert.deepEqual(await found(), { plugin: "loaded", version: "1.18.33", others: 1 });
    says([`- ${ours}`, `- ${ours}`]);
    assert.equal((await found()).plugin, "double");
    says(["- some-package@1.0.0"]);
    assert.equal((await found()).plugin, "missing");
    writeExecutable(path, "#!/bin/sh\necho nonsense\n");
    const unknown = (issue: string) => ({ plugin: "unknown", version: null, others: 0, issue });
    assert.deepEqual(await found(), unknown("opencode answered without a plugin list"));
    writeExecutable(path, "#!/bin/sh\nexit 3\n");
    assert.deepEqual(await found(), unknown("opencode ended with 3, without a plugin list"));
    Deno.removeSync(path);
    const { issue } = await found();
    assert.match(issue!, /^Cannot run opencode: /);
    assert.ok(!issue!.includes(home), issue);
    says([`- ${ours}`, "- file:///secret/place/other.js"]);
    const report = { program: path, status: "installed" } as never;
    await keepDiscovery(opencode, context, report);
    assert.equal((await readDiscoveries(context.stateFolder)).opencode?.plugin, "loaded");
    assert.doesNotMatch(Deno.readTextFileSync(`${home}/state/discovery.json`), /secret|plugins\//);
    await keepDiscovery(opencode, context, { program: path, status: "uninstalled" } as never);
    assert.deepEqual(await readDiscoveries(context.stateFolder), {});
  }));

Deno.test("the table: installed first, then what is here, and the rest in one line", () => {
  const row = (displayName: string, state: string, program: string | null) => ({
    displayName,
    state,
    detail: "d",
    action: null,
    version: null,
    lastEventAt: null,
    program,
    discovery: null,
  });
  const rows = [
    row("Amp", "not-installed", null),
    row("Codex", "not-installed", "/bin/codex"),
    row("Pi", "receiving", "/bin/pi"),
    row("Xal", "not-installed", null),
  ];
  const screen = { width: 100, colour: false };
  const text = healthTable(rows, screen, { now: 0, shownAll: false });
  assert.ok(text.indexOf("Pi") < text.indexOf("Codex"));
  assert.match(text, /\nnot found: Amp, Xal\n$/);
  assert.doesNotMatch(healthTable(rows, screen, { now: 0, shownAll: true }), /not found/);
  const late = {
    plugin: "unknown",
    version: null,
    others: 0,
    issue: "opencode did not answer within 5 s",
  };
  assert.match(
    healthTable([{ ...row("OpenCode", "installed", "/bin/o"), discovery: late }], screen, {
      now: 0,
      shownAll: false,
    }),
    /\nOpenCode did not tell its plugins: opencode did not answer within 5 s\n/,
  );
  const listed = { plugin: "loaded", version: "1.2", others: 2 };
  const one = [{ ...row("OpenCode", "installed", "/bin/o"), discovery: listed }];
  assert.match(
    healthTable(one, screen, { now: 0, shownAll: false }),
    /OpenCode 1\.2 lists our plugin once, beside 2 of others/,
  );
});

import assert from "node:assert/strict";
import type { ProcessRow } from "../../src/core/process/process.ts";
import { matchesPath, matchProcess } from "../../src/core/process/signature.ts";
import {
  agentProcess,
  foregroundAgent,
  nearestAgent,
} from "../../src/core/process/signature_agent.ts";
import { CLAUDE, CODEX, GEMINI, PROVIDERS } from "../fixtures/processes/providers.ts";
import { fakeRow, fakeTable } from "../fixtures/processes/rows.ts";

type Fields = Partial<ProcessRow>;

function match(argv: readonly string[], fields: Fields = {}) {
  return matchProcess(fakeRow({ pid: 9, argv, ...fields }), PROVIDERS);
}

const VENDOR = "/u/@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex";

const AGENTS: [string, string[], Fields?][] = [
  ["claude-code", ["claude"], { exe: "/x/claude-code/bin/claude.exe" }],
  ["claude-code", ["claude", "--resume", "mcp"]],
  ["claude-code", ["/x/bin/claude.exe"]],
  ["claude-code", ["cc"], { comm: "cc", exe: "/h/.local/share/claude/versions/2.1.185" }],
  ["claude-code", ["node", "/x/@anthropic-ai/claude-code/cli.js"]],
  ["claude-code", ["/n/bin/.claude-unwrapped"]],
  ["claude-code", ["/n/bin/claude.unwrapped"]],
  ["claude-code", ["bun", "/h/.bun/bin/claude"]],
  ["claude-code", ["/bin/sh", "/h/bin/claude"]],
  ["claude-code", [], { argv: [], comm: "claude" }],
  ["codex", ["node", "/usr/bin/codex", "resume", "0199"]],
  ["codex", [VENDOR, "-m", "exec"]],
  ["codex", ["/nix/bin/codex"], { comm: ".codex-wrapped" }],
  ["codex", ["codex", "--", "exec"]],
  ["codex", ["codex", "exec the plan"]],
  ["cursor", ["/h/.local/bin/agent"], {
    exe: "/h/.local/share/cursor-agent/versions/2026.01.02-ab12/node",
  }],
  ["cursor", ["/s/node", "/h/cursor-agent/versions/2026.01.02-ab12/index.js"], { comm: "agent" }],
  ["gemini", ["node", "--max-old-space-size=4096", "/x/.bin/gemini"]],
  ["copilot", ["/x/@github/copilot-linux-x64/copilot"], { comm: "MainThread" }],
  ["copilot", ["node", "/x/@github/copilot/npm-loader.js"], { comm: "MainThread" }],
  ["pi", ["pi"], { exe: "/usr/bin/node" }],
  ["pi", ["pi"], { comm: "node" }],
  ["aider", ["python3", "-m", "aider"]],
  ["aider", ["/v/bin/python3", "/v/bin/aider"]],
];

Deno.test("agents are recognised by program, script and module", () => {
  for (const [provider, argv, fields] of AGENTS) {
    assert.deepEqual(
      match(argv, fields),
      { provider, interactive: true, shared: false },
      argv.join(" "),
    );
  }
});

const OTHERS: [string[], Fields?][] = [
  [["vim", "claude.md"]],
  [["vim", "claude"]],
  [["tail", "-f", "claude.log"]],
  [["tail", "-f", "/h/.codex/codex"]],
  [["/opt/claude-watch/bin/claude-watch"]],
  [["node", "/opt/claude-watch/index.js"]],
  [["node", "/h/claude/index.js"]],
  [["node", "-e", "require('claude')", "claude"]],
  [["bash", "-c", "claude"]],
  [["bash", "-c", "true", "claude"]],
  [["grep", "-r", "@anthropic-ai/claude-code/cli.js"]],
  [["python3", "/h/claude/versions/2.1.185"]],
  [["/h/claude/versions/current"]],
  [["ssh", "host", "claude"]],
  [["npm", "exec", "@anthropic-ai/claude-code"]],
  [["agent"], { exe: "/usr/bin/agent" }],
  [["pi"], { exe: "/usr/bin/pi" }],
  [["/Applications/Claude.app/Contents/MacOS/Claude"]],
  [["rg", "x"], { comm: "claude", exe: "/h/.local/share/claude/versions/2.1.185" }],
  [["claude", "--ripgrep", "x"]],
  [["/s/node", "/h/cursor-agent/versions/2026.01.02-a/index.js", "worker-server"]],
  [["-zsh"]],
  [[], { comm: "" }],
];

Deno.test("a word in arguments or a folder's name is no agent", () => {
  for (const [argv, fields] of OTHERS) assert.equal(match(argv, fields), null, argv.join(" "));
});

Deno.test("one-shot and shared processes are not interactive", () => {
  const headless = [
    ["codex", "exec", "do it"],
    ["codex", "-m", "gpt", "exec"],
    ["node", "/usr/bin/codex", "exec"],
    ["claude", "-p", "hello"],
    ["claude", "--print=x"],
    ["copilot", "--acp"],
  ];
  for (const argv of headless) {
    assert.equal(match(argv)?.interactive, false, argv.join(" "));
    assert.equal(match(argv)?.shared, false, argv.join(" "));
  }
  const shared = [
    [VENDOR, "app-server", "--listen", "unix://", "--managed-daemon"],
    ["codex", "app-server", "daemon", "pid-update-loop"],
    ["cline", "--cline-hub-daemon", "--cwd", "/x"],
  ];
  for (const argv of shared) {
    assert.equal(match(argv)?.shared, true, argv.join(" "));
    assert.equal(match(argv)?.interactive, false, argv.join(" "));
  }
  assert.equal(match(["claude"], { tty: null })?.interactive, false);
});

Deno.test("the hint counts only where nothing else matches, and never for a bare shell", () => {
  const hinted = (argv: string[], hint: string) =>
    matchProcess(fakeRow({ pid: 1, argv }), PROVIDERS, { hint })?.provider;
  assert.equal(hinted(["ssh", "host"], " Claude \n"), "claude-code");
  assert.equal(hinted(["docker", "run", "x"], "codex"), "codex");
  assert.equal(hinted(["codex"], "claude"), "codex");
  assert.equal(hinted(["ssh", "host"], "unheard-of"), undefined);
  assert.equal(hinted(["ssh", "host"], ""), undefined);
  assert.equal(hinted(["-zsh"], "claude"), undefined);
  assert.equal(hinted(["claude", "--ripgrep"], "claude"), undefined);
});

Deno.test("path patterns compare whole segments from the end", () => {
  assert.equal(matchesPath("/a/claude/versions/2.1.185", "claude/versions/{version}"), true);
  assert.equal(matchesPath("/a/xclaude/versions/2.1.185", "claude/versions/{version}"), false);
  assert.equal(matchesPath("/a/claude/versions/x", "claude/versions/*"), true);
  assert.equal(matchesPath("2.1.185", "claude/versions/{version}"), false);
  assert.equal(matchesPath("/a/claude/versions/2.1.185/x", "claude/versions/{version}"), false);
});

const CODEX_PANE = [
  fakeRow({ pid: 20, ppid: 2, argv: ["-bash"], foregroundPgid: 30 }),
  fakeRow({ pid: 30, ppid: 20, argv: ["node", "/usr/bin/codex", "-m", "x"] }),
  fakeRow({ pid: 31, ppid: 30, pgid: 30, argv: [VENDOR, "-m", "x"] }),
];

Deno.test("the agent is found from a hook through sh -c and env; the npm launcher leads", () => {
  const table = fakeTable(
    ...CODEX_PANE,
    fakeRow({ pid: 40, ppid: 31, argv: ["/bin/sh", "-c", "mytty hook codex"] }),
    fakeRow({ pid: 41, ppid: 40, argv: ["env", "A=b", "mytty", "hook", "codex"] }),
  );
  const found = agentProcess(table, 41, { provider: CODEX });
  assert.deepEqual([found?.row.pid, found?.leader.pid, found?.interactive], [31, 30, true]);
  const pane = foregroundAgent(table, "/dev/pts/1", { providers: PROVIDERS });
  assert.deepEqual([pane?.provider, pane?.row.pid, pane?.leader.pid], ["codex", 31, 30]);
  assert.equal(agentProcess(table, 20, { provider: CODEX }), null);
  assert.equal(agentProcess(table, 4711, { provider: CODEX }), null);
});

Deno.test("a hook of the shared daemon finds the daemon, marked as shared", () => {
  const table = fakeTable(
    ...CODEX_PANE,
    fakeRow({ pid: 50, tty: null, argv: [VENDOR, "app-server", "--managed-daemon"] }),
    fakeRow({ pid: 51, ppid: 50, tty: null, argv: ["sh", "-c", "x"] }),
  );
  const found = agentProcess(table, 51, { provider: CODEX });
  assert.deepEqual([found?.row.pid, found?.shared, found?.interactive], [50, true, false]);
});

Deno.test("a nested agent is its own, and another provider's agent ends the walk", () => {
  const table = fakeTable(
    fakeRow({ pid: 60, argv: ["claude"] }),
    fakeRow({ pid: 61, ppid: 60, pgid: 60, argv: ["claude", "-p", "sub"] }),
    fakeRow({ pid: 62, ppid: 60, pgid: 60, argv: ["bash", "-c", "codex exec"] }),
    fakeRow({ pid: 63, ppid: 62, pgid: 60, argv: ["codex", "exec"] }),
  );
  const inner = agentProcess(table, 61, { provider: CLAUDE });
  assert.deepEqual([inner?.row.pid, inner?.leader.pid], [61, 61]);
  assert.equal(agentProcess(table, 63, { provider: CLAUDE })?.row.pid, 60);
  assert.equal(agentProcess(table, 63, { provider: CLAUDE, others: PROVIDERS }), null);
  assert.equal(nearestAgent(table, 63, PROVIDERS)?.provider, "codex");
  const pane = foregroundAgent(table, "/dev/pts/1", { providers: PROVIDERS });
  assert.deepEqual([pane?.row.pid, pane?.leader.pid], [60, 60]);
});

Deno.test("a relaunched worker is the agent, its fork is not", () => {
  const worker = ["node", "--expose-gc", "/x/.bin/gemini", "-m", "y"];
  const table = fakeTable(
    fakeRow({ pid: 70, argv: ["node", "/x/.bin/gemini", "-m", "y"] }),
    fakeRow({ pid: 71, ppid: 70, pgid: 70, argv: worker }),
    fakeRow({ pid: 72, ppid: 71, pgid: 70, argv: worker }),
  );
  for (const pid of [70, 71, 72]) {
    const found = agentProcess(table, pid, { provider: GEMINI });
    assert.deepEqual([found?.row.pid, found?.leader.pid], [71, 70], String(pid));
  }
});

Deno.test("an agent in the background or no agent at all is not the foreground's", () => {
  const table = fakeTable(
    fakeRow({ pid: 80, argv: ["-zsh"] }),
    fakeRow({ pid: 81, ppid: 80, argv: ["claude"], foregroundPgid: 80 }),
  );
  assert.equal(foregroundAgent(table, "/dev/pts/1", { providers: PROVIDERS }), null);
});

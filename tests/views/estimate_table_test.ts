/** What `mytty estimate --explain` looks like. */

import assert from "node:assert/strict";
import type { AgentReport } from "../../src/core/ports.ts";
import { estimateLines } from "../../src/views/estimate_table.ts";

const AGENT: AgentReport = {
  provider: "codex",
  pid: 7,
  tty: "/dev/pts/1",
  cwd: "/home/a  b",
  surfaceID: null,
  headless: false,
  foreground: true,
  startedAt: null,
  sessionID: "s",
  transcript: `/home/${"x".repeat(100)}.jsonl`,
  status: "busy",
  hooks: "unheard",
  state: "running",
  runID: "r",
  source: "transcript",
  evidence: "mytty.native.turnStarted",
};

Deno.test("every fact stands in its column, whatever it is called", () => {
  const lines = estimateLines([AGENT], { width: 200, colour: false }).trimEnd().split("\n");
  assert.equal(lines.shift(), "running: Codex");
  const names = ["process", "terminal", "folder", "session", "transcript", "status", "hooks"];
  assert.deepEqual(
    lines.map((line) => line.slice(0, 15)),
    [...names, "evidence"].map((name) => `    ${name.padEnd(11)}`),
  );
  for (const line of lines) assert.match(line.slice(15), /^\S/);
});

Deno.test("in a narrow terminal a long fact goes on below its name, whole", () => {
  const text = estimateLines([AGENT], { width: 60, colour: false });
  for (const line of text.split("\n")) assert.ok(line.length <= 60, line);
  assert.ok(text.replace(/\n */g, "").includes(AGENT.transcript!), text);
});

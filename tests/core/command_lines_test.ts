/** What the records make of command lines: agents, print runs, and commands that are no agent. */

import assert from "node:assert/strict";
import { matchProcess } from "../../src/core/process/signature.ts";
import { PROVIDERS } from "../../src/core/registry.ts";
import { fakeRow } from "../fixtures/processes/rows.ts";

function match(line: string) {
  return matchProcess(fakeRow({ pid: 9, argv: line.split(" ") }), PROVIDERS);
}

const SHOWS_OR_SETS: Readonly<Record<string, string>> = {
  claude:
    "mcp list|doctor|update|upgrade|auth login|plugin list|install stable|--model opus doctor|" +
    "-c mcp list|-v|-h|agents|setup-token|config list|logs 1",
  codex: "login|logout|mcp list|doctor|update|features list|completion bash|-c x=1 login|-V|help|" +
    "cloud|apply 1|archive 1|debug|sandbox true|exec --help",
  copilot: "login|help|mcp list|plugin list|config|update|version|sessions|-v|--binary-version",
  gemini: "mcp list|extensions list|extension list|skills list|hooks list|-l|--list-sessions|-v",
  qwen: "mcp list|extensions list|auth|hooks|sessions list|update|channel status|-v",
  kimi: "login|logout|doctor|provider list|export|upgrade|update|mcp list|-V",
  opencode: "auth login|providers list|mcp list|models|stats|upgrade|agent list|session list|db|-v",
  "/n/node_modules/.bin/pi": "list|install x|remove x|update|config|auth login|mcp list|-v",
  cline: "auth|config|mcp|doctor|history|h|update|version|schedule list|-V",
  droid: "mcp|doctor|update|plugin list|search x|find x|help exec|-v",
  "cursor-agent": "login|logout|status|whoami|about|models|mcp list|update|-v|--list-models",
  goose: "configure|info|mcp x|recipe list|update|completion bash|-V",
  grok: "login|logout|models|mcp list|inspect --json|sessions list|plugin list",
  "kiro-cli": "login|logout|whoami|doctor|settings list|mcp list|diagnostic|update|version|-V",
  auggie: "login|logout|token print|mcp list",
  "/h/.local/bin/amp": "login|logout|update|mcp add x|tools list|account list",
  agy: "help|install|plugin list|update|changelog",
  xal: "",
};

Deno.test("commands that show, set or update something are no agents, whoever's they are", () => {
  const known = PROVIDERS.map(({ id }) => id).sort();
  const met = new Set<string>();
  for (const [program, lists] of Object.entries(SHOWS_OR_SETS)) {
    met.add(match(program)!.provider);
    for (const words of ["--help", "--version", ...lists.split("|").filter(Boolean)]) {
      assert.equal(match(`${program} ${words}`), null, `${program} ${words}`);
    }
  }
  assert.deepEqual([...met].sort(), known, "every record is tried");
});

Deno.test("a word that is a value, a later word or behind -- is no command", () => {
  const lines = [
    "claude --resume mcp",
    "claude -r doctor",
    "claude fix-it mcp",
    "claude -- update",
    "claude -n login",
    "codex -p login",
    "codex resume --last",
    "codex fork",
    "codex -C update",
    "gemini -i mcp",
    "opencode -s session",
    "opencode attach http://localhost:1",
    "goose session -n mcp",
    "kiro-cli chat --agent doctor",
    "droid -r update",
  ];
  for (const line of lines) assert.equal(match(line)?.interactive, true, line);
});

Deno.test("a print run is one whatever stands before its option", () => {
  const lines = [
    "claude -p hello",
    "claude -r -p hello",
    "claude --resume --print hello",
    "codex e fix",
    "codex review",
    "qwen review run",
    "goose run -t x",
    "opencode run x",
    "copilot -r -p x",
  ];
  for (const line of lines) {
    const found = match(line);
    assert.deepEqual([found?.interactive, found?.shared], [false, false], line);
  }
});

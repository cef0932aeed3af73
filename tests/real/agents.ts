/** The real agents that are driven here: what to install from npm, and what runs then. */

export type NpmPackage = { readonly name: string; readonly version: string };

export type AgentPackage = {
  /** The provider's id. */
  readonly id: string;
  /** The agent's own package first, then what it needs beside it. */
  readonly packages: readonly [NpmPackage, ...NpmPackage[]];
  readonly program: string;
};

/** Some agents want a newer Node than a stable distribution has. */
const NODE: NpmPackage = { name: "node", version: "22.23.3" };

export const AGENTS: readonly AgentPackage[] = [
  agent("claude-code", "claude", "@anthropic-ai/claude-code", "2.1.332"),
  agent("codex", "codex", "@openai/codex", "0.171.0"),
  agent("opencode", "opencode", "opencode-ai", "1.18.33", NODE),
  agent("gemini", "gemini", "@google/gemini-cli", "0.61.0", NODE),
  agent("qwen", "qwen", "@qwen-code/qwen-code", "0.24.4", NODE),
  agent("copilot", "copilot", "@github/copilot", "1.0.102", NODE),
  agent("pi", "pi", "@earendil-works/pi-coding-agent", "1.6.0", NODE),
  agent("kimi", "kimi", "@moonshot-ai/kimi-code", "2.1.0", NODE),
  agent("cline", "cline", "cline", "3.0.65", NODE),
  agent("droid", "droid", "droid", "0.215.0", NODE),
];

function agent(
  id: string,
  program: string,
  name: string,
  version: string,
  ...beside: NpmPackage[]
): AgentPackage {
  return { id, program, packages: [{ name, version }, ...beside] };
}

export function findAgent(id: string): AgentPackage | undefined {
  return AGENTS.find((agent) => agent.id === id);
}

/** Holds one folder for each package and version. */
export function agentsFolder(get: (name: string) => string | undefined): string {
  const cache = get("XDG_CACHE_HOME") || `${get("HOME")}/.cache`;
  return get("MYTTY_REAL_AGENTS_DIR") || `${cache}/mytty-real-agents`;
}

export function packageFolder(root: string, { name, version }: NpmPackage): string {
  return `${root}/${name}@${version}`;
}

/** Where the programs of a package and its neighbours lie, as a person's PATH would have them. */
export function binFolders(root: string, { packages }: AgentPackage): string[] {
  return packages.map((npm) => `${packageFolder(root, npm)}/node_modules/.bin`);
}

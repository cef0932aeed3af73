/** What `mytty estimate` shows. */

import type { AgentReport } from "../core/ports.ts";
import { findProvider } from "../core/registry.ts";
import { fit } from "./paint.ts";
import { table } from "./table.ts";
import type { Screen } from "./terminal.ts";
import { labelled } from "./wrap.ts";

export function estimateTable(agents: readonly AgentReport[], screen: Screen): string {
  if (agents.length === 0) return "No agents run here.\n";
  const columns = [
    { title: "STATE", max: 18 },
    { title: "AGENT", max: 18 },
    { title: "PID", max: 8 },
    { title: "TERMINAL", max: 16 },
    { title: "SEEN BY", max: 12 },
    { title: "FOLDER", max: 200 },
  ];
  const rows = agents.map((agent) =>
    [
      agent.state,
      nameOf(agent),
      String(agent.pid),
      agent.tty ?? "-",
      agent.source ?? "process",
      agent.cwd ?? "-",
    ].map((text) => ({ text }))
  );
  return table(columns, rows, screen);
}

/** Every agent with what it was concluded from. */
export function estimateLines(agents: readonly AgentReport[], screen: Screen): string {
  if (agents.length === 0) return "No agents run here.\n";
  return agents.map((agent) => {
    const facts: [string, string | null][] = [
      ["process", `${agent.pid}${agent.headless ? ", print run" : ""}, ${foreground(agent)}`],
      ["terminal", agent.tty],
      ["folder", agent.cwd],
      ["session", agent.sessionID],
      ["transcript", agent.transcript],
      ["status", agent.status === null ? null : `${agent.status}, by its own status file`],
      ["hooks", agent.hooks],
      ["evidence", agent.evidence === null ? null : `${agent.source} ${agent.evidence}`],
    ];
    const told = facts.flatMap(([name, value]) =>
      value === null
        ? []
        : labelled({ text: `    ${name.padEnd(11)}`, width: 15 }, value, screen.width)
    );
    return [fit(`${agent.state}: ${nameOf(agent)}`, screen.width), ...told, ""].join("\n");
  }).join("");
}

function foreground(agent: AgentReport): string {
  return agent.foreground ? "in the foreground" : "in the background";
}

function nameOf({ provider }: AgentReport): string {
  return findProvider(provider)?.displayName ?? provider;
}

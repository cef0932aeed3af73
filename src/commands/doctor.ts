/** `mytty doctor`: one page that says what works, and for the rest what to do. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import type { ChannelStatus } from "../core/ports.ts";
import { PROVIDERS } from "../core/registry.ts";
import type { ProviderHealth } from "../installers/health.ts";
import { isHealthy } from "../installers/judge.ts";
import { readEnvironment } from "../socket/environment.ts";
import { pathsOf } from "../socket/paths.ts";
import { type Check, doctorPage } from "../views/doctor_page.ts";
import { terminal } from "../views/terminal.ts";
import { bodyOf, client, defineCommand, finish, writeJson, writeOut } from "./_command.ts";
import { askServer, serverChecks } from "./_doctor_server.ts";
import { multiplexerChecks, sandboxCheck, terminalCheck } from "./_doctor_terminal.ts";
import { providerHealth } from "./_provider_health.ts";
import { askProviders, toldBy } from "./_told.ts";

type Options = { readonly json?: true };

export function command(): Command {
  return defineCommand({
    name: "doctor",
    summary: "Say what works, what does not, and what to do about it",
    examples: ["mytty doctor", "mytty doctor --json"],
    build: (command) => command.option("--json", "print one JSON document").action(doctor),
  });
}

/** Exit status 1 when something does not work; what only needs a look is no failure. */
async function doctor({ json }: Options, command: Command): Promise<void> {
  const environment = readEnvironment();
  const paths = pathsOf(environment);
  const server = await askServer(paths);
  const isUp = server.state === "up";
  const checks = [
    ...serverChecks(paths, server),
    ...await providerChecks(isUp),
    ...await channelChecks(isUp),
    terminalCheck(environment.get),
    ...await multiplexerChecks(environment.get),
    sandboxCheck(environment.get, server.state === "blocked"),
  ];
  const isBroken = checks.some(({ state }) => state === "fail");
  finish(command, isBroken ? EXIT.failed : EXIT.done);
  if (json) return writeJson({ ok: !isBroken, checks });
  writeOut(doctorPage(checks, terminal()));
}

async function providerChecks(isUp: boolean): Promise<Check[]> {
  const told = isUp ? toldBy(await askProviders()) : null;
  const all = await providerHealth(PROVIDERS, told);
  const here = all.filter(({ state, program }) => state !== "not-installed" || program !== null);
  if (here.length > 0) return here.map(providerCheck);
  return [{
    group: "Agents",
    name: "agents",
    state: "warn",
    detail: "none of the known agents is found in PATH",
    next: "Install an agent, or report from your own with `mytty emit`",
  }];
}

const BROKEN = new Set(["needs-repair", "conflict", "error", "cli-missing"]);

function providerCheck({ provider, displayName, state, detail, action }: ProviderHealth): Check {
  const isOff = state === "not-installed";
  return {
    group: "Agents",
    name: displayName,
    state: isHealthy(state) ? "ok" : BROKEN.has(state) ? "fail" : isOff ? "note" : "warn",
    detail: `${state}: ${detail}`,
    next: action ?? (isOff ? `mytty install ${provider}` : null),
  };
}

async function channelChecks(isUp: boolean): Promise<Check[]> {
  if (!isUp) return [];
  const { channels } = bodyOf<{ channels: ChannelStatus[] }>(
    await client().request("/v1/channels"),
  );
  return channels.map(({ name, active, detail }) => {
    const isFailed = detail.startsWith("the last delivery: failed");
    return {
      group: "Notifications",
      name,
      state: !active ? "note" : isFailed ? "warn" : "ok",
      detail,
      next: active && detail !== "the last delivery went well" ? `mytty notify test ${name}` : null,
    };
  });
}

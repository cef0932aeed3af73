/** `mytty emit`: an event for an agent that is not on our list. */

import type { Command } from "commander";
import { WIRE_KINDS, type WireKind } from "../core/log/event.ts";
import { EXIT } from "../core/exit_code.ts";
import { derivedID, uuidOrNull } from "../core/ids.ts";
import { readEnvironment, readPaths } from "../socket/environment.ts";
import { sendEnvelope } from "../socket/envelope_client.ts";
import { CliError, defineCommand, writeJson } from "./_command.ts";

type Options = {
  readonly provider: string;
  readonly kind: string;
  readonly run?: string;
  readonly session?: string;
  readonly message?: string;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly hookName?: string;
};

export function command(): Command {
  return defineCommand({
    name: "emit",
    summary: "Send an event for the surface this runs in",
    examples: [
      "mytty emit --provider my-agent --kind started",
      "mytty emit --provider my-agent --kind approval-requested --message 'Deploy?'",
      "mytty emit --provider my-agent --kind succeeded",
    ],
    build: (command) =>
      command
        .requiredOption("--provider <id>", "a known agent, or any name of a-z, 0-9 and -")
        .requiredOption("--kind <kind>", WIRE_KINDS.join(", "))
        .option("--run <uuid>", "the run; otherwise one per session or surface")
        .option("--session <id>", "the agent's own session id")
        .option("--message <text>", "text for people")
        .option("--tool <name>", "the tool that asks or has finished")
        .option("--tool-use-id <id>", "which use of the tool")
        .option("--hook-name <name>", "what caused the event")
        .option("--json", "print one JSON document; there is no other form")
        .action(emit),
  });
}

async function emit(options: Options): Promise<void> {
  const environment = readEnvironment();
  if (!WIRE_KINDS.includes(options.kind as WireKind)) {
    throw new CliError(EXIT.usage, `--kind takes ${WIRE_KINDS.join(", ")}, not "${options.kind}"`);
  }
  const surface = uuidOrNull(environment.get("MYTTY_SURFACE_ID"));
  if (surface === null) {
    throw new CliError(
      EXIT.failed,
      'This is no surface; run inside `mytty run`, or eval "$(mytty surface open)" first',
    );
  }
  const socket = environment.get("MYTTY_EVENT_SOCKET") ?? readPaths().eventSocket;
  const answer = await sendEnvelope(
    socket,
    envelopeOf(options, {
      surface,
      capability: environment.get("MYTTY_EVENT_CAPABILITY") ?? "",
    }),
  );
  writeJson(answer);
  if (!answer.ok) throw new CliError(EXIT.failed, `The server refused the event: ${answer.error}`);
}

function envelopeOf(
  options: Options,
  { surface, capability }: { surface: string; capability: string },
): unknown {
  const run = options.run ??
    derivedID("run", options.provider, options.session ?? surface, "emit");
  return {
    schemaVersion: 1,
    capability,
    event: {
      schemaVersion: 1,
      id: { rawValue: crypto.randomUUID() },
      runID: { rawValue: run },
      sessionID: options.session ?? null,
      surfaceID: { rawValue: surface },
      provider: options.provider,
      kind: options.kind,
      occurredAt: new Date().toISOString(),
      message: options.message ?? null,
      hookName: options.hookName ?? null,
      toolUseID: options.toolUseId ?? null,
      toolName: options.tool ?? null,
    },
  };
}

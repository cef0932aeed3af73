/** `mytty ssh HOST`: agents on another machine report here, in the pane that ssh runs in. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { hostName, remoteCommand, type SshWords, sshWords } from "../core/shell/ssh_words.ts";
import { UnreachableError } from "../socket/unreachable.ts";
import { readEnvironment } from "../socket/environment.ts";
import { pathsOf } from "../socket/paths.ts";
import { openRelay, type Relay } from "../socket/relay.ts";
import { runChild } from "./_child.ts";
import {
  bodyOf,
  client,
  CliError,
  defineCommand,
  finish,
  messageOf,
  writeErr,
} from "./_command.ts";

type OpenedJson = { readonly surfaceID: string; readonly env: Record<string, string> };

type Link = { readonly surfaceID: string; readonly relay: Relay; readonly words: string[] };

/** Of ssh itself: the connection failed or broke. */
const BROKEN = 255;

/** A dead link is noticed within a minute, not after hours. */
const KEEPALIVE = ["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"];

export function command(): Command {
  return defineCommand({
    name: "ssh",
    summary: "Log in elsewhere; agents there report here, marked with their host",
    examples: [
      "mytty ssh build-box",
      "mytty ssh -p 2222 me@build-box claude",
      "mytty ssh -J jump build-box",
    ],
    build: (command) =>
      command
        .argument("[words...]", "options, host and command, as for ssh")
        .allowUnknownOption()
        .passThroughOptions()
        .action(run),
  });
}

async function run(given: string[], _options: unknown, command: Command): Promise<void> {
  const words = sshWords(given);
  if (words === null) throw new CliError(EXIT.usage, "ssh takes a host; see --help");
  const link = await openLink(words);
  const status = await runChild(["ssh", ...link?.words ?? given], {});
  if (link !== null) await closeLink(link, hostName(words.host), status);
  finish(command, status.code);
}

/** Null whatever is wrong with the server: the person wants to log in all the same. */
async function openLink(words: SshWords): Promise<Link | null> {
  const host = hostName(words.host);
  const paths = pathsOf(readEnvironment());
  try {
    const body = { label: host, pid: Deno.pid, cwd: Deno.cwd(), host, reportsEnds: true };
    const opened = bodyOf<OpenedJson>(
      await client().request("/v1/surfaces", { method: "POST", body }),
    );
    const { surfaceID, env } = opened;
    const path = `${paths.runtime}/ssh-${Deno.pid}.sock`;
    const claim = { surfaceID, capability: env.MYTTY_EVENT_CAPABILITY! };
    const relay = await openRelay({ path, eventSocket: paths.eventSocket, claim, host });
    // A name of its own: left-over sockets over there never stand in the way.
    const there = `/tmp/mytty-${crypto.randomUUID()}.sock`;
    const variables = { MYTTY_SURFACE_ID: surfaceID, MYTTY_ORIGIN: host };
    const remote = remoteCommand(there, variables, words.command);
    const terminal = words.command.length === 0 && Deno.stdin.isTerminal() ? ["-t"] : [];
    const forward = ["-o", "ExitOnForwardFailure=yes", "-R", `${there}:${path}`];
    return {
      surfaceID,
      relay,
      words: [...KEEPALIVE, ...forward, ...terminal, ...words.options, words.host, remote],
    };
  } catch (error) {
    writeErr(`${messageOf(error)}; logging in without reporting`);
    return null;
  }
}

/** What ran there can report no more: when the link broke, that is a loss and is said. */
async function closeLink(link: Link, host: string, status: Deno.CommandStatus): Promise<void> {
  const isBroken = status.code === BROKEN || status.signal !== null;
  const body = { exitCode: isBroken ? null : status.code, close: true };
  try {
    const path = `/v1/surfaces/${link.surfaceID}/finished`;
    await client().request(path, { method: "POST", body });
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
  }
  await link.relay.close();
  if (isBroken) writeErr(`The link to "${host}" broke; what ran there can report no more`);
}

/**
 * `mytty hook <provider>`: transports one hook. It never decides, never blocks, never breaks the
 * agent: exit 0, silent, within one monotonic budget over everything it does.
 *
 * Hot path: loads nothing but its own small modules.
 */

import { PANE_VARIABLES } from "../core/placement/pane_variables.ts";
import { hasControl } from "../core/text.ts";
import { CALLER_VARIABLE } from "../core/wire/hook_fallback.ts";
import { MAX_PAYLOAD_BYTES } from "../core/wire/hook_request.ts";
import {
  HOOK_BUDGET_MS,
  MAX_HEADER_CHARS,
  NOTHING_CAME,
  SEND_RESERVE_MS,
} from "../core/wire/hook_timing.ts";
import { HOOK_TABLE, type HookRow } from "./hook_table.ts";
import { logHookFailure } from "./hook_log.ts";
import { sendHook, type Sent } from "./hook_transport.ts";
import { readEnvironment } from "./environment.ts";
import { type Environment, pathsOf, socketsOf } from "./paths.ts";
import { readStdin } from "./read_stdin.ts";
import { writeSpool } from "./spool.ts";

export type HookArguments = {
  readonly provider: string;
  readonly event: string | null;
  readonly isTest: boolean;
};

/** The exit status: 0, except for a test that failed. */
export async function runHook(args: HookArguments): Promise<number> {
  const deadline = performance.now() + HOOK_BUDGET_MS;
  // A word of the agent's configuration: `constructor` is no provider.
  const row = Object.hasOwn(HOOK_TABLE, args.provider) ? HOOK_TABLE[args.provider] : undefined;
  // Whatever it was: the agent gets its answer.
  const error = await deliver(row, args, deadline).catch((reason) => String(reason));
  if (args.isTest) return reportTest(error);
  print(row, args.event);
  return 0;
}

/** Null when the server has it, or why not; then the spool has it, if that makes sense. */
async function deliver(
  row: HookRow | undefined,
  args: HookArguments,
  deadline: number,
): Promise<string | null> {
  const environment = readEnvironment();
  const stdin = await readStdin(MAX_PAYLOAD_BYTES, deadline - SEND_RESERVE_MS);
  const at = Date.now();
  const deliveryID = crypto.randomUUID();
  const headers = headersOf(row, { args, at, deliveryID, isCut: stdin.isCut });
  const socket = environment.get("MYTTY_EVENT_SOCKET") ?? socketsOf(environment).eventSocket;
  const capability = environment.get("MYTTY_EVENT_CAPABILITY");
  const sent: Sent = stdin.isCut && stdin.bytes.length === 0
    ? { error: NOTHING_CAME, then: "give-up" }
    : await sendHook({
      socket,
      provider: row?.id ?? args.provider,
      headers: capability === undefined || !fitsHeader(capability)
        ? headers
        : [...headers, ["mytty-capability", capability]],
      payload: stdin.bytes,
      deadline,
    });
  if (sent.error !== null && !args.isTest) {
    const provider = row?.id ?? args.provider;
    const isKept = sent.then !== "give-up" && row !== undefined;
    const entry = { provider, at, deliveryID, headers, payload: stdin.bytes };
    const failure = { provider, event: args.event, error: sent.error };
    keepFailure(environment, { failure, entry: isKept ? entry : null });
  }
  return sent.error;
}

type Entry = Parameters<typeof writeSpool>[1];

/** Without a folder for it the event is lost, in silence: the agent comes first. */
function keepFailure(
  environment: Environment,
  { failure, entry }: {
    readonly failure: Omit<Parameters<typeof logHookFailure>[1], "spooled">;
    readonly entry: Entry | null;
  },
): void {
  try {
    const { spool, hookLog } = pathsOf(environment);
    const spooled = entry !== null && trySpool(spool, entry);
    logHookFailure(hookLog, { ...failure, spooled });
  } catch {
    // No home folder.
  }
}

function headersOf(
  row: HookRow | undefined,
  { args, at, deliveryID, isCut }: {
    args: HookArguments;
    at: number;
    deliveryID: string;
    isCut: boolean;
  },
): [string, string][] {
  const headers: [string, string][] = [
    ["mytty-delivery", deliveryID],
    ["mytty-at", String(at)],
    ["mytty-pid", Deno.env.get(CALLER_VARIABLE) ?? String(Deno.ppid)],
  ];
  if (args.event !== null) headers.push(["mytty-event", args.event]);
  if (args.isTest) headers.push(["mytty-test", "1"]);
  if (isCut) headers.push(["mytty-cut", "1"]);
  const surface = Deno.env.get("MYTTY_SURFACE_ID");
  if (surface) headers.push(["mytty-surface", surface]);
  for (const name of [...PANE_VARIABLES, ...row?.env ?? []]) {
    const value = Deno.env.get(name);
    if (value) headers.push(["mytty-env", `${name}=${value}`]);
  }
  return headers.filter(([, value]) => fitsHeader(value));
}

/** A control character would end the header or void the request; such a value is no pane's. */
function fitsHeader(value: string): boolean {
  return !hasControl(value) && value.length <= MAX_HEADER_CHARS;
}

function trySpool(folder: string, entry: Entry): boolean {
  try {
    writeSpool(folder, entry);
    return true;
  } catch {
    return false;
  }
}

function print(row: HookRow | undefined, event: string | null): void {
  const reply = row?.reply[event ?? "*"] ?? row?.reply["*"] ?? "";
  if (reply === "") return;
  try {
    Deno.stdout.writeSync(new TextEncoder().encode(`${reply}\n`));
  } catch {
    // The agent does not want to read it.
  }
}

function reportTest(error: string | null): number {
  if (error === null) return 0;
  try {
    Deno.stderr.writeSync(new TextEncoder().encode(`mytty hook: ${error}\n`));
  } catch {
    // The exit status says it as well.
  }
  return 1;
}

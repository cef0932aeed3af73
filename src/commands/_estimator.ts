/** Composes the estimator with the daemon: the edges do not know one another. */

import { uuidOrNull } from "../core/ids.ts";
import type { AgentPlace, EstimatorHost } from "../core/ports.ts";
import { PANE_VARIABLES } from "../core/placement/pane_variables.ts";
import { placeHook } from "../core/placement/placement.ts";
import type { Processes } from "../core/process/process.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { findProvider } from "../core/registry.ts";
import type { State } from "../core/log/state.ts";
import type { HookRequest } from "../core/wire/hook_request.ts";
import type { FileEnv } from "../estimator/agent_files.ts";
import { Estimator } from "../estimator/estimator.ts";
import { InstalledProviders } from "../installers/installed_providers.ts";
import type { Daemon } from "../socket/daemon.ts";
import { homeFolder } from "../socket/environment.ts";
import { readEvidence } from "../socket/hook_evidence.ts";

const CLAIM = ["MYTTY_SURFACE_ID", "MYTTY_EVENT_CAPABILITY"] as const;

export function createEstimator(
  daemon: Daemon,
  processes: Processes,
  { mode = () => "auto" }: { readonly mode?: () => string } = {},
): Estimator {
  const host = hostOf(daemon, processes);
  const installed = new InstalledProviders(daemon.paths.state);
  const estimator = new Estimator({
    host,
    processes,
    env: fileEnv(),
    log: daemon.log,
    // Asked at every reading: the configuration may change while serving.
    isWanted: (provider) =>
      mode() === "auto" || (mode() === "not-installed-only" && !installed.has(provider)),
  });
  daemon.estimator = estimator;
  daemon.exitWatch.lastWord = (session) => estimator.lastWord(session);
  return estimator;
}

export function fileEnv(): FileEnv {
  const uid = Deno.uid() ?? undefined;
  return { home: homeFolder() ?? "/", get: (name) => Deno.env.get(name), uid };
}

function hostOf(daemon: Daemon, processes: Processes): EstimatorHost {
  const before = new Set<string>();
  for (const { source, provider } of daemon.state.runs.values()) {
    if (source === "hook") before.add(provider);
  }
  return {
    state: daemon.state,
    submit: async (decide) => {
      await daemon.mailbox.submit((state) => ({ entries: decide(state) }));
    },
    onRows: (listener) =>
      daemon.feed.subscribe((applied) => listener(applied.map(({ row }) => row))),
    place: (provider, pid) => placeAgent(daemon.state, { provider, pid }, processes),
    isHeard: (provider) => before.has(provider) || daemon.counters.of(provider).lastAt !== null,
    endedWellAt: (surfaceID) => daemon.surfaces.endedWellAt(surfaceID),
  };
}

/** By the rules and the evidence of a hook of this process. */
export async function placeAgent(
  state: State,
  { provider, pid }: { readonly provider: string; readonly pid: number },
  processes: Processes,
): Promise<AgentPlace> {
  const record = findProvider(provider)!;
  const request = await requestOf(record, pid, processes);
  const evidence = await readEvidence(request, record, processes);
  const { surfaceID, opens, parentRunID } = placeHook(state, {
    ...evidence,
    provider,
    sessionID: null,
  });
  return { surfaceID, opens, parentRunID };
}

/** What a hook of this process would have sent about its place. */
async function requestOf(
  record: ProviderRecord,
  pid: number,
  processes: Processes,
): Promise<HookRequest> {
  const names = [...PANE_VARIABLES, ...record.hook.env, ...CLAIM];
  const { MYTTY_SURFACE_ID, MYTTY_EVENT_CAPABILITY, ...env } =
    await processes.readEnv(pid, names).catch(() => null) ?? {} as Record<string, string>;
  const surfaceID = uuidOrNull(MYTTY_SURFACE_ID);
  const capability = MYTTY_EVENT_CAPABILITY ?? "";
  return {
    provider: record.id,
    claim: surfaceID === null || capability === "" ? null : { surfaceID, capability },
    pid,
    deliveryID: null,
    at: null,
    event: null,
    env,
    isTest: false,
    isCut: false,
    isSpooled: false,
  };
}

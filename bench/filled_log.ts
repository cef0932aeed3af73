/** A log with many rows, written the way the server writes it. */

import type { AgentEvent } from "../src/core/log/event.ts";
import { processID } from "../src/core/process/process.ts";
import { createProcesses } from "../src/estimator/processes.ts";
import { EventLog } from "../src/socket/event_log.ts";

const BATCH = 5_000;
const EVENTS_PER_RUN = 10;

/** `live`: runs stay running; otherwise each ends. Runs belong to many sessions without a pane. */
export async function fillLog(
  path: string,
  rows: number,
  { live }: { live: boolean },
): Promise<void> {
  // Living processes vouch for live runs; else the start-up would end them all.
  const living = [...(await createProcesses().readTable()).values()].map(processID);
  Deno.mkdirSync(path.replace(/\/[^/]*$/, ""), { recursive: true, mode: 0o700 });
  const log = new EventLog(path);
  const from = Date.now() - rows;
  let runID = "";
  for (let row = 0; row < rows; row++) {
    const step = row % EVENTS_PER_RUN;
    if (step === 0) runID = crypto.randomUUID();
    const process = living[Math.floor(row / EVENTS_PER_RUN) % living.length]!;
    const kind = step === 0
      ? "started"
      : live || step < EVENTS_PER_RUN - 1
      ? "running"
      : "succeeded";
    log.append({ ...eventOf(runID, { kind, at: from + row }), process }, from + row);
    if (row % BATCH === BATCH - 1) log.commit();
  }
  log.commit();
  log.checkpoint();
  log.close();
}

function eventOf(
  runID: string,
  { kind, at }: Pick<AgentEvent, "kind"> & { at: number },
): AgentEvent {
  return {
    type: "agent-event",
    id: crypto.randomUUID(),
    runID,
    provider: "bench-agent",
    kind,
    occurredAt: at,
    source: "hook",
    sessionID: `session-${runID.slice(0, 8)}`,
    surfaceID: null,
    message: "A message of a usual length, as an agent's hook would send it",
    hookName: "PostToolUse",
    toolUseID: null,
    toolName: "Bash",
    settles: "none",
  };
}

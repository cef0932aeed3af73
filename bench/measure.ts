/** Shared by the benchmarks: real servers in temporary folders, percentiles, result rows. */

import { Built } from "../tests/helpers/built.ts";

/** One measured ratio against its bar; figures are of this machine and this run only. */
export type Result = {
  readonly work: string;
  readonly measured: string;
  readonly ratio: number;
  /** `at most` or `at least` this. */
  readonly bar: { readonly least?: number; readonly most?: number };
};

export function isMet({ ratio, bar }: Result): boolean {
  return ratio >= (bar.least ?? -Infinity) && ratio <= (bar.most ?? Infinity);
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function fixed(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

export async function withTemporary<T>(task: (folder: string) => Promise<T>): Promise<T> {
  const folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "mtb-" });
  try {
    return await task(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

export async function withServed<T>(
  folder: string,
  task: (built: Built) => Promise<T>,
): Promise<T> {
  const built = new Built(folder);
  try {
    await built.serve();
    return await task(built);
  } finally {
    await built.stop();
  }
}

export type Pane = { readonly surfaceID: string; readonly capability: string };

export async function openPane(built: Built): Promise<Pane> {
  const reply = await built.control.request("/v1/surfaces", { method: "POST", body: {} });
  const { surfaceID, env } = reply.body as { surfaceID: string; env: Record<string, string> };
  return { surfaceID, capability: env.MYTTY_EVENT_CAPABILITY! };
}

const encoder = new TextEncoder();

export function envelopeBytes({ surfaceID, capability }: Pane, runID: string): Uint8Array {
  return encoder.encode(`${
    JSON.stringify({
      schemaVersion: 1,
      capability,
      event: {
        schemaVersion: 1,
        id: { rawValue: crypto.randomUUID() },
        runID: { rawValue: runID },
        sessionID: "bench",
        surfaceID: { rawValue: surfaceID },
        provider: "bench-agent",
        kind: "running",
        occurredAt: new Date().toISOString(),
        message: "A message of a usual length, as an agent's hook would send it",
      },
    })
  }\n`);
}

/** One event on a connection of its own, as the protocol has it. */
export async function sendEvent(socket: string, bytes: Uint8Array): Promise<void> {
  using connection = await Deno.connect({ transport: "unix", path: socket });
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  const buffer = new Uint8Array(256);
  const length = await connection.read(buffer);
  const answer = new TextDecoder().decode(buffer.subarray(0, length ?? 0));
  if (answer !== '{"ok":true,"inserted":true}\n') throw new Error(`Unexpected answer: ${answer}`);
}

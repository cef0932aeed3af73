/** hooks.log: why deliveries failed. JSON lines, private, never a payload, rotated once at 1 MiB. */

const MAX_BYTES = 1_048_576;

export type HookFailure = {
  readonly provider: string;
  readonly event: string | null;
  readonly error: string;
  readonly spooled: boolean;
};

/** Never throws: failing to log must not hurt the agent either. */
export function logHookFailure(path: string, failure: HookFailure): void {
  try {
    Deno.mkdirSync(path.replace(/\/[^/]*$/, ""), { recursive: true, mode: 0o700 });
    const line = `${JSON.stringify({ ts: new Date().toISOString(), ...failure })}\n`;
    rotate(path, line.length);
    Deno.writeTextFileSync(path, line, { append: true, mode: 0o600 });
  } catch {
    // Nobody to tell.
  }
}

function rotate(path: string, incoming: number): void {
  try {
    if (Deno.statSync(path).size + incoming > MAX_BYTES) Deno.renameSync(path, `${path}.1`);
  } catch {
    // Not there yet.
  }
}

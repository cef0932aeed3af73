/**
 * One bounded run of a system tool (`ps`, `lsof`, `tmux`): argument array, no shell, a deadline, a
 * limit on its output, and an end for it whatever it does.
 */

export interface ToolOptions {
  readonly timeoutMs: number;
  readonly maxBytes?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export type ToolResult =
  | { readonly ok: true; readonly code: number; readonly stdout: string }
  | { readonly ok: false; readonly reason: string };

/** How long a killed tool may take to be gone. */
const KILL_MS = 200;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** Never throws; a tool that is missing, hangs or floods is an answer with a reason. */
export async function runTool(
  file: string,
  args: readonly string[],
  options: ToolOptions,
): Promise<ToolResult> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(file, {
      args: [...args],
      env: { ...options.env },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
  } catch (error) {
    return { ok: false, reason: `Start "${file}": ${String(error)}` };
  }
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<ToolResult>((resolve) => {
    timer = setTimeout(() => {
      resolve({ ok: false, reason: `Run "${file}": no end within ${options.timeoutMs} ms` });
    }, options.timeoutMs);
  });
  const reader = child.stdout.getReader();
  const whole = collect(child, reader, { file, maxBytes }).catch((error): ToolResult => ({
    ok: false,
    reason: `Read from "${file}": ${String(error)}`,
  }));
  const result = await Promise.race([whole, deadline]);
  clearTimeout(timer);
  if (!result.ok) await end(child, reader);
  return result;
}

async function collect(
  child: Deno.ChildProcess,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  context: { readonly file: string; readonly maxBytes: number },
): Promise<ToolResult> {
  const decoder = new TextDecoder();
  let stdout = "";
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    total += value.length;
    if (total > context.maxBytes) {
      return { ok: false, reason: `Run "${context.file}": more than ${context.maxBytes} bytes` };
    }
    stdout += decoder.decode(value, { stream: true });
  }
  const { code } = await child.status;
  return { ok: true, code, stdout: stdout + decoder.decode() };
}

async function end(
  child: Deno.ChildProcess,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
  // Its own children may hold the pipe open: give it up instead of waiting for the end.
  await reader.cancel().catch(() => undefined);
  // A process that waits for a dead disk cannot even be killed: it must not hold us.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, KILL_MS);
  });
  await Promise.race([child.status, patience]);
  clearTimeout(timer);
  child.unref();
}

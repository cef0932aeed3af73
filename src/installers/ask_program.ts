/** I/O edge: asks another program one thing, without a shell, bounded in time and in what it says. */

export interface AskOptions {
  /** 5 seconds by default. */
  readonly timeoutMs?: number;
  /** Added to the program's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads; nothing by default. */
  readonly stdin?: string;
}

export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit status; null when it cannot be run or had to be ended. */
  readonly code: number | null;
  /** Why there is no exit status, for people. */
  readonly issue: string | null;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;
/** A child that it left behind may keep the pipes open; what was said before its end counts. */
const GRACE_MS = 500;

/** What a program says, at most 64 KiB of each stream; never throws. */
export async function askProgram(
  program: string,
  args: readonly string[],
  { timeoutMs = TIMEOUT_MS, env = {}, stdin }: AskOptions = {},
): Promise<Answer> {
  const child = await start(program, args, { timeoutMs, env, isFed: stdin !== undefined });
  if (child instanceof Error) {
    return { stdout: "", stderr: "", code: null, issue: `Cannot run ${program}: ${child.message}` };
  }
  if (stdin !== undefined) void feed(child, stdin);
  const said = { stdout: "", stderr: "" };
  const reading = Promise.all([
    collect(child.stdout, (text) => said.stdout = text),
    collect(child.stderr, (text) => said.stderr = text),
  ]);
  const code = await within(timeoutMs, child.status.then((status) => status.code));
  if (code !== null) await within(GRACE_MS, reading);
  else endGroup(child);
  child.unref();
  const issue = code === null ? `${program} did not answer within ${timeoutMs / 1_000} s` : null;
  return { ...said, code, issue };
}

async function within<T>(ms: number, task: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => timer = setTimeout(() => resolve(null), ms));
  const result = await Promise.race([task, late]);
  clearTimeout(timer);
  return result;
}

/** One that does not read, or has ended, is no failure of the asker. */
async function feed(child: Deno.ChildProcess, text: string): Promise<void> {
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text)).catch(() => {});
  await writer.close().catch(() => {});
}

const BUSY_WAIT_MS = 20;

/**
 * A file that somebody still holds open for writing cannot be executed: an update that is being
 * written, or a process forked meanwhile that has not yet dropped what it inherited. That passes.
 */
async function start(
  program: string,
  args: readonly string[],
  { timeoutMs, env, isFed }: Required<Omit<AskOptions, "stdin">> & { readonly isFed: boolean },
): Promise<Deno.ChildProcess | Error> {
  const command = new Deno.Command(program, {
    args: [...args],
    env,
    cwd: "/",
    // A group of its own: a wrapper that hangs is ended together with what it started.
    detached: true,
    stdin: isFed ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
  });
  for (let waited = 0;; waited += BUSY_WAIT_MS) {
    try {
      return command.spawn();
    } catch (error) {
      const issue = error instanceof Error ? error : new Error(String(error));
      if (!/Text file busy/.test(issue.message) || waited >= timeoutMs) return issue;
      await new Promise((resolve) => setTimeout(resolve, BUSY_WAIT_MS));
    }
  }
}

/** What came so far is kept: a descendant may hold the pipe open for ever. */
async function collect(
  stream: ReadableStream<Uint8Array>,
  update: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of stream) {
    text += decoder.decode(part, { stream: true });
    update(text.slice(0, MAX_BYTES));
    if (text.length > MAX_BYTES) return;
  }
}

function endGroup(child: Deno.ChildProcess): void {
  try {
    Deno.kill(-child.pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

/** Small tools for driving programs: one command to its end, patience, and ending by id. */

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type RunOptions = {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
};

/** How long anything may take; machines are slow when others use them. */
export const PATIENCE_MS = 60_000;

/** Runs `program` to its end with nothing inherited but `env`; killed when patience ends. */
export async function run(
  program: string,
  args: readonly string[],
  { env, cwd, stdin }: RunOptions,
): Promise<Ran> {
  const child = new Deno.Command(program, {
    args: [...args],
    env: { ...env },
    clearEnv: true,
    ...(cwd === undefined ? {} : { cwd }),
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), 2 * PATIENCE_MS);
  try {
    if (stdin !== undefined) {
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(
        () => {},
      );
    }
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } finally {
    clearTimeout(timer);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Looks until there is something; else fails with what was waited for and what is there instead. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | null | false>,
  explain: () => Promise<string> = () => Promise.resolve(""),
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}\n${await explain()}`);
    await pause(200);
  }
}

/** Processes that carry `entry` in their environment: all that a test has started, also by itself. */
export function processesWith(entry: string): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const variables = Deno.readTextFileSync(`/proc/${name}/environ`).split("\0");
      if (variables.includes(entry)) found.push(Number(name));
    } catch {
      // It has ended meanwhile, or is another user's.
    }
  }
  return found;
}

/** Ends them by id, again while they start others. */
export async function endProcessesWith(entry: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const pids = processesWith(entry);
    if (pids.length === 0) return;
    for (const pid of pids) signal(pid, round < 5 ? "SIGTERM" : "SIGKILL");
    await pause(100);
  }
}

export function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

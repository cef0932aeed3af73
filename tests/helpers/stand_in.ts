/**
 * A process of an agent's name that lives as long as its session and runs the hook command for each
 * payload: the server looks at who called, and whether it still lives.
 */

/** Runs the hook once for every line; the payloads are JSON on one line each. */
const LOOP = `while IFS= read -r line; do printf '%s\\n' "$line" | "$@"; echo "$?"; done`;

export type StandInOptions = {
  /** Where its program is made; shared by stand-ins of one name. */
  readonly folder: string;
  readonly program: string;
  readonly hook: readonly string[];
  readonly env: Record<string, string>;
};

export class StandIn {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor({ folder, program, hook, env }: StandInOptions) {
    this.#child = new Deno.Command(namedShell(folder, program), {
      args: ["-c", LOOP, "sh", ...hook],
      env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reader = this.#child.stdout.getReader();
  }

  /** What the hook printed, and its exit status, as one text: "0\n" for a good and silent one. */
  async tell(payload: unknown): Promise<string> {
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(payload)}\n`));
    let text = "";
    while (!/\d+\n$/.test(text)) {
      const { value, done } = await this.#reader.read();
      if (done) throw new Error(`The stand-in ended early: "${text}"`);
      text += new TextDecoder().decode(value);
    }
    return text;
  }

  async end(): Promise<void> {
    await this.#writer.close();
    await this.#reader.cancel();
    await this.#child.status;
  }
}

/** A shell under another name. */
function namedShell(folder: string, program: string): string {
  const path = `${folder}/${program}`;
  try {
    Deno.symlinkSync("/bin/sh", path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  return path;
}

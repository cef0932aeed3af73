/** Asks another program one thing: no shell, bounded in time, what it said on both streams. */

import { spawn } from "node:child_process";

export type Asked = {
  /** Null when the program is missing or had to be ended. */
  readonly code: number | null;
  readonly stdout: string;
  /** The last line on stderr, or why there is none. */
  readonly reason: string;
};

const LIMIT_MS = 20_000;
const MAX_OUTPUT = 65_536;
/** A child that it left behind may keep the pipes open; what was said before its end counts. */
const GRACE_MS = 50;

export function askProgram(
  program: string,
  args: readonly string[],
  limitMs = LIMIT_MS,
): Promise<Asked> {
  return new Promise((resolve) => {
    const said = { stdout: "", stderr: "" };
    const child = spawn(program, [...args], { stdio: ["ignore", "pipe", "pipe"], detached: true });
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (said[name].length < MAX_OUTPUT) said[name] += text;
      });
    }
    const timer = setTimeout(() => {
      endGroup(child.pid);
      done(null, `${program} did not answer within ${limitMs / 1_000} s`);
    }, limitMs);
    function done(code: number | null, reason?: string) {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code, stdout: said.stdout, reason: reason ?? lastLine(said.stderr) });
    }
    child.on("error", (error) => done(null, `Cannot run ${program}: ${error.message}`));
    child.on("exit", (code) => setTimeout(() => done(code), GRACE_MS));
  });
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)!.trim();
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) Deno.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

/** Asks a service manager's own tool one thing: what it said, and its last words as the reason. */

import { askProgram } from "../installers/ask_program.ts";
import { findProgram } from "../notify/program.ts";

export type Asked = {
  /** Null when the tool is missing or had to be ended. */
  readonly code: number | null;
  readonly stdout: string;
  /** The last line on stderr, or why there is none. */
  readonly reason: string;
};

/** Starting a unit waits for it. */
const TIMEOUT_MS = 20_000;

export async function askManager(tool: string, args: readonly string[]): Promise<Asked> {
  if (findProgram([tool]) === null) {
    return { code: null, stdout: "", reason: `There is no ${tool} here` };
  }
  const { code, stdout, stderr, issue } = await askProgram(tool, args, { timeoutMs: TIMEOUT_MS });
  return { code, stdout, reason: issue ?? stderr.trim().split("\n").at(-1)!.trim() };
}

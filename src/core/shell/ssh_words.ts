/** Reads the words of an ssh command line as ssh does: options, the host, the remote command. */

import { shellQuote } from "./shell_quote.ts";

export type SshWords = {
  readonly options: readonly string[];
  readonly host: string;
  readonly command: readonly string[];
};

/** Options of ssh(1) that take a value. */
const WITH_VALUE = "BbcDEeFIiJLlmOopQRSWw";

/** Null where no host is named. */
export function sshWords(words: readonly string[]): SshWords | null {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith("-")) break;
    // "-p 22" takes the next word, "-p22" has its value, "-vp 22" ends with one that takes it.
    const letter = [...word.slice(1)].findIndex((one) => WITH_VALUE.includes(one));
    if (letter >= 0 && letter === word.length - 2) at++;
  }
  const host = words[at];
  if (host === undefined) return null;
  return { options: words.slice(0, at), host, command: words.slice(at + 1) };
}

/** The name that a person knows the machine by: without user, scheme and port. */
export function hostName(word: string): string {
  return word.replace(/^ssh:\/\//, "").replace(/^.*@/, "").replace(/:\d+$/, "").replace(/\/$/, "");
}

/** What runs there: the variables, then the command or a login shell; the socket goes with it. */
export function remoteCommand(
  socket: string,
  env: Readonly<Record<string, string>>,
  command: readonly string[],
): string {
  const exports = Object.entries({ ...env, MYTTY_EVENT_SOCKET: socket })
    .map(([name, value]) => `export ${name}=${shellQuote(value)}`);
  // In a shell of its own: an `exit` in it must not leave the socket behind.
  const run = command.length > 0 ? `(\n${command.join(" ")}\n)` : '"${SHELL:-/bin/sh}" -l';
  const script = [...exports, run, "s=$?", `rm -f ${shellQuote(socket)}`, "exit $s"].join("; ");
  // Read by whatever login shell is there, so that it must be one plain word.
  return `exec sh -c ${shellQuote(script)}`;
}

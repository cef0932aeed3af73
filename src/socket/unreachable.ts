/** Why no server answered, as one line for people: what failed, where, and what to do. */

import { socketPathIssue } from "./paths.ts";

/**
 * `blocked` is not `down`: a sandbox forbids the connection. A `silent` server took the connection
 * and says nothing: it hangs, or its process is stopped. A `stopped` one ended while it was asked.
 */
export type WhyUnreachable = "down" | "blocked" | "silent" | "stopped" | "unusable";

export class UnreachableError extends Error {
  readonly why: WhyUnreachable;

  constructor(why: WhyUnreachable, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "UnreachableError";
    this.why = why;
  }
}

/** What an error of a connection means; the error itself where it is none of reaching the server. */
export function explainConnect(error: NodeJS.ErrnoException, socket: string): Error {
  switch (error.code) {
    case "ENOENT":
    case "ECONNREFUSED":
      return new UnreachableError(
        "down",
        `No mytty serves "${socket}"; start one with \`mytty serve\``,
        error,
      );
    case "EPERM":
    case "EACCES":
      return blockedError(socket, error);
    case "EAGAIN":
      // Nobody has taken a connection for so long that no more may wait.
      return silentError(null);
    case "ECONNRESET":
    case "EPIPE":
      return stoppedError(socket, error);
    default:
      return error;
  }
}

export function blockedError(socket: string, cause?: unknown): UnreachableError {
  const message = `Connecting to "${socket}" is not permitted here; a sandbox blocks it`;
  return new UnreachableError("blocked", message, cause);
}

export function stoppedError(socket: string, cause?: unknown): UnreachableError {
  const message = `The mytty at "${socket}" stopped; start one with \`mytty serve\``;
  return new UnreachableError("stopped", message, cause);
}

/** `pid`: who serves there, where it is known. */
export function silentError(pid: number | null): UnreachableError {
  return new UnreachableError(
    "silent",
    pid === null
      ? "The server does not answer (is it stopped?); mytty doctor says how it is"
      : `The server does not answer (is pid ${pid} stopped?); ` +
        `let it go on with kill -CONT ${pid}, or end it with kill ${pid}`,
  );
}

/** A path that no socket can have is said with its length, as the server says it. */
export function checkSocketPath(socket: string): UnreachableError | null {
  const issue = socketPathIssue(socket, Deno.build.os === "darwin" ? "darwin" : "linux");
  return issue === undefined ? null : new UnreachableError("unusable", issue);
}

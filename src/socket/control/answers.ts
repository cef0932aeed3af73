/** Refusals and checked bodies, the same for every route. */

import type { Context } from "hono";
import type { z } from "zod";
import { VERSION } from "../../core/version.ts";
import { StoreError } from "../store_error.ts";

/** In every answer, whoever gives it. */
export const VERSION_HEADER = { "mytty-version": VERSION } as const;

export type Failure = {
  readonly status: 400 | 404 | 500;
  readonly error: string;
  readonly message: string;
};

export function fail(context: Context, { status, error, message }: Failure): Response {
  return context.json({ error, message }, status);
}

const SEE_LOG = "see the server's log (journalctl, serve.log or its terminal)";

/** Says what was not done; the reason is the database's own, and holds nothing of what was sent. */
export function internalError(
  { method, path }: { readonly method: string; readonly path: string },
  error: Error,
): Failure {
  const what = WRITES.find(([verb, pattern]) => verb === method && pattern.test(path))?.[2];
  const why = error instanceof StoreError ? `the server could not store it (${error.message})` : "";
  const message = `Cannot ${what ?? "answer"}: ${why || "the server made a mistake"}; ${SEE_LOG}`;
  return { status: 500, error: "internal-error", message };
}

const WRITES: readonly (readonly [method: string, path: RegExp, what: string])[] = [
  ["POST", /^\/v1\/surfaces$/, "open a surface"],
  ["POST", /\/finished$/, "report the end of the command"],
  ["DELETE", /^\/v1\/surfaces\//, "close the surface"],
  ["POST", /\/ack$/, "acknowledge"],
];

/**
 * An answer that may take as long as it likes: its head goes at once, so that a client can tell a
 * server that holds its question from one that hangs. Null: the server stops, and cuts it off.
 */
export function held(
  context: Context,
  answer: Promise<unknown>,
  log: (text: string) => void,
): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        const value = await answer;
        if (value === null) throw new Error("Stopping");
        controller.enqueue(new TextEncoder().encode(JSON.stringify(value)));
        controller.close();
      } catch (error) {
        // Nobody may be reading it any more; its head is sent either way.
        if (!context.req.raw.signal.aborted) log(`control API: ${String(error)}`);
        controller.error(error);
      }
    },
  });
  return context.body(body, 200, { "content-type": "application/json" });
}

/** What stands behind the `?`; keys that nobody asked for are left alone. */
export function validQuery<T extends z.ZodType>(context: Context, type: T): z.output<T> | Response {
  const parsed = type.safeParse(context.req.query());
  return parsed.success ? parsed.data : invalid(context, parsed.error, "query");
}

export async function validated<T extends z.ZodType>(
  context: Context,
  type: T,
): Promise<z.output<T> | Response> {
  const body = await context.req.json().catch(() => undefined);
  const parsed = type.safeParse(body);
  return parsed.success ? parsed.data : invalid(context, parsed.error, "body");
}

function invalid(context: Context, error: z.ZodError, whole: string): Response {
  const issue = error.issues[0];
  const message = `${issue?.path.join(".") || whole}: ${issue?.message ?? "invalid"}`;
  return fail(context, { status: 400, error: "invalid-request", message });
}

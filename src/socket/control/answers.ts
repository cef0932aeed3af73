/** Refusals and checked bodies, the same for every route. */

import type { Context } from "hono";
import type { z } from "zod";

export type Failure = {
  readonly status: 400 | 404 | 500 | 503;
  readonly error: string;
  readonly message: string;
};

export function fail(context: Context, { status, error, message }: Failure): Response {
  return context.json({ error, message }, status);
}

export async function validated<T extends z.ZodType>(
  context: Context,
  type: T,
): Promise<z.output<T> | Response> {
  const body = await context.req.json().catch(() => undefined);
  const parsed = type.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const message = `${issue?.path.join(".") || "body"}: ${issue?.message ?? "invalid"}`;
  return fail(context, { status: 400, error: "invalid-request", message });
}

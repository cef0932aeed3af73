/** What may stand behind the `?` of a path: texts, checked like every body. */

import { z } from "zod";

/** A position in the log, as a query's text. */
export const position = z.string().regex(/^\d{1,15}$/, "takes a whole number from 0 on")
  .transform(Number);

const flag = z.enum(["0", "1"]).default("0").transform((text) => text === "1");

/** At most; a larger number than we give at once is no mistake. */
const limit = position.refine((number) => number >= 1, "takes a whole number from 1 on")
  .default(1000).transform((number) => Math.min(number, 1000));

export const listQuery = z.object({ active: flag });

export const runsQuery = z.object({ active: flag, limit });

export const attentionQuery = z.object({ all: flag });

export const eventsQuery = z.object({
  after: position.default(0),
  limit,
  run: z.guid().transform((text) => text.toLowerCase()).optional(),
  follow: flag,
});

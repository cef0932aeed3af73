/** The description of the estimator's route. */

import { z } from "zod";
import type { Operation } from "./openapi.ts";

const agent = z.object({
  provider: z.string(),
  pid: z.number().int(),
  tty: z.string().nullable(),
  cwd: z.string().nullable(),
  surfaceID: z.string().nullable(),
  headless: z.boolean(),
  foreground: z.boolean(),
  startedAt: z.string().nullable(),
  sessionID: z.string().nullable(),
  transcript: z.string().nullable(),
  status: z.enum(["idle", "busy", "waiting"]).nullable(),
  hooks: z.enum(["speaking", "silent", "unheard"]),
  state: z.string(),
  runID: z.string().nullable(),
  source: z.string().nullable(),
  evidence: z.string().nullable(),
});

export const ESTIMATE_OPERATIONS: readonly Operation[] = [
  {
    method: "get",
    path: "/v1/estimate",
    summary: "One pass now over processes and the agents' own files, and what it saw",
    answer: z.object({ agents: z.array(agent) }),
  },
];

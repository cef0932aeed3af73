/**
 * What we keep in the state folder, as it is read again: a file that was damaged, or edited by hand,
 * keeps those of its parts that still make sense. Pure.
 */

import { z } from "zod";
import { isTable } from "./read_value.ts";

const path = z.array(z.union([z.string(), z.int()]));

const hunk = z.object({
  offset: z.int().min(0),
  inserted: z.string(),
  removed: z.string(),
  lead: z.string(),
  trail: z.string(),
});

const inverse = z.discriminatedUnion("undo", [
  z.object({ undo: z.literal("removeEqual"), path, value: z.unknown() }),
  z.object({ undo: z.literal("prune"), path }),
  z.object({
    undo: z.literal("setBack"),
    path,
    key: z.string(),
    ours: z.unknown().optional(),
    previous: z.unknown().optional(),
  }),
]);

const note = z.object({
  version: z.literal(1),
  fileCreated: z.boolean(),
  writtenHash: z.string(),
  hunks: z.array(hunk),
  inverse: z.array(inverse),
});

export const fileRecord = z.object({
  note: note.optional(),
  hashes: z.array(z.string()).optional(),
  hasGaps: z.literal(true).optional(),
});

export const providerInstall = z.object({
  installedAt: z.number(),
  version: z.string().nullable(),
  variables: z.record(z.string(), z.string()).optional(),
  earlier: z.array(z.record(z.string(), z.string())).optional(),
});

export const pendingWrite = z.object({
  path: z.string(),
  before: z.string().nullable(),
  record: fileRecord.nullable(),
  folders: z.array(z.string().startsWith("/")),
});

export const discovery = z.object({
  plugin: z.enum(["loaded", "missing", "double", "unknown"]),
  version: z.string().nullable(),
  others: z.number(),
  issue: z.string().optional(),
});

/** Absolute: a relative one would be another folder for every caller. */
export const folder = z.string().startsWith("/");

export const texts = z.array(z.string());

/** The members of `value` that have the shape, as they are; none of what is no table. */
export function membersOf<T>(value: unknown, shape: z.ZodType): Readonly<Record<string, T>> {
  if (!isTable(value)) return {};
  const fit = Object.entries(value).filter(([, member]) => shape.safeParse(member).success);
  return Object.fromEntries(fit) as Record<string, T>;
}

/** The elements of `value` that have the shape, as they are; none of what is no array. */
export function elementsOf<T>(value: unknown, shape: z.ZodType): readonly T[] {
  return Array.isArray(value) ? value.filter((item) => shape.safeParse(item).success) : [];
}

/** I/O edge: our marked block in a plain-text file of the user, put in and taken out again. */

import { applyFile } from "./apply.ts";
import {
  type BlockOptions,
  findBlocks,
  planBlock,
  planBlockRemoval,
  verifyBlock,
} from "./edit_block.ts";
import { refuse, type Refused } from "./edit_op.ts";
import { readTarget } from "./read_target.ts";

export interface BlockFileOptions extends BlockOptions {
  /** Of a file that does not exist yet. */
  readonly newFileMode: number;
}

export type BlockWritten = { readonly ok: true; readonly path: string; readonly changed: boolean };

const TRIES = 3;

/**
 * Brings the file to hold our block with this body, or none for null. Nothing else of it changes,
 * which is proved before writing; a file that was made for the block goes with it.
 */
export async function writeBlock(
  path: string,
  body: string | null,
  options: BlockFileOptions,
): Promise<BlockWritten | Refused> {
  for (let tries = 0; tries < TRIES; tries++) {
    const written = await attempt(path, body, options);
    if (written !== "changed-meanwhile") return written;
  }
  return refuse("conflict", `Cannot write "${path}": another program keeps changing it`);
}

async function attempt(path: string, body: string | null, options: BlockFileOptions) {
  const target = await readTarget(path);
  if (!target.ok) return target;
  const { text } = target;
  const found = findBlocks(text ?? "", options);
  if (!found.ok) return found;
  const note = `${options.comment} this file was made for the lines above`;
  const isOurFile = text === null || found.blocks.some((block) => block.body.includes(note));
  const wanted = body === null || !isOurFile ? body : `${body.replace(/\n?$/, "\n")}${note}\n`;
  const plan = wanted === null ? planBlockRemoval(text, options) : planBlock(text, wanted, options);
  if (!plan.ok) return plan;
  const verified = verifyBlock({ before: text, after: plan.after, body: wanted }, options);
  if (!verified.ok) return verified;
  if (!plan.changed) return { ok: true, path, changed: false } as const;
  const isGone = wanted === null && isOurFile && plan.after.trim() === "";
  const applied = await applyFile({
    path,
    before: text,
    after: isGone ? null : verified.text,
    newFileMode: options.newFileMode,
  });
  if (applied.status === "changed") return "changed-meanwhile";
  if (applied.status === "failed") return { ok: false, issue: applied.issue } as const;
  return { ok: true, path, changed: true } as const;
}

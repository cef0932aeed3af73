/**
 * I/O edge: which providers' programs are there, and which version. A program is asked only when
 * its file is another than before: these are whole runtimes that start.
 */

import type { ProviderRecord } from "../core/provider.ts";
import type { InstallContext } from "./context.ts";
import { findProgram, type FoundProgram, lookAtProgram } from "./program_version.ts";

type Known = {
  readonly mark: string;
  readonly program: FoundProgram | null;
  /** How often this file was asked. */
  readonly asked: number;
};

/** One that did not answer was perhaps too busy to: it is asked at a few more looks. */
const MAX_ASKED = 3;

export class ProgramWatch {
  readonly #context: InstallContext;
  readonly #known = new Map<string, Known>();

  constructor(context: InstallContext) {
    this.#context = context;
  }

  /** Those that appeared, went, or are another version than at the last look. */
  async look(records: readonly ProviderRecord[]): Promise<ProviderRecord[]> {
    const changed: ProviderRecord[] = [];
    for (const record of records) {
      const path = findProgram(record.install.programs, this.#context.get("PATH") ?? "");
      const mark = path === null ? "none" : await markOf(path);
      const known = this.#known.get(record.id);
      const isSameFile = known?.mark === mark;
      if (isSameFile && !canAskAgain(known)) continue;
      const program = path === null
        ? null
        : await lookAtProgram(path, record.install.versionArguments);
      const asked = isSameFile ? known.asked + 1 : 1;
      this.#known.set(record.id, { mark, program, asked });
      if (known === undefined || !isSame(known.program, program)) changed.push(record);
    }
    return changed;
  }

  of(id: string): FoundProgram | null {
    return this.#known.get(id)?.program ?? null;
  }
}

function canAskAgain({ program, asked }: Known): boolean {
  return program !== null && program.version === null && asked < MAX_ASKED;
}

function isSame(left: FoundProgram | null, right: FoundProgram | null): boolean {
  return left?.path === right?.path && left?.version === right?.version;
}

/** An update replaces the file, or what its link leads to. */
async function markOf(path: string): Promise<string> {
  try {
    const real = await Deno.realPath(path);
    const { ino, size, mtime } = await Deno.stat(real);
    return `${real} ${ino} ${size} ${mtime?.getTime()}`;
  } catch {
    return "none"; // It went between the two looks.
  }
}

/** Takes spooled hooks in, oldest first, at start-up and while serving. */

import {
  parseSpoolFile,
  SPOOL_DROPPED,
  SPOOL_MAX_AGE_MS,
  SPOOL_SUFFIX,
} from "../core/wire/spool_file.ts";
import { spooledNames } from "./spooled_names.ts";
import type { HookHandler } from "./hook_endpoint.ts";
import { removeLeftOvers } from "./spool_left_overs.ts";

const decoder = new TextDecoder();

export class SpoolIntake {
  readonly #folder: string;
  readonly #handle: HookHandler;
  readonly #log: (text: string) => void;
  /** Of a name that a hook has, and yet no file: said once each. */
  #oddNames: ReadonlySet<string> = new Set();
  #taken = 0;
  #isRunning = false;

  constructor(folder: string, handle: HookHandler, log: (text: string) => void) {
    this.#folder = folder;
    this.#handle = handle;
    this.#log = log;
  }

  /** One pass; a file is removed only after its event is durable. Never rejects. */
  async takeAll(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      const entries = this.#entries();
      removeLeftOvers(this.#folder, entries.map(({ name }) => name));
      this.#tellOdd(entries);
      for (const name of spooledNames(entries)) await this.#take(`${this.#folder}/${name}`);
    } finally {
      this.#isRunning = false;
    }
  }

  counts(): { waiting: number; taken: number; dropped: number } {
    return {
      waiting: spooledNames(this.#entries()).length,
      taken: this.#taken,
      dropped: this.#dropped(),
    };
  }

  #entries(): Deno.DirEntry[] {
    try {
      return [...Deno.readDirSync(this.#folder)];
    } catch {
      return []; // No spool was ever written.
    }
  }

  #tellOdd(entries: readonly Deno.DirEntry[]): void {
    const odd = entries.filter(({ name, isFile }) => !isFile && name.endsWith(SPOOL_SUFFIX));
    for (const { name } of odd) {
      if (this.#oddNames.has(name)) continue;
      this.#log(`left alone in the spool, since it is no regular file: "${this.#folder}/${name}"`);
    }
    this.#oddNames = new Set(odd.map(({ name }) => name));
  }

  #dropped(): number {
    try {
      return Deno.statSync(`${this.#folder}/${SPOOL_DROPPED}`).size;
    } catch {
      return 0;
    }
  }

  async #take(path: string): Promise<void> {
    try {
      const spooled = parseSpoolFile(Deno.readFileSync(path), (bytes) => decoder.decode(bytes));
      if (spooled === null) {
        this.#log(`dropped a spool file that is no hook: "${path}"`);
      } else if (Date.now() - (spooled.request.at ?? 0) > SPOOL_MAX_AGE_MS) {
        this.#log(`dropped a spooled hook that is older than a day: "${path}"`);
      } else {
        const answer = await this.#handle(spooled.request, spooled.payload);
        // Kept for the next pass: the database did not take it.
        if (!answer.ok && answer.error === "internal-error") return;
        this.#taken++;
      }
      Deno.removeSync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) this.#log(`spool: ${String(error)}`);
    }
  }
}

/** I/O edge: whose hooks are installed now, cheap enough to be asked at every reading. */

import { isObject, objectAt, parseJson } from "../core/json.ts";
import { recordsPath } from "./records.ts";

export class InstalledProviders {
  readonly #path: string;
  #seen = "";
  #ids: ReadonlySet<string> = new Set();

  constructor(stateFolder: string) {
    this.#path = recordsPath(stateFolder);
  }

  /** Reads our records again only when another file is there. */
  has(id: string): boolean {
    try {
      const { ino, size, mtime } = Deno.statSync(this.#path);
      const seen = `${ino} ${size} ${mtime?.getTime()}`;
      if (seen !== this.#seen) {
        const value = parseJson(Deno.readTextFileSync(this.#path));
        this.#ids = new Set(Object.keys(isObject(value) ? objectAt(value, "providers") ?? {} : {}));
        this.#seen = seen;
      }
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      this.#seen = "";
      this.#ids = new Set();
    }
    return this.#ids.has(id);
  }
}

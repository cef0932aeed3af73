/** A TOML document at hand, and the issues of editing it. Pure. */

import { type ConfigPath, pathText, refuse, type Refused } from "./edit_op.ts";
import type { TomlDocument } from "./toml_document.ts";

export interface TomlDoc {
  readonly toml: TomlDocument;
  readonly value: unknown;
}

export function wrongType(path: ConfigPath, wanted: string): Refused {
  const message = `Cannot edit TOML: ${pathText(path)} is not ${wanted}`;
  return refuse("wrong-type", message, path);
}

export function unsupported(path: ConfigPath, what: string): Refused {
  return refuse("unsupported", `Cannot edit TOML: ${pathText(path)} ${what}`, path);
}

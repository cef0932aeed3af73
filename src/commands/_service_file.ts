/** The service's one file: read, written and removed as a whole, and only when it is ours. */

import { dirname } from "node:path";
import { EXIT } from "../core/exit_code.ts";
import { isServiceText } from "../core/shell/service_spec.ts";
import { reason } from "../socket/private_folder.ts";
import { CliError } from "./_command.ts";

/** `foreign`: somebody else's file, a link, or no file at all; it is left alone. */
export type ServiceFile =
  | { readonly state: "missing" | "foreign" }
  | { readonly state: "ours"; readonly text: string };

export function readServiceFile(path: string): ServiceFile {
  try {
    // A masked unit is a link to /dev/null, a dotfile manager's a link to its own.
    if (!Deno.lstatSync(path).isFile) return { state: "foreign" };
    const text = Deno.readTextFileSync(path);
    return isServiceText(text) ? { state: "ours", text } : { state: "foreign" };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { state: "missing" };
    throw new CliError(EXIT.failed, `Cannot read "${path}": ${reason(error)}`);
  }
}

export function refuseForeign(path: string, file: ServiceFile): void {
  if (file.state !== "foreign") return;
  throw new CliError(
    EXIT.failed,
    `Refusing "${path}": it was not written by mytty; move it away first, or compare it with ` +
      "`mytty service install --print`",
  );
}

/** Through a temporary file: the service manager never reads half of it. */
export function writeServiceFile(path: string, text: string): void {
  const temporary = `${path}.mytty-${Deno.pid}`;
  try {
    Deno.mkdirSync(dirname(path), { recursive: true });
    try {
      Deno.writeTextFileSync(temporary, text, { mode: 0o644 });
      Deno.renameSync(temporary, path);
    } catch (error) {
      removeIfThere(temporary);
      throw error;
    }
  } catch (error) {
    throw new CliError(EXIT.failed, `Cannot write "${path}": ${reason(error)}`);
  }
}

/** The file, and of the folders above it those `folders` that are empty then. */
export function removeServiceFile(path: string, folders: readonly string[]): void {
  try {
    removeIfThere(path);
  } catch (error) {
    throw new CliError(EXIT.failed, `Cannot remove "${path}": ${reason(error)}`);
  }
  for (const folder of folders) {
    try {
      removeIfThere(folder);
    } catch {
      return; // Somebody else has something in it.
    }
  }
}

export function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

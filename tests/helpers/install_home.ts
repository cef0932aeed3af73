/** A temporary home with programs that tell their version; never this machine's own configs. */

import type { InstallContext } from "../../src/installers/context.ts";
import { installAll, type InstallOptions } from "../../src/installers/install.ts";
import type { ProviderReport } from "../../src/installers/report.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { writeExecutable } from "./executable.ts";

export function installContextFor(
  home: string,
  overrides: Partial<InstallContext> & { readonly env?: Record<string, string> } = {},
): InstallContext {
  const { env = {}, ...rest } = overrides;
  const values: Record<string, string> = { PATH: `${home}/bin`, ...env };
  return {
    home,
    get: (name) => values[name],
    stateFolder: `${home}/state`,
    eventSocket: `${home}/run/event.sock`,
    program: ["/nowhere/mytty"],
    ...rest,
  };
}

export async function withHome(task: (home: string) => Promise<void>): Promise<void> {
  const home = await Deno.realPath(Deno.makeTempDirSync({ dir: "/tmp", prefix: "mytty-home-" }));
  try {
    await task(home);
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}

/** Newer than any gate, of a generation that can report. */
const NEWEST: Readonly<Record<string, string>> = { opencode: "1.999.0" };

/** A program that tells this version, or its newest one. */
export function putProgram(
  home: string,
  name: string,
  version = NEWEST[name] ?? "999.0.0",
): string {
  const path = `${home}/bin/${name}`;
  writeExecutable(path, `#!/bin/sh\necho "${name} ${version}"\n`);
  return path;
}

export async function runInstall(
  records: readonly ProviderRecord[],
  context: InstallContext,
  options: Partial<InstallOptions> = {},
): Promise<readonly ProviderReport[]> {
  const result = await installAll(records, context, { now: 1_000, ...options });
  if (!result.ok) throw new Error(result.issue.message);
  return result.reports;
}

export function putFile(path: string, text: string, mode = 0o600): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(path, text);
  Deno.chmodSync(path, mode);
}

/** Every file below a folder with its text, without our own state. */
export function snapshot(folder: string, skip: readonly string[]): Record<string, string> {
  const all: Record<string, string> = {};
  const walk = (path: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(path)) {
      const child = `${path}/${name}`;
      if (skip.some((part) => child === `${folder}/${part}`)) continue;
      if (isDirectory) {
        all[`${child}/`] = "";
        walk(child);
      } else all[child] = Deno.readTextFileSync(child);
    }
  };
  walk(folder);
  return all;
}

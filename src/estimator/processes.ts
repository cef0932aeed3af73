/** Chooses the system's variant of the process table; the same functions each. */

import type { Processes } from "../core/process/process.ts";
import { createDarwinProcesses } from "./processes_darwin.ts";
import { createLinuxProcesses } from "./processes_linux.ts";

export function createProcesses(system: typeof Deno.build.os = Deno.build.os): Processes {
  if (system === "linux" || system === "android") return createLinuxProcesses();
  if (system === "darwin") return createDarwinProcesses();
  throw new Error(`Choose a process table: "${system}" is not supported, only linux and darwin`);
}

/** Whether a process lives that this one can name: the shell's own question, `kill -0`. */

import process from "node:process";

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's lives as well.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

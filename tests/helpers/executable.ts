/**
 * Programs that a test writes and then runs. They are written by another process: test files run
 * as threads of one, and what one thread has open for writing is inherited by a child that another
 * thread forks in that moment; until it has become its program, executing the file fails as busy.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

export function writeExecutable(path: string, text: string): void {
  write('printf %s "$2" > "$1"', path, text);
}

export function copyExecutable(from: string, path: string): void {
  write('cat "$2" > "$1"', path, from);
}

function write(step: string, path: string, value: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const script = `set -e; rm -f "$1"; ${step}; chmod 755 "$1"`;
  const { status, stderr } = spawnSync("/bin/sh", ["-c", script, "sh", path, value]);
  assert.equal(status, 0, String(stderr));
}

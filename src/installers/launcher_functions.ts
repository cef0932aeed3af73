/** Small pieces of the launcher's script. Pure. */

import { HOOK_HEADERS } from "../core/wire/hook_request.ts";
import { MAX_HEADER_CHARS } from "../core/wire/hook_timing.ts";

/** Literally in the script: making one costs a fork. */
export const carriageReturn = "\r";

/**
 * `add NAME VALUE`: a header line, unless the value is empty, breaks the line or is too long.
 * `finish`: prints what the agent expects and ends.
 */
export const FUNCTIONS = `add() {
  case $2 in '' | *"$nl"* | *"$cr"*) return 0 ;; esac
  [ \${#2} -gt ${MAX_HEADER_CHARS} ] || head_lines="$head_lines$1: $2$nl"
}
finish() {
  [ -z "$reply" ] || printf '%s\\n' "$reply"
  exit 0
}
known=1`;

/** Sends the variable of the hook's environment along, if it is set. */
export function variableLine(name: string): string {
  return `[ -z "\${${name}-}" ] || add ${HOOK_HEADERS.env} "${name}=$${name}"`;
}

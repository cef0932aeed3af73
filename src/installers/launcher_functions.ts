/** Small pieces of the launcher's script. Pure. */

import { HOOK_HEADERS } from "../core/wire/hook_request.ts";
import { MAX_HEADER_CHARS } from "../core/wire/hook_timing.ts";

/** Literally in the script: making one costs a fork. */
export const carriageReturn = "\r";

/**
 * Silent from here on; only a test keeps what was stderr. Any of the three may be closed, and
 * duplicating a closed one ends some shells, not all of them with 0: only builtins that are not
 * "special" try it, and a closed one becomes /dev/null.
 */
export const STREAMS = `[ -z "$test" ] || exec 3>&2
exec 2>/dev/null
true 4<&0 || exec </dev/null
true 4>&1 || exec >/dev/null`;

/**
 * `add NAME VALUE`: a header line, unless the value is empty, breaks the line or is too long.
 * `finish`: prints what the agent expects and ends; that nobody reads it is no failure.
 */
export const FUNCTIONS = `add() {
  case $2 in '' | *"$nl"* | *"$cr"*) return 0 ;; esac
  [ \${#2} -gt ${MAX_HEADER_CHARS} ] || head_lines="$head_lines$1: $2$nl"
}
finish() {
  trap '' PIPE
  [ -z "$reply" ] || printf '%s\\n' "$reply"
  exit 0
}
known=1`;

/** Sends the variable of the hook's environment along, if it is set. */
export function variableLine(name: string): string {
  return `[ -z "\${${name}-}" ] || add ${HOOK_HEADERS.env} "${name}=$${name}"`;
}

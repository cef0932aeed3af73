/** How the launcher asks the program itself, where there is no curl or no place for a file. Pure. */

import { shellQuote } from "../core/shell/shell_quote.ts";
import { CALLER_VARIABLE, NO_UNPACK_VARIABLE } from "../core/wire/hook_fallback.ts";

/**
 * Stdin must be untouched by then. Without a server there is nothing to start a runtime for. The
 * program is never waited for while it unpacks, its output is not the agent's, and one that cannot
 * be started costs nothing: the script goes on by itself.
 */
export function fallbackSection(program: readonly string[]): string {
  const [binary = "''", ...args] = program.map((part) => shellQuote(part));
  const places = "MYTTY_STATE_DIR=$state MYTTY_EVENT_SOCKET=$socket";
  const call = `${[binary, ...args].join(" ")} hook "$word" \${event:+--event} \${event:+"$event"}`;
  return `fall_back() {
  [ -x ${binary} ] || return 0
  if [ -n "$test" ]; then
    ${places} ${call} --test 2>&3
    exit $?
  fi
  [ -S "$socket" ] || return 0
  ${places} ${CALLER_VARIABLE}=$PPID ${NO_UNPACK_VARIABLE}=1 ${call} >/dev/null && finish
}
[ -x "$curl" ] || fall_back`;
}

/**
 * The text of `hooks/mytty-hook`: the hook transport as a POSIX sh script, for agents that cannot
 * wait for a runtime to start. From the same constants as the TypeScript transport, and tested with
 * the same suite. Pure.
 *
 * The payload is first written into the spool folder, where it is safe; curl sends it from there.
 * Forks are what costs: everything that a shell can do itself is done so, and without a function
 * call in a `$(…)`. No tool is looked for on PATH, which an agent may have emptied.
 */

import { PANE_VARIABLES } from "../core/placement/pane_variables.ts";
import { shellQuote } from "../core/shell/shell_quote.ts";
import { HOOK_HEADERS, MAX_PAYLOAD_BYTES } from "../core/wire/hook_request.ts";
import { HOOK_BUDGET_MS, SEND_RESERVE_MS } from "../core/wire/hook_timing.ts";
import { fallbackSection } from "./launcher_fallback.ts";
import { carriageReturn, FUNCTIONS, STREAMS, variableLine } from "./launcher_functions.ts";
import { sendSection, spoolSection } from "./launcher_sections.ts";
import type { LauncherTools } from "./launcher_tools.ts";

/** What the script must know of a provider. */
export interface LauncherProvider {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly env: readonly string[];
  readonly reply: Readonly<Record<string, string>>;
}

export interface LauncherOptions {
  readonly providers: readonly LauncherProvider[];
  readonly tools: LauncherTools;
  /** Where they are when the hook's environment names no others. */
  readonly eventSocket: string;
  readonly stateFolder: string;
  /** Program and first arguments of `mytty`, used where there is no curl. */
  readonly program: readonly string[];
}

export function launcherText(options: LauncherOptions): string {
  return [
    `#!/bin/sh
# Written by mytty install: hands one agent hook to mytty. Silent, and always ends with 0.`,
    setupSection(options),
    FUNCTIONS,
    providerSection(options.providers),
    placesSection(options),
    fallbackSection(options.program),
    headerSection(options),
    captureSection(),
    timeSection(options),
    sendSection(),
    spoolSection(options),
  ].join("\n\n");
}

function setupSection({ tools }: LauncherOptions): string {
  const names = ["curl", "cat", "mv", "rm", "mkdir", "date", "sleep", "du"] as const;
  const paths = names.map((name) => `${name}=${shellQuote(tools[name] ?? "")}`).join("\n");
  return `set +eu
word= event= test=\${MYTTY_HOOK_TEST-} kept= reply=
while [ $# -gt 0 ]; do
  case $1 in
  --event) event=\${2-}; [ $# -gt 1 ] && shift ;;
  --test) test=1 ;;
  -*) ;;
  *) [ -n "$word" ] || word=$1 ;;
  esac
  shift
done
${STREAMS}
umask 077
LC_ALL=C
export LC_ALL
nl='
'
cr='${carriageReturn}'
${paths}
now() {
  now=
  read -r now rest </proc/uptime || return 0
  case $now in
  [1-9]*.[0-9][0-9]) now=\${now%.*}\${now#*.}0 ;;
  *) now= ;;
  esac
}
now
began=$now`;
}

/** An arm of its own for each provider: what it prints, and which of its variables travel. */
function providerSection(providers: readonly LauncherProvider[]): string {
  const arms = providers.map(({ id, aliases, env, reply }) => {
    const lines = [`provider=${id}`, ...replyLines(reply), ...env.map(variableLine)];
    return `${[id, ...aliases].join("|")})\n  ${lines.join("\n  ")}\n  ;;`;
  });
  return `head_lines=
case $word in
${arms.join("\n")}
*[!a-z0-9-]*|'') exit 0 ;;
*) provider=$word known= ;;
esac
${PANE_VARIABLES.map(variableLine).join("\n")}`;
}

function replyLines(reply: Readonly<Record<string, string>>): string[] {
  const all = `reply=${shellQuote(reply["*"] ?? "")}`;
  const others = Object.entries(reply).filter(([event]) => event !== "*").map(([event, text]) =>
    `[ "$event" != ${shellQuote(event)} ] || reply=${shellQuote(text)}`
  );
  return reply["*"] ? [all, ...others] : others;
}

/** The variables that name a place outright win; what was known at install time comes last. */
function placesSection({ eventSocket, stateFolder }: LauncherOptions): string {
  return `state=\${MYTTY_STATE_DIR:-${embedded(stateFolder)}}
spool=$state/spool
if [ -n "\${MYTTY_EVENT_SOCKET-}" ]; then socket=$MYTTY_EVENT_SOCKET
elif [ -n "\${MYTTY_RUNTIME_DIR-}" ]; then socket=$MYTTY_RUNTIME_DIR/event.sock
else
  socket=${shellQuote(eventSocket)}
  [ -S "$socket" ] || socket=\${XDG_RUNTIME_DIR:-/nowhere}/mytty/event.sock
fi`;
}

/** Inside `\${…:-…}`, where quotes would be read anew. */
function embedded(path: string): string {
  return `"${path.replace(/["\\$`]/g, "\\$&")}"`;
}

/** The delivery id is made once: retries and the spool carry the same. */
function headerSection({ tools }: LauncherOptions): string {
  const { delivery, pid, event, test, surface } = HOOK_HEADERS;
  return `${tools.makeID}
add ${delivery} "$id"
add ${pid} "$PPID"
add ${event} "$event"
add ${test} "$test"
add ${surface} "\${MYTTY_SURFACE_ID-}"
capability=\${MYTTY_EVENT_CAPABILITY-}
case $capability in *"$nl"* | *"$cr"*) capability= ;; esac`;
}

/** A time in whole seconds would put events in a wrong order: then the server's own is better. */
function timeSection({ tools }: LauncherOptions): string {
  return tools.isExact ? `${tools.readTime}\nadd ${HOOK_HEADERS.at} "$at"` : "at=";
}

/**
 * One block past the cap, so that the server can tell that there was more. Stdin that does not end
 * is cut after a while: what came until then is sent (`head` would take its buffer to the grave).
 * POSIXLY_CORRECT: else a bash that was not called `sh` counts the cap in blocks of 1,024 bytes.
 * 127: a zsh says so of a child that has ended before it was waited for.
 */
function captureSection(): string {
  const blocks = MAX_PAYLOAD_BYTES / 512 + 1;
  const patience = (HOOK_BUDGET_MS - SEND_RESERVE_MS) / 1000;
  return `[ -d "$spool" ] || "$mkdir" -p "$spool"
part=$spool/.$id.part
cut=
if { { ulimit -c 0; POSIXLY_CORRECT=1; ulimit -f ${blocks}; exec "$cat" <&4 >"$part" 4<&- 3>&-; } & } 4<&0; then
  reader=$!
  (
    "$sleep" ${patience}
    kill "$reader"
  ) </dev/null >/dev/null 3>&- &
  watch=$!
  wait "$reader"
  case $? in 0 | 127) ;; *) cut=1 ;; esac
  kill "$watch"
fi
add ${HOOK_HEADERS.cut} "$cut"
if [ -f "$part" ]; then kept=1; else fall_back; fi`;
}

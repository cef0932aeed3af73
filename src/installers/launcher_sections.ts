/** Sending and spooling, as the launcher's script does them. Pure. */

import { HOOK_HEADERS, HOOK_PATH, MAX_PAYLOAD_BYTES } from "../core/wire/hook_request.ts";
import {
  ATTEMPTS,
  HOOK_BUDGET_MS,
  NOTHING_CAME,
  PAUSE_MS,
  SEND_RESERVE_MS,
  SPOOL_RESERVE_MS,
} from "../core/wire/hook_timing.ts";
import {
  SPOOL_DROPPED,
  SPOOL_MAX_BYTES,
  SPOOL_MAX_FILES,
  SPOOL_PROVIDER,
  SPOOL_SUFFIX,
} from "../core/wire/spool_file.ts";
import type { LauncherOptions } from "./launcher.ts";

/** Reads no configuration of the user's and asks no proxy; headers come from a descriptor. */
const CURL =
  `"$curl" -q -s -g --noproxy '*' --unix-socket "$socket" --max-time "0.$left" -X POST -T "$part" -H @- -H Expect: -H 'Content-Type: application/json' -o /dev/null -w '%{http_code}' "http://mytty${HOOK_PATH}$provider"`;

/** `left`: what remains of the budget in milliseconds, three digits. */
const TIME_LEFT = `  left=${HOOK_BUDGET_MS - SEND_RESERVE_MS}
  [ -z "$cut" ] || left=${SEND_RESERVE_MS - SPOOL_RESERVE_MS}
  if [ -n "$began" ]; then
    now
    [ -z "$now" ] || left=$((${HOOK_BUDGET_MS - SPOOL_RESERVE_MS} - now + began))
  fi
  if [ "$left" -le 0 ]; then
    [ "$tries" -gt 1 ] || error='no time left to send'
    break
  fi
  case $left in ?) left=00$left ;; ??) left=0$left ;; esac`;

/**
 * What curl and the server said decides: a refusal is final, where nobody listens or the time is up
 * the spool keeps the event, anything else is tried again.
 */
export function sendSection(): string {
  return `error='no server: the socket is not there'
tries=0
nothing=
[ -z "$cut" ] || [ -s "$part" ] || nothing=1
while [ -z "$nothing" ] && [ -S "$socket" ] && [ -n "$kept" ] && [ -x "$curl" ]; do
  tries=$((tries + 1))
${TIME_LEFT}
  status=$(${CURL} <<EOF
\${head_lines}${HOOK_HEADERS.capability}: $capability
EOF
  )
  failure=$?
  case $failure:$status in
  *:200) error= ; break ;;
  *:4??) error="the server refused: $status" known= ; break ;;
  7:*) error='no server: nobody listens' ; break ;;
  28:*) error='the server did not answer in time' ; break ;;
  *:5??) error="the server refused: $status" ;;
  *) error='the server closed without an answer' ;;
  esac
  [ "$tries" -lt ${ATTEMPTS} ] || break
  "$sleep" ${PAUSE_MS / 1000}
done
[ -x "$curl" ] || error='no curl, and no mytty that starts at once'
[ -n "$kept" ] || error='the payload could not be kept'
[ -z "$nothing" ] || error='${NOTHING_CAME}' known=`;
}

/**
 * The same file as the TypeScript transport writes: headers, an empty line, the payload; never the
 * capability. Bounded: the oldest give way, each counted by one byte.
 */
export function spoolSection({ tools }: LauncherOptions): string {
  const lateTime = tools.isExact ? "" : `${tools.readTime}\n  add ${HOOK_HEADERS.at} "$at"\n  `;
  const crowded = Math.floor(SPOOL_MAX_BYTES / MAX_PAYLOAD_BYTES);
  return `if [ -n "$test" ]; then
  [ -z "$kept" ] || "$rm" -f "$part"
  [ -z "$error" ] && exit 0
  printf 'mytty hook: %s\\n' "$error" >&3
  exit 1
fi
if [ -z "$error" ]; then
  "$rm" -f "$part" </dev/null >/dev/null 3>&- &
  finish
fi
drop() {
  [ -f "$1" ] || return 0
  "$rm" -f "$1"
  echo >>"$spool/${SPOOL_DROPPED}"
}
spooled=false
if [ -n "$known" ] && [ -n "$kept" ]; then
  ${lateTime}set -- "$spool"/*${SPOOL_SUFFIX}
  [ -e "$1" ] || shift
  while [ $# -ge ${SPOOL_MAX_FILES} ]; do drop "$1"; shift; done
  while [ $# -ge ${crowded} ]; do
    size=$("$du" -sk "$spool")
    size=\${size%%[!0-9]*}
    [ "\${size:-0}" -gt ${SPOOL_MAX_BYTES / 1024} ] || break
    drop "$1"
    shift
  done
  name=00$at-$id
  "$cat" - "$part" >"$spool/.$name.tmp" <<EOF && "$mv" -f "$spool/.$name.tmp" "$spool/$name${SPOOL_SUFFIX}" && spooled=true
${SPOOL_PROVIDER}: $provider
$head_lines
EOF
  [ "$spooled" = true ] || "$rm" -f "$spool/.$name.tmp"
fi
"$rm" -f "$part" </dev/null >/dev/null 3>&- &
${logSection()}
finish
`;
}

/** One JSON line, never of the payload; now and then a look at how long the file has grown. */
function logSection(): string {
  const line =
    `{\\"ts\\":\\"$("$date" -u +%Y-%m-%dT%H:%M:%SZ)\\",\\"provider\\":\\"$provider\\",\\"event\\":\\"$event\\",\\"error\\":\\"$error\\",\\"spooled\\":$spooled}`;
  return `case $event in *[!A-Za-z0-9_.:/-]*) event= ;; esac
case $id in
00*)
  size=$("$du" -k "$state/hooks.log")
  [ "\${size%%[!0-9]*}" -lt 1024 ] || "$mv" -f "$state/hooks.log" "$state/hooks.log.1"
  ;;
esac
echo "${line}" >>"$state/hooks.log"`;
}

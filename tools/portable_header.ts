/** The shell header of the portable form: finds or makes the unpacked program, and becomes it. Pure. */

import { NO_UNPACK_VARIABLE } from "../src/core/wire/hook_fallback.ts";

/** What every form runs with; the narrowest that works, see docs/decisions.md "Permissions". */
export const RUN_FLAGS = ["-A", "--unstable-no-legacy-abort"];

/**
 * A heap that stays near what is in use. Left to itself it grows to twice that before anything is
 * collected, which a server that idles for days never needs. It costs a start some milliseconds,
 * so the portable form gives it to `serve` alone.
 */
export const HEAP_FLAG = "--v8-flags=--heap-growing-percent=50,--max-semi-space-size=4";

/** Commands with a program file of their own, by their names: those that must start fast. */
export const ENTRIES = ["hook", "status-line"];

/** `id`: of the archive's content; `title`: for people. The archive follows the header. */
export function portableHeader(id: string, title: string): string {
  const header = (offset: string) =>
    [
      `#!/bin/sh
# ${title}: a shell header and a compressed archive.`,
      placeSection(id),
      `if ! own; then
${indented(elsewhereSection(id))}
  if ! own; then
    [ -z "\${${NO_UNPACK_VARIABLE}-}" ] || exit 1
${indented(indented(unpackSection(offset)))}
  fi
fi`,
      startSection(),
    ].join("\n");
  // The offset counts its own digits: settle it by trying widths.
  for (let width = 1;; width++) {
    const length = new TextEncoder().encode(header("0".repeat(width))).length;
    const offset = String(length + 1);
    if (offset.length === width) return header(offset);
  }
}

/**
 * In the user's cache, by content hash. On the path of every start, so nothing here costs a fork.
 * What is run must be the caller's own, and in a folder in which nobody else can exchange it.
 */
function placeSection(id: string): string {
  return `case \${XDG_CACHE_HOME-} in
/*) base=$XDG_CACHE_HOME/mytty ;;
*) case \${HOME-} in /*) base=$HOME/.cache/mytty ;; *) base= ;; esac ;;
esac
home=$base/${id}
own() {
  [ -O "$base" ] && [ -O "$home" ] && [ ! -L "$home" ] && [ -O "$home/deno" ] && [ -x "$home/deno" ]
}`;
}

/**
 * Without a home, or where somebody else's files are in the way (a home kept by sudo), a folder of
 * the temporary one serves, whose name anybody can guess: made by us, or proved to be ours alone.
 */
function elsewhereSection(id: string): string {
  return `tools=\${PATH:+$PATH:}/usr/bin:/bin
cannot() {
  [ -z "\${${NO_UNPACK_VARIABLE}-}" ] || exit 1
  case $said in 'hook '*' --test '*) ;; 'hook '*) exit 0 ;; esac
  echo "mytty: Cannot unpack into \\"$base\\"$1" >&2
  exit 1
}
said="$* "
foreign() {
  [ -L "$home" ] || { [ -e "$base" ] && [ ! -O "$base" ]; } || { [ -e "$home" ] && [ ! -O "$home" ]; }
}
if [ -z "$base" ] || foreign; then
  case \${TMPDIR-} in /*) base=\${TMPDIR%/} ;; *) base=/tmp ;; esac
  base=$base/mytty-$(PATH=$tools; id -u)
  home=$base/${id}
  (PATH=$tools; mkdir -m 700 "$base") 2>/dev/null
  case $(PATH=$tools; LC_ALL=C ls -ld "$base" 2>/dev/null) in d????-??-*) ;; *) false ;; esac &&
    [ -O "$base" ] && ! foreign ||
    cannot ': it is not a folder that only you can write; set HOME, or XDG_CACHE_HOME to another'
fi`;
}

/** Once, and never half: it unpacks aside and renames. \`-o\`: not as the user that packed it. */
function unpackSection(offset: string): string {
  return `(
  case $said in 'hook '*) exec 2>/dev/null ;; esac
  PATH=$tools
  umask 077
  new=$home.$$
  trap 'rm -rf "$new"' EXIT
  trap 'exit 1' HUP INT TERM
  mkdir -p "$new" && tail -c +${offset} "$0" | gzip -dc | tar -xof - -C "$new" || exit 1
  own || rm -rf "$home"
  mv "$new" "$home" 2>/dev/null
  rm -rf "$home/\${new##*/}"
)
own || cannot '; set XDG_CACHE_HOME to a folder with 120 MB of room'`;
}

function startSection(): string {
  return `case $0 in /*) MYTTY_SELF=$0 ;; *) MYTTY_SELF=$PWD/$0 ;; esac
export MYTTY_SELF
heap= entry=main
case \${1-} in
serve) heap=${HEAP_FLAG} ;;
${ENTRIES.join("|")}) entry=$1 ;;
esac
exec "$home/deno" run --quiet --no-config --no-lock --no-code-cache ${
    RUN_FLAGS.join(" ")
  } $heap "$home/app/$entry.js" "$@"
exit 1
`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

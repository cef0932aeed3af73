#!/bin/sh
# Tries a mytty program in a home of its own: serve, a hook, list, a hook without a server.
#
#   sh tools/smoke.sh dist/mytty

set -eu

case ${1:?the program} in
  /*) mytty=$1 ;;
  *) mytty=$PWD/$1 ;;
esac
# Short: a socket's path has little room.
home=$(mktemp -d /tmp/mytty-smoke.XXXXXX)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$home"' EXIT

fail() {
  echo "smoke: $1" >&2
  sed 's/^/serve: /' "$home/err" >&2 2>/dev/null || true
  exit 1
}

run() {
  env -i HOME="$home" PATH="$PATH" TMPDIR="$home" MYTTY_RUNTIME_DIR="$home/run" \
    MYTTY_STATE_DIR="$home/state" "$mytty" "$@"
}

hook() {
  printf '{"hook_event_name":"%s","session_id":"%s","prompt_id":"p","cwd":"/"}' "$1" "$2" |
    run hook claude-code
}

run --version || fail "it does not say its version"

env -i HOME="$home" PATH="$PATH" TMPDIR="$home" MYTTY_RUNTIME_DIR="$home/run" \
  MYTTY_STATE_DIR="$home/state" "$mytty" serve --no-estimate --no-watch >"$home/out" 2>"$home/err" &
server=$!
tries=0
until grep -q '^ready ' "$home/out"; do
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ] || ! kill -0 "$server" 2>/dev/null; then fail "serve is not ready"; fi
  sleep 1
done
[ -z "$(hook UserPromptSubmit smoke-1)" ] || fail "a hook prints something"
run list --json | grep -q smoke-1 || fail "list does not show the session of a hook"
kill "$server"
wait "$server" || fail "serve did not end well"
server=
[ -z "$(hook UserPromptSubmit smoke-2)" ] || fail "a hook without a server prints something"
[ -n "$(ls "$home/state/spool")" ] || fail "a hook without a server is not kept"
echo "smoke: fine"

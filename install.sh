#!/bin/sh
# Installs mytty: downloads the program of this system and its checksum, compares, puts it in place.
#
#   sh install.sh
#
# MYTTY_VERSION      a version such as 0.1.0; otherwise the latest
# MYTTY_INSTALL_DIR  where to put it; otherwise ~/.local/bin
# MYTTY_BASE_URL     where releases are, laid out as latest/download/FILE and download/vVERSION/FILE
#
# Needs curl or wget, and sha256sum or shasum. Asks for no password and changes no other file.

set -eu

# Filled in when a release is made.
repository=""

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

system() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=macos ;;
    *) fail "There is no mytty for $(uname -s); it runs on Linux, macOS and WSL" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "There is no mytty for the processor $(uname -m); it runs on x86_64 and arm64" ;;
  esac
  # A shell under Rosetta calls an Apple processor by another name.
  if [ "$os" = macos ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then
    arch=arm64
  fi
  printf '%s-%s\n' "$os" "$arch"
}

# Without TLS whoever changes the program changes its checksum as well.
base_url() {
  base=${MYTTY_BASE_URL:-}
  if [ -z "$base" ]; then
    [ -n "$repository" ] ||
      fail "This copy does not know where releases are; set MYTTY_BASE_URL, or take install.sh from a release"
    base=https://github.com/$repository/releases
  fi
  case $base in
    https://* | http://127.0.0.1:* | http://localhost:*) ;;
    *) fail "Refusing \"$base\": it does not begin with https://" ;;
  esac
  if [ -n "${MYTTY_VERSION:-}" ]; then
    printf '%s/download/v%s\n' "${base%/}" "${MYTTY_VERSION#v}"
  else
    printf '%s/latest/download\n' "${base%/}"
  fi
}

download() {
  if has curl; then
    curl -fsSL --proto-redir '=https' --connect-timeout 20 --retry 2 -o "$2" "$1" && return
  elif has wget; then
    # Without a time limit: with -T, BusyBox 1.35 crashes.
    wget -q -O "$2" "$1" && return
  else
    fail "Cannot download: there is neither curl nor wget"
  fi
  fail "Cannot download $1"
}

sha256() {
  if has sha256sum; then
    sha256sum <"$1"
  elif has shasum; then
    shasum -a 256 <"$1"
  else
    fail "Cannot check the download: there is neither sha256sum nor shasum"
  fi
}

# The sum that the release names for a file; nothing unless it names exactly one.
wanted_sum() {
  found=
  while read -r sum name; do
    [ "${name#\*}" = "$2" ] || continue
    [ -z "$found" ] || return 0
    found=$sum
  done <"$1"
  printf '%s\n' "$found"
}

main() {
  file=mytty-$(system)
  from=$(base_url)
  folder=${MYTTY_INSTALL_DIR:-${HOME:?}/.local/bin}
  [ ! -d "$folder/mytty" ] || fail "Refusing \"$folder/mytty\": it is a folder"
  work=$(mktemp -d)
  new=
  trap 'rm -rf "$work" ${new:+"$new"}' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  download "$from/checksums.txt" "$work/checksums.txt"
  wanted=$(wanted_sum "$work/checksums.txt" "$file")
  [ "${#wanted}" -eq 64 ] || fail "The release names no checksum for $file; nothing was installed"
  download "$from/$file" "$work/mytty"
  sum=$(sha256 "$work/mytty")
  [ "${sum%% *}" = "$wanted" ] ||
    fail "The checksum of $file is not the one of the release; nothing was installed"
  chmod 755 "$work/mytty"
  version=$("$work/mytty" --version) ||
    fail "The program does not run here (on Linux it needs glibc); nothing was installed"

  mkdir -p "$folder"
  # Beside its place, so that the last step is one rename: a mytty in use is never half a file.
  new=$folder/.mytty.$$
  cp "$work/mytty" "$new"
  chmod 755 "$new"
  mv -f "$new" "$folder/mytty"
  new=
  printf 'Installed %s as %s\n' "$version" "$folder/mytty"
  case :$PATH: in
    *:"$folder":*) ;;
    *) printf 'Not in your PATH: put %s there, or call it by its whole name\n' "$folder" ;;
  esac
  printf 'Next: mytty service install && mytty install\n'
}

# Last, so that a download of this very file that broke off runs nothing.
main "$@"

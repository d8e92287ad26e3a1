#!/bin/sh
# install.sh [FROM]              installs culprit for this user; needs neither root nor a compiler
# install.sh --uninstall         removes it
# FROM (or $CULPRIT_FROM): a folder, a .tar or .tar.gz, or the URL of a folder, with culprit-linux-x86_64 or
# culprit-linux-aarch64 and SHA256SUMS; without it, the folder of this script.
# PREFIX: where to install, default ~/.local: bin/culprit, and below share the man page and completions for bash, zsh and fish.
# CULPRIT_SHA256: the expected SHA-256 of the program, if you know it from elsewhere.
set -u
prefix=${PREFIX:-${HOME:?}/.local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
program=$prefix/bin/culprit

die() {
  echo "install.sh: $*" >&2
  exit 1
}

# What is installed, besides the program: its path, and the name under which the program prints it.
extras="share/man/man1/culprit.1 man
share/bash-completion/completions/culprit bash
share/zsh/site-functions/_culprit zsh
share/fish/vendor_completions.d/culprit.fish fish"

uninstall() {
  [ -e "$program" ] || [ -L "$program" ] || die "$program is not installed"
  rm -f "$program" || exit 1
  echo "$extras" | while read -r file _; do
    rm -f "$prefix/$file"
    (cd "$prefix" && rmdir -p "${file%/*}" 2>/dev/null)  # those that are empty now
  done
  echo "removed $program"
}

cpu() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64 | Linux-amd64) echo x86_64 ;;
    Linux-aarch64 | Linux-arm64) echo aarch64 ;;
    *) die "no culprit for $(uname -s) on $(uname -m); supported: Linux on x86_64 and aarch64" ;;
  esac
}

download() {  # download URL FILE
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL -o "$2" "$1" || die "could not download $1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1" || die "could not download $1"
  else
    die "neither curl nor wget found: download $1 and SHA256SUMS into a folder, then run install.sh FOLDER"
  fi
}

fetch() {  # fetch FROM NAME: NAME and SHA256SUMS into $work
  case $1 in
    http://* | https://* | ftp://* | file://*)
      download "${1%/}/$2" "$work/$2"
      [ -n "${CULPRIT_SHA256:-}" ] || download "${1%/}/SHA256SUMS" "$work/SHA256SUMS" ;;
    *)
      from=$1
      if [ -f "$from" ]; then
        mkdir "$work/archive"
        case $from in
          *.tar) tar -xf "$from" -C "$work/archive" ;;
          *.tar.gz | *.tgz) gzip -dc "$from" | tar -xf - -C "$work/archive" ;;
          *) die "$from is neither a folder nor a .tar or .tar.gz" ;;
        esac || die "could not unpack $from"
        from=$(find "$work/archive" -name "$2" | head -n 1)
        [ -n "$from" ] || die "$2 not found in $1"
        from=${from%/*}
      fi
      [ -f "$from/$2" ] || die "$2 not found in $1"
      cp "$from/$2" "$work/$2" || exit 1
      [ ! -f "$from/SHA256SUMS" ] || cp "$from/SHA256SUMS" "$work/SHA256SUMS" ;;
  esac
}

digest() {  # digest FILE
  if command -v sha256sum >/dev/null 2>&1; then line=$(sha256sum "$1")
  elif command -v shasum >/dev/null 2>&1; then line=$(shasum -a 256 "$1")
  elif command -v openssl >/dev/null 2>&1; then line=$(openssl dgst -r -sha256 "$1")
  else die "cannot verify the file: no sha256sum, shasum or openssl found; install one of them"
  fi
  echo "${line%%[ *]*}"
}

check() {  # check NAME: against the digest that was given, or the list beside the file
  want=$(echo "${CULPRIT_SHA256:-}" | tr -d ' \r' | tr A-F a-f)
  if [ -z "$want" ]; then
    [ -f "$work/SHA256SUMS" ] || die "no SHA256SUMS next to $1 to verify it; add it, or set CULPRIT_SHA256"
    want=$(tr -d '\r' <"$work/SHA256SUMS" | sed -n "s/^\([0-9A-Fa-f]\{64\}\) [ *]$1\$/\1/p" | tr A-F a-f | head -n 1)
    [ -n "$want" ] || die "SHA256SUMS has no entry for $1"
  fi
  got=$(digest "$work/$1") || exit 1
  [ "$got" = "$want" ] || die "$1 is damaged or the wrong file: its SHA-256 is $got, expected $want"
}

put_extras() {  # what the program prints about itself; a shell it does not know is left out
  echo "$extras" | while read -r file name; do
    "$program" completions "$name" >"$work/text" 2>/dev/null || continue
    if [ "$name" = zsh ] && ! grep -q '^#compdef' "$work/text"; then  # as a function that zsh loads by itself
      { echo '#compdef culprit'; cat "$work/text"; echo '_bash_complete -F _culprit'; } >"$work/zsh" && mv "$work/zsh" "$work/text"
    fi
    mkdir -p "$prefix/${file%/*}" && cp "$work/text" "$prefix/$file"
  done
}

install_from() {
  name=culprit-linux-$(cpu) || exit 1
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  fetch "$1" "$name"
  check "$name"
  # Tried where it will be: programs in the temporary folder may not be allowed to start. By renaming: a culprit that
  # is running goes on.
  mkdir -p "$prefix/bin" && cp "$work/$name" "$program.new" && chmod 755 "$program.new" || die "could not write $program"
  "$program.new" --version >/dev/null || { rm -f "$program.new"; die "$name does not start in $prefix/bin"; }
  mv -f "$program.new" "$program" || die "could not write $program"
  put_extras
  echo "installed $("$program" --version) as $program"
  found=$(command -v culprit 2>/dev/null)
  case :$PATH: in
    *":$prefix/bin:"*)
      [ "$found" = "$program" ] || echo "note: $found comes first on PATH" ;;
    *) echo "$prefix/bin is not on PATH. Add it, here and in ~/.profile:"
      echo "  export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

[ $# -le 1 ] || { echo "install.sh: expected at most one argument, got $# (see --help)" >&2; exit 64; }
case ${1:-} in
  -h | --help) sed -n '2,7s/^# //p' "$0" ;;
  --uninstall) uninstall ;;
  -*) echo "install.sh: unknown option $1 (see --help)" >&2; exit 64 ;;
  *)
    from=${1:-${CULPRIT_FROM:-}}
    if [ -z "$from" ]; then
      # Piped into a shell there is no such folder.
      [ -f "$0" ] || die "name the source of the files: install.sh FROM, or CULPRIT_FROM=..."
      from=$(dirname "$0")
    fi
    install_from "$from" ;;
esac

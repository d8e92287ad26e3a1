#!/bin/sh
# The completions as the shells use them: completions_test.sh CULPRIT
# Each line: shell, the words before the one that is completed, that word, what must be offered.
set -u
culprit=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/dir with spaces"
: >"$work/train run.log"
failed=0

# bash: the function is called as readline does it; where it leaves files to readline, that is said.
"$culprit" completions bash >"$work/bash" || exit 1
offered_by_bash() {  # COMP_WORDS...
  (cd "$work" && bash --norc --noprofile -c '
    compopt() { echo "$*"; }
    complete() { :; }
    . ./bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _culprit
    printf "%s\n" "${COMPREPLY[@]}"' bash "$@")
}

expect() {  # expect LINE SHELL WORDS...
  line=$1; shell=$2; shift 2
  said=$("offered_by_$shell" "$@" 2>&1)
  case "
$said
" in
    *"
$line
"*) ;;
    *) echo "FAILED  $shell, $*: expected '$line' in: $said"; failed=1 ;;
  esac
}

expect explain bash culprit exp
expect "-o default" bash culprit explain tr
expect "-o default" bash culprit why tr
expect "-o default" bash culprit fix tr
expect "-o default" bash culprit inspect ""
expect "-o dirnames" bash culprit check --root ""
expect --host bash culprit explain --h
expect junit bash culprit check --format = ju
expect json bash culprit check --format =
expect json bash culprit explain --format js
expect --format=junit bash culprit check --format=ju
expect report bash culprit fleet re
expect "-o default" bash culprit fleet report re
expect --format bash culprit rules ""
expect torch bash culprit plan to

# zsh: its own completion in a terminal of its own, which types and presses Tab.
if command -v zsh >/dev/null 2>&1 && command -v python3 >/dev/null 2>&1; then
  "$culprit" completions zsh >"$work/_culprit" || exit 1
  offered_by_zsh() { python3 "${0%/*}/type_in_zsh.py" "$work" "$*"; }
  expect "culprit check --format=junit" zsh "culprit check --format=ju"
  expect "culprit explain train\ run.log" zsh "culprit explain tr"
  expect "culprit check --root dir\ with\ spaces/" zsh "culprit check --root di"
  expect "culprit fleet report" zsh "culprit fleet rep"
fi
[ "$failed" = 0 ] && echo "ok"
exit "$failed"

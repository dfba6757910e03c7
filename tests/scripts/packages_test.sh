#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# need_packages of scripts/lib.sh with an apt-get and a dpkg-query of its own: nothing is installed.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fake() { # name, lines of a shell script
  printf '#!/bin/sh\n%s\n' "$2" >"$folder/$1"
  chmod +x "$folder/$1"
}

fail() {
  printf 'packages_test.sh: %s\n%s\n' "$1" "$(cat "$folder/output")" >&2
  exit 1
}

# A script that needs one package; its exit code.
run_script() {
  printf '%s\n' "source $(printf %q "$PWD/scripts/lib.sh")" 'need_packages g++' 'echo "and then the rest"' \
    >"$folder/script.sh"
  local code=0
  PATH="$folder:$PATH" bash "$folder/script.sh" >"$folder/output" 2>&1 || code=$?
  return "$code"
}

fake sudo 'exec "$@"'
fake dpkg-query 'exit 1' # reports: not installed

fake apt-get 'echo "Unpacking a lot"; echo "W: a warning" >&2'
run_script || fail "a script fails although apt does not"
grep -q "installing 1 Debian packages" "$folder/output" || fail "it does not say what it does"
grep -q "and then the rest" "$folder/output" || fail "it ends with the packages"
if grep -q "Unpacking\|warning" "$folder/output"; then fail "apt's lines are shown"; fi

# shellcheck disable=SC2016  # for the script that is written
fake apt-get 'echo "Unpacking a lot"; case "$*" in *install*) echo "E: no room" >&2; exit 100;; esac'
code=0
run_script || code=$?
((code == 100)) || fail "exit code $code, not apt's"
grep -q "Unpacking a lot" "$folder/output" || fail "what apt printed is lost"
grep -q "E: no room" "$folder/output" || fail "why apt failed is lost"
if grep -q "and then the rest" "$folder/output"; then fail "it goes on without the packages"; fi

fake dpkg-query 'echo installed'
fake apt-get 'echo "called"; exit 1'
run_script || fail "apt is called with nothing missing"
echo "ok"

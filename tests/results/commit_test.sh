#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# commit_test.sh CMAKE SCRIPT: the commit that commit.cmake finds, in a small repository made for
# it.
set -euo pipefail
cmake=$1
script=$2
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

# Usage: expect WHAT FOLDER COMMIT [SCRIPT].
expect() {
  "$cmake" -DSOURCE="$2" -DOUTPUT="$top/commit.cpp" -P "${4:-$script}"
  local found
  found=$(sed -n 's/.*return "\(.*\)".*/\1/p' "$top/commit.cpp")
  [[ "$found" == "$3" ]] || { echo "FAILED: $1: found '$found', not '$3'"; exit 1; }
}

repository="$top/a b"
mkdir "$repository"
expect "no repository" "$repository" unknown
git -C "$repository" init -q
expect "no commit yet" "$repository" unknown
mkdir "$repository/inside"
cp "$script" "$repository/commit.cmake"
echo "commit.cmake export-subst" >"$repository/.gitattributes"
git -C "$repository" add .
git -C "$repository" commit -qm first
git -C "$repository" tag -a release -m release
hash=$(git -C "$repository" rev-parse --short HEAD)
expect "clean" "$repository" "$hash"
touch -d yesterday "$top/commit.cpp"
before=$(stat -c %Y "$top/commit.cpp")
expect "the same again" "$repository" "$hash"
[[ "$(stat -c %Y "$top/commit.cpp")" == "$before" ]] || { echo "FAILED: written anew"; exit 1; }
echo "# more" >>"$repository/commit.cmake"
expect "changed" "$repository" "$hash-dirty"
expect "a folder inside another repository" "$repository/inside" unknown
mkdir "$top/archive"
git -C "$repository" archive HEAD | tar -x -C "$top/archive"
expect "an archive" "$top/archive" "$hash" "$top/archive/commit.cmake"
(export PATH=/nowhere && "$cmake" -DSOURCE="$repository" -DOUTPUT="$top/commit.cpp" -P "$script")
grep -q '"unknown"' "$top/commit.cpp" || { echo "FAILED: without git"; exit 1; }

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compiler_launcher.sh COMPILER ARGUMENT…: the compiler through ccache where there is one, else as
# it is. CMake puts this before every compilation, and not ccache itself: command lines then stay as
# they are when ccache comes or goes, and ninja has nothing to compile again.
if command -v ccache >/dev/null 2>&1; then
  CCACHE_SLOPPINESS=pch_defines,time_macros  # precompiled headers are taken only with this
  # Parameters of the compiler's memory management do not change its output.
  CCACHE_IGNOREOPTIONS='--param=ggc-min-expand=* --param=ggc-min-heapsize=*'
  export CCACHE_SLOPPINESS CCACHE_IGNOREOPTIONS
  set -- ccache "$@"
fi
case "$0 $PWD" in
*"'"*) ;;
*) exec "$@" ;;
esac

# Ninja 1.11 cannot read an apostrophe in a list of headers, and would compile everything each time.
# So paths into the build folder, which is where this runs, and into the checkout become relative.
"$@" || exit
headers=
while [ $# -gt 1 ]; do
  [ "$1" != -MF ] || headers=$2
  shift
done
[ -n "$headers" ] || exit 0
checkout=$(cd "$(dirname "$0")/.." && pwd)
as_pattern() { printf '%s' "$1" | sed 's/[].[^$*\/]/\\&/g; s/ /\\\\ /g'; }
sed -i "s/$(as_pattern "$PWD")\///g; s/$(as_pattern "$checkout")/$(realpath --relative-to=. "$checkout" | sed 's/[\/&]/\\&/g')/g" \
  "$headers"

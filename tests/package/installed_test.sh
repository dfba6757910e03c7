#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# installed_test.sh CHECKOUT BUILD: installs BUILD, moves the installation, and uses it as a
# stranger would: by the program, by find_package, by pkg-config, by the completion of bash, zsh and
# fish, by man. External programs print the same as the programs of the build folder.
set -euo pipefail
checkout=$1
build=$2
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
unset PKG_CONFIG_PATH CMAKE_PREFIX_PATH fredsim_DIR
export FREDSIM_CACHE="$top/cache"
here="$top/moved here/usr"
cd "$top"

fail() {
  echo "FAILED: $*"
  exit 1
}
# same COMMAND…: of the installed program and of the build folder's, without what a path or a clock
# says.
same() {
  "$here/bin/fredsim" "$@" --json "$top/installed.json" --quiet >"$top/log" 2>&1 || { cat "$top/log"; fail "fredsim $*"; }
  "$build/fredsim" "$@" --json "$top/built.json" --quiet >"$top/log" 2>&1 || { cat "$top/log"; fail "$build/fredsim $*"; }
  sed -i -E '/"(command|config|wall_s|sim_cycles_per_s)":/d' "$top/installed.json" "$top/built.json"
  cmp "$top/installed.json" "$top/built.json" || fail "fredsim $*: other results"
  grep -qE '"cycles": [1-9]' "$top/installed.json" || fail "$*: nothing was simulated"
}

echo "== installed, and moved"
# A page is made only then, as all are where the program alone was built.
rm -f "$build/package/fredsim-schema.1.gz"
cmake --install "$build" --prefix "$top/first/usr" >"$top/log" || { cat "$top/log"; fail "cmake --install"; }
grep -q "Building: $build/package/fredsim-schema.1.gz" "$top/log" || { cat "$top/log"; fail "nothing is said of what is built"; }
mkdir "moved here"
mv first/usr "moved here/usr"
rmdir first
for word in "$top/first" "$checkout/" "$build/"; do
  if grep -rIlF -- "$word" "$here"; then fail "files that name $word"; fi
done

echo "== machines by name, RTL on demand"
same run fred_small --size 64KiB
same compare mesh_2x2.yaml fred_small@switch.input_buffer=16KiB --size 4KiB
"$here/bin/fredsim" info --machines >"$top/names"
[[ "$(cat "$top/names")" == "$(cd "$checkout/configs" && printf '%s\n' *.yaml systems/*.yaml | sed 's|^systems/||; s/\.yaml$//' | LC_ALL=C sort)" ]] || fail "other machines: $(cat "$top/names")"
echo "name: mine" >fred_small  # a file of that name goes first
if "$here/bin/fredsim" info fred_small >"$top/log" 2>&1; then fail "the installed machine stands before a file"; fi
grep -q "^fredsim: fred_small" "$top/log" || { cat "$top/log"; fail "a message without the file"; }
rm fred_small
code=0
"$here/bin/fredsim" run fred_smal >"$top/log" 2>&1 || code=$?
refused() { # PATTERN: a message with exit code 2
  if ((code != 2)) || ! grep -q "$1" "$top/log"; then cat "$top/log"; fail "exit code $code, not: $1"; fi
}
refused "found 'fred_smal'.*did you mean 'fred_small'"
"$here/bin/fredsim" run fred_small --set fabric.middle=2 --model lockstep --size 4KiB --quiet >"$top/log" 2>&1 || { cat "$top/log"; fail "RTL on demand"; }
mv "$here/share/fredsim/configs" "$top/configs"
code=0
"$here/bin/fredsim" run fred_small >"$top/log" 2>&1 || code=$?
refused "no machines in '$here/share/fredsim/configs'"
mv "$top/configs" "$here/share/fredsim/configs"

if [[ -d "$build/python/fredsim" ]]; then
  echo "== Python"
  cat >installed.py <<'PY'
import sys
import fredsim
assert str(fredsim.program()) == f"{sys.argv[1]}/bin/fredsim", fredsim.program()
machine = fredsim.Machine("fred_small")
assert len(machine.npus) == 4 and fredsim.run(machine, size="4KiB").runs[0].cycles == fredsim.run("fred_small", size="4KiB").runs[0].cycles > 0
try:
    fredsim.Machine("fred_smal")
except fredsim.BadInput as error:
    assert "did you mean 'fred_small'" in str(error), error
else:
    raise AssertionError("no error")
PY
  env -u FREDSIM_PROGRAM PYTHONPATH="$here/lib/python3/dist-packages" /usr/bin/python3 -B installed.py "$here" >"$top/log" 2>&1 || { cat "$top/log"; fail "import fredsim"; }
fi

echo "== find_package"
cp -r "$checkout/testbenches/tb_own_npu" own_npu
cp -r "$checkout/testbenches/tb_bus_switch" "bus switch"
for project in own_npu "bus switch"; do
  cmake -S "$project" -B "$project/build" "-DCMAKE_PREFIX_PATH=$here" >"$top/log" 2>&1 || { cat "$top/log"; fail "$project: cmake"; }
done
cmake --build own_npu/build >"$top/log" 2>&1 || { cat "$top/log"; fail "own_npu"; }
cmake --build "bus switch/build" -j2 --target fredsim_bus >"$top/log" 2>&1 || { cat "$top/log"; fail "bus switch"; }
table() { "$1" --config "$checkout/configs/fred_small.yaml" --model rtl >"$top/$2" 2>/dev/null || fail "$1: exit code $?"; }
table "$build/tb_own_npu" ours
table own_npu/build/own_npu theirs
cmp ours theirs || fail "own_npu prints another table"
for size in "switch.kind=bus --set fabric.in_switch=false" "fabric.middle=2"; do
  # shellcheck disable=SC2086  # words
  "bus switch/build/fredsim_bus" run fred_small --set $size --model lockstep --size 4KiB --quiet >"$top/log" 2>&1 ||
    { cat "$top/log"; fail "fredsim_bus, $size"; }
done
mv "$here/share/fredsim/rtl" "$top/rtl"
if cmake -S own_npu -B again "-DCMAKE_PREFIX_PATH=$here" >"$top/log" 2>&1; then fail "find_package takes half an installation"; fi
tr -s '\n ' ' ' <"$top/log" | grep -qF "found no '$here/share/fredsim/rtl'" || { cat "$top/log"; fail "another message"; }
mv "$top/rtl" "$here/share/fredsim/rtl"

echo "== pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$here" -name fredsim.pc)")
export PKG_CONFIG_PATH
[[ "$(pkg-config --modversion fredsim)" == "$("$here/bin/fredsim" --version | sed -E 's/^fredsim ([0-9.]+).*/\1/;q')" ]] || fail "pkg-config: another version"
flags=$(pkg-config --cflags --libs fredsim)
eval "set -- $flags"
"${CXX:-c++}" own_npu/tb_own_npu.cpp "$@" -o by_pkg_config >"$top/log" 2>&1 || { cat "$top/log"; fail "a program by pkg-config"; }
table ./by_pkg_config theirs
sed -i 's/by_pkg_config/tb_own_npu/g' theirs
cmp ours theirs || fail "the program by pkg-config prints another table"

echo "== manual pages"
pages=("$here"/share/man/man1/fredsim*.1.gz)
mapfile -t commands < <("$here/bin/fredsim" help --completion bash | sed -nE 's/^    ([a-z]+)\)$/\1/p')
((${#pages[@]} == ${#commands[@]} && ${#pages[@]} > 10)) || fail "${#pages[@]} pages of the program and ${commands[*]}"  # one for help is not there
for page in "${pages[@]}"; do
  zcat "$page" >page.1
  mandoc -T lint -W error page.1 || fail "$page"
  mandoc -T ascii page.1 | col -b >page.txt
  grep -q "^OPTIONS" page.txt || fail "$page has no options"
done
zcat "$here/share/man/man1/fredsim-run.1.gz" | mandoc -T ascii | col -b >run.txt
for option in --size --model --rtl-build --json; do
  grep -q -- "^ *$option" run.txt || fail "fredsim-run(1) lacks $option"
done

echo "== completion"
export PATH="$here/bin:$PATH"
completed() { # Usage: SHELL LINE. Prints the completions, one word per line.
  case $1 in
    bash)
      # shellcheck disable=SC2016
      bash --norc -c 'source "$0"; read -ra COMP_WORDS <<<"$1"; [[ $1 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fredsim; printf "%s\n" "${COMPREPLY[@]}"' "$here/share/bash-completion/completions/fredsim" "$2" ;;
    fish)
      # shellcheck disable=SC2016
      HOME=$top fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$here/share/fish/vendor_completions.d/fredsim.fish" "$2" | cut -f1 ;;
  esac
}
offers() { # SHELL LINE WORD…
  local shell=$1 line=$2 word
  completed "$shell" "$line" >offered || fail "$shell: '$line'"
  shift 2
  for word in "$@"; do
    grep -qx -- "$word" offered || { cat offered; fail "$shell: '$line' does not offer $word"; }
  done
}
for shell in bash fish; do
  offers $shell "fredsim tr" train traffic
  offers $shell "fredsim run fred_s" fred_small
  offers $shell "fredsim run fred_d --mod" --model
  offers $shell "fredsim run fred_d --model " tlm rtl lockstep
  offers $shell "fredsim train mesh --optimizer " none sgd adam
done
zsh -n "$here/share/zsh/vendor-completions/_fredsim" || fail "zsh cannot read its completion"
# zsh completes in a terminal alone.
cat >zsh.rc <<ZSH
fpath=('$here/share/zsh/vendor-completions' \$fpath)
autoload -U compinit && compinit -u -d '$top/zcompdump'
ZSH
python3 - "$top" <<'PY' || fail "zsh: 'fredsim run fred_d --model ' does not offer lockstep"
import os, pty, select, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(ZDOTDIR=sys.argv[1], TERM="dumb", COLUMNS="80")
    os.execvp("zsh", ["zsh", "-f", "-i"])
text = b""
def read_until(word):
    global text
    for _ in range(600):
        if word in text:
            return True
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
    return False
os.write(terminal, b"source zsh.rc; echo rea''dy\n")
ok = read_until(b"ready")
text = b""
os.write(terminal, b"fredsim run fred_d --model lo\t")
ok = ok and read_until(b"lockstep")
os.close(terminal)
sys.exit(not ok)
PY
echo "all as in the build folder"

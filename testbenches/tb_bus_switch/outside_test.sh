#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# outside_test.sh CHECKOUT BUILD: runs the commands of docs/developer/switch_kind.md, as they stand
# there: a copy of this folder as a project by itself, in a folder whose path has a space, built
# against the build folder BUILD. Between them, works and traffic take the same cycles on RTL, twin
# and both in lockstep. After the fault that the page plants in the twin lockstep must end with exit
# code 1 and say where they differ; every other command must succeed. RTL of a size that the project
# does not list is built on demand, in a cache of the test's own. Compiler flags are taken from the
# environment, as CMake takes them.
set -euo pipefail
checkout=$1
build=$2
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
project="$top/my switch"
export project build FREDSIM_CACHE="$top/cache"
bus=(--set switch.kind=bus --set fabric.in_switch=false)
cd "$checkout"

fail() {
  echo "FAILED: $*"
  exit 1
}

# The indented lines of the page, with our folders for those of the page.
# shellcheck disable=SC2016  # for eval, later
mapfile -t commands < <(
  grep -E '^(    |        )[^ ]' docs/developer/switch_kind.md |
    sed 's/^ *//; s|/tmp/my_switch|"$project"|g; s|\$PWD/build|"$build"|g'
)
((${#commands[@]} == 10)) || fail "${#commands[@]} commands on the page: $(printf '\n  %s' "${commands[@]}")"

# same_cycles COMMAND…: results of RTL, twin and lockstep are equal but for the model's name and the
# time that it took.
same_cycles() {
  local model
  for model in rtl tlm lockstep; do
    "$project/build/fredsim_bus" "$@" "${bus[@]}" --model "$model" --quiet --json "$top/$model.json" >"$top/log" 2>&1 ||
      { cat "$top/log"; fail "$* --model $model"; }
    sed -i -E '/"(command|model|wall_s|sim_cycles_per_s)":/d' "$top/$model.json"
  done
  cmp "$top/rtl.json" "$top/tlm.json" || fail "$*: tlm differs from rtl"
  cmp "$top/rtl.json" "$top/lockstep.json" || fail "$*: lockstep differs from rtl"
  grep -qE '"cycles": [1-9]' "$top/rtl.json" || fail "$*: nothing was simulated"
  echo "rtl = tlm = lockstep: $*"
}

works() {
  cmake --build "$project/build" >"$top/log"
  if grep -qE 'Building|Linking|Verilating' "$top/log"; then cat "$top/log"; fail "all that is built is built once more"; fi
  same_cycles run configs/fred_small.yaml --collective all_reduce --algorithm ring -b 512 -e 64KiB -f 8
  same_cycles run configs/fred_small.yaml --collective all_to_all --size 32KiB --lanes 1
  same_cycles run configs/fred_small.yaml --collective unicast --group 0,3 --size 100000
  "$project/build/fredsim_bus" run configs/fred_small.yaml "${bus[@]}" --model rtl --size 512 --quiet \
    --wave "$top/w.fst" >"$top/log" 2>&1 ||
    { cat "$top/log"; fail "a waveform"; }
  for signal in i_arbiter.pop_vc_o 'gen_input\[3\].i_input.hol_o' 'gen_output\[3\].gen_vc\[0\].i_credits.credits_q'; do
    grep -q "l2.*$signal" "$top/w.gtkw" || fail "$signal is not shown with a waveform"
  done
  same_cycles traffic configs/fred_small.yaml --rate 0.2 --packet-flits 4 --cycles 4000
  same_cycles run configs/fred_64.yaml --size 512
  compgen -G "$FREDSIM_CACHE/rtl/bus_P_8_*.so" >"$top/log" || fail "no RTL was built on demand"
}

has_fault=false
for command in "${commands[@]}"; do
  echo "== $command"
  case $command in
  sed*)
    before=$(cksum <"$project/bus_twin.cpp")
    eval "$command"
    [[ "$before" != "$(cksum <"$project/bus_twin.cpp")" ]] || fail "the sed changes nothing"
    has_fault=true
    ;;
  *lockstep)
    code=0
    eval "$command" >"$top/log" 2>&1 || code=$?
    if $has_fault; then
      cat "$top/log"
      ((code == 1)) || fail "exit code $code"
      grep -qE 'cycle [0-9]+: l[12]_[^ ]+: .* difference in step [0-9]+ .*, port [0-3], [a-z_]+.*: rtl has .*, tlm has ' \
        "$top/log" || fail "no word of cycle, switch, port and field"
    else
      ((code == 0)) || { cat "$top/log"; fail "exit code $code"; }
      works
    fi
    ;;
  *) eval "$command" >"$top/log" 2>&1 || { cat "$top/log"; fail "$command"; } ;;
  esac
done
$has_fault || fail "the page plants no fault"

echo "== a size that is not linked"
if "$project/build/fredsim_bus" run configs/fred_64.yaml "${bus[@]}" --size 512 --model rtl --rtl-build never >"$top/log" 2>&1; then
  fail "it runs"
fi
grep -qF "to the SIZES in '$project/CMakeLists.txt' and build again" "$top/log" ||
  { cat "$top/log"; fail "no word of where to add it"; }

# refused FILE SED TEXT: with the file changed the project is not configured, for the reason in the
# text.
refused() {
  echo "== refused: $3"
  cp "$project/$1" "$top/before"
  sed -i "$2" "$project/$1"
  if cmake -S "$project" -B "$project/build" >"$top/log" 2>&1; then fail "it is configured"; fi
  tr -s ' \n' ' ' <"$top/log" | grep -qF "$3" || { cat "$top/log"; fail "no word of it"; }
  cp "$top/before" "$project/$1"
}
refused CMakeLists.txt 's/KINDS bus/KINDS fred/' "found the kind 'fred'; allowed: one of your own"
refused kind.cmake 's/fredsim_switch_kind(bus/fredsim_switch_kind(mesh/' \
  "switch kind mesh: found a second one; allowed: a name other than fred, mesh"
refused CMakeLists.txt 's/bus P=4/bus P=4 WAYS=2/' "found the parameter WAYS; allowed of the kind bus: P, LANES"

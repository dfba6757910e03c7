#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the readers of users' files and words, with libFuzzer and the address and undefined-behaviour sanitizers.
# Installs missing packages, builds in build-fuzz/:
#
#   scripts/fuzz.sh [--seconds N] [--runs N] [TARGET…]      default: 60 seconds of every target of tests/fuzz/targets.cpp
#
# Prints for each target how many inputs it ran and what they covered. Inputs that cover something new are kept, in
# build-fuzz/corpus/TARGET, and the next run begins with them. At the first fault it ends with exit code 1 and names the
# input; once fixed, it goes to tests/fuzz/found/TARGET, where a test reads it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seconds=60 runs=-1 targets=()
while (($# > 0)); do
  case "$1" in
    --seconds | --runs)
      [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || die "$1: found '${2:-}'; allowed: a whole number from 1 on"
      if [[ "$1" == --seconds ]]; then seconds="$2"; else runs="$2" seconds=0; fi
      shift
      ;;
    -*) die "found '$1'; allowed: --seconds N, --runs N and targets" ;;
    *) targets+=("$1") ;;
  esac
  shift
done

need_packages "${BUILD_PACKAGES[@]}" "${TEST_BUILD_PACKAGES[@]}" "${FUZZ_PACKAGES[@]}"
say "building fredsim_fuzzer into build-fuzz/"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --parallel "$(nproc)"

# Without a target it lists all targets, and their input.
mapfile -t known < <(build-fuzz/fredsim_fuzzer 2>&1 | sed -n 's/\t.*//p')
for target in "${targets[@]}"; do
  [[ " ${known[*]} " == *" $target "* ]] || die "found the target '$target'; allowed: ${known[*]}"
done
if ((${#targets[@]} == 0)); then targets=("${known[@]}"); fi

folder=$(mktemp -d)  # files that the targets read
trap 'rm -rf "$folder"' EXIT
total=0
for target in "${targets[@]}"; do
  corpus="build-fuzz/corpus/$target" log="build-fuzz/$target.log"
  mkdir -p "$corpus" "build-fuzz/found"
  code=0
  FREDSIM_FUZZ_TARGET="$target" FREDSIM_FUZZ_SEEDS="$corpus" TMPDIR="$folder" ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=0" \
    build-fuzz/fredsim_fuzzer "$corpus" -max_total_time="$seconds" -runs="$runs" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/found/$target-" >"$log" 2>&1 || code=$?
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  covered=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
  say "$target: ${inputs:-?} inputs, ${covered:-cov: ?} edges of its code covered"
  total=$((total + ${inputs:-0}))
  if ((code != 0)); then
    grep -v '^#' "$log" | tail -n 40 >&2
    die "$target: a fault; log: $log"
  fi
done
say "$total inputs, no fault"

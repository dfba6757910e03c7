# SPDX-License-Identifier: Apache-2.0
# Common parts of the scripts in this folder: sourced, not run. Sets up strict mode, goes to the top
# of the checkout, and offers: reproduce, say, die, with_log, need_packages, build_targets.
# shellcheck shell=bash disable=SC2034  # the lists are used by the scripts that source this

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Debian 12 packages to build the program.
BUILD_PACKAGES=(
  g++ cmake ninja-build pkg-config verilator libsystemc-dev libfmt-dev libyaml-cpp-dev libopenmpi-dev openmpi-bin
  nlohmann-json3-dev libcli11-dev libxxhash-dev zlib1g-dev node-d3
  libprotobuf-dev protobuf-compiler libssl-dev libboost-dev libmetis-dev libnlopt-dev libglpk-dev liblemon-dev libpugixml-dev libbz2-dev pybind11-dev python3-dev python3-numpy
)
# Packages to build all tests; flows are compared with SimGrid.
TEST_BUILD_PACKAGES=(libgtest-dev libsimgrid-dev)
# And to run them: the RTL goes through yosys too, scripts that make tables are in Python, the
# report's page is opened in a browser, results are held against their schema, and waveforms are
# read back with GTKWave's fst2vcd. clang and make: a switch is built with either compiler and
# either generator of CMake. Snakemake, Slurm and munge: a study on a cluster of one node. mandoc
# and col for the manual pages, zsh and fish for completion. NumPy, pandas and matplotlib for the
# Python package and its notebooks.
TEST_PACKAGES=(git clang-14 make yosys python3 python3-jsonschema python3-selenium chromium chromium-driver gtkwave snakemake
  slurmctld slurmd slurm-client munge mandoc bsdextrautils zsh fish python3-matplotlib python3-pandas)
# Packages for the site of docs/, which tests open in a browser.
DOCS_PACKAGES=(mkdocs mkdocs-material mkdocs-material-extensions)
TEST_PACKAGES+=("${DOCS_PACKAGES[@]}")
# To synthesise the RTL; which is tested too.
SYNTH_PACKAGES=(yosys opensta qflow-tech-osu018 iverilog verilator g++ make cmake python3 gtkwave)
# To prove properties of it; which is tested too.
FORMAL_PACKAGES=(yosys z3 cmake python3)
# To simulate it from unknown state; which is tested too.
XCHECK_PACKAGES=(yosys iverilog cmake verilator python3)
TEST_PACKAGES+=("${SYNTH_PACKAGES[@]}" "${FORMAL_PACKAGES[@]}" "${XCHECK_PACKAGES[@]}")
# Packages to fuzz the readers of users' files with libFuzzer.
FUZZ_PACKAGES=(clang-16 libclang-rt-16-dev)  # 14, the default, has no <ranges> of GCC 12's
# And to check the style.
LINT_PACKAGES=(git clang-format clang-tidy-16 mypy flake8 shellcheck codespell verilator python3)

# Runs a command of scripts/reproduce in the folder that the script was called from.
reproduce() {
  local checkout=$PWD
  need_packages python3 >&2
  cd "$OLDPWD"
  exec /usr/bin/python3 -B "$checkout/scripts/reproduce" "$@"
}

say() { printf '== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Runs a command and keeps what it prints to itself. If it fails, the log is shown and this ends
# with its exit code.
with_log() {
  local log code=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || code=$?
  if ((code != 0)); then
    cat "$log" >&2
    printf '%s: exit code %s of: %s\n' "$(basename "$0")" "$code" "$*" >&2
  fi
  rm -f "$log"
  ((code == 0)) || exit "$code"
}

# Installs the missing ones of the named packages; needs no network if none is missing.
need_packages() {
  command -v apt-get >/dev/null ||
    die "this is no Debian; install what these Debian 12 packages hold, then build with" \
      "'cmake --preset release && cmake --build --preset release': $*"
  local package missing=()
  for package in "$@"; do
    if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
      missing+=("$package")
    fi
  done
  ((${#missing[@]} > 0)) || return 0

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "cannot install ${missing[*]}: run this as root, or install sudo, or install them yourself"
    as_root=(sudo)
  fi
  say "installing ${#missing[@]} Debian packages and what they need: ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  with_log "${apt[@]}" update
  with_log "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

# Passes on what ninja prints, its lines of progress as a single one that is written anew, or, where
# this is no terminal, as ten at most. Messages of compilers stay as they are.
show_progress() {
  local line step total tenths=0 terminal=false is_open=false
  if [[ -t 1 ]]; then terminal=true; fi
  while IFS= read -r line; do
    if [[ "$line" =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      step=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
      if $terminal; then
        printf '\r\033[K  step %d of %d' "$step" "$total"
        is_open=true
      elif ((10 * step / total > tenths)); then
        tenths=$((10 * step / total))
        printf '  step %d of %d\n' "$step" "$total"
      fi
    else
      if $is_open; then printf '\r\033[K'; fi
      is_open=false
      printf '%s\n' "$line"
    fi
  done
  if $is_open; then printf '\n'; fi
}

# Configures build/, with options for CMake if the first words are such, and builds the named
# targets in it ("all" for everything). Without -DBUILD_TESTING=ON a new build/ has no tests, which
# need TEST_BUILD_PACKAGES and switch sizes of their own; one that has some keeps them.
build_targets() {
  local options=()
  if [[ ! -e build/CMakeCache.txt ]]; then options=(-DBUILD_TESTING=OFF); fi
  while [[ "$1" == -D* ]]; do
    options+=("$1")
    shift
  done
  say "building $* into build/"
  with_log cmake --preset release "${options[@]}"
  NINJA_STATUS='[%f/%t] ' cmake --build --preset release --parallel "$(nproc)" --target "$@" 2>&1 | show_progress
}

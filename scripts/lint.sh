#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the style, and changes nothing. Without arguments: all steps over the whole checkout. lint.sh --STEP [FILE…] runs one:
#   --quick                 all steps but --tidy and --rtl, which need minutes; part of scripts/test.sh
#   --format                clang-format; of these files, or of all C++ sources
#   --tidy                  clang-tidy; of these files, or of all, by library
#   --rtl                   Verilator's lint of every file list in rtl/
#   --shell                 shellcheck
#   --python                flake8 and mypy
#   --spelling              codespell; of these files, or of all
#   --sv-format             format of SystemVerilog; of these files, or of all
#   --comments              openers and pronouns of comments
#   --licences              an SPDX line in every file
#   --types                 one type of a name in a program
#   --headers               docs/reference/libraries.md, which is made of the headers' contracts
#   --subjects RANGE        subjects of the commits of a range: 'area: imperative', at most 72 columns, no full stop
#   --subject-file FILE     likewise, for a message that is being written
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2119,SC2120  # steps take files, or none
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

CPP=(sc_models testbenches tests)
# Words that codespell takes for misspelt ones: names of constants, and keys that tests misspell.
WORDS=scripts/spelling.txt

all_cpp() { find "${CPP[@]}" -name '*.cpp' -o -name '*.h' | sort; }

format() {
  local files=("$@")
  if (($# == 0)); then mapfile -t files < <(all_cpp); fi
  say "clang-format, ${#files[@]} files"
  clang-format --dry-run -Werror "${files[@]}"
}

tidy() {
  need_packages "${BUILD_PACKAGES[@]}" "${TEST_BUILD_PACKAGES[@]}"
  build_targets -DBUILD_TESTING=ON all  # clang-tidy reads the generated headers of the Verilated switches
  mkdir -p build/lint
  local sources=() checks=""
  mapfile -t sources < <(cd scripts && python3 -B -m fredsim_tools.tidy_commands)
  if (($# == 0)); then
    # A library at once: the headers of its files are read once. Two checks then see nothing, since
    # they look at the main file alone: misc-unused-using-decls and misc-unused-alias-decls. The
    # analyzer takes more than ten minutes for a large library. A unity file includes nothing but
    # .cpp, and declares again what another one of them has defined.
    checks="-bugprone-suspicious-include,-readability-redundant-declaration,-clang-analyzer-*"
  else
    mapfile -t sources < <(printf '%s\n' "$@" | grep '\.cpp$')
  fi
  ((${#sources[@]} > 0)) || return 0
  say "clang-tidy, ${#sources[@]} compilations"
  local source more
  for source in "${sources[@]}"; do
    more=$checks
    # Tests need not be fast, write down the order of cases, and the bytes that they expect, as they
    # are.
    if [[ $source =~ /tests/|_test_ ]]; then more+=",-performance-*,-bugprone-suspicious-missing-comma,-bugprone-branch-clone,-bugprone-integer-division,-modernize-raw-string-literal"; fi
    printf '%s\0' "--checks=$more" "$source"
  done | xargs -0 -n 2 -P "$(nproc)" clang-tidy-16 --quiet -p build/lint --extra-arg=-Wno-unknown-warning-option
}

rtl() {
  local list module modules top
  for list in rtl/*/*.f; do
    modules=("${list%.f}.sv")
    if [[ ! -e "${modules[0]}" ]]; then modules=("${list%.f}"_*.sv); fi  # the ends of a link: link_retry_rx, link_retry_tx
    for module in "${modules[@]}"; do
      top="$(basename "$module" .sv)"
      say "verilator --lint-only, $top"
      verilator --lint-only -Wall rtl/lint.vlt -F "$list" --top-module "$top"
    done
  done
}

shell() {
  local files
  mapfile -t files < <(git ls-files '*.sh' .ci/run)
  say "shellcheck, ${#files[@]} files"
  shellcheck -x "${files[@]}"
}

python() {
  say "flake8"
  # Line lengths equal the limit of C++; blanks in slices follow black.
  git ls-files -z '*.py' scripts/reproduce | xargs -0 flake8 --max-line-length 160 --extend-ignore E127,E128,E203,E302,E305,E402,E501,E731,W503
  say "mypy, scripts/fredsim_tools"
  mkdir -p build/lint
  (cd scripts && mypy --ignore-missing-imports --disallow-untyped-defs --cache-dir=../build/lint/mypy fredsim_tools)
  say "mypy --strict, sc_models/python/fredsim"
  mkdir -p build/lint/python
  cp -r sc_models/python/fredsim build/lint/python
  python3 -B sc_models/python/record_classes.py sc_models/results/results.schema.json build/lint/python/fredsim/records.py
  (cd build/lint/python && mypy --strict --ignore-missing-imports --cache-dir=../mypy-strict fredsim)
}

spelling() {
  say "codespell"
  local files=("$@")
  if (($# == 0)); then mapfile -t files < <(git ls-files ':!:*.svg' ':!:*.et' ':!:tests/fuzz/found' ':!:docs/reference/*.json'); fi
  codespell --ignore-words="$WORDS" "${files[@]}"
}

sv-format() {
  say "format of SystemVerilog"
  local files=()
  if (($# > 0)); then mapfile -t files < <(realpath "$@"); fi
  (cd scripts && python3 -B -m fredsim_tools.sv_format "${files[@]}")
}

comments() {
  say "openers and pronouns of comments"
  (cd scripts && python3 -B -m fredsim_tools.comments)
}

licences() {
  say "SPDX lines"
  (cd scripts && python3 -B -m fredsim_tools.licences)
}

types() {
  say "types of one name"
  (cd scripts && python3 -B -m fredsim_tools.one_definition)
  say "libraries that include what stands below them"
  (cd scripts && python3 -B -m fredsim_tools.includes)
}

headers() {
  say "contracts of headers in docs/reference/libraries.md"
  diff <(scripts/reproduce libraries) docs/reference/libraries.md ||
    die "docs/reference/libraries.md: found another text than the headers'; allowed: 'scripts/reproduce libraries > docs/reference/libraries.md'"
}

# subject TEXT: of a commit. Its area names folders: "rtl/mesh", or several of them, "cli/runner".
subject() {
  ((${#1} <= 72)) || die "commit subject: found ${#1} columns, '$1'; allowed: at most 72"
  [[ "$1" != *. ]] || die "commit subject: found a full stop, '$1'; allowed: none"
  [[ "$1" =~ ^[a-z_/.]+:\ [a-z] ]] || die "commit subject: found '$1'; allowed: 'area: imperative', as 'engine: keep the order at joins'"
  : "${folders:=$(git ls-files | sed -n 's|/[^/]*$||p' | tr '/' '\n' | sort -u | tr '\n' ' ')}"
  local area
  for area in $(tr '/' ' ' <<<"${1%%:*}"); do
    [[ " $folders " == *" $area "* ]] || die "commit subject: found the area '$area' in '$1'; allowed: names of folders"
  done
}

subjects() {
  say "subjects of $1"
  local line
  while IFS= read -r line; do subject "$line"; done < <(git log --no-merges --format=%s "$1")
}

quick() {
  format
  shell
  python
  spelling
  sv-format
  comments
  licences
  types
  headers
}

step=${1-}
case "$step" in
--format | --tidy | --rtl | --shell | --python | --spelling | --sv-format | --comments | --licences | --types | --headers | --quick)
  shift
  need_packages "${LINT_PACKAGES[@]}"
  "${step#--}" "$@"
  ;;
--subjects)
  subjects "${2:?a range of commits}"
  ;;
--subject-file)
  subject "$(head -n 1 "${2:?a file}")"
  ;;
"")
  need_packages "${LINT_PACKAGES[@]}"
  quick
  tidy
  rtl
  ;;
*)
  die "found '$step'; allowed: nothing, --quick, --format, --tidy, --rtl, --shell, --python, --spelling, --sv-format, --comments, --licences, --types, --subjects or --subject-file"
  ;;
esac
say "no findings"

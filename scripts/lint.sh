#!/usr/bin/env bash
# Checks the style: clang-format and clang-tidy over all C++ sources, Verilator's lint over every file
# list in rtl/, mypy over the package of the scripts. Changes nothing. Files named as arguments: only those go through the
# C++ checks.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${BUILD_PACKAGES[@]}" "${TEST_BUILD_PACKAGES[@]}" "${LINT_PACKAGES[@]}"
build_targets -DBUILD_TESTING=ON all  # clang-tidy reads the generated headers of the Verilated switches

if (($# > 0)); then
  files=("$@")
else
  mapfile -t files < <(find sc_models testbenches tests -name '*.cpp' -o -name '*.h' | sort)
fi
sources=()
for file in "${files[@]}"; do
  if [[ "$file" == *.cpp ]]; then sources+=("$file"); fi
done

say "clang-format, ${#files[@]} files"
clang-format --dry-run -Werror "${files[@]}"

say "clang-tidy, ${#sources[@]} files"
# Precompiled headers are GCC's; clang-tidy takes the commands without them.
mkdir -p build/lint
sed -E 's/ -include (\\"[^"]*cmake_pch\.hxx\\"|[^ ]*cmake_pch\.hxx)//' build/compile_commands.json >build/lint/compile_commands.json
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" \
  clang-tidy --quiet -p build/lint --extra-arg=-Wno-unknown-warning-option

for list in rtl/*/*.f; do
  modules=("${list%.f}.sv")
  if [[ ! -e "${modules[0]}" ]]; then modules=("${list%.f}"_*.sv); fi  # the ends of a link: link_retry_rx, link_retry_tx
  for module in "${modules[@]}"; do
    top="$(basename "$module" .sv)"
    say "verilator --lint-only, $top"
    verilator --lint-only -Wall rtl/lint.vlt -F "$list" --top-module "$top"
  done
done
say "mypy, scripts/fredsim_tools"
(cd scripts && mypy --ignore-missing-imports --disallow-untyped-defs --cache-dir=../build/lint/mypy fredsim_tools)
say "no findings"

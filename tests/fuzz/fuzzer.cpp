// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry: drives the target that FREDSIM_FUZZ_TARGET names. With FREDSIM_FUZZ_SEEDS, a
// folder, it writes that target's seeds there first. scripts/fuzz.sh runs it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <systemc>

#include "targets.h"

namespace {

const fredsim::fuzz::Target* target = nullptr;

void write_seeds(const std::string& folder) {
  int number = 0;
  for (const std::string& seed : target->seeds())
    std::ofstream(folder + "/seed_" + std::to_string(number++), std::ios::binary) << seed;
}

}  // namespace

// SystemC wants one; nothing is simulated.
int sc_main(int /*argc*/, char** /*argv*/) { return 0; }

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's names
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* const name = std::getenv("FREDSIM_FUZZ_TARGET");
  const auto all = fredsim::fuzz::targets();
  const auto found = std::ranges::find(all, std::string_view(name == nullptr ? "" : name),
                                       &fredsim::fuzz::Target::name);
  if (found == all.end()) {
    std::fputs("FREDSIM_FUZZ_TARGET: allowed is one of:\n", stderr);
    for (const auto& one : all)
      std::fprintf(stderr, "%s\t%s\n", std::string(one.name).c_str(),
                   std::string(one.reads).c_str());
    std::exit(2);
  }
  target = &*found;
  if (const char* const folder = std::getenv("FREDSIM_FUZZ_SEEDS")) write_seeds(folder);
  // Output of commands is of no interest, and long.
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::exit(2);
  return 0;
}

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->accepts({reinterpret_cast<const char*>(data), size});
  return 0;
}

// The --lockstep CYCLES [FIRST_SEED] of a switch testbench: random work from one seed after the other until that
// many cycles have been compared (scripts/lockstep.sh).
//
// Prints the total and the seeds, or the seed of the first difference with what it was. Returns the exit code: 0,
// 1 after a difference, 2 for a count that is no number.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>

namespace fredsim::tb {

// `run`: does the work of a seed, returns the cycles compared, throws at a difference. `arguments`: after
// --lockstep.
template <class Run>
int run_lockstep_seeds(std::string_view name, const Run& run,
                       std::span<const char* const> arguments) {
  std::uint64_t values[2] = {0, 1};
  for (std::size_t i = 0; i < arguments.size() || i == 0; ++i) {
    const char* text = i < arguments.size() ? arguments[i] : "";
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, values[i < 2 ? i : 1]);
    if (i > 1 || stop != end || error != std::errc() || values[0] == 0) {
      fmt::print(stderr, "--lockstep: found '{}'; allowed: cycles, from 1 on, and a first seed\n",
                 text);
      return 2;
    }
  }
  const auto [cycles, first] = values;
  std::uint64_t done = 0;
  std::uint64_t seed = first;
  for (; done < cycles; ++seed) {
    try {
      done += run(seed);
    } catch (const std::exception& difference) {
      fmt::print("seed {}: {}\n", seed, difference.what());
      return 1;
    }
  }
  fmt::print("{}: {} cycles without a difference, seeds {} to {}\n", name, done, first, seed - 1);
  return 0;
}

}  // namespace fredsim::tb

// SPDX-License-Identifier: Apache-2.0
// Option --lockstep CYCLES [FIRST_SEED] of a switch testbench: random work, seed after seed, until
// CYCLES cycles have been compared (scripts/lockstep.sh).
//
// Prints the total and the seeds, or the seed of the first difference with its description. Returns
// the exit code: 0; 1 after a difference; 130 after SIGINT or SIGTERM: the current seed is
// completed, and the message names the seed to continue with. BadInput for a count that is not a
// number.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"

namespace fredsim::tb {

inline volatile std::sig_atomic_t lockstep_is_interrupted = 0;

// `run`: does the work of a seed, returns the cycles compared, throws at a difference. `values`:
// the one or two values after --lockstep.
template <class Run>
int run_lockstep_seeds(std::string_view name, const Run& run, std::span<const std::string> values) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t cycles = parse_number(values[0], "--lockstep CYCLES", 1, kMax);
  const std::uint64_t first =
      values.size() > 1 ? parse_number(values[1], "--lockstep FIRST_SEED", 0, kMax) : 1;
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) { lockstep_is_interrupted = 1; });
  std::uint64_t done = 0;
  std::uint64_t seed = first;
  for (; done < cycles && lockstep_is_interrupted == 0; ++seed) {
    try {
      done += run(seed);
    } catch (const std::exception& difference) {
      fmt::print("seed {}: {}\n", seed, difference.what());
      return static_cast<int>(ExitCode::kFailed);
    }
  }
  if (seed == first) {
    fmt::print("{}: no cycle compared; to go on: --lockstep {} {}\n", name, cycles, seed);
    return static_cast<int>(ExitCode::kInterrupted);
  }
  fmt::print("{}: {} cycles without a difference, seeds {} to {}\n", name, done, first, seed - 1);
  if (done >= cycles) return static_cast<int>(ExitCode::kDone);
  fmt::print("interrupted; to go on: --lockstep {} {}\n", cycles - done, seed);
  return static_cast<int>(ExitCode::kInterrupted);
}

}  // namespace fredsim::tb

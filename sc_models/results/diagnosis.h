// SPDX-License-Identifier: Apache-2.0
// Limits of a work on a machine, as data (`fredsim doctor`): each limit lifted alone, then all
// together. Times of flows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

enum class Limit : std::uint8_t { kBuffers, kWindows, kPaths, kAlgorithm, kLatency, kTurns };
// By value: their words in results, and in tables.
inline constexpr auto kLimitWords = std::to_array<std::string_view>(
    {"buffers", "windows", "single_paths", "algorithm", "latency", "turns"});
inline constexpr auto kLimitNames = std::to_array<std::string_view>(
    {"buffers", "windows", "single paths", "algorithm", "latency", "turns of phases"});

struct LiftedLimit {
  Limit limit = Limit::kBuffers;
  std::optional<double> time_ns{};  // without it; none: it does not apply
  bool is_calibrated = false;       // as `run --engine flow` has it; else by flows alone
  std::string lifted_by{};          // keys and options; empty: there is nothing to gain, or no such
  std::string note{};               // why it does not apply, or what to know of its factor
};

struct Diagnosis {
  std::string collective{}, algorithm{};
  int ranks = 0;
  std::uint64_t size_bytes = 0;
  double time_ns = 0;
  bool is_calibrated = false;         // as of LiftedLimit
  double network_bound_ns = 0;        // 0: not known
  std::vector<LiftedLimit> limits{};  // largest factor first, last those that do not apply
  double all_ns = 0;                  // without any of them
  double factor(double without_ns) const { return without_ns > 0 ? time_ns / without_ns : 1; }
};

}  // namespace fredsim

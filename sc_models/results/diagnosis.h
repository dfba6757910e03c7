// SPDX-License-Identifier: Apache-2.0
// Diagnosis of the limits of a work on a machine (`fredsim doctor`): each limit lifted alone, then
// all together. Times of flows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

enum class Limit : std::uint8_t { kBuffers, kWindows, kPaths, kAlgorithm, kLatency, kTurns };
// Words of the limits by value, in results and in tables.
inline constexpr auto kLimitWords = std::to_array<std::string_view>(
    {"buffers", "windows", "single_paths", "algorithm", "latency", "turns"});
inline constexpr auto kLimitNames = std::to_array<std::string_view>(
    {"buffers", "windows", "single paths", "algorithm", "latency", "turns of phases"});

struct LiftedLimit {
  Limit limit = Limit::kBuffers;
  std::optional<double> time_ns{};  // time without the limit; none: it does not apply
  bool is_calibrated = false;       // calibrated as in `run --engine flow`; else flows alone
  std::string lifted_by{};          // keys and options; empty: no gain, or no such key
  std::string note{};               // reason why it does not apply, or a remark on its factor
};

struct Diagnosis {
  std::string collective{}, algorithm{};
  int ranks = 0;
  std::uint64_t size_bytes = 0;
  double time_ns = 0;
  bool is_calibrated = false;         // as of LiftedLimit
  double network_bound_ns = 0;        // 0: not known
  std::vector<LiftedLimit> limits{};  // largest factor first; limits that do not apply come last
  double all_ns = 0;                  // time without any limit
  double factor(double without_ns) const { return without_ns > 0 ? time_ns / without_ns : 1; }
};

}  // namespace fredsim

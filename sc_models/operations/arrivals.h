// SPDX-License-Identifier: Apache-2.0
// Delay in cycles of an NPU's start of an operation: constant overhead of launch and
// synchronisation, and random skew of arrivals.
//
// Skew: drawn per NPU and operation. uniform:T is from 0 to T, T / 2 on average; normal:T is the
// magnitude of a normal deviate of standard deviation T, 0.8 T on average and above 2 T once in 22.
// Skew is never negative. An NPU has one skew for all of its groups in an operation, so their order
// stays.
// The skew depends only on seed, operation and NPU: it is equal for all engines, models and numbers
//   of processes.
// I/O controllers are always on time.
// Units: cycles, rounded up; picoseconds where a name says so.
// Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

enum class SkewKind : std::uint8_t { kNone, kUniform, kNormal };

struct Skew {
  SkewKind kind = SkewKind::kNone;
  std::uint64_t time_ps = 0;
};

class Arrivals {
 public:
  Arrivals() = default;
  Arrivals(std::uint64_t overhead_ps, const Skew& skew, std::uint64_t seed, std::uint64_t clock_hz);

  bool any() const { return overhead_ > 0 || skew_.kind != SkewKind::kNone; }
  // Delay in cycles. `who`: any number that identifies the NPU.
  std::uint64_t lag(std::uint64_t operation, std::uint64_t who) const;
  // Delays by node; empty: no delays.
  std::vector<std::uint64_t> lags(std::uint64_t operation, const Topology& topology) const;

 private:
  std::uint64_t overhead_ = 0;
  Skew skew_{};
  std::uint64_t seed_ = 0;
  double skew_cycles_ = 0;
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Cycles by which NPUs begin an operation later than they could: overhead, the same each time, for
// launch and synchronisation, and skew of arrivals, at random.
//
// Skew: of each NPU at each operation. uniform:T is from 0 to T, T / 2 on average; normal:T is the
//   magnitude of a normal deviate of standard deviation T, 0.8 T on average and above 2 T once in
//   22. Neither is ever early. An NPU has one for all of its groups in an operation: their order
//   stays.
// Determined by seed, operation and NPU alone: the same with any engine, model and number of
//   processes.
// Others than NPUs, the I/O controllers, are always on time.
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
  // `who`: any number of its own.
  std::uint64_t lag(std::uint64_t operation, std::uint64_t who) const;
  // By node; empty: none at all.
  std::vector<std::uint64_t> lags(std::uint64_t operation, const Topology& topology) const;

 private:
  std::uint64_t overhead_ = 0;
  Skew skew_{};
  std::uint64_t seed_ = 0;
  double skew_cycles_ = 0;
};

}  // namespace fredsim

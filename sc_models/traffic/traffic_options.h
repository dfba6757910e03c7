// SPDX-License-Identifier: Apache-2.0
// Options of a run of synthetic traffic (traffic/traffic_run.h), except its rates.
//
// Units: cycles; rates in flits per cycle and sending node.
#pragma once

#include <cstdint>

#include "traffic/creation_process.h"
#include "traffic/packet_kinds.h"
#include "traffic/packet_sizes.h"
#include "traffic/traffic_pattern.h"

namespace fredsim {

inline constexpr double kMinTrafficRate = 1e-6;
inline constexpr std::uint64_t kMaxTrafficCycles = 100'000'000;  // cycles of warm-up, and of the
                                                                 // window

struct TrafficOptions {
  PatternSpec pattern{};
  PacketSizes packet_flits = 1;  // 1 … kPacketFlits
  std::uint64_t warmup_cycles = 5'000;
  std::uint64_t window_cycles = 20'000;
  std::uint64_t seed = 1;
  // False: packets move flit by flit also where trains give the same.
  bool trains = true;
  int threads = 1;  // threads that step the fabric, at most as many as it has switches; same
                    // results
  BurstOptions bursts{};
  RequestReplyOptions exchange{};
};

}  // namespace fredsim

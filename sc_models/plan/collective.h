// SPDX-License-Identifier: Apache-2.0
// Collectives, priorities and orders of packets by name, as users ask for them.
//
// Errors: BadInput for an unknown name, with the list of allowed names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fredsim {

enum class Collective : std::uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kReduce,
  kBroadcast,
  kGather,
  kScatter,
  kAllToAll,
  kMulticast,
  kUnicast,
  kAllToAllV,
};

// Order in which packets that wait for a channel are sent.
enum class PacketOrder : std::uint8_t {
  kAuto,       // kPaced or kRecurring where their cost is below a percent, else kArrival
  kArrival,    // first come, first served
  kRecurring,  // all-reduces: order in which states recur (collective/detail/packet_order.h)
  kPaced,      // fixed order, paced sources: slightly slower, much less is simulated
};

// PacketOrder::kAuto takes kPaced for parts above this size (collective/detail/packet_pace.h).
inline constexpr std::uint64_t kPacedAboveBytes = std::uint64_t{64} << 20;

std::string to_string(Collective collective);          // "all_reduce"
std::span<const std::string_view> collective_names();  // order of Collective
Collective parse_collective(const std::string& text);
std::string priority_name(int vc);            // "mp", "pp", "dp"
int parse_priority(const std::string& text);  // returns the VC

// NCCL-tests bus bandwidth factor: busbw = algbw * factor; all-reduce 2(N-1)/N.
double bus_factor(Collective collective, int ranks);

}  // namespace fredsim

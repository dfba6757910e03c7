// SPDX-License-Identifier: Apache-2.0
// Collectives, priorities and orders of packets by name, as users ask for them.
//
// Errors: BadInput for a name that is none, with the list of those allowed.
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

// Order of the packets that wait for a channel.
enum class PacketOrder : std::uint8_t {
  kAuto,       // kRecurring where that costs next to nothing, else kArrival
  kArrival,    // first come, first served
  kRecurring,  // all-reduces in an order in which states recur, wherever there is one (collective/detail/packet_order.h)
  kPaced,  // all in an order, and sources at a pace: slightly slower, and much less of a run is simulated
};

std::string to_string(Collective collective);          // "all_reduce"
std::span<const std::string_view> collective_names();  // in the order of Collective
Collective parse_collective(const std::string& text);
std::string priority_name(int vc);            // "mp", "pp", "dp"
int parse_priority(const std::string& text);  // the VC

// NCCL-tests bus bandwidth factor: busbw = algbw * factor; all-reduce 2(N-1)/N.
double bus_factor(Collective collective, int ranks);

}  // namespace fredsim

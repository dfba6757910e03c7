// SPDX-License-Identifier: Apache-2.0
#include "plan/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/error.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

// Names of collectives, in the order of Collective.
constexpr auto kNames = std::to_array<std::string_view>(
    {"all_reduce", "reduce_scatter", "all_gather", "reduce", "broadcast", "gather", "scatter",
     "all_to_all", "multicast", "unicast", "all_to_all_v"});

constexpr auto kCollectiveAliases =
    std::to_array<Alias>({{"all_reduce", "ar"},
                          {"reduce_scatter", "rs"},
                          {"all_gather", "ag"},
                          {"broadcast", "bcast"},
                          {"all_to_all", "a2a"},
                          {"all_to_all_v", "alltoallv"},
                          {"unicast", "send recv send_recv p2p point_to_point"}});

constexpr auto kPriorities = std::to_array<std::string_view>({"mp", "pp", "dp"});  // by VC

}  // namespace

std::string to_string(Collective collective) {
  return std::string(kNames[static_cast<std::size_t>(collective)]);
}

std::span<const std::string_view> collective_names() { return kNames; }

Collective parse_collective(const std::string& text) {
  const auto it = std::ranges::find(kNames, text);
  if (it == kNames.end())
    throw BadInput(fmt::format("collective: found '{}'; {}", text,
                               advice(text, kNames, {.aliases = kCollectiveAliases})));
  return static_cast<Collective>(it - kNames.begin());
}

std::string priority_name(int vc) { return std::string(kPriorities[static_cast<std::size_t>(vc)]); }

int parse_priority(const std::string& text) {
  const auto it = std::ranges::find(kPriorities, text);
  if (it == kPriorities.end())
    throw BadInput(fmt::format("priority: found '{}'; {}", text, advice(text, kPriorities)));
  return static_cast<int>(it - kPriorities.begin());
}

double bus_factor(Collective collective, int ranks) {
  assert(ranks > 0);
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * others;
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kAllToAll:
    case Collective::kAllToAllV:
      return others;
    case Collective::kReduce:
    case Collective::kBroadcast:
    case Collective::kMulticast:
    case Collective::kUnicast:
      return 1;
  }
  return 0;
}

}  // namespace fredsim

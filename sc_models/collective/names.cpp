#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/error.h"
#include "base/suggest.h"
#include "collective/plan.h"

namespace fredsim {
namespace {

// In the order of Collective.
constexpr auto kNames = std::to_array<std::string_view>(
    {"all_reduce", "reduce_scatter", "all_gather", "reduce", "broadcast", "gather", "scatter",
     "all_to_all", "multicast", "unicast"});

}  // namespace

std::string to_string(Collective collective) {
  return std::string(kNames[static_cast<std::size_t>(collective)]);
}

Collective parse_collective(const std::string& text) {
  const auto it = std::ranges::find(kNames, text);
  if (it == kNames.end())
    throw BadInput(fmt::format("collective: '{}' found, allowed: {}{}", text, join_words(kNames),
                               did_you_mean(text, kNames)));
  return static_cast<Collective>(it - kNames.begin());
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

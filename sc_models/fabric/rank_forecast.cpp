// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "base/flit.h"
#include "fabric/link_wheel.h"
#include "fabric/rank_cut.h"

namespace fredsim {
namespace {

// Header of an entry of an outbox (fabric/outboxes.h): edge and pin, or edge and credit.
constexpr std::uint64_t kFlitHeaderBytes = 4 * (1 + LinkWheel::kHeader);
constexpr std::uint64_t kCreditBytes = 4 + sizeof(LinkWheel::Credit);

// Maximum number of flits that a link launches in `cycles` cycles, one of them from tokens left
// before.
std::uint64_t most_flits(const Link& link, std::uint64_t cycles) {
  const Rational& rate = link.flit_rate();
  return std::min(
      cycles,
      cycles * static_cast<std::uint64_t>(rate.num) / static_cast<std::uint64_t>(rate.den) + 1);
}

}  // namespace

RankForecast rank_forecast(const Topology& topology, const Cut& cut, const NodeCosts& costs,
                           const ExchangeCosts& exchange) {
  RankForecast forecast;
  forecast.parts.resize(static_cast<std::size_t>(partitions_of(topology, cut)));
  const auto part_of = [&](NodeId node) {
    return static_cast<std::size_t>(cut.empty() ? 0 : cut[node]);
  };
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    RankPart& part = forecast.parts[part_of(id)];
    ++part.nodes;
    part.switches += topology.nodes[id].is_switch() ? 1 : 0;
    part.npus += topology.nodes[id].kind == NodeKind::kNpu ? 1 : 0;
    part.cost_ns += costs.ns[id];
  }

  const std::uint64_t window = look_ahead(topology, cut);
  const bool is_one = window == std::numeric_limits<std::uint64_t>::max();
  forecast.look_ahead = is_one ? 0 : window;
  const std::uint64_t flit_bytes =
      kFlitHeaderBytes + 4 * static_cast<std::uint64_t>(flit_words(costs.lanes));
  std::vector<std::set<int>> neighbours(forecast.parts.size());
  for (const Link& link : topology.links) {
    const std::size_t from = part_of(link.from), to = part_of(link.to);
    if (from == to) continue;
    const std::uint64_t flits = most_flits(link, window);
    ++forecast.parts[from].links_out;
    forecast.parts[from].flits_per_window += flits;
    forecast.parts[from].bytes_per_window += flits * flit_bytes;
    forecast.parts[to].bytes_per_window += flits * kCreditBytes;
    neighbours[from].insert(static_cast<int>(to));
    neighbours[to].insert(static_cast<int>(from));
  }

  double total = 0, messages = 0;
  for (std::size_t i = 0; i < forecast.parts.size(); ++i) {
    RankPart& part = forecast.parts[i];
    part.neighbours.assign(neighbours[i].begin(), neighbours[i].end());
    total += part.cost_ns;
    forecast.max_cost_ns = std::max(forecast.max_cost_ns, part.cost_ns);
    messages =
        std::max(messages, exchange.message_ns * static_cast<double>(part.neighbours.size()) +
                               exchange.flit_ns * static_cast<double>(part.flits_per_window) +
                               exchange.byte_ns * static_cast<double>(part.bytes_per_window));
  }
  if (!is_one) forecast.exchange_ns = messages / static_cast<double>(window);
  if (total > 0) {
    const double mean = total / static_cast<double>(forecast.parts.size());
    forecast.imbalance = std::max(0.0, forecast.max_cost_ns / mean - 1);
    forecast.speedup = total / forecast.cycle_ns();
  }
  return forecast;
}

}  // namespace fredsim

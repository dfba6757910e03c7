// SPDX-License-Identifier: Apache-2.0
#include "trace/breakdown_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "topology/facts.h"

namespace fredsim {
namespace {

using Place = std::pair<int, std::string>;  // key of a stage: position on the path, name

// Place of a link: twice the level on the way up; as far from the end on the way down.
Place place_of(const Topology& topology, const Link& link, int end) {
  const Node& from = topology.nodes[link.from];
  const Node& to = topology.nodes[link.to];
  std::string name = fmt::format("{} -> {}", place_name(topology, from), place_name(topology, to));
  const bool up = from.is_endpoint() || (to.is_switch() && to.level > from.level);
  const bool beside = from.is_switch() && to.is_switch() && to.level == from.level;
  if (beside) return {end / 2 + 1, std::move(name)};
  const int lower = from.is_endpoint() || to.is_endpoint() ? 0 : std::min(from.level, to.level);
  return {up ? 2 * lower + 1 : end - 2 * lower - 1, std::move(name)};
}

}  // namespace

BreakdownStages::BreakdownStages(const Topology& topology) : topology_(topology) {
  int top = 1;
  for (const Node& node : topology.nodes) top = std::max(top, node.level);
  const int end = 4 * top + 4;
  const auto level_place = [&](int level, Direction direction) -> Place {
    if (!topology.has_levels()) return {end / 2, "router"};
    switch (direction) {
      case Direction::kUp:
        return {2 * level, fmt::format("L{} up", level)};
      case Direction::kTurn:
        return {end / 2, fmt::format("L{}{}", level, level == top ? "" : " turn")};
      default:
        return {end - 2 * level, fmt::format("L{} down", level)};
    }
  };
  std::map<Place, int> stages;
  for (const Link& link : topology.links) stages[place_of(topology, link, end)] = 0;
  for (int level = 1; level <= top; ++level) {
    for (const Direction direction : {Direction::kUp, Direction::kTurn, Direction::kDown}) {
      if (direction != Direction::kTurn && level == top) continue;
      stages[level_place(level, direction)] = 0;
    }
  }
  names_ = {"NPU", "sending NIC"};
  for (auto& [place, stage] : stages) {
    stage = count();
    names_.push_back(place.second);
  }
  names_.emplace_back("receiving NIC");
  for (const Link& link : topology.links) {
    of_link_.push_back(stages.at(place_of(topology, link, end)));
  }
  of_level_.resize(static_cast<std::size_t>(top) + 1);
  for (int level = 1; level <= top; ++level) {
    for (const Direction direction : {Direction::kUp, Direction::kTurn, Direction::kDown}) {
      const auto found = stages.find(level_place(level, direction));
      of_level_[level][static_cast<std::size_t>(direction)] =
          found == stages.end() ? 0 : found->second;
    }
  }
}

BreakdownStages::Direction BreakdownStages::direction_of(NodeId node, int input, int output) const {
  const auto is_above = [&](int link, NodeId Link::*end) {
    if (link < 0) return false;
    const Node& other = topology_.nodes[topology_.links[link].*end];
    return other.is_switch() && other.level > topology_.nodes[node].level;
  };
  const bool from_above = is_above(topology_.link_in(node, input), &Link::from);
  const bool to_above = is_above(topology_.link_out(node, output), &Link::to);
  if (from_above == to_above) return Direction::kTurn;
  return to_above ? Direction::kUp : Direction::kDown;
}

int BreakdownStages::switch_between(NodeId node, int input, int output) const {
  const int level = topology_.nodes[node].level;
  return of_level_[level][static_cast<std::size_t>(direction_of(node, input, output))];
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "engine/memo/trajectories.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace fredsim {
namespace {

// Approximate bytes.
std::size_t bytes_of(const PreparedPlan& plan) {
  std::size_t bytes = sizeof plan;
  for (const Tree& tree : plan.plan.trees) {
    bytes += sizeof tree;
    for (const TreeRank& rank : tree.ranks)
      bytes += sizeof rank +
               (rank.reduce_from.size() + rank.reduce_to.size() + rank.broadcast_to.size()) *
                   sizeof(Send);
  }
  for (const PhaseRows& rows : plan.rows) {
    for (const auto& [node, row] : rows) bytes += 2 * (64 + row.size() * sizeof(std::uint32_t));
  }
  return bytes;
}

}  // namespace
bool TrajectoryInput::operator==(const TrajectoryInput& other) const {
  if ((plan == nullptr) != (other.plan == nullptr)) return false;
  if (plan == nullptr)
    return operation == other.operation && part == other.part && rank == other.rank &&
           cycle == other.cycle;
  return plan->identity == other.plan->identity && starts == other.starts && delay == other.delay &&
         after == other.after && held == other.held && lags == other.lags;
}

const TrajectoryEvent* TrajectoryNode::event(std::uint32_t number) const {
  const std::size_t place = number - at.events;
  return place < events.size() ? &events[place] : nullptr;
}

TrajectoryNode* TrajectoryNode::child(const TrajectoryPosition& position,
                                      const std::vector<TrajectoryInput>& given) const {
  const auto found = std::ranges::find_if(
      children, [&](const auto& node) { return node->at == position && node->inputs == given; });
  return found != children.end() ? found->get() : nullptr;
}

TrajectoryState& Trajectories::state(const StateDigest& digest) {
  const auto [place, is_new] = states_.try_emplace(digest);
  if (is_new) {
    place->second.digest = digest;
    bytes_ += sizeof(TrajectoryState) + 64;
  }
  return place->second;
}

TrajectoryNode& Trajectories::add_child(TrajectoryNode& node, const TrajectoryPosition& at,
                                        std::vector<TrajectoryInput> inputs) {
  bytes_ += sizeof(TrajectoryNode) + inputs.size() * (sizeof(TrajectoryInput) + 64);
  for (const TrajectoryInput& input : inputs) {
    bytes_ += input.lags.size() * sizeof input.lags[0];
    if (input.plan != nullptr && plans_.insert(input.plan->identity).second)
      bytes_ += bytes_of(*input.plan);
  }
  auto child = std::make_unique<TrajectoryNode>();
  child->parent = &node;
  child->at = at;
  child->inputs = std::move(inputs);
  return *node.children.emplace_back(std::move(child));
}

void Trajectories::set_end(TrajectoryState& from, TrajectoryNode& node, TrajectoryEnd end) {
  bytes_ += sizeof(TrajectoryEnd) + end.counts.bytes() + end.left.size() * sizeof(int);
  node.end = std::make_unique<TrajectoryEnd>(std::move(end));
  from.ends.push_back(&node);
}

void Trajectories::clear() {
  states_.clear();
  plans_.clear();
  bytes_ = 0;
}

// Shortest path (Dijkstra).
std::vector<TrajectoryNode*> Trajectories::path(TrajectoryState& from,
                                                const TrajectoryState& to) const {
  struct Reached {
    std::uint64_t cycles = 0;
    TrajectoryState* before = nullptr;
    TrajectoryNode* by = nullptr;
  };
  using Entry = std::pair<std::uint64_t, TrajectoryState*>;
  std::map<const TrajectoryState*, Reached> reached{{&from, {}}};
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
  next.emplace(0, &from);
  while (!next.empty() && next.top().second != &to) {
    const auto [cycles, state] = next.top();
    next.pop();
    if (reached[state].cycles < cycles) continue;
    for (TrajectoryNode* const node : state->ends) {
      const Reached here{cycles + node->end->cycle, state, node};
      const auto [place, is_new] = reached.try_emplace(node->end->next, here);
      if (!is_new && place->second.cycles <= here.cycles) continue;
      place->second = here;
      next.emplace(here.cycles, node->end->next);
    }
  }
  std::vector<TrajectoryNode*> path;
  for (const TrajectoryState* at = &to; at != &from; at = reached.at(at).before)
    path.push_back(reached.at(at).by);
  std::ranges::reverse(path);
  return path;
}

}  // namespace fredsim

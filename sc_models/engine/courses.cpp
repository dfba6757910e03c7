#include "engine/courses.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace fredsim {
namespace {

// About.
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
bool CourseInput::operator==(const CourseInput& other) const {
  if ((plan == nullptr) != (other.plan == nullptr)) return false;
  if (plan == nullptr)
    return operation == other.operation && part == other.part && rank == other.rank &&
           cycle == other.cycle;
  return plan->identity == other.plan->identity && starts == other.starts && delay == other.delay &&
         after == other.after && held == other.held;
}

const CourseEvent* CourseNode::event(std::uint32_t number) const {
  const std::size_t place = number - at.events;
  return place < events.size() ? &events[place] : nullptr;
}

CourseNode* CourseNode::child(const CoursePosition& position,
                              const std::vector<CourseInput>& given) const {
  const auto found = std::ranges::find_if(
      children, [&](const auto& node) { return node->at == position && node->inputs == given; });
  return found != children.end() ? found->get() : nullptr;
}

CourseState& Courses::state(const StateDigest& digest) {
  const auto [place, is_new] = states_.try_emplace(digest);
  if (is_new) {
    place->second.digest = digest;
    bytes_ += sizeof(CourseState) + 64;
  }
  return place->second;
}

CourseNode& Courses::add_child(CourseNode& node, const CoursePosition& at,
                               std::vector<CourseInput> inputs) {
  bytes_ += sizeof(CourseNode) + inputs.size() * (sizeof(CourseInput) + 64);
  for (const CourseInput& input : inputs) {
    if (input.plan != nullptr && plans_.insert(input.plan->identity).second)
      bytes_ += bytes_of(*input.plan);
  }
  auto child = std::make_unique<CourseNode>();
  child->parent = &node;
  child->at = at;
  child->inputs = std::move(inputs);
  return *node.children.emplace_back(std::move(child));
}

void Courses::set_end(CourseState& from, CourseNode& node, CourseEnd end) {
  bytes_ += sizeof(CourseEnd) + end.counts.bytes() + end.left.size() * sizeof(int);
  node.end = std::make_unique<CourseEnd>(std::move(end));
  from.ends.push_back(&node);
}

void Courses::clear() {
  states_.clear();
  plans_.clear();
  bytes_ = 0;
}

// Dijkstra's.
std::vector<CourseNode*> Courses::path(CourseState& from, const CourseState& to) const {
  struct Reached {
    std::uint64_t cycles = 0;
    CourseState* before = nullptr;
    CourseNode* by = nullptr;
  };
  using Entry = std::pair<std::uint64_t, CourseState*>;
  std::map<const CourseState*, Reached> reached{{&from, {}}};
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
  next.emplace(0, &from);
  while (!next.empty() && next.top().second != &to) {
    const auto [cycles, state] = next.top();
    next.pop();
    if (reached[state].cycles < cycles) continue;
    for (CourseNode* const node : state->ends) {
      const Reached here{cycles + node->end->cycle, state, node};
      const auto [place, is_new] = reached.try_emplace(node->end->next, here);
      if (!is_new && place->second.cycles <= here.cycles) continue;
      place->second = here;
      next.emplace(here.cycles, node->end->next);
    }
  }
  std::vector<CourseNode*> path;
  for (const CourseState* at = &to; at != &from; at = reached.at(at).before)
    path.push_back(reached.at(at).by);
  std::ranges::reverse(path);
  return path;
}

}  // namespace fredsim

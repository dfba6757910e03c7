#include "routing/flow_colouring.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fredsim {
namespace {

std::uint32_t halved(std::uint32_t ports) {
  std::uint32_t result = 0;
  for (; ports != 0; ports &= ports - 1) result |= 1U << std::countr_zero(ports) / 2;
  return result;
}

}  // namespace

int coloured_levels(int ports) {
  int levels = 0;
  for (; ports > 2; ports = (ports + 1) / 2) ++levels;
  return levels;
}

FlowColouring::FlowColouring(const FredSwitchShape& shape, std::span<const Flow> flows, int depths)
    : middle_(shape.middle), depths_(depths), found_(depths), failed_(depths) {
  ports_.emplace_back(flows.begin(), flows.end());
  for (int depth = 0; depth < depths; ++depth) {
    std::vector<Flow> inner;
    for (const Flow& flow : ports_.back())
      inner.push_back({halved(flow.inputs), halved(flow.outputs)});
    std::vector<FlowSet> conflicts(inner.size());
    for (std::size_t f = 0; f < inner.size(); ++f) {
      for (std::size_t g = 0; g < inner.size(); ++g) {
        const bool shared =
            (inner[f].inputs & inner[g].inputs) != 0 || (inner[f].outputs & inner[g].outputs) != 0;
        if (f != g && shared) conflicts[f] |= 1U << g;
      }
    }
    conflicts_.push_back(std::move(conflicts));
    ports_.push_back(std::move(inner));
  }
}

FlowColouring::Classes FlowColouring::one_each(FlowSet set) const {
  Classes classes{};
  for (int c = 0; set != 0; set &= set - 1) classes[c++] = set & -set;
  return classes;
}

FlowColouring::Classes FlowColouring::classes(int depth, FlowSet set) const {
  if (std::popcount(set) <= middle_) return one_each(set);
  const auto it = found_[depth].find(set);
  assert(it != found_[depth].end());
  return it->second;
}

bool FlowColouring::routable(int depth, FlowSet set) {
  // Flows that each have a sub-network to themselves never meet again further in.
  if (depth == depths_ || std::popcount(set) <= middle_) return true;
  if (found_[depth].contains(set)) return true;
  std::vector<FlowSet>& failed = failed_[depth];
  if (std::ranges::any_of(failed, [set](FlowSet f) { return (f & set) == f; })) return false;

  Partial partial{.depth = depth, .rest = set};
  if (extend(partial)) {
    found_[depth].emplace(set, partial.classes);
    return true;
  }
  std::erase_if(failed, [set](FlowSet f) { return (f & set) == set; });
  failed.push_back(set);
  return false;
}

// The flow with the fewest open colours, then the one with most conflicts left: fails early.
int FlowColouring::most_constrained(const Partial& partial) const {
  const std::vector<FlowSet>& conflicts = conflicts_[partial.depth];
  int best = -1;
  int best_rank = -1;
  for (FlowSet rest = partial.rest; rest != 0; rest &= rest - 1) {
    const int flow = std::countr_zero(rest);
    int closed = 0;
    for (int c = 0; c < partial.used; ++c) closed += (partial.classes[c] & conflicts[flow]) != 0;
    const int rank = 64 * closed + std::popcount(conflicts[flow] & partial.rest);
    if (rank > best_rank) {
      best_rank = rank;
      best = flow;
    }
  }
  return best;
}

bool FlowColouring::extend(Partial& partial) {
  if (partial.rest == 0) return true;
  const int flow = most_constrained(partial);
  const FlowSet bit = 1U << flow;
  // Emptiest sub-network first: spreading the flows leaves the inner levels the most freedom.
  std::array<int, kMaxMiddle> colours{};
  const int open = std::min(partial.used + 1, middle_);
  for (int c = 0; c < open; ++c) colours[c] = c;
  std::stable_sort(colours.begin(), colours.begin() + open, [&](int a, int b) {
    return std::popcount(partial.classes[a]) < std::popcount(partial.classes[b]);
  });
  for (int i = 0; i < open; ++i) {
    const int c = colours[i];
    if ((partial.classes[c] & conflicts_[partial.depth][flow]) != 0) continue;
    if (!routable(partial.depth + 1, partial.classes[c] | bit)) continue;
    const Partial before = partial;
    partial.classes[c] |= bit;
    partial.rest &= ~bit;
    partial.used = std::max(partial.used, c + 1);
    if (extend(partial)) return true;
    partial = before;
  }
  return false;
}

}  // namespace fredsim

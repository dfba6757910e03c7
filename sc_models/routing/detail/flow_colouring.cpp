// SPDX-License-Identifier: Apache-2.0
#include "routing/detail/flow_colouring.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fredsim {
namespace {

constexpr std::uint64_t kFirstBudget = 64;  // steps before the first restart; doubled each time

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
    : middle_(shape.middle),
      depths_(depths),
      budget_(depths),
      weight_(depths, std::vector<int>(flows.size())),
      found_(depths),
      failed_(depths) {
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

FlowSet FlowColouring::conflict(int depth, FlowSet set) {
  // Flows that each have a sub-network to themselves never meet further in.
  if (depth == depths_ || std::popcount(set) <= middle_) return 0;
  if (found_[depth].contains(set)) return 0;
  std::vector<FlowSet>& failed = failed_[depth];
  const auto known =
      std::ranges::find_if(failed, [set](FlowSet core) { return (core & set) == core; });
  if (known != failed.end()) return *known;

  Partial partial;
  std::optional<FlowSet> reason;
  for (std::uint64_t budget = kFirstBudget; !reason; budget *= 2) {
    partial = {.depth = depth, .rest = set};
    budget_[depth] = budget;  // searches nest by depth, so each has its own
    reason = extend(partial);
  }
  if (*reason == 0) {
    found_[depth].emplace(set, partial.classes);
    return 0;
  }
  std::erase_if(failed, [&](FlowSet f) { return (f & *reason) == *reason; });
  failed.push_back(*reason);
  return *reason;
}

// The flow with the fewest open colours, on a tie the one most often in the reason of a dead end,
// then the one with most conflicts left: fails early.
int FlowColouring::max_constrained(const Partial& partial) const {
  const std::vector<FlowSet>& conflicts = conflicts_[partial.depth];
  int best = -1;
  std::array<int, 3> best_rank{-1, -1, -1};
  for (FlowSet rest = partial.rest; rest != 0; rest &= rest - 1) {
    const int flow = std::countr_zero(rest);
    int closed = 0;
    for (int c = 0; c < partial.used; ++c) closed += (partial.classes[c] & conflicts[flow]) != 0;
    const std::array<int, 3> rank{closed, weight_[partial.depth][flow],
                                  std::popcount(conflicts[flow] & partial.rest)};
    if (rank > best_rank) {
      best_rank = rank;
      best = flow;
    }
  }
  return best;
}

std::optional<FlowSet> FlowColouring::extend(Partial& partial) {
  if (partial.rest == 0) return 0;
  if (budget_[partial.depth] == 0) return std::nullopt;
  --budget_[partial.depth];
  ++steps_;
  const int flow = max_constrained(partial);
  const FlowSet bit = 1U << flow;
  // Emptiest sub-network first: spreading the flows leaves the inner levels the most freedom.
  std::array<int, kMaxMiddle> colours{};
  const int open = std::min(partial.used + 1, middle_);
  for (int c = 0; c < open; ++c) colours[c] = c;
  std::stable_sort(colours.begin(), colours.begin() + open, [&](int a, int b) {
    return std::popcount(partial.classes[a]) < std::popcount(partial.classes[b]);
  });
  FlowSet reason = bit;
  for (int i = 0; i < open; ++i) {
    const int c = colours[i];
    const FlowSet clash = partial.classes[c] & conflicts_[partial.depth][flow];
    if (clash != 0) {  // any one of these flows closes the colour
      if ((clash & reason) == 0) reason |= clash & -clash;
      continue;
    }
    std::optional<FlowSet> why = conflict(partial.depth + 1, partial.classes[c] | bit);
    if (*why == 0) {
      const Partial before = partial;
      partial.classes[c] |= bit;
      partial.rest &= ~bit;
      partial.used = std::max(partial.used, c + 1);
      why = extend(partial);
      if (!why || *why == 0) return why;
      partial = before;
      if ((*why & bit) == 0) return why;  // independent of this flow's colour
    }
    reason |= *why;
  }
  for (FlowSet rest = reason; rest != 0; rest &= rest - 1)
    ++weight_[partial.depth][std::countr_zero(rest)];
  return reason;
}

}  // namespace fredsim

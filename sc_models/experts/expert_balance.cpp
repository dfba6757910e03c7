// SPDX-License-Identifier: Apache-2.0
#include "experts/expert_balance.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kLeastSteps = 10'000, kStepsPerSlot = 200;

// Tokens of a layer under a placement that changes.
class LayerLoads {
 public:
  LayerLoads(const Router& router, int layer, int ranks)
      : loads_(static_cast<std::size_t>(ranks)), received_(loads_) {
    for (int r = 0; r < ranks; ++r) chances_.push_back(router.chances(layer, r));
    total_.assign(static_cast<std::size_t>(router.experts()), 0);
    for (const std::vector<double>& own : chances_)
      for (std::size_t e = 0; e < own.size(); ++e) total_[e] += own[e];
  }

  double total(int expert) const { return total_[expert]; }

  void set(const ExpertPlacement::Ranks& ranks, int experts) {
    copies_ = copies_of(ranks, experts);
    std::ranges::fill(loads_, 0);
    std::ranges::fill(received_, 0);
    for (int r = 0; r < std::ssize(ranks); ++r)
      for (const int expert : ranks[r]) add(r, expert, 1);
  }
  void add(int rank, int expert, double sign) {
    const double copies = copies_[expert];
    loads_[rank] += sign * total_[expert] / copies;
    received_[rank] += sign * (total_[expert] - chances_[rank][expert]) / copies;
  }
  double cost() const { return std::ranges::max(loads_) + std::ranges::max(received_); }
  int busiest() const {
    return static_cast<int>(std::ranges::max_element(loads_) - loads_.begin());
  }
  double imbalance() const {
    const double sum = std::accumulate(loads_.begin(), loads_.end(), 0.0);
    return std::ranges::max(loads_) * static_cast<double>(loads_.size()) / sum;
  }
  double load(int rank) const { return loads_[rank]; }

 private:
  std::vector<std::vector<double>> chances_;  // index: rank and expert
  std::vector<double> total_;  // index: expert; tokens of all ranks, per token of each
  std::vector<int> copies_;
  std::vector<double> loads_, received_;  // index: rank
};

// Copies of each expert for `slots` slots on each of `ranks` ranks.
std::vector<int> wanted_copies(const LayerLoads& loads, int experts, int ranks, int slots) {
  std::vector<int> copies(static_cast<std::size_t>(experts), 1);
  for (int left = ranks * slots - experts; left > 0; --left) {
    int most = -1;
    for (int e = 0; e < experts; ++e) {
      if (copies[e] == ranks) continue;
      if (most < 0 || loads.total(e) / copies[e] > loads.total(most) / copies[most]) most = e;
    }
    ++copies[most];
  }
  return copies;
}

bool has(const std::vector<int>& own, int expert) { return std::ranges::count(own, expert) > 0; }

// Assigns copies, heaviest first, to the rank with the fewest tokens; empty if copies of an expert
// do not find ranks of their own.
ExpertPlacement::Ranks dealt_out(const LayerLoads& loads, const std::vector<int>& copies, int ranks,
                                 int slots) {
  std::vector<std::pair<double, int>> items;
  for (int e = 0; e < std::ssize(copies); ++e)
    for (int c = 0; c < copies[e]; ++c) items.emplace_back(loads.total(e) / copies[e], e);
  std::ranges::stable_sort(items, [](const auto& a, const auto& b) { return a.first > b.first; });
  ExpertPlacement::Ranks dealt(static_cast<std::size_t>(ranks));
  std::vector<double> weight(dealt.size());
  for (const auto& [load, expert] : items) {
    int least = -1;
    for (int r = 0; r < ranks; ++r) {
      if (std::ssize(dealt[r]) == slots || has(dealt[r], expert)) continue;
      if (least < 0 || weight[r] < weight[least]) least = r;
    }
    if (least < 0) return {};
    dealt[least].push_back(expert);
    weight[least] += load;
  }
  return dealt;
}

// Threshold accepting from a placement; returns the best one found.
ExpertPlacement::Ranks improved(LayerLoads& loads, ExpertPlacement::Ranks now, int experts,
                                std::uint64_t seed) {
  loads.set(now, experts);
  ExpertPlacement::Ranks best = now;
  double best_cost = loads.cost(), cost = best_cost;
  std::uint64_t slots = 0;
  for (const std::vector<int>& own : now) slots += own.size();
  const std::uint64_t steps = kLeastSteps + kStepsPerSlot * slots;
  const double first_threshold = best_cost / 8;
  Random random(seed);
  const auto ranks = static_cast<std::uint64_t>(now.size());
  for (std::uint64_t step = 0; step < steps && ranks > 1; ++step) {
    const bool from_busiest = random.below(2) == 0;
    const int p = from_busiest ? loads.busiest() : static_cast<int>(random.below(ranks));
    const int q = static_cast<int>(random.below(ranks));
    if (p == q || now[p].empty() || now[q].empty()) continue;
    int& a = now[p][random.below(now[p].size())];
    int& b = now[q][random.below(now[q].size())];
    if (a == b || has(now[q], a) || has(now[p], b)) continue;
    const auto exchange = [&] {
      loads.add(p, a, -1);
      loads.add(q, b, -1);
      std::swap(a, b);
      loads.add(p, a, 1);
      loads.add(q, b, 1);
    };
    exchange();
    const double threshold =
        first_threshold * static_cast<double>(steps - step) / static_cast<double>(steps);
    if (loads.cost() > cost + threshold) {
      exchange();
      continue;
    }
    cost = loads.cost();
    if (cost < best_cost) {
      best_cost = cost;
      best = now;
    }
  }
  return best;
}

ExpertPlacement::Ranks balanced_layer(const Router& router, int layer, int ranks, int slots,
                                      std::uint64_t seed) {
  const int experts = router.experts();
  LayerLoads loads(router, layer, ranks);
  ExpertPlacement::Ranks best = contiguous_experts(experts, ranks, slots).layers.front();
  const ExpertPlacement::Ranks dealt =
      dealt_out(loads, wanted_copies(loads, experts, ranks, slots), ranks, slots);
  for (const ExpertPlacement::Ranks& start : {best, dealt}) {
    if (start.empty()) continue;
    ExpertPlacement::Ranks found = improved(loads, start, experts, seed);
    if (expert_cost(router, layer, found) < expert_cost(router, layer, best))
      best = std::move(found);
  }
  for (std::vector<int>& own : best) std::ranges::sort(own);
  return best;
}

}  // namespace

ExpertPlacement balanced_experts(const Router& router, bool is_alike, int ranks, int slots,
                                 std::uint64_t seed) {
  ExpertPlacement placement;
  const int layers = is_alike ? 1 : router.layers();
  for (int layer = 0; layer < layers; ++layer)
    placement.layers.push_back(balanced_layer(router, layer, ranks, slots,
                                              mix64(seed) + static_cast<std::uint64_t>(layer)));
  return placement;
}

double expert_cost(const Router& router, int layer, const ExpertPlacement::Ranks& ranks) {
  LayerLoads loads(router, layer, static_cast<int>(ranks.size()));
  loads.set(ranks, router.experts());
  return loads.cost();
}

double expert_imbalance(const Router& router, int layer, const ExpertPlacement::Ranks& ranks) {
  LayerLoads loads(router, layer, static_cast<int>(ranks.size()));
  loads.set(ranks, router.experts());
  return loads.imbalance();
}

}  // namespace fredsim

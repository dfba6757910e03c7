// SPDX-License-Identifier: Apache-2.0
#include "collective/plan_size.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include "base/flit.h"
#include "collective/algorithm.h"
#include "collective/endpoint_trees.h"
#include "plan/collective_spec.h"
#include "plan/in_switch_roles.h"
#include "plan/pattern.h"
#include "plan/split.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Heap of a list of one or two hops, and of a step of the order of additions per entry.
constexpr std::uint64_t kList = 32;
constexpr std::uint64_t kSum = 2 * sizeof(int);
// Size of a tree beside its entries, with the blocks around its lists; its ranks and its order have
// lists that copies share.
constexpr std::uint64_t kTree = sizeof(Tree) + 2 * 48 + 2 * 16;
// Memory per entry that the NPUs and the count of results keep during a run: measured, 150 to 270.
constexpr std::uint64_t kRunPerEntry = 280;

std::uint64_t flits_of(std::uint64_t bytes) { return (bytes + kFlitBytes - 1) / kFlitBytes; }

class SizeOfOne {
 public:
  SizeOfOne(const Topology& topology, const CollectiveSpec& spec)
      : topology_(topology),
        spec_(spec),
        ranks_(spec.group.size()),
        slices_(static_cast<std::uint64_t>(endpoint_slices(topology))) {}

  PlanSize run() {
    if (ranks_ < 2) return PlanSize{.trees = 1, .entries = 1, .bytes = kTree, .run_bytes = kTree};
    const Pattern pattern = pattern_of(spec_.collective);
    // Serial steps in the switches are about as large as a ring, which they may
    // become.
    if (spec_.roots > 0) {
      const auto blocks = static_cast<std::uint64_t>(spec_.roots);
      add(cuts(spec_.bytes, blocks * slices_), ranks_, 1);
    } else if (in_switch() && !takes_steps(spec_.collective)) {
      add(cuts(spec_.bytes, slices_), ranks_, 0);
    } else if (pattern == Pattern::kAllRanks) {
      rings();
    } else if (pattern == Pattern::kOneRoot) {
      add(cuts(spec_.bytes, counted().trees(topology_, spec_)), ranks_,
          spec_.collective == Collective::kReduce ? 2 : 1);
    } else {
      pairs();
    }
    // A run has its own copy, which shares ranks and orders.
    size_.run_bytes += size_.trees * sizeof(Tree) + kRunPerEntry * size_.entries;
    return size_;
  }

 private:
  bool in_switch() const {
    const Algorithm* named = find_algorithm(spec_.algorithm);
    if (named != nullptr)
      return named->is_in_switches() && named->has(spec_.collective) && named->exists_on(topology_);
    const Algorithm* papers = switch_algorithm(spec_.collective);
    return is_choice(spec_.algorithm) && papers != nullptr && papers->is_rule_on(topology_) &&
           papers->exists_on(topology_);
  }

  // Requested algorithm; for a choice the last algorithm that the fabric has, which `auto` takes
  // for large sizes.
  const Algorithm& counted() const {
    if (const Algorithm* named = find_algorithm(spec_.algorithm, spec_.collective);
        named != nullptr && !named->is_in_switches())
      return *named;
    if (!is_choice(spec_.algorithm)) return plain_algorithm(spec_.collective);
    for (const Algorithm* algorithm : algorithms() | std::views::reverse) {
      if (!algorithm->is_in_switches() && algorithm->has(spec_.collective) &&
          algorithm->exists_on(topology_) &&
          (choice_of(spec_.algorithm) == Choice::kFastest ||
           algorithm->is_papers(topology_, spec_.collective)))
        return *algorithm;
    }
    return plain_algorithm(spec_.collective);
  }

  // Trees that `bytes` are cut into: no tree without a flit.
  static std::uint64_t cuts(std::uint64_t bytes, std::uint64_t wanted) {
    return std::min(std::max<std::uint64_t>(flits_of(bytes), 1), wanted);
  }

  void add(std::uint64_t trees, std::uint64_t entries, std::uint64_t lists) {
    size_.trees += trees;
    size_.entries += trees * entries;
    size_.bytes += trees * (kTree + entries * (sizeof(TreeRank) + lists * kList + kSum));
  }

  std::uint64_t whole_vectors(const Algorithm& algorithm) const {
    return (ranks_ + 1) * cuts(spec_.bytes, algorithm.trees(topology_, spec_));
  }
  // Algorithm that sends whole vectors, if requested, or if `auto` may take it: for vectors of few
  // flits, in more trees than other algorithms use. Null: neither.
  const Algorithm* sender_of_vectors() const {
    constexpr std::uint64_t kMostFlits = 1U << 14U;  // all vectors together
    if (counted().sends_whole_vectors()) return &counted();
    if (choice_of(spec_.algorithm) != Choice::kFastest ||
        ranks_ * flits_of(spec_.bytes) > kMostFlits)
      return nullptr;
    const auto found = std::ranges::find_if(algorithms(), [&](const Algorithm* algorithm) {
      return algorithm->sends_whole_vectors() && algorithm->has(spec_.collective) &&
             whole_vectors(*algorithm) * ranks_ <= kMaxWeighedEntries &&
             whole_vectors(*algorithm) > cuts(spec_.bytes, counted().trees(topology_, spec_));
    });
    return found == algorithms().end() ? nullptr : *found;
  }

  void rings() {
    const std::uint64_t trees = counted().trees(topology_, spec_);
    if (const Algorithm* algorithm = sender_of_vectors(); algorithm != nullptr) {
      add(whole_vectors(*algorithm), ranks_, 1);
    } else if (spec_.collective == Collective::kAllReduce) {
      add(cuts(spec_.bytes, trees), ranks_, 3);
    } else {
      add(ranks_ * cuts(spec_.bytes / ranks_, trees), ranks_,
          spec_.collective == Collective::kAllGather ? 1 : 2);
    }
  }

  void pairs() {
    constexpr std::uint64_t kLists = 1;
    const std::uint64_t n = ranks_;
    if (spec_.collective == Collective::kAllToAllV) {
      for (std::uint64_t k = 0; k < spec_.matrix.size(); ++k) {
        if (k / n != k % n && spec_.matrix[k] > 0) add(cuts(spec_.matrix[k], slices_), 2, kLists);
      }
    } else if (spec_.collective == Collective::kUnicast) {
      add(cuts(spec_.bytes, slices_), 2, kLists);
    } else {
      const std::uint64_t times = spec_.collective == Collective::kAllToAll ? n : 1;
      const std::vector<std::uint64_t> blocks = block_sizes(spec_.bytes, static_cast<int>(n));
      for (std::uint64_t k = 0; k < n; ++k) {
        // One pair fewer per block: nobody sends to itself.
        const std::uint64_t senders =
            times == 1 ? (static_cast<int>(k) == spec_.root ? 0 : 1) : n - 1;
        if (blocks[k] > 0 && senders > 0) add(senders * cuts(blocks[k], slices_), 2, kLists);
      }
    }
    if (spec_.collective == Collective::kAllToAll || spec_.collective == Collective::kAllToAllV)
      size_.run_bytes += n * n * sizeof(FlitRange);  // pairs of an all-to-all, while it is planned
  }

  const Topology& topology_;
  const CollectiveSpec& spec_;
  std::uint64_t ranks_;
  std::uint64_t slices_;
  PlanSize size_;
};

}  // namespace

PlanSize size_of(const Plan& plan) {
  PlanSize size;
  for (const Tree& tree : plan.trees) {
    ++size.trees;
    size.entries += tree.ranks.size();
    size.bytes += kTree + tree.ranks.size() * (sizeof(TreeRank) + 2 * kList + kSum);
  }
  return size;
}

PlanSize plan_size_on_fabric(const Topology& topology, std::span<const CollectiveSpec> work) {
  PlanSize size;
  for (const CollectiveSpec& spec : work) {
    const PlanSize one = SizeOfOne(topology, spec).run();
    size.trees += one.trees;
    size.entries += one.entries;
    size.bytes += one.bytes;
    size.run_bytes += one.run_bytes;
  }
  return size;
}

}  // namespace fredsim

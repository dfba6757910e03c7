// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/endpoint_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collective/detail/member_boxes.h"
#include "collective/detail/port_balance.h"
#include "plan/channels.h"

namespace fredsim {
namespace {

SliceShares shares_of_slices(const Topology& topology, const Part& part) {
  if (!part.slice_weights.empty()) return {topology, part.slice_weights};
  const bool is_one =
      pattern_of(part.collective) == Pattern::kOneRoot || part.collective == Collective::kUnicast;
  const std::uint64_t trees = is_one ? 1 : part.members.size();
  return SliceShares(slice_cuts(topology, trees, part.bytes / kFlitBytes / trees));
}

}  // namespace

EndpointPart::EndpointPart(const Topology& topology, const CollectiveSpec& spec, int number,
                           Plan& plan)
    : topology_(topology),
      spec_(spec),
      number_(number),
      plan_(plan),
      shares_(shares_of_slices(topology, plan.parts[number])),
      roles_(roles_of(spec.collective)) {}

std::vector<FlitRange> EndpointPart::blocks() const {
  return padded_blocks(block_sizes(bytes(), ranks()));
}

std::vector<std::vector<FlitRange>> EndpointPart::pair_blocks() const {
  const auto count = static_cast<std::size_t>(ranks());
  if (spec_.collective == Collective::kAllToAll)
    return std::vector<std::vector<FlitRange>>(count, blocks());
  std::vector<std::vector<FlitRange>> pairs;
  pairs.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = spec_.matrix.begin() + static_cast<std::ptrdiff_t>(i * count);
    pairs.push_back(padded_blocks({row, row + static_cast<std::ptrdiff_t>(count)}));
  }
  return pairs;
}

std::vector<FlitRange> EndpointPart::slices() const {
  std::vector<FlitRange> ranges;
  for (int s = 0; s < shares_.slices(); ++s) ranges.push_back(shares_.of(vector(), s));
  return ranges;
}

void EndpointPart::add(Tree tree) const {
  if (tree.flits > 0) plan_.trees.push_back(std::move(tree));
}

void EndpointPart::add_box(const RingBox& box) const {
  constexpr auto kAll = [](const FlitRange& range) { return range; };
  if (pattern() == Pattern::kOneRoot) {
    add_rooted(box);
  } else if (box.sides.size() > 1 && topology_.has_levels()) {
    RingBox on_channels = box;
    spread(on_channels);
    add_owned(on_channels, kAll);
  } else {
    add_owned(box, kAll);
  }
}

// Halves along the vector, so that blocks of an odd number of flits balance each other.
void EndpointPart::add_box_halves(const RingBox& first, const RingBox& second) const {
  const auto flits_before = [](const FlitRange& range) {
    return (range.first_flit + range.flits) / 2 - range.first_flit / 2;
  };
  add_owned(first, [&](const FlitRange& range) { return part_of(range, 0, flits_before(range)); });
  add_owned(second, [&](const FlitRange& range) {
    return part_of(range, flits_before(range), range.flits);
  });
}

// Packets through the levels of a tree of switches are spread over the VCs of their part. On a
// single VC, packets that wait for an uplink at the head of an L1 chiplet's input block packets
// behind them that stay below the chiplet, and sums and results inside an L1 switch block each
// other. Traffic across levels has the highest priority. With two VCs it has its own VC where
// uplinks are slow; otherwise sums share it, since they rarely wait.
void EndpointPart::spread(RingBox& box) const {
  const std::vector<int> channels = channels_of(topology_, plan_, number_);
  if (channels.size() < 2) return;
  const int across = channels.front();
  const int results = channels.back();
  const int sums = channels.size() > 2 ? channels[1] : slow_uplinks(topology_) ? results : across;
  box.reduce_vcs.assign(box.sides.size(), across);
  box.broadcast_vcs = box.reduce_vcs;
  box.reduce_vcs.front() = sums;
  box.broadcast_vcs.front() = results;
  plan_.note(fmt::format(
      "{}: across L1 switches on virtual channel {}, inside them sums on {}, results on "
      "{}",
      part().algorithm, priority_name(across), priority_name(sums), priority_name(results)));
}

// All-reduce: owners are places of the box and share the vector; otherwise each rank owns its
// block.
template <typename Range>
void EndpointPart::add_owned(const RingBox& box, const Range& of) const {
  std::vector<int> place_of(members().size());
  for (int p = 0; p < ranks(); ++p) place_of[box.ranks[p]] = p;
  std::vector<BoxTrees> of_slice;
  for (int s = 0; s < shares_.slices(); ++s) of_slice.emplace_back(builder(s), box, roles_);
  const auto tree = [&](int slice, int place, const FlitRange& whole) {
    const FlitRange range = of(whole);
    if (range.flits > 0) add(of_slice[slice].tree(place, range));
  };
  if (shares_vector()) {
    const FlitRange whole = vector();
    for (int s = 0; s < shares_.slices(); ++s) {
      const FlitRange share = shares_.of(whole, s);
      for (int k = 0; k < ranks(); ++k) tree(s, k, share_of(share, ranks(), k));
    }
    return;
  }
  const std::vector<FlitRange> of_ranks = blocks();
  for (int s = 0; s < shares_.slices(); ++s) {
    for (int k = 0; k < ranks(); ++k) tree(s, place_of[k], shares_.of(of_ranks[k], s, k));
  }
}

// Uses a single VC.
void EndpointPart::add_rooted(const RingBox& box) const {
  const FlitRange whole = vector();
  const auto place = std::ranges::find(box.ranks, part().root) - box.ranks.begin();
  for (int s = 0; s < shares_.slices(); ++s) {
    const FlitRange share = shares_.of(whole, s);
    if (share.flits > 0)
      add(BoxTrees(builder(s), box, roles_).tree(static_cast<int>(place), share));
  }
}

void EndpointPart::add_sum_at_every_rank(const FlitRange& range,
                                         const std::function<Tree(int)>& tree) const {
  if (range.flits == 0) return;
  Tree sum{.part = number_,
           .first_flit = range.first_flit,
           .flits = range.flits,
           .bytes = range.bytes,
           .operands = ranks(),
           .ranks = {},
           .order = {}};
  SumOrder order;
  for (int k = 0; k < ranks(); ++k) {
    Tree operand = tree(k);
    operand.to_sum = ranks() - k;
    plan_.trees.push_back(std::move(operand));
    sum.ranks.all().push_back({.rank = k,
                               .receives = true,
                               .reduce_from = {},
                               .reduce_to = {},
                               .broadcast_to = {},
                               .acknowledge_sums = {},
                               .acknowledge_results = {}});
    order.postfix.push_back(k);
    if (k > 0) order.postfix.push_back(SumOrder::kAdd);
  }
  sum.order = TreeOrder(std::move(order));
  plan_.trees.push_back(std::move(sum));
}

void EndpointPart::add_pair(int from, int to, const FlitRange& block, int vc) const {
  for (int s = 0; s < shares_.slices(); ++s) {
    const FlitRange range = shares_.of(block, s, from + to);
    if (range.flits > 0) add(direct_tree(topology_, plan_, number_, from, to, s, vc, range));
  }
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "npu/npu_acknowledgements.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "plan/acknowledgements.h"

namespace fredsim {
namespace {

// Packets that have reached this rank and all ranks that it forwards results to.
std::uint64_t reached_from_here(const TreeState& s) {
  std::uint64_t min = s.part->receives ? s.results : std::numeric_limits<std::uint64_t>::max();
  if (s.part->results_acknowledged) {
    for (std::size_t i = 0; i < s.part->broadcast_to.size(); ++i)
      min = std::min(min, s.acknowledged()[i]);
  }
  return min;
}

}  // namespace

void NpuAcknowledgements::advance(Work& w, int local) {
  TreeState& s = w.trees[local];
  if (!w.plan_tree(local).is_acknowledged) return;
  const std::uint64_t results = reached_from_here(s);
  announce(w, local, true, results);
  // The last entry is the count acknowledged by the rank that gets the sums.
  const std::uint64_t reached = s.part->sums_acknowledged ? s.acknowledged().back() : results;
  announce(w, local, false, reached);
  if (!s.goes_by_acknowledgements || reached == s.reached) return;
  s.reached = reached;
  scheduler_.wake(s.channel);
}

void NpuAcknowledgements::announce(Work& w, int local, bool of_results, std::uint64_t reached) {
  TreeState& s = w.trees[local];
  const std::vector<Send>& sends =
      of_results ? s.part->acknowledge_results : s.part->acknowledge_sums;
  if (sends.empty()) return;
  std::uint64_t& announced = of_results ? s.results_announced : s.sums_announced;
  const std::uint64_t packets = w.plan_tree(local).acknowledge_packets;
  while (reached - announced >= packets && announced + s.acknowledged_window < s.packets) {
    announced += packets;
    for (const Send& to : sends) {
      const int channel = scheduler_.channel(to);
      ++w.left[s.part_number];
      w.acknowledgements += w.job->copies(s.tree);
      scheduler_.push(
          packets_.make_acknowledgement(w, local, of_results, announced, to.rank, channel), channel,
          NpuScheduler::Queue::kPassedOn);
    }
  }
}

void NpuAcknowledgements::receive(Work& w, int local, const PacketExtension& e) {
  TreeState& s = w.trees[local];
  const int source = w.job->rank_of(s.part_number, e.source);
  const bool of_results = (e.stream & 1U) != 0;
  const std::vector<Send>& sends = of_results ? s.part->broadcast_to : s.part->reduce_to;
  const auto from = std::ranges::find(sends, source, &Send::rank);
  const bool is_due = of_results ? s.part->results_acknowledged : s.part->sums_acknowledged;
  if (!is_due || from == sends.end()) {
    w.job->fail(fmt::format(
        "rank {} tree {}: an acknowledgement from address {}, which the plan does not send here",
        s.part->rank, s.tree, e.source));
    return;
  }
  std::uint64_t& acknowledged =
      of_results ? s.acknowledged()[static_cast<std::size_t>(from - sends.begin())]
                 : s.acknowledged().back();
  acknowledged += w.plan_tree(local).acknowledge_packets;
  if (e.flits != 1 || e.index != (acknowledged & kIndexMask)) {
    w.job->fail(fmt::format(
        "rank {} tree {}: an acknowledgement of packets up to {} in {} flits came from rank {} "
        "where one up to {} was due",
        s.part->rank, s.tree, e.index, e.flits, source, acknowledged & kIndexMask));
    return;
  }
  advance(w, local);
}

}  // namespace fredsim

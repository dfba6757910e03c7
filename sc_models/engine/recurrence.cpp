#include "engine/recurrence.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "collective/acknowledgements.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// `factor` times what has been counted between the two.
SwitchCounters times(const SwitchCounters& before, const SwitchCounters& after,
                     std::uint64_t factor) {
  SwitchCounters more;
  for (const CounterInfo& counter : kSwitchCounters) {
    more.*counter.value = factor * (after.*counter.value - before.*counter.value);
  }
  const auto per_port = [&](std::vector<std::uint64_t> SwitchCounters::*counts) {
    std::ranges::transform(after.*counts, before.*counts, std::back_inserter(more.*counts),
                           [&](std::uint64_t a, std::uint64_t b) { return factor * (a - b); });
  };
  per_port(&SwitchCounters::flits_in);
  per_port(&SwitchCounters::flits_out);
  return more;
}

}  // namespace

std::uint64_t pass_over_periods(Fabric& fabric, const FabricCounts& before, std::uint64_t number,
                                std::uint64_t edges) {
  const FabricCounts now = count_all(fabric.core(), fabric.topology(), fabric.switches());
  std::vector<LinkCount> more(now.links.size());
  std::uint64_t flit_hops = 0;
  for (std::size_t l = 0; l < more.size(); ++l) {
    more[l].flits = number * (now.links[l].flits - before.links[l].flits);
    more[l].missing_bytes = number * (now.links[l].missing_bytes - before.links[l].missing_bytes);
    if (!fabric.topology().links[l].on_die) flit_hops += more[l].flits;
  }
  fabric.core().pass_over(number * edges, more);
  for (NodeId node = 0; node < std::ssize(now.switches); ++node) {
    if (!now.switches[node]) continue;
    fabric.switch_core(node).add_to_counters(
        times(*before.switches[node], *now.switches[node], number));
  }
  return flit_hops;
}

Recurrence::Recurrence(Fabric& fabric, CollectiveJob& job, std::vector<Npu*> npus)
    : fabric_(fabric), job_(job), npus_(std::move(npus)) {}

std::uint64_t Recurrence::pass_over(std::uint64_t cycle, std::uint64_t most) {
  if (cycle < next_look_) return 0;
  next_look_ = cycle + step_;
  StateDigest digest(kIndexMask);
  if (!look(digest)) {
    next_look_ = kNever;
    return 0;
  }
  if (period_ == 0) {
    const auto [seen, is_new] = seen_.try_emplace(digest, cycle);
    if (is_new) {
      if (seen_.size() == kMostSeen) begin_search(cycle, 2 * step_);
      return 0;
    }
    period_ = cycle - seen->second;
    next_look_ = cycle + period_;
    state_ = digest;
    before_ = progress_;
    counts_ = count_all(fabric_.core(), fabric_.topology(), fabric_.switches());
    return 0;
  }
  const std::uint64_t number = digest == state_ ? periods(most) : 0;
  const std::uint64_t passed = number * period_;
  if (number != 0) repeat(number);
  cycles_ += passed;
  period_ = 0;
  begin_search(cycle + passed, number != 0 ? kFirstStep : 2 * step_);
  return passed;
}

void Recurrence::begin_search(std::uint64_t cycle, std::uint64_t step) {
  seen_.clear();
  step_ = step;
  next_look_ = cycle + step;
}

// False: there is something that cannot tell its state.
bool Recurrence::look(StateDigest& digest) {
  progress_.assign(job_.plan().trees.size(), 0);
  for (const Npu* npu : npus_) npu->add_progress(job_, progress_);
  if (!fabric_.core().add_state(digest)) return false;
  job_.add_state(digest);
  for (const Npu* npu : npus_) npu->add_state(job_, progress_, digest);
  return true;
}

// That can be repeated from here on, with no tree coming to its last run of packets and no more than `most` cycles.
std::uint64_t Recurrence::periods(std::uint64_t most) const {
  std::uint64_t number = most / period_;
  bool moves = false;
  for (int tree = 0; tree < std::ssize(progress_); ++tree) {
    const std::uint64_t in_one = progress_[tree] - before_[tree];
    if (in_one == 0) continue;
    moves = true;
    const Tree& of = job_.plan().trees[tree];
    const Part& part = job_.plan().parts[of.part];
    auto last = static_cast<std::uint64_t>(part.run);
    // The last packets of a tree are not acknowledged.
    if (of.is_acknowledged) last = std::max(last, acknowledged_window(part) + kAcknowledgePackets);
    const std::uint64_t left = job_.packets(tree) - progress_[tree];
    number = std::min(number, left <= last ? 0 : (left - last) / in_one);
  }
  return moves ? number : 0;
}

void Recurrence::repeat(std::uint64_t number) {
  flit_hops_ += pass_over_periods(fabric_, counts_, number, period_);
  Progress packets = progress_;
  for (std::size_t t = 0; t < packets.size(); ++t)
    packets[t] = number * (progress_[t] - before_[t]);
  job_.leave_out(packets);
  for (Npu* npu : npus_) npu->shorten(job_);
}

}  // namespace fredsim

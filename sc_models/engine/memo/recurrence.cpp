// SPDX-License-Identifier: Apache-2.0
#include "engine/memo/recurrence.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "plan/acknowledgements.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kNoLook = std::numeric_limits<std::uint64_t>::max();

// `factor` times the counts between the two.
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

// Edges after which all paced sources, and their inputs, are at the same point again; 0: a source
// has no pace, or they are too many.
std::uint64_t frames_of(std::span<CollectiveJob* const> jobs) {
  constexpr std::uint64_t kMax = 1 << 20;
  std::uint64_t edges = 1;
  for (const CollectiveJob* job : jobs) {
    for (const Tree& tree : job->plan().trees) {
      const std::uint64_t frame = job->plan().parts[tree.part].frame;
      if (frame == 0) return 0;
      const std::uint64_t frames =
          tree.is_acknowledged ? std::lcm(tree.in_frame, tree.acknowledge_packets) / tree.in_frame
                               : 1;
      edges = std::lcm(edges, frames * frame);
      if (edges > kMax) return 0;
    }
  }
  return edges;
}

// True if the packets of all trees pass endpoints in the order of their arrival.
bool drifts(std::span<CollectiveJob* const> jobs) {
  return std::ranges::all_of(jobs, [](const CollectiveJob* job) {
    const Plan& plan = job->plan();
    return std::ranges::all_of(plan.trees, [&](const Tree& tree) {
      return tree.transport == Transport::kEndpoint && !plan.parts[tree.part].is_ordered;
    });
  });
}

}  // namespace

std::uint64_t skip_periods(Fabric& fabric, const FabricCounts& before, std::uint64_t number,
                           std::uint64_t edges) {
  const FabricCounts now = count_all(fabric.core(), fabric.topology(), fabric.switches());
  std::vector<LinkCount> more(now.links.size());
  std::uint64_t flit_hops = 0;
  for (std::size_t l = 0; l < more.size(); ++l) {
    more[l].flits = number * (now.links[l].flits - before.links[l].flits);
    more[l].phase_flits = number * (now.links[l].phase_flits - before.links[l].phase_flits);
    more[l].missing_bytes = number * (now.links[l].missing_bytes - before.links[l].missing_bytes);
    if (!fabric.topology().links[l].on_die) flit_hops += more[l].flits;
  }
  fabric.core().skip(number * edges, more);
  for (NodeId node = 0; node < std::ssize(now.switches); ++node) {
    if (!now.switches[node]) continue;
    fabric.switch_core(node).add_to_counters(
        times(*before.switches[node], *now.switches[node], number));
  }
  return flit_hops;
}

Recurrence::Recurrence(Fabric& fabric, std::vector<Npu*> npus, std::size_t of_all)
    : fabric_(fabric),
      npus_(std::move(npus)),
      of_all_(of_all),
      next_look_(fabric.core().edge()),
      shortest_step_(kFirstStep *
                     std::bit_ceil((of_all + kNpusOfFirstStep - 1) / kNpusOfFirstStep)) {}

void Recurrence::restart() {
  if (next_look_ == kNoLook) return;
  if (habit_ != nullptr && seen_.size() >= kMaxSeen / 4) {
    habit_->period = 0;
    habit_->first_step =
        std::min(2 * habit_->first_step, std::max(shortest_step_, kLongestFirstStep));
  }
  habit_ = nullptr;
  period_ = 0;
  seen_.clear();
  next_look_ = fabric_.core().edge();
}

Recurrence::Habit& Recurrence::habit_of(std::span<CollectiveJob* const> jobs) {
  std::vector<const Plan*> plans;
  for (const CollectiveJob* job : jobs) plans.push_back(&job->plan());
  std::ranges::sort(plans);
  const std::uint64_t step =
      drifts(jobs) ? std::max(shortest_step_, kFirstStepOfDrift) : shortest_step_;
  return habits_.try_emplace(std::move(plans), Habit{.first_step = step}).first->second;
}

std::uint64_t Recurrence::step_of(const Habit& habit) const {
  constexpr std::uint64_t kMaxParts = 16;
  if (habit.period == 0) return habit.first_step;
  std::uint64_t parts = kMaxParts;
  while (parts > 1 && (habit.period % parts != 0 || habit.period / parts < shortest_step_)) --parts;
  return habit.period / parts;
}

std::uint64_t Recurrence::skip(std::span<CollectiveJob* const> jobs, std::uint64_t max) {
  if (!is_due()) return 0;
  const std::uint64_t edge = fabric_.core().edge();
  if (!can_recur(jobs)) {
    next_look_ = edge + kLongIdle;
    return 0;
  }
  if (habit_ == nullptr) {
    habit_ = &habit_of(jobs);
    frames_ = frames_of(jobs);
    begin_search(step_of(*habit_));
    return 0;
  }
  next_look_ = edge + step_;
  StateDigest digest(kIndexMask);
  if (!look(jobs, digest)) {
    next_look_ = kNoLook;
    return 0;
  }
  if (period_ != 0) {
    if (digest == state_) return skip_from(before_, jobs, max);
    period_ = 0;
    begin_search(2 * step_);
    return 0;
  }
  const auto [seen, is_new] = seen_.try_emplace(digest);
  if (!is_new) {
    period_ = edge - seen->second.edge;
    if (keeps_counts()) return skip_from(Moment(std::move(seen->second)), jobs, max);
    next_look_ = edge + period_;
    state_ = digest;
    before_ = moment();
    return 0;
  }
  seen->second.edge = edge;
  if (keeps_counts()) seen->second = moment();
  if (seen_.size() == kMaxSeen) keep_every_other();
  return 0;
}

Recurrence::Moment Recurrence::moment() const {
  return {fabric_.core().edge(), progress_,
          count_all(fabric_.core(), fabric_.topology(), fabric_.switches())};
}

// Called at the end of a period that began at `before`.
std::uint64_t Recurrence::skip_from(const Moment& before, std::span<CollectiveJob* const> jobs,
                                    std::uint64_t max) {
  const std::uint64_t number = periods(before, jobs, max);
  const std::uint64_t passed = number * period_;
  if (number != 0) repeat(before, jobs, number);
  *habit_ = {.first_step = shortest_step_, .period = period_};
  cycles_ += passed;
  // The remainder of the job contains no further period of this length.
  const std::uint64_t coarse = std::bit_floor(period_ / kLooksInAPeriod);
  begin_search(number != 0 ? std::max(shortest_step_, coarse) : 2 * step_);
  period_ = 0;
  return passed;
}

void Recurrence::begin_search(std::uint64_t step) {
  seen_.clear();
  step_ = frames_ != 0 && step % frames_ != 0 ? frames_ : step;
  begin_ = fabric_.core().edge();
  next_look_ = begin_ + step_;
}

// Keeps every other state seen, an even number of steps apart, so that longer periods are found
// from the beginning of the search.
void Recurrence::keep_every_other() {
  step_ *= 2;
  std::erase_if(seen_,
                [&](const auto& state) { return (state.second.edge - begin_) % step_ != 0; });
  next_look_ = fabric_.core().edge() + step_;
}

// Returns true if the trees are long enough.
bool Recurrence::can_recur(std::span<CollectiveJob* const> jobs) {
  return std::ranges::any_of(jobs, [](const CollectiveJob* job) {
    for (std::size_t tree = 0; tree < job->plan().trees.size(); ++tree)
      if (job->packets(static_cast<int>(tree)) >= kFewestPackets) return true;
    return false;
  });
}

// Returns false if a component cannot give its state.
bool Recurrence::look(std::span<CollectiveJob* const> jobs, StateDigest& digest) {
  Ranks* const ranks = fabric_.core().ranks();
  const bool has_digest = fabric_.core().add_state(digest);
  if (!has_digest && ranks == nullptr) return false;
  progress_.resize(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    progress_[j].assign(jobs[j]->plan().trees.size(), 0);
    for (const Npu* npu : npus_) npu->add_progress(*jobs[j], progress_[j]);
  }
  if (ranks != nullptr) take_furthest(*ranks);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    jobs[j]->add_state(digest);
    for (const Npu* npu : npus_) npu->add_state(*jobs[j], progress_[j], digest);
  }
  for (const Npu* npu : npus_) npu->add_state(digest);
  return ranks == nullptr || ranks->combine(digest, has_digest);
}

// Progress of the furthest sources of all processes.
void Recurrence::take_furthest(Ranks& ranks) {
  RankMessage mine;
  for (const Progress& of_job : progress_) mine.put_all(of_job);
  for (RankMessage& of_rank : ranks.gather(Ranks::Purpose::kDigest, std::move(mine))) {
    for (Progress& of_job : progress_) {
      const auto there = of_rank.get_all<std::uint64_t>();
      std::ranges::transform(of_job, there, of_job.begin(),
                             [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    }
  }
}

// Number of periods that can be repeated from here on, within `max` edges, without any tree
// reaching its last run of packets.
std::uint64_t Recurrence::periods(const Moment& before, std::span<CollectiveJob* const> jobs,
                                  std::uint64_t max) const {
  std::uint64_t number = max / period_;
  bool moves = false;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (std::size_t t = 0; t < progress_[j].size(); ++t) {
      const std::uint64_t in_one = progress_[j][t] - before.progress[j][t];
      if (in_one == 0) continue;
      moves = true;
      number = std::min(number, periods(*jobs[j], static_cast<int>(t), progress_[j][t], in_one));
    }
  }
  return moves ? number : 0;
}

std::uint64_t Recurrence::periods(const CollectiveJob& job, int tree, std::uint64_t done,
                                  std::uint64_t in_one) {
  const Tree& of = job.plan().trees[tree];
  const Part& part = job.plan().parts[of.part];
  auto last = static_cast<std::uint64_t>(part.run);
  // The last packets of a tree are not acknowledged.
  if (of.is_acknowledged)
    last = std::max(last, acknowledged_window(part, of) + of.acknowledge_packets);
  const std::uint64_t left = job.packets(tree) - done;
  return left <= last ? 0 : (left - last) / in_one;
}

void Recurrence::repeat(const Moment& before, std::span<CollectiveJob* const> jobs,
                        std::uint64_t number) {
  flit_hops_ += skip_periods(fabric_, before.counts, number, period_);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    Progress packets = progress_[j];
    for (std::size_t t = 0; t < packets.size(); ++t)
      packets[t] = number * (progress_[j][t] - before.progress[j][t]);
    jobs[j]->leave_out(packets);
    for (Npu* npu : npus_) npu->shorten(*jobs[j]);
  }
}

}  // namespace fredsim

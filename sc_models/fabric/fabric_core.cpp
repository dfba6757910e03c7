// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric_core.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <exception>
#include <stdexcept>
#include <utility>

namespace fredsim {
namespace {

constexpr std::uint64_t kForEver = ~std::uint64_t{0};

std::vector<NodePlace> places_of(const Topology& topology, const Cut& cut) {
  std::vector<NodePlace> places;
  std::vector<std::uint32_t> nodes(static_cast<std::size_t>(partitions_of(topology, cut)));
  for (std::size_t id = 0; id < topology.nodes.size(); ++id) {
    const auto partition = cut.empty() ? 0U : static_cast<std::uint32_t>(cut[id]);
    places.push_back({partition, nodes[partition]++});
  }
  return places;
}

// Neighbours by partition of `own`: partitions of `by_number` with a link to or from it.
std::vector<std::vector<Partition*>> neighbours(const Topology& topology, const Cut& cut,
                                                const std::vector<Partition*>& by_number,
                                                const std::vector<int>& own_number) {
  std::vector<std::vector<Partition*>> of(by_number.size());
  const auto add = [&](int partition, int other) {
    if (own_number[partition] >= 0 && by_number[other] != nullptr)
      of[own_number[partition]].push_back(by_number[other]);
  };
  for (const Link& link : topology.links) {
    if (cut.empty() || cut[link.from] == cut[link.to]) continue;
    add(cut[link.from], cut[link.to]);
    add(cut[link.to], cut[link.from]);
  }
  for (std::vector<Partition*>& others : of) {
    std::ranges::sort(others);
    const auto same = std::ranges::unique(others);
    others.erase(same.begin(), same.end());
  }
  return of;
}

}  // namespace

// Failures that have stopped a partition, and their windows. A thread may see a failure of a window
// that it has not reached; it does not stop for that yet.
struct FabricCore::Failures {
  struct alignas(64) Failure {
    std::exception_ptr what;
    std::uint64_t edge = 0;
    std::atomic<std::uint64_t> window = kForEver;
  };
  explicit Failures(std::size_t partitions) : by_partition(partitions) {}
  bool any(std::uint64_t window) const {
    return std::ranges::any_of(by_partition, [&](const Failure& failure) {
      return failure.window.load(std::memory_order_relaxed) <= window;
    });
  }
  // Must be called in a catch clause.
  void note(int partition, std::uint64_t edge, std::uint64_t window) {
    Failure& failure = by_partition[partition];
    failure.what = std::current_exception();
    failure.edge = edge;
    failure.window.store(window, std::memory_order_relaxed);
  }
  void rethrow_first() const {
    const auto first = std::ranges::min_element(by_partition, {}, [](const Failure& failure) {
      return failure.what != nullptr ? failure.edge : kForEver;
    });
    if (first->what != nullptr) std::rethrow_exception(first->what);
  }
  std::vector<Failure> by_partition;
};

FabricCore::FabricCore(const Topology& topology, int lanes, const Cut& cut, const RankShare& share)
    : topology_(topology),
      places_(places_of(topology, cut)),
      share_(share),
      look_ahead_(fredsim::look_ahead(topology, cut)) {
  const int partitions = partitions_of(topology, cut);
  for (int i = 0; i < partitions; ++i) {
    const bool is_here = share.has(i);
    own_number_.push_back(is_here ? static_cast<int>(partitions_.size()) : -1);
    if (is_here)
      partitions_.push_back(std::make_unique<Partition>(topology, places_, i, partitions, lanes));
    by_number_.push_back(is_here ? partitions_.back().get() : nullptr);
  }
  if (partitions_.empty()) throw std::logic_error("a process without a partition");
  neighbours_ = neighbours(topology, cut, by_number_, own_number_);
  if (share.ranks != nullptr) rank_links_ = std::make_unique<RankLinks>(topology, cut, share);
}

FabricCore::~FabricCore() = default;

void FabricCore::attach(NodeId node, SwitchCore& core) {
  owner(node).attach(places_[node].node, core);
}
void FabricCore::attach(NodeId node, EndpointCore& core) {
  owner(node).attach(places_[node].node, core);
}

void FabricCore::set_faults(int link, LinkFaults* faults) {
  const Link& l = topology_.links[link];
  if (!owns(l.from)) return;
  owner(l.from).links().set_faults(places_[l.from].node, l.from_port, faults);
}

void FabricCore::set_threads(bool on) {
  threads_.reset();
  if (on && partitions() > 1) threads_ = std::make_unique<WindowThreads>(partitions());
}

void FabricCore::set_switch_threads(int threads) {
  if (threads > 1 && partitions() > 1)
    throw std::logic_error("threads for the switches of a fabric that is cut");
  partitions_.front()->set_switch_threads(threads);
}

void FabricCore::reset() {
  is_alone_ = false;
  state_.reset();
  exchanged_box_ = -1;
  publish_ = {};
  collect_ = {};
  accessed_.clear();
  finished_.clear();
  for (const auto& partition : partitions_) partition->reset();
}

// ---- clock edges

void FabricCore::tick() {
  state_.reset();
  if (groups_ == Groups::kAlways) step_in_groups(true);
  for (const auto& partition : partitions_) partition->tick();
  if (!is_cut()) return;
  for (int i = 0; i < partitions(); ++i) take_in(i, 0);
  finished_ = std::exchange(accessed_, {});
  end_window(0);
}

// Ends the last window of a call: flits that cross to other processes are sent in exchange().
void FabricCore::end_window(int box) {
  if (ranks() != nullptr) {
    exchanged_box_ = box;
    return;
  }
  for (const auto& partition : partitions_) partition->links().fill(0);
}

void FabricCore::exchange() {
  if (ranks() == nullptr) return;
  RankMessage mine;
  StateOfAll all = own_state();
  mine.put(all);
  if (publish_) publish_(mine);
  const std::span<RankMessage> others =
      rank_links_->exchange(by_number_, std::exchange(exchanged_box_, -1), edge(), mine);
  for (const auto& partition : partitions_) partition->links().fill(0);
  for (int rank = 0; rank < std::ssize(others); ++rank) {
    if (rank == ranks()->rank()) continue;
    RankMessage& of_rank = others[static_cast<std::size_t>(rank)];
    all.add(of_rank.get<StateOfAll>());
    if (collect_) collect_(of_rank);
  }
  state_ = all;
}

void FabricCore::take_in(int partition, int box) {
  for (Partition* const other : neighbours_[partition])
    partitions_[partition]->links().take_in(other->links(), box, partitions_[partition]->edge());
}

// Exchanges flits and credits with other processes; all partitions here are at the same edge.
void FabricCore::exchange_with_ranks(int box) {
  if (ranks() != nullptr) rank_links_->exchange(by_number_, box, edge());
}

void FabricCore::begin_timers() {
  for (const auto& partition : partitions_) partition->timers().begin(edge());
}

void FabricCore::end_timers() {
  for (const auto& partition : partitions_) partition->timers().end(edge());
}

void FabricCore::run_window(int partition, std::uint64_t edges, std::span<EdgeHook* const> hooks,
                            Failures& failures, std::uint64_t window) {
  Partition& p = *partitions_[partition];
  p.links().fill(static_cast<int>(window % 2));
  try {
    for (std::uint64_t edge = 0; edge < edges; ++edge) {
      if (window != 0 || edge != 0) {
        p.timers().begin(p.edge());
        p.timers().end(p.edge());
      }
      if (!hooks.empty()) hooks[partition]->before_edge();
      p.tick();
      if (!hooks.empty()) hooks[partition]->after_edge();
    }
  } catch (...) {
    failures.note(partition, p.edge(), window);
  }
}

// Called by the first thread, while the others wait; this window's outboxes stay full until all
// partitions have taken their contents in.
void FabricCore::exchange_in_window(Failures& failures, std::uint64_t window) {
  try {
    exchange_with_ranks(static_cast<int>(window % 2));
  } catch (...) {
    failures.note(0, edge(), window);
  }
}

void FabricCore::advance(std::uint64_t edges, std::span<EdgeHook* const> hooks) {
  assert(hooks.empty() || hooks.size() == partitions_.size());
  Failures failures(partitions_.size());
  state_.reset();
  step_in_groups(groups_ != Groups::kNever);
  const auto window_of = [&](std::uint64_t left) { return std::min(left, look_ahead_); };
  const std::uint64_t windows = edges / look_ahead_ + (edges % look_ahead_ != 0 ? 1 : 0);
  if (threads_ == nullptr) {
    std::uint64_t window = 0;
    for (std::uint64_t left = edges; left != 0; ++window) {
      const std::uint64_t now = window_of(left);
      for (int i = 0; i < partitions(); ++i) run_window(i, now, hooks, failures, window);
      if (failures.any(window)) break;
      const int box = static_cast<int>(window % 2);
      for (int i = 0; i < partitions(); ++i) take_in(i, box);
      left -= now;
      if (left != 0) exchange_with_ranks(box);
    }
  } else {
    threads_->run([&](int partition) {
      std::uint64_t window = 0;
      for (std::uint64_t left = edges; left != 0; ++window) {
        const std::uint64_t now = window_of(left);
        run_window(partition, now, hooks, failures, window);
        threads_->synchronise(partition);
        if (failures.any(window)) return;
        take_in(partition, static_cast<int>(window % 2));
        left -= now;
        if (rank_links_ != nullptr && left != 0) {
          threads_->synchronise(
              partition);  // the exchange adds flits to wheels that all threads take in
                           // to
          if (partition == 0) exchange_in_window(failures, window);
          threads_->synchronise(partition);
          if (failures.any(window)) return;
        }
      }
    });
  }
  if (groups_ != Groups::kAlways) step_in_groups(false);
  finished_.clear();
  failures.rethrow_first();
  end_window(static_cast<int>((windows - 1) % 2));
}

// ---- over all partitions

void FabricCore::access(NodeId node, const RegisterRequest& request) {
  state_.reset();
  if (is_cut()) accessed_.push_back(node);
  if (owns(node)) owner(node).access(places_[node].node, request);
}

std::uint32_t FabricCore::read_data(NodeId node) const {
  if (ranks() == nullptr) return own_read_data(node);
  const std::uint32_t mine = owns(node) ? own_read_data(node) : 0;
  const int rank = share_.rank_of[places_[node].partition];
  return ranks()->gather_values(Ranks::Purpose::kRegister, mine)[rank];
}

void FabricCore::clear_counts() {
  state_.reset();
  for (const auto& partition : partitions_) partition->clear_counts();
}

void FabricCore::set_missing_bytes(std::size_t first,
                                   std::span<const std::uint16_t> by_stream_pair) {
  for (const auto& partition : partitions_)
    partition->links().set_missing_bytes(first, by_stream_pair);
}

const LinkTx& FabricCore::output(int link) const {
  const Link& l = topology_.links[link];
  return owner(l.from).links().output(places_[l.from].node, l.from_port);
}

LinkCount FabricCore::count(int link) const {
  const Link& l = topology_.links[link];
  if (!owns(l.from)) return {};
  return owner(l.from).links().count(places_[l.from].node, l.from_port, owner(l.from).edge());
}

void FabricCore::StateOfAll::add(const StateOfAll& other) {
  has_to_step = has_to_step || other.has_to_step;
  to_timers = std::min(to_timers, other.to_timers);
  to_arrival = std::min(to_arrival, other.to_arrival);
  flits += other.flits;
  credits += other.credits;
  quiet = std::min(quiet, other.quiet);
}

std::uint64_t FabricCore::StateOfAll::edges_idle() const {
  if (has_to_step) return 0;
  return flits == 0 && credits == 0 ? to_timers : std::min(to_timers, to_arrival);
}

// A node that has to step anyway needs no search for arrivals.
FabricCore::StateOfAll FabricCore::own_state() const {
  StateOfAll state;
  for (const auto& partition : partitions_) {
    state.add({.has_to_step = partition->has_to_step(),
               // Timers fire after the edge before theirs.
               .to_timers = partition->timers().edges_to_next(edge() + 1),
               .flits = partition->links().flits_in_flight(),
               .credits = partition->links().credits_in_flight(),
               .quiet = partition->quiet_cycles()});
  }
  for (std::size_t i = 0; i < partitions_.size() && !state.has_to_step; ++i) {
    const PartitionLinks& links = partitions_[i]->links();
    state.to_arrival = std::min({state.to_arrival, links.edges_to_arrival(edge()),
                                 links.edges_to_crossing(exchanged_box_, edge())});
  }
  return state;
}

const FabricCore::StateOfAll& FabricCore::state() const {
  if (ranks() == nullptr) {
    state_ = own_state();
  } else if (!state_) {
    StateOfAll all;
    for (const StateOfAll& share : ranks()->gather_values(Ranks::Purpose::kFabric, own_state()))
      all.add(share);
    state_ = all;
  }
  return *state_;
}

std::uint64_t FabricCore::edges_idle() const {
  if (ranks() == nullptr && std::ranges::any_of(partitions_, [](const auto& partition) {
        return partition->has_to_step();
      }))
    return 0;
  return state().edges_idle();
}

bool FabricCore::is_settled() const {
  const bool is_idle = std::ranges::all_of(partitions_, [](const auto& partition) {
    return partition->links().are_rested(partition->edge());
  });
  if (ranks() == nullptr) return edges_idle() == kForEver && is_idle;
  const std::uint64_t edges = edges_idle();
  return ranks()->all(Ranks::Purpose::kFabric, is_idle) && edges == kForEver;
}

void FabricCore::rest(std::uint64_t edges) {
  finished_.clear();
  state_.reset();
  for (const auto& partition : partitions_) partition->rest(edges);
}

bool FabricCore::add_state(StateDigest& digest) const {
  part_groups();
  return std::ranges::all_of(partitions_,
                             [&](const auto& partition) { return partition->add_state(digest); });
}

void FabricCore::skip(std::uint64_t edges, const std::vector<LinkCount>& more) {
  state_.reset();
  for (std::size_t l = 0; l < more.size(); ++l) {
    const Link& link = topology_.links[l];
    if (!owns(link.from)) continue;
    owner(link.from).links().output(places_[link.from].node, link.from_port).add_counts(more[l]);
  }
  for (const auto& partition : partitions_) partition->skip(edges);
}

std::uint64_t FabricCore::quiet_cycles() const {
  if (ranks() != nullptr) return state().quiet;
  std::uint64_t min = kForEver;
  for (const auto& partition : partitions_) min = std::min(min, partition->quiet_cycles());
  return min;
}

bool FabricCore::empty() const {
  const bool is_idle =
      std::ranges::all_of(partitions_, [](const auto& partition) { return partition->all_idle(); });
  if (ranks() == nullptr) return is_idle && flits_on_links() == 0 && credits_on_links() == 0;
  if (flits_on_links() != 0 || credits_on_links() != 0) return false;
  return ranks()->all(Ranks::Purpose::kFabric, is_idle);
}

void FabricCore::set_alone() {
  if (share_.ranks == nullptr) return;
  is_alone_ = true;
  state_.reset();
  alone_since_ = edge();
}

void FabricCore::set_together() {
  if (!is_alone_) return;
  is_alone_ = false;
  const std::uint64_t mine = edge() - alone_since_;
  std::uint64_t left = share_.ranks->sum(Ranks::Purpose::kFabric, mine) - mine;
  for (; left != 0; --left) {
    if (std::ranges::none_of(partitions_,
                             [](const auto& partition) { return partition->has_to_step(); }))
      break;
    for (const auto& partition : partitions_) partition->tick();
  }
  rest(left);
}

void FabricCore::set_groups(Groups groups) {
  part_groups();
  groups_ = groups;
}

void FabricCore::step_in_groups(bool on) const {
  for (const auto& partition : partitions_) partition->step_in_group(on);
}

void FabricCore::set_always_step(bool on) {
  for (const auto& partition : partitions_) partition->set_always_step(on);
}

bool FabricCore::is_unobserved() const {
  const auto is_faulty = [&](const Link& link) {
    return owns(link.from) &&
           owner(link.from).links().output(places_[link.from].node, link.from_port).faults() !=
               nullptr;
  };
  return std::ranges::none_of(partitions_,
                              [](const auto& partition) { return partition->always_steps(); }) &&
         std::ranges::none_of(topology_.links, is_faulty);
}

std::uint64_t FabricCore::steps_left_out() const {
  std::uint64_t steps = 0;
  for (const auto& partition : partitions_) steps += partition->steps_left_out();
  return steps;
}

}  // namespace fredsim

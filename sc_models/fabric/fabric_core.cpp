// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric_core.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <exception>
#include <stdexcept>

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

std::vector<std::vector<int>> neighbours(const Topology& topology, const Cut& cut) {
  std::vector<std::vector<int>> of(static_cast<std::size_t>(partitions_of(topology, cut)));
  for (const Link& link : topology.links) {
    if (cut.empty() || cut[link.from] == cut[link.to]) continue;
    of[cut[link.from]].push_back(cut[link.to]);
    of[cut[link.to]].push_back(cut[link.from]);
  }
  for (std::vector<int>& others : of) {
    std::ranges::sort(others);
    const auto same = std::ranges::unique(others);
    others.erase(same.begin(), same.end());
  }
  return of;
}

}  // namespace

// Failures that have stopped a partition, and their window. A thread that looks may see a window that it has not
// come to; that is no reason to stop yet.
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
  void rethrow_first() const {
    const auto first = std::ranges::min_element(by_partition, {}, [](const Failure& failure) {
      return failure.what != nullptr ? failure.edge : kForEver;
    });
    if (first->what != nullptr) std::rethrow_exception(first->what);
  }
  std::vector<Failure> by_partition;
};

FabricCore::FabricCore(const Topology& topology, int lanes, const Cut& cut)
    : topology_(topology),
      places_(places_of(topology, cut)),
      neighbours_(neighbours(topology, cut)),
      look_ahead_(fredsim::look_ahead(topology, cut)) {
  const int partitions = partitions_of(topology, cut);
  for (int i = 0; i < partitions; ++i) {
    partitions_.push_back(std::make_unique<Partition>(topology, places_, i, partitions, lanes));
  }
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
  finished_.clear();
  for (const auto& partition : partitions_) partition->reset();
}

// ---- edges

void FabricCore::tick() {
  for (const auto& partition : partitions_) partition->tick();
  if (partitions_.size() == 1) return;
  finished_.clear();
  for (int i = 0; i < partitions(); ++i) {
    take_in(i, 0);
    const std::vector<NodeId>& finished = partitions_[i]->finished_accesses();
    finished_.insert(finished_.end(), finished.begin(), finished.end());
  }
  for (const auto& partition : partitions_) partition->links().fill(0);
}

void FabricCore::take_in(int partition, int box) {
  for (const int other : neighbours_[partition])
    partitions_[partition]->links().take_in(partitions_[other]->links(), box,
                                            partitions_[partition]->edge());
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
    Failures::Failure& failure = failures.by_partition[partition];
    failure.what = std::current_exception();
    failure.edge = p.edge();
    failure.window.store(window, std::memory_order_relaxed);
  }
}

void FabricCore::advance(std::uint64_t edges, std::span<EdgeHook* const> hooks) {
  assert(hooks.empty() || hooks.size() == partitions_.size());
  Failures failures(partitions_.size());
  step_in_groups(uses_groups_);
  const auto window_of = [&](std::uint64_t left) { return std::min(left, look_ahead_); };
  if (threads_ == nullptr) {
    std::uint64_t window = 0;
    for (std::uint64_t left = edges; left != 0; ++window) {
      const std::uint64_t now = window_of(left);
      for (int i = 0; i < partitions(); ++i) run_window(i, now, hooks, failures, window);
      if (failures.any(window)) break;
      for (int i = 0; i < partitions(); ++i) take_in(i, static_cast<int>(window % 2));
      left -= now;
    }
  } else {
    threads_->run([&](int partition) {
      std::uint64_t window = 0;
      for (std::uint64_t left = edges; left != 0; ++window) {
        const std::uint64_t now = window_of(left);
        run_window(partition, now, hooks, failures, window);
        threads_->meet(partition);
        if (failures.any(window)) return;
        take_in(partition, static_cast<int>(window % 2));
        left -= now;
      }
    });
  }
  for (const auto& partition : partitions_) partition->links().fill(0);
  step_in_groups(false);
  finished_.clear();
  failures.rethrow_first();
}

// ---- over all partitions

void FabricCore::access(NodeId node, const RegisterRequest& request) {
  owner(node).access(places_[node].node, request);
}

void FabricCore::clear_counts() {
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
  return owner(l.from).links().count(places_[l.from].node, l.from_port, owner(l.from).edge());
}

std::uint64_t FabricCore::edges_at_rest() const {
  for (const auto& partition : partitions_) {
    if (partition->has_to_step()) return 0;
  }
  // Timers call after the edge before theirs.
  std::uint64_t edges = kForEver;
  for (const auto& partition : partitions_)
    edges = std::min(edges, partition->timers().edges_to_next(edge() + 1));
  if (flits_on_links() == 0 && credits_on_links() == 0) return edges;
  for (const auto& partition : partitions_) {
    edges = std::min(edges, partition->links().edges_to_arrival(partition->edge()));
  }
  return edges;
}

bool FabricCore::is_settled() const {
  return edges_at_rest() == kForEver && std::ranges::all_of(partitions_, [](const auto& partition) {
           return partition->links().are_rested(partition->edge());
         });
}

void FabricCore::rest(std::uint64_t edges) {
  finished_.clear();
  for (const auto& partition : partitions_) partition->rest(edges);
}

bool FabricCore::add_state(StateDigest& digest) const {
  return std::ranges::all_of(partitions_,
                             [&](const auto& partition) { return partition->add_state(digest); });
}

void FabricCore::pass_over(std::uint64_t edges, const std::vector<LinkCount>& more) {
  for (std::size_t l = 0; l < more.size(); ++l) {
    const Link& link = topology_.links[l];
    owner(link.from).links().output(places_[link.from].node, link.from_port).add_counts(more[l]);
  }
  for (const auto& partition : partitions_) partition->pass_over(edges);
}

std::uint64_t FabricCore::quiet_cycles() const {
  std::uint64_t min = kForEver;
  for (const auto& partition : partitions_) min = std::min(min, partition->quiet_cycles());
  return min;
}

bool FabricCore::empty() const {
  return flits_on_links() == 0 && credits_on_links() == 0 &&
         std::ranges::all_of(partitions_,
                             [](const auto& partition) { return partition->all_idle(); });
}

int FabricCore::flits_on_links() const {
  int flits = 0;
  for (const auto& partition : partitions_) flits += partition->links().flits_under_way();
  return flits;
}

int FabricCore::credits_on_links() const {
  int credits = 0;
  for (const auto& partition : partitions_) credits += partition->links().credits_under_way();
  return credits;
}

int FabricCore::buffered(NodeId node, int port, int vc) const {
  const NodePlace place = places_[node];
  const PartitionLinks& links = owner(node).links();
  const LinkRx& in = links.input(place.node, port);
  if (!in.exists()) return 0;
  const LinkTarget& sender = in.sender;
  const PartitionLinks& from = partitions_[sender.partition]->links();
  return from.output(sender.node, sender.port).outstanding(vc) -
         from.credits_to(sender.node, sender.port, vc) -
         from.flits_in_serialiser(sender.node, sender.port, vc) -
         links.flits_to(place.node, port, vc);
}

int FabricCore::outstanding(int link, int vc) const { return output(link).outstanding(vc); }

void FabricCore::step_in_groups(bool on) {
  for (const auto& partition : partitions_) partition->step_in_group(on);
}

void FabricCore::set_always_step(bool on) {
  for (const auto& partition : partitions_) partition->set_always_step(on);
}

std::uint64_t FabricCore::steps_left_out() const {
  std::uint64_t steps = 0;
  for (const auto& partition : partitions_) steps += partition->steps_left_out();
  return steps;
}

}  // namespace fredsim

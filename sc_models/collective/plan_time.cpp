// SPDX-License-Identifier: Apache-2.0
#include "collective/plan_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

#include "routing/mesh_routing.h"
#include "topology/credit_loop.h"

namespace fredsim {
namespace {

// Cycles per flit.
double interval(const Link& link) { return 1 / link.rate.value(); }

// Links of one endpoint, each with the cycle from which it is free.
class BusyLinks {
 public:
  explicit BusyLinks(std::size_t links) : busy_(links) {}

  void clear() { ++round_; }
  // A packet that is ready at `ready` and takes `cycles`: when it has passed.
  double pass(int link, double ready, double cycles) {
    Busy& busy = busy_[link];
    if (busy.round != round_) busy = {.round = round_};
    busy.until = std::max(busy.until, ready - cycles) + cycles;
    max_ = std::max(max_, ++busy.packets);
    return busy.until;
  }
  int max() const { return max_; }  // packets on a link of an endpoint so far

 private:
  struct Busy {
    double until = 0;
    int packets = 0;
    int round = 0;
  };
  std::vector<Busy> busy_;
  int round_ = 0;
  int max_ = 0;
};

class TimeModel {
 public:
  TimeModel(const Topology& topology, const Plan& plan, HopPaths& hops)
      : topology_(topology),
        plan_(plan),
        hops_(hops),
        flits_(topology.links.size()),
        sums_(topology.links.size()),
        results_(topology.links.size()) {}

  double run() {
    double longest = 0;
    for (const Tree& tree : plan_.trees) longest = std::max(longest, first_packet(tree));
    hops_.add_loads(
        plan_, plan_.trees, [](const Tree& tree) { return tree.flits; }, flits_);
    double busiest = 0;
    for (std::size_t l = 0; l < flits_.size(); ++l)
      busiest = std::max(busiest, static_cast<double>(flits_[l]) * interval(topology_.links[l]));
    const bool has_credits = counts_credits(topology_);
    if (has_credits) busiest = std::max(busiest, busiest_channel());
    // Sums of a tree that meet on one link.
    if (sums_.max() > 2 && topology_.flow_only.empty())
      busiest *= 1 + kFanCost * std::log2(sums_.max());
    double overlap = overlap_of_levels(has_credits);
    if (std::ranges::any_of(plan_.trees, is_straight_operand)) overlap = 1;
    if (turns_in_routers()) {
      busiest *= 1 + kTurnCost;
      overlap = kTurnOverlap;
    }
    return overlapped(longest, busiest, overlap);
  }

  // Rings of several levels of switches have nothing to do on the later ones at first.
  double overlap_of_levels(bool has_credits) const {
    if (!topology_.has_levels()) return kOverlap;
    double overlap = kOverlap;
    for (const Tree& tree : plan_.trees) {
      const RingBoxTree* const of_box = tree.ranks.box_tree();
      if (of_box == nullptr || of_box->box().is_ring()) continue;
      if (has_credits) return kCreditOverlap;
      if (!of_box->box().has_results()) overlap = kScatterOverlap;
    }
    return overlap;
  }

  // Some block of an all-to-all changes from a row into a column on its way.
  bool turns_in_routers() const {
    if (!topology_.has_places()) return false;
    const auto place = [&](NodeId node) { return mesh_position(topology_.nodes[node].address); };
    return std::ranges::any_of(plan_.trees, [&](const Tree& tree) {
      const Part& part = plan_.parts[tree.part];
      if (part.collective != Collective::kAllToAll && part.collective != Collective::kAllToAllV)
        return false;
      bool turns = false;
      for_each_send(tree.ranks, [&](int rank, const Send& send) {
        const MeshPosition from = place(part.members[rank]), to = place(part.members[send.rank]);
        turns = turns || (from.x != to.x && from.y != to.y);
      });
      return turns;
    });
  }

  // Time of the busiest virtual channel, as limited by credits.
  double busiest_channel() {
    std::vector<std::array<std::uint64_t, kNumVcs>> flits(topology_.links.size());
    for (const Tree& tree : plan_.trees) {
      const std::vector<NodeId>& members = plan_.parts[tree.part].members;
      for_each_send(tree.ranks, [&](int rank, const Send& send) {
        const HopPaths::Hop way = hops_.hop(members[rank], members[send.rank], send.port);
        for (const int link : way.links()) flits[link][send.vc] += tree.flits;
      });
    }
    double busiest = 0;
    for (std::size_t l = 0; l < flits.size(); ++l) {
      const Link& link = topology_.links[l];
      if (counts_credits(topology_, link))
        busiest = std::max(busiest, static_cast<double>(std::ranges::max(flits[l])) /
                                        estimated_rate(topology_, link));
    }
    return busiest;
  }

  double first_packet(const Tree& tree) {
    round_trip_ = 0;
    const auto packet = static_cast<std::uint64_t>(plan_.parts[tree.part].packet_flits);
    packet_ = static_cast<double>(std::min(packet, tree.flits));
    if (const RingBoxTree* const of_box = tree.ranks.box_tree();
        of_box != nullptr && of_box->box().is_ring()) {
      if (of_box->box().roles() != Roles::kAllToAll) return one_way(*of_box, tree.part);
      if (const RingTimes& ring = ring_times(of_box->box(), tree.part); ring.add_up) {
        round_trip_ = ring.all / 2;  // the leaf stands behind the root
        return ring.all - ring.sums[of_box->owner()] - ring.results[of_box->owner()];
      }
    }
    ranks_ = &tree.ranks.passing(made_);
    places_.assign(plan_.parts[tree.part].members.size(), -1);
    for (std::size_t k = 0; k < ranks_->size(); ++k)
      places_[(*ranks_)[k].rank] = static_cast<int>(k);
    const int root = last_of(tree.order.root());
    return results_at(tree, root, sum_at(tree, root));
  }
  // Round trip of the tree that was queried last.
  double round_trip() const { return round_trip_; }

 private:
  HopPaths::Hop hop(const Tree& tree, int from, const Send& send) {
    const std::vector<NodeId>& members = plan_.parts[tree.part].members;
    return hops_.hop(members[from], members[send.rank], send.port);
  }

  // Arrival of a packet that a hop's first link has taken at `sent`.
  double arrival(double sent, const HopPaths::Hop& hop) const {
    return sent + (kNpuCycles + hop.latency) + (packet_ - 1) * hop.slowest;
  }

  double cycles_on(int link) const { return packet_ * interval(topology_.links[link]); }

  // Trees along one ring have all of its hops but two, and nothing meets on their way.
  struct RingTimes {
    bool add_up = false;         // nothing but its hops holds a packet up
    double all = 0;              // cycles: all hops, sums and results
    std::vector<double> sums{};  // by owner: of the hop that its tree does not have
    std::vector<double> results{};
  };
  const RingTimes& ring_times(const RingBoxTrees& box, int part) {
    const auto [at, is_new] = ring_times_.try_emplace({&box, part, packet_});
    RingTimes& ring = at->second;
    if (!is_new) return ring;
    ring.add_up = true;
    ring.sums.resize(box.size());
    ring.results.resize(box.size());
    const std::vector<NodeId>& members = plan_.parts[part].members;
    for (const RingBoxTrees::Hop& hop : box.hops()) {
      const HopPaths::Hop way =
          hops_.hop(members[box.rank_of(hop)], members[hop.send.rank], hop.send.port);
      const double time = arrival(0, way);
      // Else the last link of a leaf's hop would be busy for longer.
      ring.add_up = ring.add_up && cycles_on(way.links().back()) <= time;
      ring.all += time;
      const int owner = hop.is_result ? box.position_after(hop) : hop.from;
      (hop.is_result ? ring.results : ring.sums)[owner] = time;
    }
    return ring;
  }

  // Trees along one ring that have sums or results alone: one hop after the other.
  struct OneWayRing {
    struct Hop {
      double latency = 0, rest = 0;  // until the first flit has arrived, and the last one after it
      double cycles = 0;             // on the last link, where it could meet other packets
      bool operator==(const Hop&) const = default;
    };
    std::vector<Hop> hops{};       // by first position
    std::optional<double> time{};  // cycles of each tree, where all hops are alike
  };
  double one_way(const RingBoxTree& tree, int part) {
    const RingBoxTrees& box = tree.box();
    const auto [at, is_new] = one_way_rings_.try_emplace({&box, part, packet_});
    OneWayRing& ring = at->second;
    if (is_new) ring.hops = hops_along(box, part);
    if (ring.time) return *ring.time;
    // Sums begin behind the owner, results at it.
    double time = 0;
    int position = tree.owner();
    const auto pass_next = [&] { position = position + 1 < box.size() ? position + 1 : 0; };
    if (box.has_sums()) pass_next();
    for (int step = 1; step < box.size(); ++step, pass_next()) {
      const OneWayRing::Hop& hop = ring.hops[position];
      if (box.has_results())
        time = std::max(0.0, time + hop.cycles - hop.cycles) + hop.cycles - hop.cycles;
      time = time + hop.latency + hop.rest;
      if (box.has_sums()) time = std::max(0.0, time - hop.cycles) + hop.cycles;
    }
    const auto differs = [&](const OneWayRing::Hop& hop) { return hop != ring.hops.front(); };
    if (is_new && std::ranges::none_of(ring.hops, differs)) ring.time = time;
    return time;
  }
  std::vector<OneWayRing::Hop> hops_along(const RingBoxTrees& box, int part) {
    const std::vector<NodeId>& members = plan_.parts[part].members;
    std::vector<OneWayRing::Hop> hops;
    for (int position = 0; position < box.size(); ++position) {
      const RingBoxTrees::Hop& hop = box.hop_from(position, box.has_results());
      const HopPaths::Hop way =
          hops_.hop(members[box.rank_of(hop)], members[hop.send.rank], hop.send.port);
      const int shared = box.has_results() ? way.links().front() : way.links().back();
      hops.push_back({kNpuCycles + way.latency, (packet_ - 1) * way.slowest, cycles_on(shared)});
    }
    return hops;
  }

  // Rank at which a sum ends: a block that is only sent on is added nowhere.
  int last_of(int rank) const {
    for (const std::vector<Send>* to = nullptr;
         !(to = &(*ranks_)[places_[rank]].reduce_to)->empty();)
      rank = to->front().rank;
    return rank;
  }

  // Time at which a rank has added all sums from below.
  double sum_at(const Tree& tree, int rank) {
    const auto first = static_cast<std::ptrdiff_t>(arrivals_.size());
    for (const int from : (*ranks_)[places_[rank]].reduce_from) {
      const HopPaths::Hop way = hop(tree, from, (*ranks_)[places_[from]].reduce_to.front());
      const double sent = sum_at(tree, from);
      arrivals_.emplace_back(arrival(sent, way), way.links().back());
    }
    const std::ranges::subrange arrivals(arrivals_.begin() + first, arrivals_.end());
    std::ranges::sort(arrivals, {}, &Arrival::first);
    sums_.clear();
    double done = 0;
    for (const auto& [arrival, link] : arrivals)
      done = std::max(done, sums_.pass(link, arrival, cycles_on(link)));
    arrivals_.resize(first);
    return done;
  }

  // Time at which the last rank below has a result that `rank` has at `ready`.
  double results_at(const Tree& tree, int rank, double ready) {
    const std::size_t first = ready_.size();
    const TreeRank& own = (*ranks_)[places_[rank]];
    if (own.contributes && own.reduce_from.empty()) round_trip_ = std::max(round_trip_, ready);
    const std::vector<Send>& sends = own.broadcast_to;
    results_.clear();
    for (const Send& send : sends) {
      const HopPaths::Hop way = hop(tree, rank, send);
      const double cycles = cycles_on(way.links().front());
      const double sent = results_.pass(way.links().front(), ready + cycles, cycles) - cycles;
      ready_.push_back(arrival(sent, way));
    }
    double done = ready;
    for (std::size_t k = 0; k < sends.size(); ++k)
      done = std::max(done, results_at(tree, sends[k].rank, ready_[first + k]));
    ready_.resize(first);
    return done;
  }

  const Topology& topology_;
  const Plan& plan_;
  HopPaths& hops_;
  std::vector<std::uint64_t> flits_;  // by link
  BusyLinks sums_, results_;          // last links of hops that meet, first links of hops that part
  const std::vector<TreeRank>* ranks_ = nullptr;                 // ranks of the tree at work
  std::vector<TreeRank> made_;                                   // its, where they are not kept
  std::vector<int> places_;                                      // places of ranks in it
  using RingKey = std::tuple<const RingBoxTrees*, int, double>;  // by part, packet
  std::map<RingKey, RingTimes> ring_times_;
  std::map<RingKey, OneWayRing> one_way_rings_;
  double packet_ = 1;  // flits
  double round_trip_ = 0;
  // Ranks between the root and the one at work: arrivals of sums, with their last links; results at
  // ranks below.
  using Arrival = std::pair<double, int>;
  std::vector<Arrival> arrivals_;
  std::vector<double> ready_;
};

}  // namespace

bool counts_credits(const Topology& topology, const Link& link) {
  return carried_bytes_per_second(topology, link) <
         kFittedCredits * static_cast<double>(link.bytes_per_second);
}

bool counts_credits(const Topology& topology) {
  return std::ranges::any_of(topology.links,
                             [&](const Link& link) { return counts_credits(topology, link); });
}

double estimated_rate(const Topology& topology, const Link& link) {
  if (!counts_credits(topology, link)) return link.rate.value();
  return link.rate.value() * carried_bytes_per_second(topology, link) /
         static_cast<double>(link.bytes_per_second);
}

bool is_straight_operand(const Tree& tree) {
  return tree.to_sum > 0 && tree.transport == Transport::kEndpoint &&
         std::ranges::count_if(
             tree.ranks, [](const TreeRank& rank) { return !rank.broadcast_to.empty(); }) == 1;
}

double estimated_cycles(const Topology& topology, const Plan& plan, const LinkWalk& walk) {
  HopPaths hops(topology, walk);
  return TimeModel(topology, plan, hops).run();
}

std::vector<FirstPacket> first_packets(const Topology& topology, const Plan& plan, HopPaths& hops) {
  TimeModel model(topology, plan, hops);
  std::vector<FirstPacket> packets;
  packets.reserve(plan.trees.size());
  for (const Tree& tree : plan.trees) {
    FirstPacket& packet = packets.emplace_back();
    if (tree.transport != Transport::kEndpoint) continue;
    packet.all = model.first_packet(tree);
    packet.round_trip = model.round_trip();
  }
  return packets;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/packet_race.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "collective/detail/packet_order.h"
#include "collective/plan_time.h"
#include "plan/acknowledgements.h"
#include "switch/node_shape.h"
#include "topology/credit_loop.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kFewestRaced = 4;  // packets of a tree
// Packets without an order get into each other's way, often later than in the part that is raced:
// up to a third longer on one switch of four NPUs, mostly by nothing. An order is preferred by this
// margin.
constexpr double kDrift = 1.05;
// Packets in the queue of a NIC port, with the one that is being sent and the one that its NPU
// offers.
constexpr std::size_t kQueuedPackets = 3;
// Copies that a broadcast root has waiting for a port at most.
constexpr std::size_t kMostCopies = 2;

std::uint64_t packets_of(const Plan& plan, const Tree& tree) {
  const auto flits = static_cast<std::uint64_t>(plan.parts[tree.part].packet_flits);
  return (tree.flits + flits - 1) / flits;
}

// Counts links that all packets cross, or the first ones of each tree.
std::uint64_t crossings_of(const Plan& plan, HopPaths& hops,
                           std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  std::uint64_t crossings = 0;
  for (const Tree& tree : plan.trees) {
    const std::uint64_t packets = std::min(packets_of(plan, tree), most);
    hops.walk(plan, tree, [&](int) { crossings += packets; });
  }
  return crossings;
}

class PacketRace {
 public:
  PacketRace(const Topology& topology, const Plan& plan, HopPaths& hops,
             std::span<const FirstPacket> alone)
      : topology_(topology), plan_(plan), alone_(alone) {
    const HopTimes times(topology);
    links_.resize(topology.links.size());
    for (std::size_t l = 0; l < links_.size(); ++l) {
      const Link& link = topology.links[l];
      links_[l].interval = 1 / link.rate.value();
      links_[l].latency = link.latency;
      links_[l].behind = times.through(link.to);
      links_[l].credits = depth_behind(topology, link);
      const Node& from = topology.nodes[link.from];
      links_[l].from_switch = from.is_switch();
      links_[l].staging = topology.buffers_of(from).output_flits;
      for (int port = 0; from.is_switch() && port < from.ports; ++port)
        if (const int into = topology.link_in(link.from, port); into >= 0)
          links_[l].inputs.push_back({into});
    }
    for (std::size_t t = 0; t < plan.trees.size(); ++t) add(static_cast<int>(t), hops);
  }
  // The first packets of each tree, about `share` of them.
  double run(double share) {
    reset(share);
    for (int l = 0; l < std::ssize(links_); ++l)
      if (!links_[l].sources.empty()) send(l);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      handle(event);
    }
    return is_complete() ? last_ : std::numeric_limits<double>::infinity();
  }

 private:
  struct Hop {
    int to = 0;             // place of the rank in ranks_
    std::vector<int> path;  // links
  };
  struct Rank {
    int tree = 0;
    std::vector<int> from{};  // places
    Hop sum{};                // without path: none
    std::vector<Hop> results{};
    bool is_source = false, receives = false, sees_results = false;
    int slot = 0;  // at the one that its sums go to
    // State in a run.
    std::vector<std::uint64_t> sums{};  // packets that have come, by `from`
    std::uint64_t added = 0, started = 0, seen = 0, results_here = 0;
  };
  struct RacedTree {
    int first = 0, ranks = 0;  // in ranks_
    std::uint64_t window = 0;
    double trip = 0;  // an acknowledgement's
    int receivers = 0;
    std::vector<std::uint16_t> got{};  // by packet: receivers that have it
    std::uint64_t packets = 0;
  };
  struct Packet {
    int rank = 0;   // place that it goes to
    int slot = -1;  // a sum's; -1: a result
    const std::vector<int>* path = nullptr;
    std::size_t at = 0,
                ended = 0;  // links on which it is or was; links that its tail has passed
    int flits = 0;
    double tail = 0;  // time from which all of it is there
  };
  struct Input {
    int link = 0;
    std::deque<int> packets{};
  };
  struct LinkState {
    double interval = 1, latency = 1;
    int behind = 0;  // cycles of the switch at its end
    int credits = 0, staging = 0;
    bool from_switch = false;
    std::vector<int> sources{};  // ranks that start packets on it
    // State in a run.
    int left = 0, room = 0;
    bool is_busy = false;
    int packet = -1;   // packet whose tail time is not known yet
    double begun = 0;  // when its head was sent
    std::size_t turn = 0;
    std::deque<std::pair<double, int>> returning{};  // credits: when, flits
    bool is_called = false, lacks_credits = false;
    std::vector<Input> inputs{};
    std::deque<int> staged{};            // packets in a switch's output staging, or in a NIC queue
    std::deque<int> copies{}, passed{};  // packets of an NPU
    int root_link = -1;                  // link on which a root waits for room among the copies
  };
  enum class Kind : std::uint8_t { kArrival, kSent, kCredit, kSeen };
  struct Event {
    double time = 0;
    std::uint64_t number = 0;
    Kind kind = Kind::kArrival;
    int object = 0;  // packet, link or rank
    int flits = 0;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  void add(int number, HopPaths& hops) {
    const Tree& tree = plan_.trees[number];
    const Part& part = plan_.parts[tree.part];
    const std::vector<TreeRank>& ranks = tree.ranks.passing(made_);
    RacedTree& raced = trees_.emplace_back();
    raced.first = static_cast<int>(ranks_.size());
    raced.ranks = static_cast<int>(ranks.size());
    raced.trip = alone_[number].all;
    std::vector<int> places(part.members.size(), -1);
    for (int k = 0; k < raced.ranks; ++k) places[ranks[k].rank] = raced.first + k;
    const auto hop_to = [&](const TreeRank& from, const Send& send) {
      const HopPaths::Hop way =
          hops.hop(part.members[from.rank], part.members[send.rank], send.port);
      const std::span<const int> links = way.links();
      return Hop{places[send.rank], {links.begin(), links.end()}};
    };
    bool any_sees = false;
    for (const TreeRank& rank : ranks) {
      Rank& own = ranks_.emplace_back();
      own.tree = number;
      for (const int from : rank.reduce_from) own.from.push_back(places[from]);
      if (!rank.reduce_to.empty()) own.sum = hop_to(rank, rank.reduce_to.front());
      for (const Send& send : rank.broadcast_to) own.results.push_back(hop_to(rank, send));
      own.is_source = rank.contributes && rank.reduce_from.empty();
      own.receives = rank.receives;
      own.sees_results = rank.receives && !rank.reduce_to.empty();
      any_sees = any_sees || own.sees_results;
      if (rank.receives && tree.operands == 0 && !(own.is_source && rank.reduce_to.empty()))
        ++raced.receivers;
    }
    raced.window =
        any_sees ? static_cast<std::uint64_t>(part.window) : acknowledged_window(part, tree);
    for (int k = 0; k < raced.ranks; ++k) {
      Rank& own = ranks_[raced.first + k];
      for (std::size_t slot = 0; slot < own.from.size(); ++slot)
        ranks_[own.from[slot]].slot = static_cast<int>(slot);
      if (!own.is_source) continue;
      const std::vector<int>& path = own.sum.path.empty() ? own.results.front().path : own.sum.path;
      links_[path.front()].sources.push_back(raced.first + k);
    }
  }
  // False: packets wait for each other in a circle, as on a ring without the channels that it has.
  bool is_complete() const {
    return std::ranges::all_of(trees_, [](const RacedTree& tree) {
      return std::ranges::all_of(tree.got, [&](int got) { return got == tree.receivers; });
    });
  }

  void reset(double share) {
    now_ = last_ = 0;
    number_ = 0;
    packets_.clear();
    free_.clear();
    for (LinkState& link : links_) {
      link.left = link.credits;
      link.room = link.staging;
      link.is_busy = false;
      link.packet = -1;
      link.returning.clear();
      link.is_called = link.lacks_credits = false;
      link.turn = 0;
      for (Input& input : link.inputs) input.packets.clear();
      link.staged.clear();
      link.copies.clear();
      link.passed.clear();
      link.root_link = -1;
    }
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      RacedTree& tree = trees_[t];
      const std::uint64_t all = packets_of(plan_, plan_.trees[t]);
      tree.packets = share >= 1 ? all
                                : std::clamp<std::uint64_t>(
                                      std::llround(share * static_cast<double>(all)), 1, all);
      tree.got.assign(tree.packets, 0);
    }
    for (Rank& rank : ranks_) {
      rank.sums.assign(rank.from.size(), 0);
      rank.added = rank.started = rank.seen = rank.results_here = 0;
    }
  }

  int flits_of(int tree, std::uint64_t packet) const {
    const Tree& of = plan_.trees[tree];
    const auto most = static_cast<std::uint64_t>(plan_.parts[of.part].packet_flits);
    return static_cast<int>(std::min(most, of.flits - packet * most));
  }

  void call(double time, Kind kind, int object, int flits = 0) {
    events_.push({time, number_++, kind, object, flits});
  }

  int make(const Hop& hop, int slot, int flits) {
    if (free_.empty()) {
      free_.push_back(static_cast<int>(packets_.size()));
      packets_.emplace_back();
    }
    const int packet = free_.back();
    free_.pop_back();
    packets_[packet] = {hop.to, slot, &hop.path, 0, 0, flits, now_};
    return packet;
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case Kind::kArrival:
        arrive(event.object);
        break;
      case Kind::kSent:
        links_[event.object].is_busy = false;
        links_[event.object].room += event.flits;
        pull(event.object);
        send(event.object);
        break;
      case Kind::kCredit:
        links_[event.object].is_called = false;
        settle(event.object);
        send(event.object);
        break;
      case Kind::kSeen: {
        Rank& rank = ranks_[event.object];
        ++rank.seen;
        send((rank.sum.path.empty() ? rank.results.front() : rank.sum).path.front());
        break;
      }
    }
  }

  void give_back(int number, double time, int flits) {
    LinkState& link = links_[number];
    link.returning.emplace_back(time, flits);
    if (std::exchange(link.lacks_credits, false)) call_for_credits(number);
  }
  // Credits that are back; false: none are left, and the link is called when there are more.
  bool has_credits(int number, int least) {
    LinkState& link = links_[number];
    while (!link.returning.empty() && link.returning.front().first <= now_) {
      link.left += link.returning.front().second;
      link.returning.pop_front();
    }
    if (link.left >= least) return true;
    call_for_credits(number);
    return false;
  }
  void call_for_credits(int number) {
    LinkState& link = links_[number];
    if (link.is_called) return;
    link.lacks_credits = link.returning.empty();
    if (link.lacks_credits) return;
    link.is_called = true;
    call(std::max(now_, link.returning.front().first), Kind::kCredit, number);
  }

  void arrive(int number) {
    Packet& packet = packets_[number];
    const int link = (*packet.path)[packet.at - 1];
    if (packet.at == packet.path->size()) {
      // Its flits have been taken out of the buffer as they came.
      give_back(link, now_ + links_[link].latency, packet.flits);
      const Packet come = packet;
      free_.push_back(number);
      receive(come);
      return;
    }
    const int next = (*packet.path)[packet.at];
    std::vector<Input>& inputs = links_[next].inputs;
    const auto input = std::ranges::find(inputs, link, &Input::link);
    input->packets.push_back(number);
    pull(next);
    send(next);
  }

  // From the inputs of a switch to the staging of an output.
  void pull(int number) {
    LinkState& link = links_[number];
    for (std::size_t tried = 0; tried < link.inputs.size();) {
      if (link.room <= 0 && !link.staged.empty()) return;
      Input& input = link.inputs[link.turn];
      link.turn = link.turn + 1 == link.inputs.size() ? 0 : link.turn + 1;
      if (input.packets.empty()) {
        ++tried;
        continue;
      }
      tried = 0;
      const int packet = input.packets.front();
      input.packets.pop_front();
      link.staged.push_back(packet);
      link.room -= packets_[packet].flits;
      give_back(input.link, now_ + packets_[packet].flits + links_[input.link].latency,
                packets_[packet].flits);
    }
  }

  void send(int number) {
    LinkState& link = links_[number];
    if (!link.from_switch) queue(link);
    if (link.is_busy || link.staged.empty() || !has_credits(number, 1)) return;
    const int next = link.staged.front();
    link.staged.pop_front();
    Packet& packet = packets_[next];
    link.is_busy = true;
    link.packet = next;
    link.begun = now_;
    link.left -= packet.flits;
    ++packet.at;
    if (packet.at < packet.path->size())
      call(now_ + link.interval + link.latency + link.behind - 1, Kind::kArrival, next);
    settle(number);
    if (!link.from_switch) queue(link);
  }

  // Completes the packet that a link is sending, once its tail time on the previous link is known
  // and all of its flits have credits. Until then the link stays busy, as do all links under the
  // packet.
  void settle(int number) {
    LinkState& link = links_[number];
    if (link.packet < 0) return;
    Packet& packet = packets_[link.packet];
    if ((*packet.path)[packet.ended] != number || !has_credits(number, 0)) return;
    const double last =
        std::max({now_, link.begun + packet.flits * link.interval, packet.tail + link.interval});
    call(last, Kind::kSent, number, packet.flits);
    packet.tail = last + link.latency - 1;
    ++packet.ended;
    const int sent = std::exchange(link.packet, -1);
    if (packet.ended == packet.path->size()) {
      call(packet.tail + kNpuCycles, Kind::kArrival, sent);
    } else {
      packet.tail += link.behind;
      if (packet.at > packet.ended) settle((*packet.path)[packet.ended]);
    }
  }

  void queue(LinkState& link) {
    while (link.staged.size() + (link.is_busy ? 1 : 0) < kQueuedPackets) {
      const int next = next_of(link);
      if (next < 0) return;
      link.staged.push_back(next);
    }
  }

  // Takes an NPU's next packet; -1: there is none.
  int next_of(LinkState& link) {
    const auto take = [](std::deque<int>& packets) {
      const int first = packets.front();
      packets.pop_front();
      return first;
    };
    // New packets of roots have the longest way before them: they go first, one at a time.
    if (link.copies.empty()) {
      if (const int head = start(link, true); head >= 0) return head;
    } else {
      if (const int waiting = std::exchange(link.root_link, -1); waiting >= 0)
        call(now_, Kind::kCredit, waiting);
      return take(link.copies);
    }
    if (!link.passed.empty()) return take(link.passed);
    return start(link, false);
  }

  // A new packet of the next source in turn that may send one, a root where `heads` says so; -1:
  // none may.
  int start(LinkState& link, bool heads) {
    for (std::size_t tried = 0; tried < link.sources.size(); ++tried) {
      Rank& rank = ranks_[link.sources[link.turn]];
      link.turn = link.turn + 1 == link.sources.size() ? 0 : link.turn + 1;
      const RacedTree& tree = trees_[rank.tree];
      const bool is_root = rank.sum.path.empty();
      if (is_root != heads) continue;
      if (rank.started == tree.packets || rank.started - rank.seen >= tree.window) continue;
      if (is_root && !has_room_for_copies(rank)) continue;
      const int flits = flits_of(rank.tree, rank.started++);
      if (!is_root) return make(rank.sum, rank.slot, flits);
      const int first = make(rank.results.front(), -1, flits);
      for (std::size_t k = 1; k < rank.results.size(); ++k) {
        const int port = rank.results[k].path.front();
        links_[port].copies.push_back(make(rank.results[k], -1, flits));
        if (&links_[port] != &link) send(port);
      }
      return first;
    }
    return -1;
  }

  // False: the root is called when a port without room has sent one.
  bool has_room_for_copies(const Rank& root) {
    for (const Hop& hop : root.results) {
      LinkState& port = links_[hop.path.front()];
      if (port.copies.size() < kMostCopies) continue;
      port.root_link = root.results.front().path.front();
      return false;
    }
    return true;
  }

  void receive(const Packet& packet) {
    Rank& rank = ranks_[packet.rank];
    if (packet.slot < 0) return have_result(packet.rank, packet.flits);
    ++rank.sums[packet.slot];
    const std::uint64_t all = std::ranges::min(rank.sums);
    while (rank.added < all) {
      ++rank.added;
      if (rank.sum.path.empty()) {
        have_result(packet.rank, packet.flits);
      } else {
        pass_on(rank.sum, rank.slot, packet.flits);
      }
    }
  }

  void pass_on(const Hop& hop, int slot, int flits) {
    const int port = hop.path.front();
    links_[port].passed.push_back(make(hop, slot, flits));
    send(port);
  }

  void have_result(int place, int flits) {
    Rank& rank = ranks_[place];
    for (const Hop& hop : rank.results) pass_on(hop, -1, flits);
    if (!rank.receives) return;  // a relay
    last_ = std::max(last_, now_);
    RacedTree& tree = trees_[rank.tree];
    const std::uint64_t index = rank.results_here++;
    if (rank.is_source) {
      ++rank.seen;
      send(rank.sum.path.front());
    }
    if (++tree.got[index] != tree.receivers) return;
    for (int k = tree.first; k < tree.first + tree.ranks; ++k)
      if (ranks_[k].is_source && !ranks_[k].sees_results) call(now_ + tree.trip, Kind::kSeen, k);
  }

  const Topology& topology_;
  const Plan& plan_;
  std::span<const FirstPacket> alone_;
  std::vector<TreeRank> made_;
  std::vector<LinkState> links_;
  std::vector<Rank> ranks_;
  std::vector<RacedTree> trees_;
  std::vector<Packet> packets_;
  std::vector<int> free_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t number_ = 0;
  double now_ = 0, last_ = 0;
};

bool gets_order(const Topology& topology, Plan plan) {
  set_packet_order(topology, plan);
  return std::ranges::all_of(plan.parts, &Part::is_ordered);
}

}  // namespace

double busiest_link_cycles(const Topology& topology, const Plan& plan, HopPaths& hops) {
  std::vector<std::uint64_t> flits(topology.links.size());
  hops.add_loads(
      plan, plan.trees, [](const Tree& tree) { return tree.flits; }, flits);
  double busiest = 0;
  for (std::size_t l = 0; l < flits.size(); ++l) {
    const Link& link = topology.links[l];
    busiest = std::max(busiest, static_cast<double>(flits[l]) / link.rate.value());
  }
  return busiest;
}

bool can_race(const Plan& plan, HopPaths& hops) {
  return crossings_of(plan, hops, kFewestRaced) <= kCrossingsOfPart;
}

bool races_whole(const Plan& plan, HopPaths& hops) {
  return crossings_of(plan, hops) <= kMaxCrossings;
}

double race_packets(const Topology& topology, const Plan& plan, HopPaths& hops) {
  const std::vector<FirstPacket> alone = first_packets(topology, plan, hops);
  const std::uint64_t crossings = crossings_of(plan, hops);
  const double busiest = busiest_link_cycles(topology, plan, hops);
  // The busiest link is never idle for long, and the last packet is sent at its end.
  if (crossings > kMaxCrossings && gets_order(topology, plan))
    return busiest + std::ranges::max(alone, {}, &FirstPacket::all).all;
  PacketRace race(topology, plan, hops, alone);
  if (crossings <= kMaxCrossings) return race.run(1);
  const double share = static_cast<double>(kCrossingsOfPart) / static_cast<double>(crossings);
  const double part = race.run(share), half = race.run(share / 2);
  if (std::isinf(part) || std::isinf(half)) return std::numeric_limits<double>::infinity();
  return (part + std::max((part - half) / (share / 2), busiest) * (1 - share)) * kDrift;
}

}  // namespace fredsim

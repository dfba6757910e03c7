// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic on a mesh or torus with packets as trains: an event per packet and hop in place
// of one per flit and hop, with the same cycles, counters and latencies as the fabric that moves
// flits (fabric/fabric_core.h).
//
// Reason why it is exact: a switch of virtual cut-through starts a packet only where all of it fits,
//   and the packet holds its output to its tail (switch/cut_through.h). So with one virtual channel
//   a grant fixes when each flit of the packet leaves, is launched and arrives, and when each of its
//   credits is back. All of that is computed at the grant, also where the packet has gaps: flits
//   that come late, and edges at which the link is not ready. Exception: train_rings.cpp.
// Coverage: can_move(), and packets on one virtual channel.
// Use: reset() when the switches are set up, start() of each source, then advance().
// Time: edges of the run, from 0. Edge e of an event is the one at which a switch or NPU would step.
// Order in an edge: nodes do not depend on each other, so sources, requests and grants each are in
//   any order; requests come before grants. Everything that a grant causes elsewhere is later.
// Counters: flits are counted at the grant, stalls when an output is looked at next; counts() brings
//   both to the current edge.
// Cost: no allocation once the lists of events have stopped growing.
// Errors: std::logic_error for an event further ahead than kEdges, or a packet that is granted
//   before all of it is known; RunFailed from check_balance().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/window_counts.h"
#include "switch/cut_through.h"
#include "switch/switch_core.h"
#include "topology/topology.h"
#include "traffic/packet_source.h"
#include "traffic/traffic_node.h"
#include "traffic/trains/credit_times.h"
#include "traffic/trains/link_pace.h"

namespace fredsim::trains {

class TrainFabric {
 public:
  // Whether packets of up to `longest` flits can move as trains; the switches are set up.
  static bool can_move(const Topology& topology, SwitchCores switches, int longest);

  // All of them outlive it; can_move() is true for packets of up to `longest` flits.
  TrainFabric(const Topology& topology, SwitchCores switches, const NodeAddresses& addresses,
              TrafficMeter& meter, int longest);

  void reset();  // after the switches' set-up
  void start(int rank, const PacketSource& source);
  void advance(std::uint64_t edges);
  bool empty() const { return trains_in_flight_ == 0; }

  CreatedPackets created_in_window() const;
  FabricCounts counts();       // after the last edge
  void check_balance() const;  // when empty: all credits are back, or on their way

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct alignas(64) Train {
    std::uint32_t tag = 0;
    // The train behind it in a buffer, the next one whose tail arrives at its edge, or that is free.
    std::uint32_t next = kNone;
    std::uint16_t destination = 0;
    std::uint8_t flits = 0;
    std::uint8_t known = 0;  // flits whose arrival is known
    Edge latest = 0;         // max of a flit's arrival less its number in the train
    std::array<Edge, kPacketFlits> arrivals{};
  };
  enum class Look : std::uint8_t { kNone, kPlanned, kForCredits };
  struct alignas(64) Output {  // output of a switch or an NPU
    CreditTimes to_come;
    int credits = 0;  // at `counted`
    std::uint32_t need = 1;
    Edge counted = 0;    // stalls and credits are counted up to here
    Edge free_from = 0;  // the last train's tail has left, and an NPU has a credit; kNever: unknown
    std::uint32_t waiting = 0;    // input ports with a request
    std::uint8_t turn = 0;        // round-robin pointer
    Look look = Look::kNone;      // a grant is planned, or waits for credits that are not known yet
    std::uint8_t flits = 0;       // flits of the last train that have a place in time
    std::uint8_t left = 0;        // flits of it that have left before `counted`
    bool is_blocked = false;      // a flit of it waits for the link, or for room in a ring
    std::uint32_t input = kNone;  // at the link's other end
    std::uint32_t node = 0;
    std::uint32_t train = kNone;  // the last one, while a part of it has no place in time
    std::uint32_t from = kNone;   // input of that train, at a switch
    std::uint32_t onward = 0;     // input port, as a bit, of packets that stay in the output's ring
    Edge look_edge = kNever;      // edge of the planned look
    std::uint32_t next = kNone;   // output that is looked at at the same edge
    bool is_listed = false;       // it is in the list of an edge
    bool is_put_off = false;      // a later event places further flits of `train`
    LinkPace pace;
    std::array<Edge, kPacketFlits> leaves{};  // edges by flit of the last train
    std::uint64_t flits_taken = 0;
    int depth = 0;                             // credits at the beginning
    std::array<Edge, kPacketFlits> blocked{};  // edges that each flit waits before it leaves
  };
  struct alignas(32) Input {                    // input of a switch or an NPU
    std::uint32_t first = kNone, last = kNone;  // trains in the buffer
    std::uint32_t sender = kNone;               // output at the link's other end
    std::uint32_t credit_delay = 0;             // from a departure until its credit can be spent
    Edge free_from = 0;                         // the last granted train has left
    std::uint32_t node = 0;
    std::uint32_t next = kNone;  // request of the same edge
    std::uint8_t port = 0;
  };
  enum Stall : std::uint8_t { kCredit, kArbiter, kLink };
  using Stalls = std::array<std::uint64_t, 3>;
  struct Late {  // stalls of one edge
    Edge edge = kNever;
    Stalls stalls{};
  };
  struct Node {
    std::uint32_t first = 0;                  // number of its port 0 in inputs_ and outputs_
    const CutThrough* cut_through = nullptr;  // null: an NPU
    std::uint32_t to_leave = 0;
    std::uint8_t ports = 0;
    Stalls stalls{};
    std::array<Late, 2> late{};  // of the last two edges
  };
  struct Source {
    std::optional<PacketSource> packets;
    CreatedPackets measured;  // injected, created in the window
    std::uint32_t first = 0;  // output
    int ports = 0;
    int next_port = 0;
    bool is_due = false;
    Edge step_at = kNever;
  };
  struct Events {
    // The first input that requests, output that is looked at, and train whose tail arrives; `next`
    // of each has the next one.
    std::uint32_t requests = kNone, grants = kNone, tails = kNone;
    std::vector<std::uint32_t> sources, places;
    std::vector<std::uint32_t> looks;  // at outputs that another edge's list has
  };

  void add_nodes(SwitchCores switches);
  void add_link(const Link& link);
  void run_edge();
  Events& at(Edge edge) {
    if (edge - now_ >= kEdges) [[unlikely]]
      fail_ahead(edge);
    return events_[edge % kEdges];
  }
  [[noreturn]] void fail_ahead(Edge edge) const;

  // ---- sources
  void step_source(int rank);
  void start_packet(Source& source, int port);
  void place_flits(Output& output);
  void wait_for_port(int rank);
  void give_credits(Output& output, std::span<const Edge> leaves, Edge delay);
  void free_port(Output& output) const;

  // ---- switches
  void plan_request(std::uint32_t input) {
    Input& in = inputs_[input];
    const Edge stored = trains_[in.first].arrivals[0] + nodes_[in.node].to_leave;
    in.next = std::exchange(at(std::max(stored, in.free_from)).requests, input);
  }
  void request(std::uint32_t input);
  void look_at(std::uint32_t output);
  // Plans a look in place of the one that is planned.
  void plan_look(std::uint32_t output, Edge edge) {
    Output& out = outputs_[output];
    out.look = Look::kPlanned;
    out.look_edge = edge;
    Events& events = at(edge);
    if (out.is_listed) [[unlikely]] {
      events.looks.push_back(output);
      return;
    }
    out.is_listed = true;
    out.next = std::exchange(events.grants, output);
  }
  void plan_by_credits(std::uint32_t output);
  void grant(std::uint32_t output, std::uint32_t ports);
  void leave(Output& output, Input& input, std::uint32_t train);
  void leave_alone(Output& output, Input& input, Train& train);
  void return_credits(const Input& input, std::span<const Edge> leaves, bool is_run);
  void after_credits(std::uint32_t output);
  void refresh(Output& output) {
    // Half of what a CreditTimes knows is left for edges ahead.
    if (output.counted + kEdges / 2 < now_) [[unlikely]]
      take_past_credits(output);
  }
  void take_past_credits(Output& output);
  // Adds a train to a buffer.
  void enter(std::uint32_t input, std::uint32_t train) {
    Input& in = inputs_[input];
    trains_[train].next = kNone;
    if (in.first != kNone) {
      trains_[in.last].next = train;
      in.last = train;
      return;
    }
    in.first = in.last = train;
    if (in.free_from != kNever) plan_request(input);
  }
  void enter_next(Output& output, std::uint32_t train);
  void deliver(std::uint32_t train);

  // ---- rings
  // Input ports with a request for which an output has room.
  static std::uint32_t may_start(const Output& output) {
    const int need = static_cast<int>(output.need);
    if (output.onward == 0) return output.credits >= need ? output.waiting : 0;
    if (output.credits > need) return output.waiting;
    return output.credits > 0 ? output.waiting & output.onward : 0;
  }
  void leave_in_ring(Output& output, std::uint32_t input, std::uint32_t train);
  void place_in_ring(Output& output);
  Edge earliest(const Output& output, std::uint32_t flit) const;
  static Edge with_credit(const Output& output);
  void place_all();
  void count_ring(Output& output, Edge edge);
  Stalls ring_stalls(const Output& output, Edge edge, int credits) const;
  std::uint32_t number_of(const Output& output) const {
    return static_cast<std::uint32_t>(&output - outputs_.data());
  }

  // ---- counts
  void catch_up(Output& output, Edge edge) {
    if (output.counted != edge) count_up_to(output, edge);
  }
  void count_up_to(Output& output, Edge edge);
  void count_waiting(Output& output, Edge edge);
  void count_blocked(Output& output, Edge edge);
  void add_stalls(Node& node, Stall stall, Edge edge, std::uint64_t count);
  LinkCount count(int link) const;

  std::uint32_t new_train();
  void free_train(std::uint32_t train) {
    trains_[train].next = free_;
    free_ = train;
    --trains_in_flight_;
  }

  const Topology& topology_;
  const NodeAddresses& addresses_;
  TrafficMeter& meter_;
  std::vector<Node> nodes_;
  std::vector<Output> outputs_;
  std::vector<Input> inputs_;
  std::vector<Source> sources_;  // index: rank
  std::vector<int> rank_of_;     // index: node; -1: no NPU
  std::vector<Train> trains_;
  std::uint32_t free_ = kNone;
  std::uint64_t trains_in_flight_ = 0;
  std::vector<Events> events_;                    // index: edge % kEdges
  std::array<std::uint32_t, kEdges> consumed_{};  // flits, by edge % kEdges
  std::vector<std::uint32_t> to_place_;           // outputs whose `train` may have further places
  Edge ahead_ = 0;                                // flits of a ring have places up to now_ + ahead_
  Edge now_ = 0, end_ = 0;                        // end_: of advance()
};

}  // namespace fredsim::trains

// SPDX-License-Identifier: Apache-2.0
// Follows every packet over a fabric, from pins alone, and attributes its cycles.
//
// Inputs: flits, credits and ready of links on the pins; in switches with phases also the phase in
//   use (SwitchCore::peek_phase). They are equal in all implementations of a switch, and so is the
//   result.
// A packet's path: its first flit, from buffer to buffer, then its last flit's delay behind it. At
//   a switch, in edges:
//     arrival ... pipeline ... [queue] head ... [phase] [credit, link, arbiter] leaves ... pins
//   Head: the flit is head-of-line in its buffer and, in a sum, the last operand is there: the path
//   continues from the last operand.
//   phase: from head until the phase of the flit is in use. From then on each edge has the first
//   cause that applies: credit, no room downstream; link, not ready; arbiter, any other cause. If a
//   switch has staging, room means room in the staging, and credit and link are examined again
//   there. For a kind without timing (SwitchKind::timing), or a user's own RTL, all cycles but
//   credit and link count as pipeline. For a kind whose buffers are not first in, first out, credit
//   and link are judged by the output alone, for the edges that the flit is in the switch beyond
//   the minimum.
// Errors: RunFailed when a flit comes out that never went in, or before it can; when the cycles of
//   a packet do not add up.
// Cost: a look at every node per edge, and some work per flit; memory for packets in flight.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/flit.h"
#include "fabric/fabric_core.h"
#include "nic/ring_queue.h"
#include "plan/plan.h"
#include "results/breakdown.h"
#include "routing/flows.h"
#include "switch/switch_timing.h"
#include "topology/topology.h"
#include "trace/breakdown_stages.h"
#include "trace/breakdown_statistics.h"
#include "trace/room_history.h"

namespace fredsim {

class PacketFollower {
 public:
  // All arguments outlive the follower. `switches`: by node, as in FabricCore.
  PacketFollower(const FabricCore& core, const Topology& topology, SwitchCores switches, int lanes);
  virtual ~PacketFollower() = default;
  PacketFollower(const PacketFollower&) = delete;
  PacketFollower& operator=(const PacketFollower&) = delete;

  // Begins before the first edge of a run, with a fabric without flits.
  void begin();
  // Sets rows of phases that are in the switches from now on, in place of rows with the same
  // indices.
  void load(std::span<const PhaseProgram> programs);
  void edge();  // call after every edge

  const BreakdownStages& stages() const { return stages_; }

 protected:
  static constexpr std::uint32_t kNone = ~0U;
  // A node on the first flit's path, and the link behind it.
  struct Hop {
    std::uint32_t before = kNone;  // previous hop
    std::uint32_t users = 0;
    NodeId node = 0;
    int link = 0;
    int stage = 0;
    std::uint64_t begin = 0, launch = 0, end = 0;  // edges: arrival at the node, launch, arrival at
                                                   // the next node
    CyclesByCause cycles{};                        // cycles at the node
  };
  struct Delivery {
    NodeId node = 0;
    int port = 0;
    FlitHeader header{};  // header of the first flit
    int flits = 0;
    std::uint32_t last_hop = kNone;
    std::uint64_t handed = 0, delivered = 0;  // edges
    CyclesByCause cycles{};                   // cycles at the end
    std::uint64_t latency() const { return delivered - handed; }
  };

  // Edge at which a packet was passed to the endpoint that now sends its first flit.
  virtual std::uint64_t handed_over(NodeId node, int port, const FlitHeader& head) = 0;
  virtual void delivered(const Delivery& packet) = 0;
  // Reports that an operand has waited `cycles` for the last operand of its sum.
  virtual void joined(int stage, const FlitHeader& flit, std::uint64_t cycles) = 0;
  virtual void edge_done() {}
  // Edges from a packet's arrival in the NIC to the first at which it can leave.
  virtual std::uint64_t handing_over() const = 0;

  const Topology& topology() const { return topology_; }
  const FabricCore& core() const { return core_; }
  const Hop& hop(std::uint32_t number) const { return hops_[number]; }
  std::uint64_t serialisation(const Hop& hop) const;
  // Adds the packet's cycles by stage to `cycles`, and appends the stages on its path to `visits`.
  void add_up(const Delivery& packet, StageCycles& cycles, std::vector<int>& visits) const;
  // Breakdown node by node; cycles since the edge `first`.
  PacketBreakdown describe(const Delivery& packet, std::uint64_t first) const;
  NodeId source(const Delivery& packet) const;
  void hold(std::uint32_t hop) { ++hops_[hop].users; }
  void let_go(std::uint32_t hop);

 private:
  struct OnLink {
    std::uint32_t hop = kNone;  // first flit: its hop
    FlitHeader header{};
  };
  struct Entry {  // a packet in an input buffer
    std::uint32_t hop = kNone;
    std::uint32_t group = kNone;  // group that its first flit has left with
    FlitHeader header{};          // header of its first flit
    std::uint64_t arrival = 0, tail_arrival = 0, hol = 0;
    int arrived = 0, left = 0;
    bool has_tail = false;
    bool leads = false;  // first of its group
  };
  struct Input {  // a port's buffer of a virtual channel
    std::deque<Entry> packets;
    std::uint64_t next_hol = 0;  // edge at which the next one can leave
  };
  struct Group {                // packets that went through a switch together
    std::uint32_t hop = kNone;  // hop of the last operand
    int input = 0;
    int operands = 1;
    FlitHeader header{};
    std::uint32_t outputs = 0;  // outputs at which it has not been launched yet; 0: any one
    int tails_left = 1;
    std::uint64_t arrival = 0, hol = 0, phase_until = 0;
    bool left_known = false;
    std::vector<std::uint64_t> left;  // index: flit; edge at which it left the input buffer
  };
  struct Output {  // a port's output of a virtual channel
    RoomHistory credits, staging;
    std::uint32_t group = kNone;  // group of the packet that is being launched
    std::size_t flit = 0;         // index of its next flit
    std::uint64_t next_hol = 0;   // endpoint: edge at which the next packet can begin
  };
  struct Port {
    RingQueue<OnLink> arriving;
    LinkHistory link;
    int link_out = -1;
    bool is_paced = false;
  };
  struct Switch {
    std::optional<SwitchTiming> timing;
    std::vector<std::vector<Flow>> flows;  // index: phase
    std::vector<std::uint32_t> groups;     // groups that have not been launched everywhere
    struct Waiting {
      int input = 0, vc = 0;
      Entry entry;
    };
    std::vector<Waiting> waiting;  // first flits in the switch, for a kind whose credits do not
                                   // show departures
    bool follows_credits() const { return timing && timing->in_order; }
    bool has_phases = false;
    SwitchPhase phase{};
    std::uint64_t phase_since = 0;
  };

  std::size_t place(NodeId node, int port) const {
    return first_[static_cast<std::size_t>(node)] + static_cast<std::size_t>(port);
  }
  Input& input(NodeId node, int port, int vc) {
    return inputs_[place(node, port) * kNumVcs + static_cast<std::size_t>(vc)];
  }
  Output& output(NodeId node, int port, int vc) {
    return outputs_[place(node, port) * kNumVcs + static_cast<std::size_t>(vc)];
  }
  void look_at_links(NodeId node, const SwitchPins& pins, std::uint64_t at);
  void look_at_phase(NodeId node, std::uint64_t at);
  void look_at_arrivals(std::uint64_t at);
  void arrive(NodeId node, int port, std::uint64_t at);
  void leave_switch(NodeId node, const SwitchPins& pins, std::uint64_t at);
  void leave_endpoint(NodeId node, const SwitchPins& pins, std::uint64_t at);
  void group_heads(NodeId node, std::uint64_t at);
  std::uint32_t form_group(NodeId node, std::uint32_t outputs);
  // The flow of a phase that a flit belongs to; null for a unicast.
  static const Flow* flow_of(const Switch& at, const FlitHeader& header, std::uint32_t inputs,
                             std::uint32_t outputs);
  void launch(NodeId node, int port, const FlitHeader& flit, std::uint64_t at);
  std::uint32_t find_group(NodeId node, int port, const FlitHeader& head, std::uint64_t at);
  std::uint32_t gather(NodeId node, int port, const FlitHeader& head);
  std::uint32_t launch_from_switch(NodeId node, int port, const FlitHeader& flit, std::uint64_t at);
  std::uint32_t launch_from_endpoint(NodeId node, int port, const FlitHeader& head,
                                     std::uint64_t at);
  void explain(NodeId node, int port, const FlitHeader& head, const Group& group, Hop& hop);
  // Attributes the edges [begin, end), at which a flit waited for `output`.
  enum class Room : std::uint8_t { kOfStaging, kOfReceiver };
  void split(NodeId node, int port, int vc, std::uint64_t begin, std::uint64_t end, Room room,
             int places, Hop& hop);
  void deliver(NodeId node, int port, int vc, std::uint64_t at);
  void forget(NodeId node, std::uint64_t at);
  std::uint32_t new_hop();
  std::uint32_t new_group();
  [[noreturn]] void fail(NodeId node, int port, const FlitHeader& flit,
                         const std::string& what) const;

  const FabricCore& core_;
  const Topology& topology_;
  SwitchCores switches_;
  int lanes_;
  BreakdownStages stages_;
  std::vector<std::size_t> first_;  // index: node; place of its first port
  std::vector<Port> ports_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<Switch> switch_states_;  // index: node
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> free_hops_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> free_groups_;
  std::vector<std::size_t> remembered_,
      remember_;  // index: node; entries of histories, and number at which old ones are dropped
  std::vector<std::pair<int, int>>
      left_;  // ports and VCs of the current node at which a flit has left
  std::vector<std::pair<int, Entry*>> heads_;   // first flits among these departures
  std::vector<std::pair<int, Entry*>> joined_;  // first flits of a group
};

}  // namespace fredsim

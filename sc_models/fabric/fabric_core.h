// The fabric without SystemC: links, their pacing, and one clock edge of every switch and endpoint.
//
// Links: a delay line of `latency` cycles for flits and of the same for credits backwards, register to
//   register, and a serialiser in front of it. A flit is there when its last bit is: launched at edge e
//   on a link of num/den flits per cycle, it begins at max(e, the end of the flit before it), takes den/num
//   cycles, and is on the receiver's input pin at edge e + latency + beyond. `beyond` is what its end lies
//   beyond e + 1, rounded up to whole cycles; the one cycle is that of any register-to-register transfer
//   and part of `latency`. So it is 0 on a link of a flit per cycle, and on a slower one that has
//   rested ceil(den/num) - 1. Credits are wires of their own and not serialised.
//   All nodes of a cycle are independent of each other, so their order is immaterial.
// Pacing, exact: a link is ready when the serialiser is free before the next edge. Every link has an
//   accumulator that gains `num` per cycle, at most den + num - 1, what a rested one holds; a link with `den`
//   takes a flit at once, and a launch takes that away. What it has less than den + num - 1, divided by num, is
//   how many cycles the serialiser still sends. A switch launches up to launch_edges() edges after it was told
//   that the link is ready (SwitchCore). So its link is ready that many edges earlier than it takes a flit, and
//   never rests while there are flits. It may get as many flits more than it takes: they wait in front of the
//   serialiser, and the accumulator is below zero.
// Idle nodes: a node that is idle and has no flit, credit or register access at its pins is not
//   stepped; a step would change nothing (SwitchCore::idle, EndpointCore). Nor is it looked at: what
//   arrives at a node, or keeps it busy, sets its bit, so that a cycle costs the nodes at which
//   something happens (and a bit for each of the others). Credits that come to an idle switch wait at its
//   pins for its next step, before which nothing could spend them. set_always_step() switches both
//   short cuts off.
// Checks: a launch on a link that was not ready, then or launch_edges() before, more flits under way and buffered at a
//   receiver than it has room for, a credit that was not owed (when it arrives), a credit from a port without a
//   link, an error code of a switch: RunFailed.
// State is plain values relative to the current edge.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "endpoint/endpoint_core.h"
#include "switch/switch_core.h"
#include "topology/topology.h"

namespace fredsim {

struct LinkCount {
  std::uint64_t flits = 0;          // launched
  std::uint64_t missing_bytes = 0;  // that they fall short of 512 bytes each
  double sent = 0;                  // of the flits, what the serialiser has sent, in flits
};

class FabricCore {
 public:
  // The topology must outlive the core. `lanes` is that of every switch and endpoint.
  FabricCore(const Topology& topology, int lanes);

  // Who steps at a node; every node needs one before the first tick. Not owned. std::logic_error: a switch whose
  // launch_edges() is out of range.
  void attach(NodeId node, SwitchCore& core);
  void attach(NodeId node, EndpointCore& core);

  void reset();  // nodes too; endpoints get their credits, switches theirs by register writes
  void tick();   // one clock edge

  // A register access at the node's next step. One at a time per node; `finished_accesses` lists
  // the nodes whose access the last tick has done, with the data read in read_data().
  void access(NodeId node, const RegisterRequest& request);
  std::uint32_t read_data(NodeId node) const { return nodes_[node].pins.reg_rdata; }
  const std::vector<NodeId>& finished_accesses() const { return finished_; }

  // Depth of the buffer behind a link, per VC.
  int receiver_depth(int link, int vc) const;

  // Counters of links, and quiet_cycles(), since clear_counts(). Tails whose tag says so are short
  // (endpoint/packet_extension.h), by as many bytes as the table says for half their stream's number.
  void clear_counts();
  void set_missing_bytes(std::vector<std::uint16_t> by_stream_pair) {
    missing_of_ = std::move(by_stream_pair);
  }
  // The same for streams from 2 * first on; those of others stay as they are.
  void set_missing_bytes(std::size_t first, std::span<const std::uint16_t> by_stream_pair);
  LinkCount count(int link) const;

  // The pins of a node that stepped at edge `at`, the last one; null of another.
  const SwitchPins* stepped(NodeId node, std::uint64_t at) const {
    const NodeState& n = nodes_[node];
    return n.charged == at ? &n.pins : nullptr;
  }
  // The same of a node that launched flits at it.
  const SwitchPins* launched(NodeId node, std::uint64_t at) const {
    const SwitchPins* const pins = stepped(node, at);
    return pins != nullptr && pins->out_valid != 0 ? pins : nullptr;
  }

  // Edges from the next one on at which nothing at all would happen, unless somebody hands something in meanwhile;
  // the highest number: for ever.
  std::uint64_t edges_at_rest() const;
  // These pass without a tick.
  void rest(std::uint64_t edges);
  // What follows depends on, relative to the edge: links, pins, and what stands at the nodes. False: a node cannot tell.
  bool add_state(StateDigest& digest) const;
  // So many edges pass, after which the state is as it is now; links have carried so much more, by link.
  void pass_over(std::uint64_t edges, const std::vector<LinkCount>& more);

  std::uint64_t edge() const { return edge_; }
  std::uint64_t quiet_cycles() const { return quiet_; }  // edges since a flit was last launched
  bool empty() const;  // nothing on a link or in a switch, and no credit under way
  int flits_on_links() const { return flits_under_way_; }
  int credits_on_links() const { return credits_under_way_; }
  int buffered(NodeId node, int port,
               int vc) const;               // in the input buffer of a port; for diagnosis
  int outstanding(int link, int vc) const;  // credits of a sender that are not back

  // For observers, between two ticks: what arrives at the pins in the next one.
  // on_flit(node, input port); on_credit(node, output port, VC).
  template <typename OnFlit>
  void visit_flits(const OnFlit& on_flit) const {
    const auto& flits = wheel_[slot_].flits;
    for (const std::uint32_t* entry = flits.begin(); entry != flits.end();
         entry += kEntryHeader + words_) {
      on_flit(static_cast<NodeId>(entry[0]), static_cast<int>(entry[1]));
    }
  }
  template <typename OnCredit>
  void visit_credits(const OnCredit& on_credit) const {
    for (const Credit& credit : wheel_[slot_].credits) {
      on_credit(static_cast<NodeId>(credit.node), int{credit.port}, int{credit.vc});
    }
  }

  void set_always_step(bool on) { always_step_ = on; }
  // The node steps at the next tick even if idle, so that an observer sees its pins as they are then.
  void wake(NodeId node) { keep_awake(static_cast<std::size_t>(node)); }
  std::uint64_t steps_left_out() const { return steps_left_out_; }

 private:
  // Ports of all nodes, one after the other; a node's first one is NodeState::first.
  struct alignas(64) Output {
    std::int64_t num = 1, den = 1, held = 0;  // pacing; `held` is not kept up when num == den
    std::int64_t ready_at = 1;                // of `held`
    std::uint64_t flits = 0;                  // launched
    std::array<int, kNumVcs> room{};          // at the receiver, less what is under way
    std::uint32_t to = kNobody;               // node
    std::uint16_t to_port = 0;
    bool to_endpoint = false;
    std::uint8_t next_slot = 0;  // of the output's in serialising_words_, for the next flit
    std::uint32_t latency = 1;
    std::uint32_t beyond = 0;  // cycles that a rested serialiser takes beyond the first
    std::int64_t full() const { return den + num - 1; }  // `held` of a rested one
  };
  static constexpr std::uint32_t kNobody = ~0U;  // no link
  static constexpr std::uint32_t kMostLate = 2;  // launch_edges() of all switches
  static constexpr std::uint32_t kSlots = kMostLate + 2;
  static constexpr std::size_t kEntryHeader =
      2;  // words of an arriving flit's entry before its own
  struct Input {
    std::uint32_t from = kNobody;  // node
    std::uint16_t from_port = 0;
    std::uint32_t latency = 1;
  };
  struct Credit {
    std::uint32_t node = 0;
    std::uint16_t port = 0;  // output
    std::uint16_t vc = 0;
  };
  // What arrives at an edge, at whichever node: one list each, read from front to end, so that neither caches
  // nor branches depend on who gets how much. Lists have room for all there can be; the memory is
  // touched only as far as it was ever needed.
  template <typename T>
  struct List {
    explicit List(std::size_t capacity) : items(std::make_unique_for_overwrite<T[]>(capacity)) {}
    T* begin() const { return items.get(); }
    T* end() const { return items.get() + size; }
    T* grow(std::size_t by) {
      size += by;
      return end() - by;
    }
    std::unique_ptr<T[]> items;
    std::size_t size = 0;
  };
  struct Arrivals {
    List<std::uint32_t> flits;  // an entry: node, input port, words of the flit
    List<Credit> credits;
  };
  // A flit of a link so slow that the wheel does not reach to its end: kSlots per output at most.
  struct Serialising {
    std::uint64_t until = 0;  // edge at which the wire has it
    // Of serialising_words_: kSlots x place of the output, and which of them.
    std::uint32_t slot = 0;
  };
  struct NodeState {
    NodeState(std::uint32_t place, int ports, int lanes) : first(place), pins(ports, lanes) {}
    SwitchCore* core = nullptr;
    EndpointCore* endpoint = nullptr;
    std::uint32_t first = 0;  // place of port 0
    std::uint32_t ready = 0;  // outputs whose link takes a flit
    int launch_edges = 0;     // SwitchCore
    // `ready` of the steps before, the last one first.
    std::array<std::uint32_t, kMostLate> ready_before{};
    std::uint32_t charging = 0;  // outputs whose accumulator is below its cap
    std::uint64_t charged = 0;   // edge at which they have gained last
    SwitchPins pins;             // in_valid and out_credit: of the next step
  };

  template <int kWords>  // words of a flit; 0: words_
  void step_nodes();
  template <int kWords>
  void step_node(NodeState& node);
  template <int kWords>
  void take_flits(List<std::uint32_t>& flits);
  void take_credits(List<Credit>& credits);
  void hand_over_credits(NodeState& node);
  void charge(NodeState& node, std::uint64_t edges);
  void keep_awake(std::size_t node) { awake_[node / 64] |= std::uint64_t{1} << (node % 64); }
  template <int kWords>
  void launch_flits(NodeState& node);
  std::uint32_t serialise(NodeState& node, int port);
  std::uint32_t* arrival(const Output& out, std::uint32_t cycles);
  void end_serialising();
  void return_credits(NodeState& node);
  const Output& output(int link) const;
  std::string port_name(const NodeState& node, int port) const;
  [[noreturn]] void fail(const std::string& what) const;

  const Topology& topology_;
  std::size_t words_;
  std::uint32_t wheel_mask_ = 0;  // slots of the wheel - 1, more than the longest latency
  std::uint32_t slot_ = 0;        // of the current edge
  std::vector<NodeState> nodes_;
  std::vector<Output> outputs_;
  std::vector<Input> inputs_;
  std::array<std::array<int, kNumVcs>, 2> depths_{};  // of a switch's buffers, of an endpoint's
  std::vector<Arrivals> wheel_;                       // by slot
  std::vector<Serialising> serialising_;              // heap, the earliest first
  std::vector<std::uint32_t> serialising_words_;      // by slot; empty where no link is that slow
  std::vector<std::uint64_t> awake_;          // a bit per node: to be stepped at the next edge
  std::vector<std::uint32_t> list_;           // nodes to step at this edge
  std::vector<std::uint64_t> missing_bytes_;  // by place of the output
  std::vector<std::uint16_t> missing_of_;     // by half of a stream's number
  std::vector<NodeId> finished_;
  std::uint64_t edge_ = 0;
  std::uint64_t quiet_ = 0;
  std::uint64_t steps_left_out_ = 0;
  std::uint64_t accesses_ = 0;  // of registers
  int flits_under_way_ = 0;
  int credits_under_way_ = 0;
  bool always_step_ = false;
};

}  // namespace fredsim

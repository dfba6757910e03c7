// Part of a fabric that one thread, or one process, steps by itself: nodes, the links between them, and its halves of
// the links that cross to others.
//
// An edge: flits and credits whose time on the link is over arrive; nodes that are not idle, or at which something
//   arrives, step; what they launched and the credits that they gave back go on their links. All nodes of an edge are
//   independent of each other, so their order is immaterial. A cycle costs the nodes at which something happens (and a
//   bit for each of the others). Credits that come to an idle switch wait at its pins for its next step, before which
//   nothing could spend them. While nobody looks at nodes between edges, switches whose kind has groups step in one
//   (switch/switch_group.h, step_in_group()). set_always_step() switches these short cuts off.
// Crossing links: the sender has pacing, room and counts, the receiver the flits that are under way, and the same for
//   credits the other way round. What crosses is put into an outbox with the edge at which it arrives; all partitions
//   take in what is for them at the same edge, at the latest when as many edges have passed as the least latency of the
//   crossing links (fabric/cut.h). Two outboxes per partition take turns, so that one is read while the other is filled.
// Links with a channel (fabric/links/link_channel.h) step before the nodes, while anything is on them, both ends; so none crosses.
// Checks: a launch on a link that was not ready, then or launch_edges() before (of switches in no group), more flits under
//   way and buffered at a receiver than it has room for, a credit that was not owed (when it arrives), a credit from a port
//   without a link, an error code of a switch: RunFailed.
// Nodes are numbered by the partition, in the order of the topology.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/fabric_node.h"
#include "fabric/link_wheel.h"
#include "fabric/links/link.h"
#include "fabric/links/link_channel.h"
#include "fabric/switch_threads.h"
#include "nic/edge_timers.h"
#include "switch/switch_group.h"
#include "topology/topology.h"

namespace fredsim {

// Where a node is.
struct NodePlace {
  std::uint32_t partition = 0;
  std::uint32_t node = 0;  // its number there
};

class Partition {
 public:
  // Topology and places, by node, outlive the partition.
  Partition(const Topology& topology, const std::vector<NodePlace>& places, int index,
            int partitions, int lanes);

  FabricNode& node(std::uint32_t node) { return nodes_[node]; }
  const FabricNode& node(std::uint32_t node) const { return nodes_[node]; }
  void attach(std::uint32_t node, SwitchCore& core);
  void attach(std::uint32_t node, EndpointCore& core);
  LinkTx& output(std::uint32_t node, int port) {
    return outputs_[nodes_[node].first + static_cast<std::uint32_t>(port)];
  }
  const LinkTx& output(std::uint32_t node, int port) const {
    return outputs_[nodes_[node].first + static_cast<std::uint32_t>(port)];
  }
  void set_faults(std::uint32_t node, int port, LinkFaults* faults);

  void reset();
  void tick();  // one clock edge
  // Whether switches step in a group from now on, where they can. When no more, all are as if they had stepped alone; while
  // they do, nobody looks at pins or at switches.
  void step_in_group(bool on);
  // Takes in what the other has put for this partition into its outbox `box`; both are at the same edge.
  void take_in(Partition& other, int box);
  // The outbox that is filled from now on, 0 or 1; the others have taken what was in it.
  void fill(int box) {
    box_ = box;
    has_put_[static_cast<std::size_t>(box)] = false;
  }

  EdgeTimers& timers() { return timers_; }  // of its endpoints
  const EdgeTimers& timers() const { return timers_; }

  void access(std::uint32_t node, const RegisterRequest& request);
  const std::vector<NodeId>& finished_accesses() const { return finished_; }
  void wake(std::uint32_t node) {
    step_in_group(false);
    awake_.wake(node);
  }
  void set_always_step(bool on) {
    step_in_group(false);
    always_step_ = on;
  }
  // Switches with RTL in them are stepped by so many threads from now on; they must share nothing that is written.
  void set_switch_threads(int threads);

  void clear_counts();
  void clear_missing_bytes() { missing_of_.clear(); }
  void set_missing_bytes(std::size_t first, std::span<const std::uint16_t> by_stream_pair);
  LinkCount count(std::uint32_t node, int port) const;

  // ---- what FabricCore makes sums, minima and conjunctions of, while nothing is in an outbox
  std::uint64_t edge() const { return edge_; }
  std::uint64_t quiet_cycles() const { return quiet_; }
  std::uint64_t steps_left_out() const { return steps_left_out_; }
  // Launched here less arrived here: negative where more comes than goes.
  int flits_under_way() const { return flits_under_way_; }
  int credits_under_way() const { return credits_under_way_; }
  bool all_idle() const;      // the nodes
  bool has_to_step() const {  // a node, at the next edge
    return always_step_ || awake_.any() ||
           (in_group_ && !std::ranges::all_of(groups_, &Group::idle));
  }
  // Until something arrives or is through a serialiser; the highest number: nothing is under way.
  std::uint64_t edges_to_arrival() const;
  void rest(std::uint64_t edges);
  bool links_are_rested() const;  // those of this partition's senders
  bool add_state(StateDigest& digest) const;
  void pass_over(std::uint64_t edges);
  // On the way to an input, or kept by the serialiser of an output, on one VC; credits on the way to an output.
  int flits_to(std::uint32_t node, int port, int vc) const;
  int flits_in_serialiser(std::uint32_t node, int port, int vc) const;
  int credits_to(std::uint32_t node, int port, int vc) const;
  const LinkRx& input(std::uint32_t node, int port) const {
    return inputs_[nodes_[node].first + static_cast<std::uint32_t>(port)];
  }
  // What arrives at the next edge: on_flit(node of the topology, input port); on_credit(node, output port, VC).
  template <typename OnFlit>
  void visit_flits(const OnFlit& on_flit) const {
    const LinkWheel::Flits& flits = wheel_.flits(0);
    for (const std::uint32_t* entry = flits.begin(); entry != flits.end();
         entry += LinkWheel::kHeader + words_) {
      const InputPin to(entry[0]);
      on_flit(nodes_[to.node()].id, static_cast<int>(to.port()));
    }
  }
  template <typename OnCredit>
  void visit_credits(const OnCredit& on_credit) const {
    for (const LinkWheel::Credit credit : wheel_.credits(0)) {
      on_credit(nodes_[credit.node()].id, static_cast<int>(credit.port()),
                static_cast<int>(credit.vc()));
    }
  }

 private:
  // A flit of a link so slow that the wheel does not reach to its end: LinkTx::kSlots per output at most.
  struct Serialising {
    std::uint64_t until = 0;  // edge at which the wire has it
    // Of serialising_words_: kSlots x place of the output, and which of them.
    std::uint32_t slot = 0;
  };
  // Few enough to stay in a core's cache from one loop over them to the next.
  static constexpr std::size_t kMostMembers = 32;
  struct Group {
    explicit Group(std::unique_ptr<SwitchGroup> group)
        : switches(std::move(group)), pins(kMostMembers, kMostMembers * kMaxPorts) {
      paced.reserve(kMostMembers);
    }
    bool idle() const { return switches->idle(); }
    std::unique_ptr<SwitchGroup> switches;
    SwitchGroup::Pins pins;              // nodes are members, by number
    std::vector<std::uint32_t> members;  // nodes
    std::vector<std::uint32_t> paced;    // members whose links do not all take a flit
  };
  // For one other partition; `edge`: of the arrival, its lower bits.
  struct CrossingCredit {
    std::uint32_t edge = 0;
    LinkWheel::Credit credit;
  };
  struct alignas(64) Outbox {
    std::vector<std::uint32_t> flits;  // an entry: edge, input pin, words of the flit
    std::vector<CrossingCredit> credits;
  };
  static constexpr std::size_t kCrossingHeader = 1 + LinkWheel::kHeader;

  void note_write(std::uint32_t node, const RegisterRequest& request);
  void add_links(const std::vector<NodePlace>& places, int index);
  LinkWheel make_wheel(const std::vector<NodePlace>& places, int index) const;
  template <int kWords>  // words of a flit; 0: words_
  void step_nodes();
  template <int kWords>
  void step_node(std::size_t number);
  SwitchCore::Stepped begin_step(std::size_t number);
  template <int kWords>
  void end_step(std::size_t number, SwitchCore::Stepped stepped);
  template <int kWords>
  void step_nodes_by_threads();
  template <int kWords>
  void step_group(Group& group);
  void form_groups();
  bool may_join();
  void join(Group& group);
  void part(Group& group);
  void look_at_paced(Group& group);
  void take_credit(FabricNode& node, LinkWheel::Credit credit);
  template <int kWords>
  void take_flits(LinkWheel::Flits& flits);
  void take_credits(LinkWheel::Credits& credits);
  void end_access(FabricNode& node);
  [[noreturn]] void fail_by_error(const FabricNode& node, std::uint32_t error) const;
  template <int kWords>
  void launch_flits(FabricNode& node);
  template <int kWords>
  void launch_flit(FabricNode& node, std::uint32_t port, const std::uint32_t* flit);
  void count_missing_bytes(LinkTx& link, const std::uint32_t* flit) const;
  void return_crossing(const LinkRx& in, LinkWheel::Credit credit);
  void launch_special(LinkTx& link, std::uint32_t beyond, std::uint32_t place,
                      const std::uint32_t* flit);
  std::uint32_t* arrival(const LinkTx& link, std::uint32_t cycles);
  [[gnu::noinline]] void check_launch(const FabricNode& node) const;
  void end_serialising();
  void step_channels();
  LinkChannel* channel(std::size_t place) const {
    return channels_.empty() ? nullptr : channels_[place].get();
  }
  const LinkChannel* channel_to(std::uint32_t node, int port) const;
  void activate(std::size_t place);
  void return_credits(FabricNode& node);
  void return_credit(const FabricNode& node, int port, std::uint32_t vc);
  bool is_slow(const LinkTx& link) const;
  std::string port_name(const FabricNode& node, int port) const;
  [[noreturn]] void fail(const std::string& what) const;

  const Topology& topology_;
  std::uint32_t index_;
  std::size_t words_;
  std::vector<FabricNode> nodes_;
  std::vector<LinkTx> outputs_;  // of all nodes, one after the other
  std::vector<LinkRx> inputs_;
  LinkWheel wheel_;
  EdgeTimers timers_;
  std::vector<Serialising> serialising_;          // heap, the earliest first
  std::vector<std::uint32_t> serialising_words_;  // by slot; empty where no link is that slow
  std::vector<std::uint8_t> next_slot_;           // by place of the output, for its next flit
  std::vector<std::unique_ptr<LinkChannel>>
      channels_;                                 // by place of the output; empty: none has one
  std::vector<std::uint32_t> active_links_;      // places of those that step
  std::array<std::vector<Outbox>, 2> outboxes_;  // by partition that they are for
  int box_ = 0;
  std::array<bool, 2> has_put_{};  // by outbox: something for one of the others
  WakeBits awake_;
  // Null: one thread. Else the switches of an edge that it steps, and what they tell.
  std::unique_ptr<SwitchThreads> switch_threads_;
  std::vector<std::size_t> beside_;
  std::vector<SwitchCore::Stepped> stepped_;
  std::vector<std::uint16_t> missing_of_;  // by half of a stream's number
  std::vector<std::uint32_t> faulty_;      // words of a flit on a link with faults
  std::vector<NodeId> finished_;
  std::uint64_t edge_ = 0;
  std::uint64_t quiet_ = 0;
  std::uint64_t steps_left_out_ = 0;
  // What has been written into registers since clear_counts(), by node and address; of all of it a sum of hashes.
  std::vector<std::unordered_map<std::uint16_t, std::uint32_t>> written_;
  std::uint64_t registers_ = 0;
  int flits_under_way_ = 0;
  int credits_under_way_ = 0;
  bool always_step_ = false;
  std::vector<Group> groups_;
  bool is_formed_ = false;  // groups_ are
  bool in_group_ = false;   // their members step in them
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Part of a fabric that one thread, or one process, steps by itself: nodes, the links between them,
// and its halves of the links that cross to other partitions.
//
// An edge: flits and credits at the end of their link arrive; nodes that are not idle, or have an
//   arrival, step; launched flits and returned credits enter their links. The nodes are independent
//   of each other within an edge, so their order is immaterial. The cost of a cycle is the active
//   nodes, and a bit per idle node. Credits for an idle switch wait at its pins for its next step,
//   since no flit can use them earlier. Across edges at which no code outside reads nodes, switches
//   whose kind has groups step together (switch/switch_group.h, step_in_group()), and endpoints with
//   nothing to send take credits without a step. set_always_step()
//   disables these short cuts.
// Links: fabric/partition_links.h. Crossing flits and credits are put into an outbox with the edge
//   of their arrival; all partitions take them in at the same edge, at the latest after the minimum
//   latency of the crossing links (fabric/cut.h). Two outboxes per partition take turns, so that
//   one is read while the other is filled.
// Checks: a launch on a link that was not ready, then or launch_edges() before (for switches
//   outside groups), more flits in flight and buffered at a receiver than it has room for, a credit
//   that was not owed (when it arrives), a credit from a port without a link, an error code of a
//   switch: RunFailed.
// Nodes are numbered by the partition, in the order of the topology.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fabric/cut.h"
#include "fabric/fabric_node.h"
#include "fabric/node_group.h"
#include "fabric/partition_links.h"
#include "fabric/register_writes.h"
#include "fabric/switch_threads.h"
#include "nic/edge_timers.h"
#include "topology/topology.h"

namespace fredsim {

class Partition {
 public:
  // Topology and places, by node, outlive the partition.
  Partition(const Topology& topology, const std::vector<NodePlace>& places, int index,
            int partitions, int lanes);

  const FabricNode& node(std::uint32_t node) const { return nodes_[node]; }
  void attach(std::uint32_t node, SwitchCore& core);
  void attach(std::uint32_t node, EndpointCore& core);
  PartitionLinks& links() { return links_; }
  const PartitionLinks& links() const { return links_; }

  void reset();
  void tick();  // steps one clock edge
  // Sets whether switches step in a group from now on, if possible. When it ends, all are as if
  // they had stepped alone; meanwhile nobody looks at pins or at switches.
  void step_in_group(bool on);

  EdgeTimers& timers() { return timers_; }  // timers of its endpoints
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
  bool always_steps() const { return always_step_; }
  // Steps switches with RTL by `threads` threads from now on; they must share no state that is
  // written.
  void set_switch_threads(int threads);
  void clear_counts();

  // ---- inputs of the sums, minima and conjunctions of FabricCore, while nothing is in an outbox
  std::uint64_t edge() const { return edge_; }
  std::uint64_t quiet_cycles() const { return quiet_; }
  std::uint64_t steps_left_out() const { return steps_left_out_; }
  bool all_idle() const;      // of its nodes
  bool has_to_step() const {  // true if a node steps at the next edge
    return always_step_ || awake_.any() || !group_.idle();
  }
  void rest(std::uint64_t edges);
  bool add_state(StateDigest& digest) const;
  void skip(std::uint64_t edges);

 private:
  // Switches with RTL in them, if several threads step them: switches of an edge, and their
  // results.
  struct SideBySide {
    std::unique_ptr<SwitchThreads> threads;  // null: one thread
    std::vector<std::size_t> nodes;
    std::vector<SwitchCore::Stepped> stepped;
  };

  template <int kWords>  // words of a flit; 0: as many as the nodes' pins have
  void step_nodes();
  template <int kWords>
  void take_arrivals(LinkWheel::List list);
  template <int kWords>
  void step_side_by_side();
  SwitchCore::Stepped begin_step(std::size_t number);
  template <int kWords>
  void end_step(std::size_t number, SwitchCore::Stepped stepped);
  template <int kWords>
  void step_group();
  void give_room(LinkTx& link, std::uint32_t vc) const;
  [[noreturn]] void fail_by_credit(const LinkTx& link) const;
  void take_credit(LinkWheel::Credit credit);
  void end_access(FabricNode& node);
  [[noreturn]] void fail_by_error(const FabricNode& node, std::uint32_t error) const;
  template <int kWords>
  void launch_flits(FabricNode& node);
  template <int kWords>
  void launch_flit(FabricNode& node, std::uint32_t port, const std::uint32_t* flit);
  [[gnu::noinline]] void check_launch(const FabricNode& node) const;
  void return_credit(const FabricNode& node, int port, std::uint32_t vc);
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_at_port(const FabricNode& node, int port, const std::string& what) const;

  const Topology& topology_;
  int words_;  // words per flit
  std::vector<FabricNode> nodes_;
  PartitionLinks links_;
  EdgeTimers timers_;
  WakeBits awake_;
  NodeGroup group_;
  SideBySide side_by_side_;
  RegisterWrites registers_;  // registers written since clear_counts()
  std::vector<NodeId> finished_;
  std::uint64_t edge_ = 0;
  std::uint64_t quiet_ = 0;
  std::uint64_t steps_left_out_ = 0;
  bool always_step_ = false;
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// The fabric without SystemC: one clock edge of every switch and endpoint and of the links between them. It is made of
// partitions (fabric/partition.h), one unless a cut says otherwise; what is asked of the fabric is a sum, a minimum or
// a conjunction over them.
//
// Partitions: cycles, counters and what nodes see do not depend on the cut. tick() is one edge of all partitions, after
//   which they hear of each other. advance() is many: every partition goes on by itself for as many edges as the least
//   latency of the links that cross (look_ahead()), then all exchange what crosses; with set_threads() a thread each.
//   Between two calls nothing is between partitions.
// Several failures in one look-ahead: the one of the earliest edge is thrown, of these that of the first partition.
// Links: fabric/links/link.h; nodes and which of them step: fabric/fabric_node.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fabric/cut.h"
#include "fabric/links/link.h"
#include "fabric/partition.h"
#include "fabric/window_threads.h"
#include "nic/edge_timers.h"
#include "nic/endpoint_core.h"
#include "switch/switch_core.h"
#include "topology/topology.h"

namespace fredsim {

// Called around every edge of a partition by whoever steps it, which may be a thread.
class EdgeHook {
 public:
  EdgeHook() = default;
  EdgeHook(const EdgeHook&) = delete;
  EdgeHook& operator=(const EdgeHook&) = delete;
  virtual ~EdgeHook() = default;
  virtual void before_edge() = 0;
  virtual void after_edge() = 0;
};

class FabricCore {
 public:
  // The topology must outlive the core. `lanes` is that of every switch and endpoint. std::logic_error: partitions_of().
  FabricCore(const Topology& topology, int lanes, const Cut& cut = {});
  ~FabricCore();

  // Sets the core that steps at a node; every node needs one before the first tick. Not owned. std::logic_error:
  // a switch whose launch_edges() is out of range.
  void attach(NodeId node, SwitchCore& core);
  void attach(NodeId node, EndpointCore& core);

  void reset();  // nodes too; endpoints get their credits, switches theirs by register writes
  void tick();   // one clock edge
  // So many edges, `hooks` of every partition around each: one per partition, or none at all. After a failure the
  // partitions are at different edges: reset() comes next.
  // Switches step in groups meanwhile, unless set_groups() says that the edges are too few for it.
  void advance(std::uint64_t edges, std::span<EdgeHook* const> hooks = {});
  // advance() steps every partition by a thread of its own. Switches and endpoints of different partitions must then
  // share nothing that is written.
  void set_threads(bool on);
  // Both tick() and advance() step switches with RTL in them by so many threads, the caller's among them; the switches
  // must share nothing that is written. std::logic_error: above 1 with several partitions.
  void set_switch_threads(int threads);

  int partitions() const { return static_cast<int>(partitions_.size()); }
  int partition_of(NodeId node) const { return static_cast<int>(places_[node].partition); }
  std::uint64_t look_ahead() const {
    return look_ahead_;
  }  // edges; the highest number: no link crosses

  // Fault model of flits on a link; null, as at first: no faults. Outlives its use; stays over reset().
  void set_faults(int link, LinkFaults* faults);

  // A register access at the node's next step. One at a time per node; `finished_accesses` lists
  // the nodes whose access the last tick has done, with the data read in read_data().
  void access(NodeId node, const RegisterRequest& request);
  std::uint32_t read_data(NodeId node) const { return at(node).pins.reg_rdata; }
  const std::vector<NodeId>& finished_accesses() const {
    return partitions_.size() == 1 ? partitions_.front()->finished_accesses() : finished_;
  }

  // Depth of the buffer behind a link, per VC.
  int receiver_depth(int link, int vc) const { return output(link).depths()[vc]; }

  // Counters of links, and quiet_cycles(), since clear_counts(). Tails whose tag says so are short
  // (nic/packet_extension.h), by as many bytes as the table says for half their stream's number, from `first` on; of others
  // it stays as it is.
  void clear_counts();
  void set_missing_bytes(std::size_t first, std::span<const std::uint16_t> by_stream_pair);
  LinkCount count(int link) const;

  // The pins of a node that stepped at edge `at`, the last one; null of another.
  const SwitchPins* stepped(NodeId node, std::uint64_t edge) const {
    const FabricNode& n = at(node);
    return n.last_step() == edge ? &n.pins : nullptr;
  }
  // The same of a node that launched flits at it.
  const SwitchPins* launched(NodeId node, std::uint64_t edge) const {
    const SwitchPins* const pins = stepped(node, edge);
    return pins != nullptr && pins->out_valid != 0 ? pins : nullptr;
  }

  // Edges from the next one on at which nothing at all would happen, unless somebody hands something in meanwhile;
  // the highest number: for ever.
  std::uint64_t edges_at_rest() const;
  // Nothing would happen for ever, and links are idle: time changes nothing.
  bool is_settled() const;
  // These pass without a tick.
  void rest(std::uint64_t edges);
  // State that the future depends on, relative to the edge: links, pins, and the cores of the nodes. False: a node
  // cannot tell.
  bool add_state(StateDigest& digest) const;
  // So many edges pass, after which the state is as it is now; links have carried so much more, by link.
  void pass_over(std::uint64_t edges, const std::vector<LinkCount>& more);

  // Timers of an endpoint. advance() calls them between its edges; after a tick(), or an advance(), whoever steps the core does.
  EdgeTimers& timers(NodeId endpoint) { return owner(endpoint).timers(); }
  std::uint64_t timers_now() const { return partitions_.front()->timers().now(); }
  void begin_timers();
  void end_timers();

  std::uint64_t edge() const { return partitions_.front()->edge(); }
  std::uint64_t quiet_cycles() const;  // edges since a flit was last launched
  bool empty() const;                  // nothing on a link or in a switch, and no credit under way
  int flits_on_links() const;
  int credits_on_links() const;
  int buffered(NodeId node, int port,
               int vc) const;               // in the input buffer of a port; for diagnosis
  int outstanding(int link, int vc) const;  // credits of a sender that are not back

  // For observers, between two ticks: what arrives at the pins in the next one.
  // on_flit(node, input port); on_credit(node, output port, VC).
  template <typename OnFlit>
  void visit_flits(const OnFlit& on_flit) const {
    for (const auto& partition : partitions_) {
      partition->links().visit_flits([&](InputPin to) {
        on_flit(partition->node(to.node()).id, static_cast<int>(to.port()));
      });
    }
  }
  template <typename OnCredit>
  void visit_credits(const OnCredit& on_credit) const {
    for (const auto& partition : partitions_) {
      partition->links().visit_credits([&](LinkWheel::Credit credit) {
        on_credit(partition->node(credit.node()).id, static_cast<int>(credit.port()),
                  static_cast<int>(credit.vc()));
      });
    }
  }

  void set_groups(bool on) { uses_groups_ = on; }
  void set_always_step(bool on);
  // The node steps at the next tick even if idle, so that an observer sees its pins as they are then.
  void wake(NodeId node) { owner(node).wake(places_[node].node); }
  std::uint64_t steps_left_out() const;

 private:
  void step_in_groups(bool on);  // Partition::step_in_group()
  struct Failures;

  Partition& owner(NodeId node) { return *partitions_[places_[node].partition]; }
  const Partition& owner(NodeId node) const { return *partitions_[places_[node].partition]; }
  const FabricNode& at(NodeId node) const { return owner(node).node(places_[node].node); }
  const LinkTx& output(int link) const;
  void take_in(int partition, int box);
  void run_window(int partition, std::uint64_t edges, std::span<EdgeHook* const> hooks,
                  Failures& failures, std::uint64_t window);

  const Topology& topology_;
  std::vector<NodePlace> places_;                       // by node
  std::vector<std::unique_ptr<Partition>> partitions_;  // each in memory of its own
  std::vector<std::vector<int>> neighbours_;            // by partition: those that links join it to
  std::uint64_t look_ahead_;
  std::unique_ptr<WindowThreads> threads_;  // null: partitions take turns
  std::vector<NodeId> finished_;            // accesses that have finished, in several partitions
  bool uses_groups_ = true;
};

}  // namespace fredsim

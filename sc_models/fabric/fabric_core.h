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
// Processes: with a RankShare the partitions of other processes are not here, nor are their nodes (owns()); what is asked of the
//   fabric is then asked of all, so that all processes ask the same in the same order, and a failure in one ends the others
//   (ranks/ranks.h).
// Links: links/link.h; nodes and which of them step: fabric/fabric_node.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/cut.h"
#include "fabric/partition.h"
#include "fabric/rank_links.h"
#include "fabric/window_threads.h"
#include "links/link.h"
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
  FabricCore(const Topology& topology, int lanes, const Cut& cut = {}, const RankShare& share = {});
  ~FabricCore();

  // Sets the core that steps at a node; every node needs one before the first tick. Not owned. std::logic_error:
  // a switch whose launch_edges() is out of range.
  void attach(NodeId node, SwitchCore& core);
  void attach(NodeId node, EndpointCore& core);

  void reset();  // nodes too; endpoints get their credits, switches theirs by register writes
  void tick();   // one clock edge; with several processes meet() comes next
  // So many edges, `hooks` of every partition around each: one per partition, or none at all. After a failure the
  // partitions are at different edges: reset() comes next.
  // With several processes meet() comes next, too.
  // Switches step in groups meanwhile, unless set_groups() says that the edges are too few for it.
  void advance(std::uint64_t edges, std::span<EdgeHook* const> hooks = {});
  // Processes meet after every edge, or advance(), of which they hear: what crosses, and the state of all, and whatever `tell`
  // adds for others, who read it by `hear`, once for each other process.
  void meet();
  void on_meeting(std::function<void(RankMessage&)> tell, std::function<void(RankMessage&)> hear) {
    tell_ = std::move(tell);
    hear_ = std::move(hear);
  }
  // Nodes here may have been given something since: the state of all is asked anew. By all processes alike.
  void forget_state() { state_.reset(); }
  // advance() steps every partition by a thread of its own. Switches and endpoints of different partitions must then
  // share nothing that is written.
  void set_threads(bool on);
  // Both tick() and advance() step switches with RTL in them by so many threads, the caller's among them; the switches
  // must share nothing that is written. std::logic_error: above 1 with several partitions.
  void set_switch_threads(int threads);

  int partitions() const { return static_cast<int>(partitions_.size()); }  // here
  // Number among those here; the node is one of them.
  int partition_of(NodeId node) const { return own_number_[places_[node].partition]; }
  bool owns(NodeId node) const { return by_number_[places_[node].partition] != nullptr; }
  bool is_cut() const { return by_number_.size() > 1; }
  Ranks* ranks() const { return is_alone_ ? nullptr : share_.ranks; }  // null: this process alone
  Ranks* all_ranks() const { return share_.ranks; }                    // the same, alone or not
  // From now on this process has its nodes to itself, at which nothing moves but by register accesses: until reset(), or
  // until all are together again, when as many edges have passed for each as they had, one after the other.
  void set_alone();
  void set_together();
  std::uint64_t look_ahead() const {
    return look_ahead_;
  }  // edges; the highest number: no link crosses

  // Fault model of flits on a link; null, as at first: no faults. Outlives its use; stays over reset().
  void set_faults(int link, LinkFaults* faults);

  // A register access at the node's next step. One at a time per node; `finished_accesses` lists
  // the nodes whose access the last tick has done, with the data read in read_data().
  // An access to a node of another process takes place there.
  void access(NodeId node, const RegisterRequest& request);
  std::uint32_t read_data(NodeId node) const;
  std::uint32_t own_read_data(NodeId node) const { return at(node).pins.reg_rdata; }
  const std::vector<NodeId>& finished_accesses() const {
    return is_cut() ? finished_ : partitions_.front()->finished_accesses();
  }

  // Depth of the buffer behind a link, per VC.
  int receiver_depth(int link, int vc) const {
    return depths_behind(topology_, topology_.links[link])[vc];
  }

  // Counters of links, and quiet_cycles(), since clear_counts(); none of links of another process's senders. Tails whose tag says so are short
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
  int outstanding(int link, int vc) const;  // credits of a sender that are not back; here
  // Between processes, before buffered(): what senders elsewhere know of buffers here.
  void tell_outstanding();

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

  Partition& owner(NodeId node) { return *by_number_[places_[node].partition]; }
  const Partition& owner(NodeId node) const { return *by_number_[places_[node].partition]; }
  const FabricNode& at(NodeId node) const { return owner(node).node(places_[node].node); }
  const LinkTx& output(int link) const;
  void take_in(int partition, int box);
  // State of a process, or of all, between two edges.
  struct StateOfAll {
    bool has_to_step = false;
    std::uint64_t to_timers = ~std::uint64_t{0}, to_arrival = ~std::uint64_t{0};  // edges
    std::int64_t flits = 0,
                 credits = 0;  // under way; below 0 where more comes to a process than goes
    std::uint64_t quiet = ~std::uint64_t{0};  // cycles
    void add(const StateOfAll& other);
    std::uint64_t edges_at_rest() const;
  };
  StateOfAll own_state() const;
  const StateOfAll& state() const;
  void exchange_with_ranks(int box);
  void end_window(int box);
  void exchange_in_window(Failures& failures, std::uint64_t window);
  int sent_and_not_back(int link, int vc) const;
  void run_window(int partition, std::uint64_t edges, std::span<EdgeHook* const> hooks,
                  Failures& failures, std::uint64_t window);

  const Topology& topology_;
  std::vector<NodePlace> places_;  // by node
  RankShare share_;
  std::vector<std::unique_ptr<Partition>> partitions_;  // those here, each in memory of its own
  std::vector<Partition*> by_number_;  // as the cut numbers them; null: another process's
  std::vector<int> own_number_;        // the same: place in partitions_, -1
  std::vector<std::vector<Partition*>>
      neighbours_;                         // by partition: those here that links join it to
  std::unique_ptr<RankLinks> rank_links_;  // null: all is here
  std::uint64_t look_ahead_;
  std::unique_ptr<WindowThreads> threads_;  // null: partitions take turns
  std::vector<NodeId> accessed_,
      finished_;  // in several partitions: accesses under way, and finished
  bool uses_groups_ = true;
  // State of all processes, while it is known, and the outbox that is to be exchanged; -1: none.
  mutable std::optional<StateOfAll> state_;
  int met_box_ = -1;
  std::function<void(RankMessage&)> tell_;
  std::function<void(RankMessage&)> hear_;
  bool is_alone_ = false;
  std::uint64_t alone_since_ = 0;                  // edge
  std::map<int, VcDepths> outstanding_elsewhere_;  // by link
};

}  // namespace fredsim

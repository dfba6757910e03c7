// SPDX-License-Identifier: Apache-2.0
// The fabric without SystemC: one clock edge of every switch and endpoint and of the links between
// them. It consists of partitions (fabric/partition.h), one unless it is cut; state of the fabric
// is a sum, a minimum or a conjunction over them.
//
// Partitions: cycles, counters and the pins of nodes do not depend on the cut. tick() is one edge
//   of all partitions, after which they exchange flits and credits. advance() is many edges: every
//   partition advances by itself by the minimum latency of the crossing links (look_ahead()), then
//   all exchange; with set_threads() by a thread each. No flit or credit is between partitions
//   between two calls.
// Several failures in one look-ahead: the one of the earliest edge is thrown, on a tie the one of
//   the first partition.
// Processes: with a RankShare the partitions of other processes and their nodes are not here
//   (owns()); state of the fabric is then collected from all processes, so that all must ask for
//   the same in the same order, and a failure in one ends all (ranks/ranks.h).
// Links: links/link.h; nodes and their stepping: fabric/fabric_node.h.
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

// Hook around every edge of a partition, called by the thread that steps it.
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
  // The topology must outlive the core. `lanes`: lanes of every switch and endpoint.
  // std::logic_error as partitions_of().
  FabricCore(const Topology& topology, int lanes, const Cut& cut = {}, const RankShare& share = {});
  ~FabricCore();

  // Sets the core that steps at a node; every node needs one before the first tick. Not owned.
  // std::logic_error if a switch's launch_edges() is out of range.
  void attach(NodeId node, SwitchCore& core);
  void attach(NodeId node, EndpointCore& core);

  void reset();  // resets nodes too; endpoints get their credits, switches theirs by register
                 // writes
  void tick();   // steps one clock edge; with several processes call exchange() next
  // Steps `edges` edges. `hooks`: one per partition, called around each of its edges; or none at
  // all. Switches step in groups meanwhile (Groups).
  // After a failure the partitions are at different edges: call reset() next. With several
  // processes call exchange() next.
  void advance(std::uint64_t edges, std::span<EdgeHook* const> hooks = {});
  // Exchanges crossing flits and credits, and the state of all processes, after every edge or
  // advance(). `publish` adds data for the other processes; `collect` reads the data of each of
  // them.
  void exchange();
  void on_exchange(std::function<void(RankMessage&)> publish,
                   std::function<void(RankMessage&)> collect) {
    publish_ = std::move(publish);
    collect_ = std::move(collect);
  }
  // Drops the state of all, since nodes here may have got new data: it is collected anew. All
  // processes must call this alike.
  void forget_state() { state_.reset(); }
  // Makes advance() step every partition by a thread of its own. Switches and endpoints of
  // different partitions must then share no state that is written.
  void set_threads(bool on);
  // Makes tick() and advance() step switches with RTL by `threads` threads, the caller's included;
  // the switches must share no state that is written. std::logic_error: above 1 with several
  // partitions.
  void set_switch_threads(int threads);

  // partitions in this process
  int partitions() const { return static_cast<int>(partitions_.size()); }
  // Number of a node's partition in this process, which owns the node.
  int partition_of(NodeId node) const { return own_number_[places_[node].partition]; }
  bool owns(NodeId node) const { return by_number_[places_[node].partition] != nullptr; }
  bool is_cut() const { return by_number_.size() > 1; }
  Ranks* ranks() const { return is_alone_ ? nullptr : share_.ranks; }  // null: this process alone
  Ranks* all_ranks() const { return share_.ranks; }  // null without ranks; set alone or not
  // Detaches this process from the others: only register accesses move data at its nodes. It lasts
  // until reset() or set_together(), which advances all processes to one edge: as many edges from
  // here as all of them had together.
  void set_alone();
  void set_together();
  // Edges; the highest number if no link crosses.
  std::uint64_t look_ahead() const { return look_ahead_; }

  // Sets the fault model of flits on a link; null, the default: no faults. It outlives its use and
  // stays over reset().
  void set_faults(int link, LinkFaults* faults);

  // Requests a register access at the node's next step. One at a time per node; `finished_accesses`
  // lists the nodes whose access the last tick has done, with the data read in read_data().
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

  // Clears counters of links and quiet_cycles(). Links of another process's senders count nothing
  // here.
  void clear_counts();
  // Sets the missing bytes of short tails (nic/packet_extension.h): entry i is for streams
  // 2 * (first + i) and the next one. Entries of other streams are unchanged.
  void set_missing_bytes(std::size_t first, std::span<const std::uint16_t> by_stream_pair);
  LinkCount count(int link) const;

  // Pins of a node that stepped at edge `edge`, its last one; null for another node.
  const SwitchPins* stepped(NodeId node, std::uint64_t edge) const {
    const FabricNode& n = at(node);
    return n.last_step() == edge ? &n.pins : nullptr;
  }
  // Pins of a node that launched flits at that edge; null for another node.
  const SwitchPins* launched(NodeId node, std::uint64_t edge) const {
    const SwitchPins* const pins = stepped(node, edge);
    return pins != nullptr && pins->out_valid != 0 ? pins : nullptr;
  }

  // Edges, from the next one on, at which nothing happens unless new data is handed in meanwhile;
  // the highest number: for ever.
  std::uint64_t edges_idle() const;
  // Returns true if nothing ever happens and all links are idle: time changes nothing.
  bool is_settled() const;
  // Lets these edges pass without a tick.
  void rest(std::uint64_t edges);
  // Adds the state that the future depends on, relative to the edge: links, pins, and the cores of
  // the nodes. False if a node cannot give its state.
  bool add_state(StateDigest& digest) const;
  // Skips `edges` edges after which the state is as now; `more`: counts of each link in them.
  void skip(std::uint64_t edges, const std::vector<LinkCount>& more);

  // Timers of an endpoint. advance() fires them between its edges; after a tick() or an advance()
  // the caller does.
  EdgeTimers& timers(NodeId endpoint) { return owner(endpoint).timers(); }
  std::uint64_t timers_now() const { return partitions_.front()->timers().now(); }
  void begin_timers();
  void end_timers();

  std::uint64_t edge() const { return partitions_.front()->edge(); }
  std::uint64_t quiet_cycles() const;  // edges since a flit was last launched
  bool empty() const;  // true if no flit is on a link or in a switch, and no credit in flight
  int flits_on_links() const;
  int credits_on_links() const;
  // Flits in the input buffer of a port; for diagnosis.
  int buffered(NodeId node, int port, int vc) const;
  int outstanding(int link, int vc) const;  // credits not returned to a sender in this process
  // Publishes between processes, before buffered(), the senders' counts for buffers of other
  // processes.
  void report_outstanding();

  // Visits arrivals at the pins in the next tick; for observers, between two ticks.
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

  // True if nobody asks for flits: no set_always_step(), and no fault model on a link.
  bool is_unobserved() const;
  // Calls at which switches step together (fabric/partition.h).
  enum class Groups : std::uint8_t {
    kNever,
    kInAdvance,  // default
    kAlways,     // in tick() too, until part_groups(): call it before a look at switches or pins
  };
  void set_groups(Groups groups);
  // Makes switches and pins as if the switches had stepped alone, until the next edge.
  void part_groups() const { step_in_groups(false); }
  void set_always_step(bool on);
  // Makes the node step at the next tick even if idle, so that an observer sees its current pins.
  void wake(NodeId node) { owner(node).wake(places_[node].node); }
  std::uint64_t steps_left_out() const;

 private:
  void step_in_groups(bool on) const;  // for Partition::step_in_group()
  struct Failures;

  Partition& owner(NodeId node) { return *by_number_[places_[node].partition]; }
  const Partition& owner(NodeId node) const { return *by_number_[places_[node].partition]; }
  const FabricNode& at(NodeId node) const { return owner(node).node(places_[node].node); }
  const LinkTx& output(int link) const;
  void take_in(int partition, int box);
  // State of a process, or of all, between two edges.
  struct StateOfAll {
    bool has_to_step = false;
    std::uint64_t to_timers = ~std::uint64_t{0}, to_arrival = ~std::uint64_t{0};  // in edges
    std::int64_t flits = 0,
                 credits = 0;  // in flight; negative if more arrive at a process than leave
    std::uint64_t quiet = ~std::uint64_t{0};  // in cycles
    void add(const StateOfAll& other);
    std::uint64_t edges_idle() const;
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
  std::vector<NodePlace> places_;  // index: node
  RankShare share_;
  // partitions of this process, each in memory of its own
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::vector<Partition*> by_number_;  // in the cut's numbering; null: another process's
  std::vector<int> own_number_;        // index: the cut's number; place in partitions_, or -1
  std::vector<std::vector<Partition*>>
      neighbours_;  // index: partition; partitions of this process with a link to or from it
  std::unique_ptr<RankLinks> rank_links_;  // null: all partitions are in this process
  std::uint64_t look_ahead_;
  std::unique_ptr<WindowThreads> threads_;  // null: partitions take turns
  std::vector<NodeId> accessed_,
      finished_;  // accesses of several partitions, in progress and finished
  Groups groups_ = Groups::kInAdvance;
  // State of all processes, while it is known, and the outbox to be exchanged; -1: none.
  mutable std::optional<StateOfAll> state_;
  int exchanged_box_ = -1;
  std::function<void(RankMessage&)> publish_;
  std::function<void(RankMessage&)> collect_;
  bool is_alone_ = false;
  std::uint64_t alone_since_ = 0;                  // an edge
  std::map<int, VcDepths> outstanding_elsewhere_;  // index: link
};

}  // namespace fredsim

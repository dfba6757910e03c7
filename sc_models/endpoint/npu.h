// The collective engine of an NPU: executes what Plans (collective/plan.h) give it, packet by
// packet, of all parts that it is a member of.
//
// Bind `tx` to the NIC's tx and the NIC's `rx` to `rx`. Everything happens inside TLM calls and
// release(), resume(): they offer the first packets; every packet taken by the NIC (END_REQ) or
// received makes room for more.
// Jobs: one or many at once, each a Plan under way; they come and go while others run. Packets say by
//   their stream's number which job and tree they are of. A rank that has not been released keeps partial sums that
//   come, and passes on results.
//   Endpoint tree: a leaf sends its operand; a rank with `reduce_from` waits for packet k of every
//     one of them (early ones are kept), adds operand and packets in the prescribed order and
//     passes the sum on to `reduce_to`, or at the root takes it as the result; results run along
//     `broadcast_to`.
//   In-switch tree: the operand leaves by `switch_port`, the result arrives by it.
// Order of sending per channel, a NIC port and VC: first copies of new packets that go to several ranks
//   (all-gather, broadcast), which have the longest way before them, then packets passed on, then
//   other new ones; new ones round robin over what starts packets here: each endpoint tree, and per
//   part all its in-switch trees together, these by (step, packet / run, tree, packet) without
//   skipping. In-switch trees of different jobs: those of the job that was added first, all of them, then those of
//   the next. At most `window` packets of a tree are under way per source (Part::window); contributors
//   to an in-switch tree that see no result are limited by the NIC's acceptance only.
// Time: additions and HBM take no time; a packet received at an edge can be passed
//   on from the next edge.
// Memory: bounded by the windows of the plan's sources, not by the collective's size.
// Errors: results are verified bit for bit, and packets must arrive in order; otherwise
//   CollectiveJob::fail.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "endpoint/collective_job.h"
#include "endpoint/npu_observer.h"
#include "endpoint/packet_extension.h"
#include "endpoint/packet_pool.h"
#include "endpoint/ring_queue.h"

namespace fredsim {

class Npu final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Npu, 32, PacketProtocol> tx{"tx"};
  tlm_utils::simple_target_socket<Npu, 32, PacketProtocol> rx{"rx"};

  Npu(sc_core::sc_module_name name, int ports, int lanes);

  // What this NPU does for one tree of the job's plan.
  struct Share {
    int tree = 0;
    const TreeRank* rank = nullptr;
  };
  // Takes part in a job, beside those under way; `shares` by tree, ascending. Nothing of it is sent before
  // release(). The job must stay until remove() or stop(); its streams are no other job's.
  void add(CollectiveJob& job, const std::vector<Share>& shares);
  void remove(const CollectiveJob& job);  // everything of it has been received, here and elsewhere
  // A part may be sent from now on; release() begins with it. Of several parts that start together, all are
  // allowed first, so that they take turns from their first packets on.
  void allow(const CollectiveJob& job, int part);
  void release(const CollectiveJob& job, int part);
  void resume(const CollectiveJob& job, int tree);  // the job's reached() has grown
  // Nothing is left to do here for a part, or there never was.
  bool is_done(const CollectiveJob& job, int part) const;
  void stop();  // forgets all jobs and everything held; reset the NIC before

  // Tells the observer from now on, calling this NPU `number`.
  void observe(NpuObserver& observer, int number) {
    observer_ = &observer;
    number_ = number;
  }

  // Nothing held, everything sent and seen that the plans give this rank.
  bool complete() const;
  // A packet of no job has come, while there was none; empty: no.
  const std::string& stray() const { return stray_; }
  // Packets of trees of a job that sources here have started, into those of all NPUs, by tree: the furthest.
  void add_progress(const CollectiveJob& job, std::vector<std::uint64_t>& furthest) const;
  // As SwitchCore::add_state(), of an NPU with this job alone; counts of packets relative to the furthest source of
  // their tree.
  void add_state(const CollectiveJob& job, const std::vector<std::uint64_t>& furthest,
                 StateDigest& digest) const;
  // The job has left out packets of trees (CollectiveJob::leave_out()).
  void shorten(const CollectiveJob& job);

  // For the report of a deadlock: which packet of which tree is missing, from whom.
  void describe_missing(std::vector<std::string>& lines) const;

 private:
  struct alignas(64) TreeState {  // what every packet needs first, in one line of the caches
    const TreeRank* part = nullptr;
    std::uint64_t packets = 0;
    std::uint64_t started = 0;  // new packets generated (sources)
    std::uint64_t results = 0;  // results seen
    std::uint64_t window = 0;
    int tree = 0;         // of the plan
    int part_number = 0;  // of the plan
    int channel = -1;     // of the first hop of packets started here; -1: not a source
    std::uint8_t vc = kDp;
    bool sees_results = false;
    bool waits_for_results = false;
    std::uint64_t reduced = 0;             // packets combined from reduce_from
    std::vector<RingQueue<Packet*>> held;  // per entry of reduce_from
    std::vector<std::uint64_t> arrived;    // per entry of reduce_from
  };

  tlm::tlm_sync_enum receive(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  struct Work {  // a job under way
    CollectiveJob* job = nullptr;
    std::vector<TreeState> trees;  // ascending by tree of the plan
    std::vector<bool> allowed;     // by part
    std::vector<std::uint64_t>
        left;               // by part: packets to start, add, see as results and pass on here
    std::vector<int> rank;  // by part, -1: not a member
  };

  // What takes its turn in starting packets on a channel: an endpoint tree, or the in-switch trees of a
  // part, by (step, tree), with the place of the next packet: tree `at` of those of the step, which are
  // [begin, end), in their round of `run` packets each.
  struct Source {
    Work* work = nullptr;
    int part = 0;
    bool in_switch = false;
    std::vector<int> trees;  // local
    std::size_t begin = 0, end = 0, at = 0;
    std::uint64_t round = 0;
  };
  struct Channel {
    std::vector<Source> sources;
    std::size_t next = 0;        // round robin
    RingQueue<Packet*> own;      // copies of packets started here that go to several ranks
    RingQueue<Packet*> forward;  // to pass on
  };

  int channel_of(int port, int vc) const { return vc * ports_ + port; }
  int channel_of(const Send& to) const { return channel_of(to.port, to.vc); }
  void set_dirty(int channel) { dirty_[channel / ports_] |= 1U << channel % ports_; }
  struct Place {
    Work* work = nullptr;  // null: no job has the tree here
    int local = 0;
  };
  Place find(std::uint32_t stream) const;
  Work* work_of(const CollectiveJob& job) const;  // null: it is not here
  bool failed() const;
  static const Tree& plan_tree(const Work& w, int local) {
    return w.job->plan().trees[w.trees[local].tree];
  }
  void prepare(Work& w, int local);
  void add_source(Work& w, int local, bool in_switch);
  bool find_next_packet(Source& source) const;  // false: there is none
  bool is_behind(Channel& channel, const Source& source) const;
  void finish_alone(Work& w, int local);
  void on_partial(Work& w, int local, Packet& packet, const PacketExtension& e);
  void combine_held(Work& w, int local);
  void combine(Work& w, int local);
  void on_result(Work& w, int local, std::uint64_t index, const std::uint16_t* lanes);
  bool expect(const Work& w, int local, const PacketExtension& e, std::uint64_t index,
              const char* what);
  void done_one(Work& w, int part);  // of what is left of it
  bool may_start(const TreeState& state, const CollectiveJob& job) const;
  bool start_packet(int channel, bool multicast);  // `multicast`: of such sources only
  void start_one(Work& w, int local);
  Packet& make_packet(const Work& w, int local, bool broadcast, std::uint64_t index, int to_rank,
                      int channel);
  bool is_multicast_source(const TreeState& s) const {
    return s.channel >= 0 && s.part->switch_port < 0 && s.part->reduce_to.empty();
  }
  void enqueue(Work& w, int part, Packet& packet, int channel, RingQueue<Packet*> Channel::*queue);
  void send_queued(Packet& packet, int channel);
  void send(Packet& packet, int channel);
  void pump();

  int ports_;
  std::vector<std::unique_ptr<Work>> works_;  // ascending by the streams of their jobs
  std::vector<Channel> channels_;
  std::array<std::uint32_t, kNumVcs> dirty_{};      // by VC: ports where something may be sendable
  std::array<std::uint32_t, kNumVcs> blocked_{};    // ports with an open request
  std::array<std::uint32_t, kNumVcs> multicast_{};  // ports with sources that send to several ports
  PacketPool pool_;
  NpuObserver* observer_ = nullptr;
  int number_ = 0;  // for the observer
  std::string stray_;
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// The collective engine of an NPU: executes what Plans (plan/plan.h) give it, packet by
// packet, of all parts that it is a member of. This is its TLM interface; what a tree asks of it is in
// npu/npu_work.h, what it sends next in npu_scheduler.h, what it does with what comes in npu_reducer.h and
// npu_acknowledgements.h.
//
// Bind `tx` to the NIC's tx and the NIC's `rx` to `rx`. Everything happens inside TLM calls and
// release(), which offers the first packets; every packet taken by the NIC (END_REQ) or
// received makes room for more. What an NPU knows of others it has by packets.
// Jobs: one or many at once, each a Plan under way; they come and go while others run. Packets say by
//   their stream's number which job and tree they are of. A rank that has not been released keeps partial sums that
//   come, and passes on results.
//   Endpoint tree: a leaf sends its operand; a rank with `reduce_from` waits for packet k of every
//     one of them (early ones are kept), adds operand and packets in the prescribed order and
//     passes the sum on to `reduce_to`, or at the root takes it as the result; results run along
//     `broadcast_to`.
//   In-switch tree: the operand leaves by `switch_port`, the result arrives by it.
// Time: a packet received at an edge can be passed on from the next edge.
// Errors: CollectiveJob::fail.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "nic/edge_timers.h"
#include "nic/packet_extension.h"
#include "npu/collective_job.h"
#include "npu/npu_acknowledgements.h"
#include "npu/npu_observer.h"
#include "npu/npu_packets.h"
#include "npu/npu_reducer.h"
#include "npu/npu_scheduler.h"
#include "npu/npu_work.h"

namespace fredsim {

class Npu final : public sc_core::sc_module, private EdgeTimers::Waiter {
 public:
  tlm_utils::simple_initiator_socket<Npu, 32, PacketProtocol> tx{"tx"};
  tlm_utils::simple_target_socket<Npu, 32, PacketProtocol> rx{"rx"};

  Npu(sc_core::sc_module_name name, int ports, int lanes);

  // By which it paces its sources; before any job.
  void follow(EdgeTimers& timers);

  using Share = fredsim::Share;
  // Takes part in a job, beside those under way; `shares` by tree, ascending. Nothing of it is sent before
  // release(). The job must stay until remove() or stop(); its streams are no other job's.
  void add(CollectiveJob& job, const std::vector<Share>& shares);
  void remove(const CollectiveJob& job);  // everything of it has been received, here and elsewhere
  // A part may be sent from now on; release() begins with it. Of several parts that start together, all are
  // allowed first, so that they take turns from their first packets on.
  void allow(const CollectiveJob& job, int part);
  void release(const CollectiveJob& job, int part);
  // Nothing is left to do here for a part, or there never was.
  bool is_done(const CollectiveJob& job, int part) const;
  void stop();  // forgets all jobs and everything held; reset the NIC before

  // Tells the observer from now on, calling this NPU `number`.
  void observe(NpuObserver& observer, int number);

  // Packets sent to acknowledge others, since the last stop().
  std::uint64_t acknowledgements() const;
  void count_acknowledgements(std::uint64_t more) {
    acknowledgements_before_ += more;
  }  // in periods passed over
  // Nothing held, everything sent and seen that the plans give this rank.
  bool complete() const;
  // A packet of no job has come, while there was none; empty: no.
  const std::string& stray() const { return stray_; }
  // Packets of trees of a job that sources here have started, or of a sum at every rank those added here, into those of all NPUs, by
  // tree: the furthest.
  void add_progress(const CollectiveJob& job, std::vector<std::uint64_t>& furthest) const;
  // State as in SwitchCore::add_state(), of its part in a job; counts of packets relative to the furthest source of
  // their tree.
  void add_state(const CollectiveJob& job, const std::vector<std::uint64_t>& furthest,
                 StateDigest& digest) const;
  void add_state(StateDigest& digest) const;  // state outside of jobs
  // All of both, with counts of packets as they are, those left out included.
  void add_state_with_counts(StateDigest& digest) const;
  // The job has left out packets of trees (CollectiveJob::leave_out()).
  void shorten(const CollectiveJob& job);

  // For the report of a deadlock: which packet of which tree is missing, from whom.
  void describe_missing(std::vector<std::string>& lines) const;

 private:
  void time_has_come(int channel) override;
  tlm::tlm_sync_enum receive(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  void pump();
  bool pump(int vc);            // true: there was something to look at
  bool send_next(int channel);  // false: nothing for now
  void start(Work& w, int local);
  void send_queued(Packet& packet);
  void send(Packet& packet);

  int ports_;
  NpuPackets packets_;
  Works works_;
  NpuScheduler scheduler_;
  NpuAcknowledgements acknowledgements_;
  NpuReducer reducer_;
  std::uint64_t acknowledgements_before_ = 0;     // acknowledgements of jobs that are gone, and not
                                                  // simulated
  std::array<std::uint32_t, kNumVcs> blocked_{};  // by VC: ports with an open request
  NpuObserver* observer_ = nullptr;
  int number_ = 0;  // for the observer
  std::string stray_;
};

}  // namespace fredsim

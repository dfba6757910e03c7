// SPDX-License-Identifier: Apache-2.0
// The collective engine of an NPU: executes the Plans (plan/plan.h) given to it, packet by packet,
// in all parts that it is a member of. This is its TLM interface; the NPU's share of a tree is in
// npu/npu_work.h, the choice of the next packet in npu_scheduler.h, the handling of arrivals in
// npu_reducer.h and npu_acknowledgements.h.
//
// Bind `tx` to the NIC's tx and the NIC's `rx` to `rx`. All work is done inside TLM calls and
// release(), which offers the first packets; every packet taken by the NIC (END_REQ) or received
// makes room for more. An NPU learns of other NPUs only through packets.
// Jobs: one or many at once, each a Plan in flight; they come and go while others run. The stream
//   number of a packet identifies its job and tree. A rank that has not been released holds partial
//   sums that arrive, and forwards results.
//   Endpoint tree: a leaf sends its operand; a rank with `reduce_from` waits for packet k of each
//     of these ranks (early ones are held), adds operand and packets in the prescribed order and
//     passes the sum on to `reduce_to`, or at the root takes it as the result; results go along
//     `broadcast_to`.
//   In-switch tree: the operand leaves by `switch_port`, and the result arrives there.
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

  // Sets the timers that pace its sources; before any job.
  void follow(EdgeTimers& timers);

  using Share = fredsim::Share;
  // Joins a job, beside the jobs in flight; `shares` by tree, ascending. No packet of it is sent
  // before release(). The job must stay until remove() or stop(); its streams are unique.
  void add(CollectiveJob& job, const std::vector<Share>& shares);
  void remove(const CollectiveJob& job);  // call when all packets of the job have been received,
                                          // here and elsewhere
  // Allows a part to be sent from now on; release() begins it. Of several parts that start
  // together, all are allowed first, so that they take turns from their first packets on.
  void allow(const CollectiveJob& job, int part);
  void release(const CollectiveJob& job, int part);
  // Returns true if no work of a part is left here, or there never was any.
  bool is_done(const CollectiveJob& job, int part) const;
  void stop();  // drops all jobs and all held packets; reset the NIC before

  // Reports to the observer from now on, with `number` for this NPU.
  void observe(NpuObserver& observer, int number);

  // Acknowledgement packets sent since the last stop().
  std::uint64_t acknowledgements() const;
  // Counts acknowledgements of skipped periods.
  void count_acknowledgements(std::uint64_t more) { acknowledgements_before_ += more; }
  // Returns true if no packet is held, and all packets of this rank's plans are sent or received.
  bool complete() const;
  // A packet that came while there was no job; empty: none.
  const std::string& stray() const { return stray_; }
  // Merges progress into `furthest`, the maximum over all NPUs, by tree: packets started by the
  // sources here, and for a sum at every rank the packets added here.
  void add_progress(const CollectiveJob& job, std::vector<std::uint64_t>& furthest) const;
  // Adds the state of this NPU in a job, as SwitchCore::add_state(). Packet counts are relative to
  // the furthest source of their tree.
  void add_state(const CollectiveJob& job, const std::vector<std::uint64_t>& furthest,
                 StateDigest& digest) const;
  void add_state(StateDigest& digest) const;  // state outside of jobs
  // Adds the state inside and outside of jobs, with counts of packets as they are, skipped ones
  // included.
  void add_state_with_counts(StateDigest& digest) const;
  // Shortens the trees after CollectiveJob::leave_out().
  void shorten(const CollectiveJob& job);

  // Lines for the report of a deadlock: missing packets by tree, and their senders.
  void describe_missing(std::vector<std::string>& lines) const;

 private:
  void time_has_come(int channel) override;
  tlm::tlm_sync_enum receive(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  void pump();
  bool pump(int vc);            // true: there was a candidate
  bool send_next(int channel);  // false: no packet for now
  void start(Work& w, int local);
  void send_queued(Packet& packet);
  void send(Packet& packet);

  int ports_;
  NpuPackets packets_;
  Works works_;
  NpuScheduler scheduler_;
  NpuAcknowledgements acknowledgements_;
  NpuReducer reducer_;
  std::uint64_t acknowledgements_before_ = 0;  // acknowledgements of removed jobs, and skipped ones
  std::array<std::uint32_t, kNumVcs> blocked_{};  // index: VC; ports with an open request
  NpuObserver* observer_ = nullptr;
  int number_ = 0;  // number at the observer
  std::string stray_;
};

}  // namespace fredsim

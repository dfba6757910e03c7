// The collective engine of an NPU: executes its rank's part of a Plan
// (collective/plan.h), packet by packet.
//
// Bind `tx` to the NIC's tx and the NIC's `rx` to `rx`. Everything happens inside TLM calls:
// start() offers the first packets; every packet taken by the NIC (END_REQ) or received makes
// room for more.
//   Endpoint tree: a leaf sends its operand; a rank with `reduce_from` waits for packet k of every
//     one of them (early ones are kept), adds operand and packets in the prescribed order and
//     passes the sum on to `reduce_to`, or at the root takes it as the result; results run along
//     `broadcast_to`.
//   In-switch tree: the operand leaves by `switch_port`, the result arrives by it.
// Order of sending per NIC port: packets passed on first, then new ones, round robin over the trees
//   that this rank starts packets of. At most `window` packets of a tree are under way per source:
//   sent, and the result not seen here. Ranks that see no result are limited by the NIC's
//   acceptance only.
// Time: additions and HBM take no time; a packet received at an edge can be passed
//   on from the next edge.
// Memory: bounded by the windows of the plan's sources, not by the collective's size.
// Errors: results are verified bit for bit, and packets must arrive in order; otherwise
//   CollectiveJob::fail.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "endpoint/collective_job.h"
#include "endpoint/packet_extension.h"
#include "endpoint/packet_pool.h"
#include "endpoint/ring_queue.h"

namespace fredsim {

class Npu final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Npu, 32, PacketProtocol> tx{"tx"};
  tlm_utils::simple_target_socket<Npu, 32, PacketProtocol> rx{"rx"};

  Npu(sc_core::sc_module_name name, int ports, int lanes);

  // Begins this rank's part; the job must outlive the run.
  void start(CollectiveJob& job, int rank);
  void stop();  // forgets the job and everything held; reset the NIC before

  // Nothing held, everything sent and seen that the plan gives this rank.
  bool complete() const;
  // For the report of a deadlock: which packet of which tree is missing, from whom.
  void describe_missing(std::vector<std::string>& lines) const;

 private:
  struct alignas(64) TreeState {  // what every packet needs first, in one line of the caches
    const TreeRank* part = nullptr;
    std::uint64_t packets = 0;
    std::uint64_t started = 0;  // new packets generated (sources)
    std::uint64_t results = 0;  // results seen
    int source_port = -1;  // NIC port of the first hop of packets started here; -1: not a source
    bool sees_results = false;
    std::uint64_t reduced = 0;             // packets combined from reduce_from
    std::vector<RingQueue<Packet*>> held;  // per entry of reduce_from
    std::vector<std::uint64_t> arrived;    // per entry of reduce_from
  };

  tlm::tlm_sync_enum receive(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  void prepare(int tree, const TreeRank& part);
  void finish_alone(int tree);
  void on_partial(int tree, Packet& packet, const PacketExtension& e);
  void combine(int tree);
  void on_result(int tree, std::uint64_t index, const std::uint16_t* lanes);
  bool expect(int tree, const PacketExtension& e, std::uint64_t index, const char* what);
  bool may_start(const TreeState& state) const;
  bool start_packet(int port);
  Packet& make_packet(int tree, bool broadcast, std::uint64_t index, int to_rank, int port);
  void pass_on(Packet& packet, int port);
  void send(Packet& packet, int port);
  void pump();

  int ports_;
  CollectiveJob* job_ = nullptr;
  int rank_ = 0;
  std::vector<TreeState> trees_;
  std::vector<std::vector<int>> sources_;    // per port: trees whose new packets leave by it
  std::vector<std::size_t> next_source_;     // per port: round robin
  std::vector<RingQueue<Packet*>> forward_;  // per port: to pass on
  std::uint32_t dirty_ = 0;                  // ports where something may be sendable
  std::uint32_t blocked_ = 0;                // ports with an open request
  std::uint32_t source_ports_ = 0;           // ports with sources
  std::uint32_t multicast_ports_ = 0;        // ports with sources that send to several ports
  PacketPool pool_;
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// The network interface of an endpoint (NPU or I/O controller): between TLM-2.0 packets and flits.
//
// Shapes: P ports (one per link), four virtual channels each; `lanes` lanes per flit.
// Sending: the endpoint's module binds to `tx`. Each (port, VC) has a small queue. At most one flit
// leaves per port and cycle, from the VC of highest priority (NicShape::vc_order) among the VCs
// with a flit and a credit. VCs interleave flit by flit, and a flit needs one credit only.
// Exception: between head and tail of a packet in a FRED switch phase its VC goes first, so that
// only lack of credits interrupts the packet (reason: rtl/phased/phased_output_unit.sv). A packet
// accepted before an edge can leave at that edge; a credit that arrives at an edge can be spent at
// it; the pacing of the link is obeyed.
//   receive buffer and its credit returned at the same edge. A complete packet goes to the endpoint
//   through `rx`. Until the endpoint ends that request, later flits of the same (port, VC) stay in
//   the buffer and keep their credits.
// Users of b_transport (SC_THREADs) and of nb_transport may be mixed. Both sockets may stay
//   unbound: the endpoint then sends nothing, and a packet that arrives is an error.
// A packet that cannot be sent is refused at once (nic/detail/packet_check.h); refusal() gives the
//   reason.
// Errors: RunFailed when the endpoint answers a delivery with an error, for a flit beyond the
//   receive buffer, a packet without head, with a stray flit or too long, or an arrival at an
//   endpoint without module.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "base/port_mask.h"
#include "nic/endpoint_core.h"
#include "nic/nic_shape.h"
#include "nic/packet_extension.h"
#include "nic/packet_pool.h"
#include "nic/ring_queue.h"

namespace fredsim {

class Nic final : public sc_core::sc_module, public EndpointCore {
 public:
  tlm_utils::simple_target_socket_optional<Nic, 32, PacketProtocol> tx{"tx"};
  tlm_utils::simple_initiator_socket_optional<Nic, 32, PacketProtocol> rx{"rx"};

  Nic(sc_core::sc_module_name name, const NicShape& shape);

  const NicShape& shape() const { return shape_; }

  // Drops every packet, sent and received; modules that hold received ones must drop them as well.
  void reset() override;
  void set_credits(int port, int vc, int flits) override;
  void step(SwitchPins& pins) override;
  // All of them: with a flit to send the NIC is awake.
  bool takes_credit(std::uint32_t port, std::uint32_t vc) override {
    ++sending_[vc * static_cast<std::uint32_t>(shape_.ports) + port].credits;
    credited_[vc] |= 1U << port;
    return true;
  }
  bool idle() const override { return (on_any_vc(queued_) | on_any_vc(backlog_)) == 0; }
  bool empty() const override;
  bool add_state(StateDigest& digest) const override;
  void describe_waiting(const std::vector<std::string>& peers,
                        std::vector<std::string>& lines) const override;

 private:
  // Send data of a packet, gathered while the packet is still in the cache.
  struct Queued {
    Packet* packet = nullptr;
    std::array<std::uint32_t, kHeaderWords> header{};  // header of the first flit
    int flits = 0;
    const std::uint16_t* lanes = nullptr;
    bool* left = nullptr;  // set when the last flit has left: a b_transport waits for it
  };
  // Layout: all data that a flit needs is adjacent, for all ports of a VC, since on a loaded wafer
  // the switches evict it from the caches before the next cycle.
  struct Sending {                                     // the head-of-line packet of a send queue
    std::array<std::uint32_t, kHeaderWords> header{};  // header of its next flit
    int flits_left = 0;
    const std::uint16_t* lanes = nullptr;  // lanes of its next flit
    int credits = 0;                       // credits of the (port, VC), packet or not
  };
  struct SendQueue {
    RingQueue<Queued> packets;
    Queued request;  // BEGIN_REQ without END_REQ yet; no packet: none
  };
  struct Reassembly {
    PooledPacket* packet = nullptr;  // null: none
    std::uint16_t* lanes = nullptr;
    std::uint32_t tag = 0;
    int flits = 0;  // received so far
    std::uint16_t source = 0;
  };
  struct ReceiveQueue {
    std::vector<Reassembly> others;     // packets that began while `current` was open
    std::vector<std::uint32_t> buffer;  // ring of receive_flits flits, made when first needed
    int first = 0;
    int buffered = 0;
    Packet* delivering = nullptr;  // BEGIN_REQ sent, END_REQ not seen
    bool can_drain() const { return buffered > 0 && delivering == nullptr; }
  };

  tlm::tlm_sync_enum tx_transport(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void tx_blocking(Packet& packet, sc_core::sc_time& delay);
  tlm::tlm_sync_enum rx_answer(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  // The packet's extension, or null and an error response when it cannot be sent.
  const PacketExtension* check(Packet& packet) const;
  void refuse(Packet& packet, tlm::tlm_response_status status, const std::string& text) const;
  void note_error(Packet& packet);  // the endpoint has ended a delivery
  int at(int port, int vc) const { return vc * shape_.ports + port; }
  Queued queued(Packet& packet, const PacketExtension& e, bool* left) const;
  void enqueue(int port, int vc, const Queued& entry);
  void begin_packet(int port, int vc);
  // `inline`: once per flit, all in nic.cpp.
  inline void launch(int port, int vc, SwitchPins& pins);
  void finish_packet(int port, int vc);
  inline void take_in(int port, const std::uint32_t* flit, SwitchPins& pins);
  void buffer(int port, int vc, const std::uint32_t* flit);
  inline void consume(int port, int vc, const std::uint32_t* flit);
  inline static bool continues(const Reassembly& open, const std::uint32_t* flit);
  void complete(int port, const std::uint32_t* last, Reassembly& open);
  Reassembly& reassembly(int port, const std::uint32_t* flit);
  void deliver(int port, const FlitHeader& tail, const Reassembly& whole);
  void drain(int port, SwitchPins& pins);
  void update_backlog(int port, int vc);
  [[noreturn]] void fail(int port, int vc, const std::string& what) const;

  NicShape shape_;
  int words_;
  // Queues by at(port, VC), masks by VC with a bit per port.
  std::vector<Sending> sending_;
  std::vector<SendQueue> send_;
  std::vector<Reassembly> current_;
  std::vector<ReceiveQueue> receive_;
  std::array<std::uint32_t, kNumVcs> queued_{};    // has a flit to send
  std::array<std::uint32_t, kNumVcs> credited_{};  // has a credit
  std::array<std::uint32_t, kNumVcs> inside_{};    // is between head and tail of a phase's packet
  std::array<std::uint32_t, kNumVcs> held_up_{};   // has an arrival that has to wait in the buffer
  std::array<std::uint32_t, kNumVcs> backlog_{};   // has a buffered flit that could be taken out
  PacketPool pool_;
  sc_core::sc_event progress_;  // event for b_transport: room in a queue, or a packet has left
  int blocked_users_ = 0;
  std::string failure_;  // found between two edges, for the next one to throw
};

}  // namespace fredsim

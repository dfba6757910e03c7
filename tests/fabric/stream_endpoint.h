// SPDX-License-Identifier: Apache-2.0
// Endpoint that sends and receives streams of bytes: a plain source and sink in the place of an NPU
// or I/O controller.
//
// send() queues a transfer; transfers run sequentially, cut into packets of at most 4 KiB, as fast
// as the NIC takes them (the link paces it).
// Payload: every lane is a function of (source address, transfer, packet, lane), so that the
//   receiving endpoint verifies it by itself. Packets of one source and transfer must arrive in
//   order.
// Stream ids: the transfer's number modulo kMaxStreams.
// Errors: failure() keeps the first wrong payload or gap; nothing is thrown.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <map>
#include <string>
#include <systemc>
#include <utility>

#include "nic/packet_extension.h"
#include "nic/packet_pool.h"
#include "nic/ring_queue.h"

namespace fredsim {

class StreamEndpoint final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<StreamEndpoint, 32, PacketProtocol> tx{"tx"};
  tlm_utils::simple_target_socket<StreamEndpoint, 32, PacketProtocol> rx{"rx"};

  // `packet_flits`: of the longest packet it sends.
  StreamEndpoint(sc_core::sc_module_name name, std::uint16_t address, int lanes,
                 int packet_flits = kPacketFlits);

  void send(std::uint64_t bytes, std::uint16_t destination, int port = 0, int vc = kPp);
  void reset();  // forgets transfers and counts; reset the NIC before

  std::uint64_t sent_bytes() const {
    return sent_bytes_;
  }  // bytes of transfers whose last flit
     // has left
  std::uint64_t received_flits() const { return received_flits_; }
  const std::string& failure() const { return failure_; }

 private:
  struct Transfer {
    std::uint64_t bytes = 0;
    std::uint16_t destination = 0;
    std::uint8_t port = 0;
    std::uint8_t vc = kPp;
  };

  tlm::tlm_sync_enum receive(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void pump();
  Packet& next_packet(Transfer& transfer);

  std::uint16_t address_;
  int lanes_;
  int packet_flits_;
  RingQueue<Transfer> transfers_;
  std::uint32_t stream_ = 0;  // stream of the head-of-line transfer
  std::uint32_t index_ = 0;   // its next packet
  bool blocked_ = false;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t received_flits_ = 0;
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t>
      expected_;  // (source, stream) -> index
  std::string failure_;
  PacketPool pool_;
};

}  // namespace fredsim

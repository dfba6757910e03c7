// SPDX-License-Identifier: Apache-2.0
// A packet as a TLM-2.0 transaction between an endpoint and its NIC.
//
// Generic payload: command TLM_WRITE; streaming width at least the data length; no byte enables.
//   Address: destination of a delivered packet (ignored when sending). Data: flits × lanes FP16 or
//   BF16 values of 16 bits, flit-major (lane l of flit f at f * lanes + l); data length: their
//   bytes. A flit stands for 512 bytes whatever the number of lanes carried, so the size of the
//   packet is `bytes` of the extension, not the data length.
// The extension is mandatory, so these sockets use PacketProtocol and bind only to each other.
//
// Phases of PacketProtocol, both directions (endpoint -> NIC to send, NIC -> endpoint to deliver):
//   BEGIN_REQ   initiator passes a packet.
//   END_REQ     target took it (sending: into the queue of its port and VC). As the return value
//               (TLM_UPDATED) or later on the backward path.
//   BEGIN_RESP  target is done with it (sending: its last flit has left on the link); the initiator
//               answers TLM_COMPLETED, or sends END_RESP.
//   A target may also answer TLM_COMPLETED at once (a delivery consumed on the spot).
//   One request may be open (BEGIN_REQ without END_REQ) per port and VC, not per socket: a full
//   queue blocks its own port and VC only. b_transport returns when BEGIN_RESP would be sent.
//   Timing annotations are zero: calls are made at the clock edge they belong to.
// Errors: a packet that cannot be sent comes back at once (TLM_COMPLETED), and refusal() has the
//   reason:
//   TLM_COMMAND_ERROR_RESPONSE       another command
//   TLM_BYTE_ENABLE_ERROR_RESPONSE   byte enables
//   TLM_ADDRESS_ERROR_RESPONSE       a unicast to an address without endpoint in the machine
//   TLM_BURST_ERROR_RESPONSE         a data length other than flits × lanes × 2, or a shorter
//                                    streaming width
//   TLM_GENERIC_ERROR_RESPONSE       no extension, or port, VC, phase, flits, bytes or stream out
//                                    of range, no data; a call that the sockets do not allow:
//                                    another phase, a second request while one is open,
//                                    b_transport outside an SC_THREAD
//   An endpoint that answers a delivery with an error fails the run.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <systemc>
#include <tlm>

#include "base/flit.h"

namespace fredsim {

// Trace tag of the flits of a packet, 32 bits: its stream (collective tree and direction, or any
// number that the endpoints agree on); a bit that is set if its last flit is short of payload; and
// its index in the stream, modulo 2^11, by which receivers detect loss and reordering.
inline constexpr int kIndexBits = 11;
inline constexpr std::uint32_t kIndexMask = (1U << kIndexBits) - 1;
inline constexpr std::uint32_t kShortBit = 1U << kIndexBits;
inline constexpr int kStreamShift = kIndexBits + 1;
inline constexpr std::uint32_t kMaxStreams = 1U << (32 - kStreamShift);

constexpr std::uint32_t packet_tag(std::uint32_t stream, std::uint64_t index, bool is_short) {
  return stream << kStreamShift | (is_short ? kShortBit : 0) |
         (static_cast<std::uint32_t>(index) & kIndexMask);
}

struct PacketProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

struct PacketExtension : tlm::tlm_extension<PacketExtension> {
  std::uint16_t source = 0;       // address of the sending endpoint; in-switch sums: of one sending
                                  // endpoint
  std::uint16_t destination = 0;  // address; in-switch packets: ignored
  std::uint32_t stream = 0;       // stream, < kMaxStreams
  std::uint32_t index = 0;        // packet of the stream, modulo 2^11
  std::uint8_t phase = kPhaseOnline;
  std::uint8_t vc = kDp;
  std::uint8_t port = 0;  // NIC port to send by, or received on
  std::uint8_t seq = 0;   // modulo 64
  int flits = 0;
  // Payload that the packet stands for: more than (flits - 1) × 512. 0, and every received packet:
  // flits × 512.
  std::uint64_t bytes = 0;
  std::string refusal{};  // reason, if a NIC has refused the packet

  tlm::tlm_extension_base* clone() const override { return new PacketExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const PacketExtension&>(other);
  }
};

using Packet = tlm::tlm_generic_payload;

inline constexpr std::string_view kNoExtension =
    "packet: found no PacketExtension; allowed: a packet with one (nic/packet_extension.h)";

// Reason for which a packet came back with an error: NIC, value found, allowed values. Empty for
// any other packet.
std::string refusal(const Packet& packet);

inline PacketExtension& extension(Packet& packet) {
  return *packet.get_extension<PacketExtension>();
}
// One lane per flit is the normal case on a whole wafer, and not worth a library call.
inline void copy_lanes(void* to, const void* from, int lanes) {
  if (lanes == 1) {
    std::memcpy(to, from, 2);
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(lanes) * 2);
  }
}
inline std::uint16_t* lanes_of(Packet& packet) {
  return reinterpret_cast<std::uint16_t*>(packet.get_data_ptr());
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Memory manager of packets: transactions with extension and data, recycled, so that a running
// simulation allocates nothing. One pool per module; packets return to it when their last
// reference is released, so the pool must outlive its users (they are modules of one machine).
#pragma once

#include <memory>
#include <vector>

#include "nic/packet_extension.h"

namespace fredsim {

// A packet with its extension beside it, found without a look-up.
struct PooledPacket : Packet {
  explicit PooledPacket(tlm::tlm_mm_interface* pool) : Packet(pool) { set_extension(&extension); }
  ~PooledPacket() override { clear_extension(&extension); }  // else it would delete the extension
  PacketExtension extension;
};

class PacketPool final : public tlm::tlm_mm_interface {
 public:
  explicit PacketPool(int lanes) : lanes_(lanes) {}

  // Allocates a packet with one reference, its extension set, and `flits` <= kPacketFlits flits.
  // Its other fields and its data are left over from an earlier packet: fill in all of them.
  PooledPacket& allocate(int flits);
  void free(Packet* packet) override { free_.push_back(static_cast<PooledPacket*>(packet)); }

  // Takes all packets back, even referenced ones: after a run that was given up.
  void reclaim();

  // Packets ever made: the high-water mark.
  std::size_t allocated() const { return packets_.size(); }

 private:
  static constexpr std::size_t kChunkPackets = 64;

  int lanes_;
  std::vector<std::unique_ptr<PooledPacket>> packets_;
  std::vector<std::vector<std::uint16_t>> chunks_;  // data of kChunkPackets packets each
  std::vector<PooledPacket*> free_;
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "nic/packet_pool.h"

namespace fredsim {

PooledPacket& PacketPool::allocate(int flits) {
  sc_assert(flits >= 1 && flits <= kPacketFlits);
  if (free_.empty()) {
    const auto lanes = static_cast<std::size_t>(kPacketFlits * lanes_);
    const std::size_t place = packets_.size() % kChunkPackets;
    if (place == 0) chunks_.emplace_back(kChunkPackets * lanes);
    PooledPacket& made = *packets_.emplace_back(std::make_unique<PooledPacket>(this));
    made.set_command(tlm::TLM_WRITE_COMMAND);
    made.set_data_ptr(reinterpret_cast<unsigned char*>(&chunks_.back()[place * lanes]));
    free_.reserve(packets_.capacity());
    free_.push_back(&made);
  }
  PooledPacket& packet = *free_.back();
  free_.pop_back();
  const auto bytes = static_cast<unsigned>(flits * lanes_ * 2);
  packet.acquire();
  packet.set_data_length(bytes);
  packet.set_streaming_width(bytes);
  packet.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  packet.extension.flits = flits;
  return packet;
}

void PacketPool::reclaim() {
  for (const auto& packet : packets_) {
    while (packet->get_ref_count() > 0) packet->release();
  }
}

}  // namespace fredsim

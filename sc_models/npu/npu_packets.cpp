// SPDX-License-Identifier: Apache-2.0
#include "npu/npu_packets.h"

#include <algorithm>

namespace fredsim {

Packet& NpuPackets::make(const Work& w, int local, bool is_result, std::uint64_t index, int to_rank,
                         int channel) {
  const TreeState& s = w.trees[local];
  PooledPacket& packet =
      make(w, s, w.job->flits(s.tree, index), is_result, index, to_rank, channel);
  packet.extension.phase = s.in_switch && !is_result ? w.job->phase(s.part->phase) : kPhaseOnline;
  packet.extension.bytes = w.job->bytes(s.tree, index);
  return packet;
}

Packet& NpuPackets::make_acknowledgement(const Work& w, int local, bool of_results,
                                         std::uint64_t packets, int to_rank, int channel) {
  PooledPacket& packet = make(w, w.trees[local], 1, of_results, packets, to_rank, channel);
  packet.extension.phase = kPhaseOnline;
  packet.extension.bytes = 0;
  std::fill_n(lanes_of(packet), w.job->lanes(), std::uint16_t{0});
  return packet;
}

PooledPacket& NpuPackets::make(const Work& w, const TreeState& s, int flits, bool is_result,
                               std::uint64_t index, int to_rank, int channel) {
  const int part = s.part_number;
  PooledPacket& packet = pool_.allocate(flits);
  PacketExtension& e = packet.extension;
  e.source = w.job->address(part, s.part->rank);
  e.destination = w.job->address(part, to_rank);
  e.stream = w.job->stream(s.tree, is_result);
  e.index = static_cast<std::uint32_t>(index) & kIndexMask;
  e.vc = static_cast<std::uint8_t>(channel / ports_);
  e.port = static_cast<std::uint8_t>(channel % ports_);
  e.seq = static_cast<std::uint8_t>(index & 63U);
  packet.set_address(e.destination);
  return packet;
}

}  // namespace fredsim

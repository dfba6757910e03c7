#include "endpoint/npu_packets.h"

namespace fredsim {

Packet& NpuPackets::make(const Work& w, int local, bool is_result, std::uint64_t index, int to_rank,
                         int channel) {
  const TreeState& s = w.trees[local];
  const int part = s.part_number;
  PooledPacket& packet = pool_.allocate(w.job->flits(s.tree, index));
  PacketExtension& e = packet.extension;
  e.source = w.job->address(part, s.part->rank);
  e.destination = w.job->address(part, to_rank);
  e.stream = w.job->stream(s.tree, is_result);
  e.index = static_cast<std::uint32_t>(index) & kIndexMask;
  e.phase = s.in_switch ? w.job->phase(s.part->phase) : kPhaseOnline;
  e.vc = static_cast<std::uint8_t>(channel / ports_);
  e.port = static_cast<std::uint8_t>(channel % ports_);
  e.seq = static_cast<std::uint8_t>(index & 63U);
  e.bytes = w.job->bytes(s.tree, index);
  packet.set_address(e.destination);
  return packet;
}

}  // namespace fredsim

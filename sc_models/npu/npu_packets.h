// SPDX-License-Identifier: Apache-2.0
// Makes the packets that an NPU sends, out of its pool.
#pragma once

#include <cstdint>

#include "nic/packet_pool.h"
#include "npu/npu_work.h"

namespace fredsim {

class NpuPackets {
 public:
  NpuPackets(int ports, int lanes) : ports_(ports), pool_(lanes) {}

  // Packet `index` of a tree, its data to be filled in; `is_result`: on its way out, else an operand or partial sum.
  Packet& make(const Work& w, int local, bool is_result, std::uint64_t index, int to_rank,
               int channel);
  // Acknowledges that packets of a tree up to `packets` have reached their receivers: of results,
  // or of sums.
  Packet& make_acknowledgement(const Work& w, int local, bool of_results, std::uint64_t packets,
                               int to_rank, int channel);
  void reclaim() { pool_.reclaim(); }

 private:
  // All but how much it is.
  PooledPacket& make(const Work& w, const TreeState& s, int flits, bool is_result,
                     std::uint64_t index, int to_rank, int channel);

  int ports_;
  PacketPool pool_;
};

}  // namespace fredsim

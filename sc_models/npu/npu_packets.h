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

  // Makes packet `index` of a tree, without its data; `is_result`: a result on its way out, else an
  // operand or partial sum.
  Packet& make(const Work& w, int local, bool is_result, std::uint64_t index, int to_rank,
               int channel);
  // Makes an acknowledgement: packets of a tree up to `packets` have reached their receivers, as
  // results or as sums.
  Packet& make_acknowledgement(const Work& w, int local, bool of_results, std::uint64_t packets,
                               int to_rank, int channel);
  void reclaim() { pool_.reclaim(); }

 private:
  // Fills in all but the index and the bytes.
  PooledPacket& make(const Work& w, const TreeState& s, int flits, bool is_result,
                     std::uint64_t index, int to_rank, int channel);

  int ports_;
  PacketPool pool_;
};

}  // namespace fredsim

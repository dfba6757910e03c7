// SPDX-License-Identifier: Apache-2.0
// Receiving side of an NPU: holds partial sums until all have come, adds them in the prescribed
// order, accepts results, and passes packets to be forwarded to the scheduler.
//
// Time: additions and HBM take no time.
// Memory: bounded by the windows of the plan's sources, not by the collective's size.
// Errors: packets must come in order, and from the ranks that the plan has, and results are
//   verified bit for bit; otherwise CollectiveJob::fail.
#pragma once

#include <cstdint>

#include "npu/npu_acknowledgements.h"
#include "npu/npu_observer.h"
#include "npu/npu_packets.h"
#include "npu/npu_scheduler.h"
#include "npu/npu_work.h"

namespace fredsim {

class NpuReducer {
 public:
  NpuReducer(NpuPackets& packets, NpuScheduler& scheduler, NpuAcknowledgements& acknowledgements)
      : packets_(packets), scheduler_(scheduler), acknowledgements_(acknowledgements) {}

  void observe(NpuObserver& observer, int number) {
    observer_ = &observer;
    number_ = number;
  }

  void receive(Work& w, int local, Packet& packet);
  // Release of a part: handles the packets that came before, and all that depends on no other rank.
  void release(Work& w, int local);
  // Adds held partial sums, one from each sending rank, to `acc`.
  void add_held(Work& w, int local, std::uint64_t index, std::uint16_t* acc, bool started);
  // Called when the NPU has the result of packet `index`.
  void on_result(Work& w, int local, std::uint64_t index, Packet& packet);

 private:
  static bool expect(const Work& w, int local, const PacketExtension& e, std::uint64_t index,
                     const char* what);
  void on_partial(Work& w, int local, Packet& packet, const PacketExtension& e);
  void accept(Work& w, int local, std::uint64_t index, Packet& packet);
  void hold_operand(Work& w, int local, Packet& packet);
  void combine_held(Work& w, int local);
  void combine(Work& w, int local);
  void finish_alone(Work& w, int local);
  void pass_on(Work& w, int local, bool is_result, Packet& packet, const Send& to);

  NpuPackets& packets_;
  NpuScheduler& scheduler_;
  NpuAcknowledgements& acknowledgements_;
  NpuObserver* observer_ = nullptr;
  int number_ = 0;  // number at the observer
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Acknowledgements of an NPU (plan/acknowledgements.h): handles received ones, and sends its own.
//
// Use: advance() when it has another result of a tree, receive() for packets on the control VC.
// Errors: an acknowledgement that the plan does not have, or out of order: CollectiveJob::fail.
#pragma once

#include <cstdint>

#include "npu/npu_packets.h"
#include "npu/npu_scheduler.h"
#include "npu/npu_work.h"

namespace fredsim {

class NpuAcknowledgements {
 public:
  NpuAcknowledgements(NpuPackets& packets, NpuScheduler& scheduler)
      : packets_(packets), scheduler_(scheduler) {}

  void advance(Work& w, int local);
  void receive(Work& w, int local, const PacketExtension& e);

 private:
  void announce(Work& w, int local, bool of_results, std::uint64_t reached);

  NpuPackets& packets_;
  NpuScheduler& scheduler_;
};

}  // namespace fredsim

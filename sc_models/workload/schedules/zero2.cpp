// SPDX-License-Identifier: Apache-2.0
// ZeRO-2: each replica has a share of the gradients and of the optimizer's state. Reduce-scatters,
// the update of a share, all-gathers of the parameters.
#include <algorithm>

#include "workload/model_shape.h"
#include "workload/schedule.h"

namespace fredsim {
namespace {

class Zero2 final : public Schedule {
 public:
  std::string_view name() const override { return "zero2"; }
  std::string_view why_not_every() const override {
    return "whose replicas have shares of the parameters";
  }

  Reduction reduction() const override {
    return {Collective::kReduceScatter, "gradients' reduce-scatter"};
  }

  void finish(StageGradients& stage) const override {
    const std::vector<SentBuffer> sent = stage.take_sent();
    if (!sent.empty()) stage.wait_for_sent();
    stage.update_all(stage.replicas());
    if (sent.empty()) return;
    for (const SentBuffer& one : sent) {
      GradientBuffer buffer = one.what;
      buffer.bytes = stage.weight_bytes(buffer.bytes);
      stage.send(buffer, Collective::kAllGather, "parameters' all-gather");
    }
    stage.take_sent();
    stage.wait_for_sent();
  }

  // Memory of a replica: its share and, with overlap, the buffer in flight; without overlap, all
  // gradients.
  Memory memory(const Held& held) const override {
    const auto replicas = static_cast<std::uint64_t>(held.replicas);
    const std::uint64_t share = (held.parameters + replicas - 1) / replicas;
    Memory memory = Schedule::memory(held);
    if (held.overlaps)
      memory.gradients = std::min(memory.gradients, share * kGradientBytes + held.buffer);
    memory.updated = share;
    return memory;
  }

  int collectives() const override { return 2; }
};

}  // namespace

const Schedule& zero2_schedule() {
  static const Zero2 kSchedule;
  return kSchedule;
}

}  // namespace fredsim

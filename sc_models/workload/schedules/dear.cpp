// SPDX-License-Identifier: Apache-2.0
// DeAR: reduce-scatters and, in the order of the layers, all-gathers of gradients, for which the
// next forward pass of a layer waits.
#include <algorithm>
#include <ranges>
#include <utility>

#include "workload/schedule.h"

namespace fredsim {
namespace {

class Dear final : public Schedule {
 public:
  std::string_view name() const override { return "dear"; }
  Reduction reduction() const override {
    return {Collective::kReduceScatter, "gradients' reduce-scatter"};
  }
  bool feeds_layers() const override { return true; }

  void finish(StageGradients& stage) const override {
    const std::vector<SentBuffer> sent = stage.take_sent();
    if (sent.empty()) return stage.update_all(1);
    for (const SentBuffer& buffer : sent | std::views::reverse)
      stage.send(buffer.what, Collective::kAllGather, "gradients' all-gather");
    std::vector<SentBuffer> gathered = stage.take_sent();
    std::ranges::reverse(gathered);
    stage.feed(std::move(gathered));
  }

  int collectives() const override { return 2; }
};

}  // namespace

const Schedule& dear_schedule() {
  static const Dear kSchedule;
  return kSchedule;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// An all-reduce per layer.
#include "workload/schedule.h"

namespace fredsim {
namespace {

class Layer final : public Schedule {
 public:
  std::string_view name() const override { return "layer"; }
  std::uint64_t buffer_bytes(std::uint64_t /*asked*/) const override { return 0; }
  bool takes_experts() const override { return true; }
};

}  // namespace

const Schedule& layer_schedule() {
  static const Layer kSchedule;
  return kSchedule;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Buffers of equal size (PyTorch DDP), an all-reduce each.
#include "workload/schedule.h"

namespace fredsim {
namespace {

class Bucket final : public Schedule {
 public:
  std::string_view name() const override { return "bucket"; }
  bool takes_experts() const override { return true; }
};

}  // namespace

const Schedule& bucket_schedule() {
  static const Bucket kSchedule;
  return kSchedule;
}

}  // namespace fredsim

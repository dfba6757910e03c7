// SPDX-License-Identifier: Apache-2.0
#include "workload/schedule.h"

#include <algorithm>

#include "workload/model_shape.h"

namespace fredsim {

void Schedule::finish(StageGradients& stage) const {
  if (!stage.take_sent().empty()) stage.wait_for_sent();
  stage.update_all(1);
}

Schedule::Memory Schedule::memory(const Held& held) const {
  return {.gradients = held.parameters * kGradientBytes, .updated = held.parameters};
}

std::uint64_t Schedule::buffers(std::uint64_t bytes, std::uint64_t asked,
                                std::uint64_t layers) const {
  const std::uint64_t of_buffer = buffer_bytes(asked);
  return of_buffer == 0 ? layers : (bytes + of_buffer - 1) / of_buffer;
}

const Schedule* find_schedule(std::string_view name) {
  const auto found = std::ranges::find(schedules(), name, &Schedule::name);
  return found == schedules().end() ? nullptr : *found;
}

std::vector<std::string_view> schedules_of_experts() {
  std::vector<std::string_view> names;
  for (const Schedule* const one : schedules())
    if (one->takes_experts()) names.push_back(one->name());
  return names;
}

}  // namespace fredsim

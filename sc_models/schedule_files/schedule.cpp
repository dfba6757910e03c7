// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/schedule.h"

#include <fmt/format.h>

#include <string_view>

#include "base/suggest.h"

namespace fredsim {

bool has_blocks(Collective collective) {
  switch (collective) {
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kAllToAll:
    case Collective::kAllToAllV:
      return true;
    default:
      return false;
  }
}

std::string chunk_name(const CollectiveSchedule& schedule, const ScheduleFlow& flow) {
  std::string text = flow.end == flow.begin + 1
                         ? fmt::format("chunk {} of {}", flow.begin, flow.of)
                         : fmt::format("chunks {} to {} of {}", flow.begin, flow.end - 1, flow.of);
  if (schedule.collective == Collective::kAllToAll)
    return text + fmt::format(" of rank {} for rank {}", flow.source, flow.block);
  if (has_blocks(schedule.collective)) text += fmt::format(" of block {}", flow.block);
  return text;
}

bool may_be_scheduled(Collective collective) { return collective != Collective::kAllToAllV; }

std::string allowed_for_schedules() {
  std::vector<std::string_view> names;
  for (const std::string_view name : collective_names())
    if (may_be_scheduled(parse_collective(std::string(name)))) names.push_back(name);
  return join_words(names);
}

}  // namespace fredsim

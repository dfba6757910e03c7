// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/group_members.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/member.h"
#include "plan/parallelism.h"
#include "runner/option_values.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

bool has(const std::vector<int>& group, int member) {
  return std::ranges::find(group, member) != group.end();
}

}  // namespace

std::optional<std::vector<int>> parse_members(std::string_view text) {
  if (text == "all") return {{kAllNpus}};
  if (text == "io:all") return {{kAllIo}};
  if (text == "io:each") return {{kEachIo}};
  const bool is_io = text.starts_with("io");
  const std::optional<NumberRange> range = to_range(is_io ? text.substr(2) : text);
  const int max = is_io ? kMaxIoControllers : kMaxWorkers;
  if (!range || range->last - range->first >= max || (is_io && range->last >= max)) return {};
  std::vector<int> members;
  for (int k = 0; k <= range->last - range->first; ++k)
    members.push_back(is_io ? io_member(range->first + k) : range->first + k);
  return members;
}

std::vector<std::vector<int>> groups_on(const Topology& topology, const std::vector<int>& group,
                                        const std::vector<int>& npus, bool placed_workers) {
  if (group.empty()) return {npus};
  const std::vector<int> left = io_controllers_left(topology);
  const int controllers = static_cast<int>(left.size());
  const bool each = has(group, kEachIo);
  if (controllers == 0 && (each || has(group, kAllIo))) {
    throw BadInput(fmt::format("group: found {}, {} has no I/O controllers",
                               each ? "io:each" : "io:all", topology.name));
  }
  std::vector<std::vector<int>> groups;
  for (int k = 0; k < (each ? controllers : 1); ++k) {
    std::vector<int>& members = groups.emplace_back();
    for (const int member : group) {
      if (member == kAllNpus) {
        members.insert(members.end(), npus.begin(), npus.end());
      } else if (member == kAllIo) {
        for (const int io : left) members.push_back(io_member(io));
      } else if (member == kEachIo) {
        members.push_back(io_member(left[k]));
      } else if (placed_workers && !is_io_member(member)) {
        members.push_back(placed({member}, npus).front());
      } else {
        members.push_back(member);
      }
    }
  }
  return groups;
}

bool has_all_npus(const std::vector<int>& group) { return group.empty() || has(group, kAllNpus); }

bool names_all_controllers(const std::vector<int>& group) {
  return has(group, kAllIo) || has(group, kEachIo);
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// `fredsim trace diff`: differences between two traces.
#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "cli/trace_action.h"
#include "workload_files/trace_info.h"

namespace fredsim {
namespace {

void check_two(const TraceOptions& request) {
  if (request.files.size() != 2)
    throw BadInput(
        fmt::format("FILE: found {} files; allowed: 2, with diff", request.files.size()));
}

void diff(const TraceOptions& request) {
  const TraceDifferences found =
      trace_differences(read_trace_nodes(request.files[0]), read_trace_nodes(request.files[1]));
  for (const std::string& line : found.first) fmt::print("{}\n", line);
  if (found.count > found.first.size()) fmt::print("… {} more\n", found.count - found.first.size());
  if (found.count > 0) throw RunFailed(fmt::format("the traces differ in {} places", found.count));
  fmt::print("0 differences\n");
}

}  // namespace

TraceAction trace_diff_action() {
  return {.name = "diff", .options = {}, .check = check_two, .run = diff};
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/timeline_output.h"

#include <fmt/format.h>

#include <cstdio>

#include "results/version.h"
#include "runner/program_name.h"

namespace fredsim {

void write_timeline(const OutputFile& file, const Timeline& timeline, std::string_view shares,
                    std::string_view hint) {
  file.write(is_perfetto_file(file.path()) ? timeline.perfetto(version())
                                           : timeline.json(version()));
  if (timeline.left_out().empty()) return;
  fmt::print(stderr, "{}: --timeline: a file holds {} events at most{}; left out: {} ({})\n",
             program_name(), Timeline::kMaxEvents, shares, timeline.left_out_text(), hint);
}

}  // namespace fredsim

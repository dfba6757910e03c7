// SPDX-License-Identifier: Apache-2.0
#include "runner/trace_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "runner/interrupt.h"
#include "workload_files/rank_manifest.h"

namespace fredsim {

std::string trace_file(const std::string& prefix, std::size_t rank) {
  return fmt::format("{}.{}.et", prefix, rank);
}

std::string groups_file(const std::string& prefix) { return prefix + ".groups.json"; }

TraceOutput::TraceOutput(const std::string& prefix, std::size_t ranks, const std::string& option,
                         bool has_manifest) {
  const std::string beyond = trace_file(prefix, ranks);
  std::error_code error;
  if (std::filesystem::exists(beyond, error)) {
    throw BadInput(
        fmt::format("{}: found '{}', of a rank that the workload does not have: {} ranks; allowed: "
                    "a prefix of which there is no such file",
                    option, beyond, ranks));
  }
  const std::string manifest = manifest_file(prefix);
  if (!has_manifest && std::filesystem::exists(manifest, error)) {
    throw BadInput(
        fmt::format("{}: found '{}', which says what ranks run other traces of that prefix; "
                    "allowed: a prefix of which there is no such file",
                    option, manifest));
  }
  for (std::size_t r = 0; r < ranks; ++r)
    files_.emplace_back(trace_file(prefix, r), option, &interrupt_flag());
  files_.emplace_back(groups_file(prefix), option, &interrupt_flag());
  if (has_manifest) files_.emplace_back(manifest, option, &interrupt_flag());
}

void TraceOutput::write(const TraceTexts& texts) const {
  std::vector<std::string_view> all(texts.ranks.begin(), texts.ranks.end());
  all.emplace_back(texts.groups);
  if (!texts.manifest.empty()) all.emplace_back(texts.manifest);
  OutputFile::write_together(files_, all);
}

}  // namespace fredsim

#include "trace_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace fredsim {

std::string trace_file(const std::string& prefix, std::size_t rank) {
  return fmt::format("{}.{}.et", prefix, rank);
}

std::string groups_file(const std::string& prefix) { return prefix + ".groups.json"; }

TraceOutput::TraceOutput(std::string prefix, std::size_t ranks) {
  constexpr const char* kOption = "--export-et";
  const std::string beyond = trace_file(prefix, ranks);
  if (std::filesystem::exists(beyond)) {
    throw BadInput(
        fmt::format("{}: found '{}', of a rank that the workload does not have: {} ranks; allowed: "
                    "a prefix of which there is no such file",
                    kOption, beyond, ranks));
  }
  for (std::size_t r = 0; r < ranks; ++r) paths_.push_back(trace_file(prefix, r));
  paths_.push_back(groups_file(prefix));
  for (const std::string& path : paths_) files_.emplace_back(path, kOption);
}

void TraceOutput::write(const TraceTexts& texts) const {
  std::size_t written = 0;
  try {
    for (; written < files_.size(); ++written)
      files_[written].write(written < texts.ranks.size() ? texts.ranks[written] : texts.groups);
  } catch (const Error&) {
    for (std::size_t k = 0; k < written; ++k) {
      std::error_code ignored;
      std::filesystem::remove(paths_[k], ignored);
    }
    throw;
  }
}

}  // namespace fredsim

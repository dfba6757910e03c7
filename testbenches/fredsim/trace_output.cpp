#include "trace_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "observe/output_file.h"

namespace fredsim {

std::string trace_file(const std::string& prefix, std::size_t rank) {
  return fmt::format("{}.{}.et", prefix, rank);
}

std::string groups_file(const std::string& prefix) { return prefix + ".groups.json"; }

void write_traces(const std::string& prefix, const TraceTexts& texts) {
  constexpr const char* kOption = "--export-et";
  const std::string beyond = trace_file(prefix, texts.ranks.size());
  if (std::filesystem::exists(beyond)) {
    throw BadInput(
        fmt::format("{}: found '{}', of a rank that the workload does not have: {} ranks; allowed: "
                    "a prefix of which there is no such file",
                    kOption, beyond, texts.ranks.size()));
  }
  std::vector<std::string> paths;
  for (std::size_t r = 0; r < texts.ranks.size(); ++r) paths.push_back(trace_file(prefix, r));
  paths.push_back(groups_file(prefix));
  std::vector<OutputFile> files;
  for (const std::string& path : paths) files.emplace_back(path, kOption);
  std::size_t written = 0;
  try {
    for (; written < files.size(); ++written)
      files[written].write(written < texts.ranks.size() ? texts.ranks[written] : texts.groups);
  } catch (const Error&) {
    for (std::size_t k = 0; k < written; ++k) {
      std::error_code ignored;
      std::filesystem::remove(paths[k], ignored);
    }
    throw;
  }
}

}  // namespace fredsim

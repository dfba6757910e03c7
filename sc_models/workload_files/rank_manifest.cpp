// SPDX-License-Identifier: Apache-2.0
#include "workload_files/rank_manifest.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"
#include "base/file_text.h"

namespace fredsim {

std::string manifest_file(const std::string& prefix) { return prefix + ".ranks.json"; }

std::string manifest_text(const RankManifest& manifest) {
  return nlohmann::ordered_json{{"traces", manifest.traces}, {"ranks", manifest.ranks}}.dump() +
         "\n";
}

std::optional<std::vector<std::string>> manifest_paths(const std::string& prefix) {
  using Manifest = nlohmann::json;
  constexpr std::size_t kMostRanks = 1 << 16;
  const std::string path = manifest_file(prefix);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const std::optional<std::string> text = file_text(path);
  if (!text) throw BadInput(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  const Manifest all = Manifest::parse(*text, nullptr, false);
  const auto fail = [&](const char* key, const std::string& found, const std::string& allowed) {
    throw BadInput(fmt::format("{}: {}: found {:.40}; allowed: {}", path, key, found, allowed));
  };
  if (!all.is_object())
    throw BadInput(
        fmt::format("{}: found no JSON object; allowed: {{\"traces\": [\"FILE\", …], "
                    "\"ranks\": [0, …]}}",
                    path));
  const Manifest traces = all.value("traces", Manifest());
  const Manifest ranks = all.value("ranks", Manifest());
  if (!traces.is_array() || traces.empty()) fail("traces", traces.dump(), "names of files");
  if (!ranks.is_array() || ranks.empty() || ranks.size() > kMostRanks)
    fail("ranks", ranks.is_array() ? fmt::format("{} ranks", ranks.size()) : ranks.dump(),
         fmt::format("1 to {} ranks", kMostRanks));
  std::vector<std::string> files, paths;
  for (const Manifest& trace : traces) {
    if (!trace.is_string() || trace.get_ref<const std::string&>().empty() ||
        trace.get_ref<const std::string&>().find('/') != std::string::npos)
      fail("traces", trace.dump(), "the name of a file in the same folder");
    files.push_back(
        (std::filesystem::path(path).parent_path() / trace.get<std::string>()).string());
  }
  for (const Manifest& place : ranks) {
    if (!place.is_number_unsigned() || place.get<std::uint64_t>() >= files.size())
      fail("ranks", place.dump(), fmt::format("0 to {}, places in traces", files.size() - 1));
    paths.push_back(files[place.get<std::size_t>()]);
  }
  return paths;
}

}  // namespace fredsim

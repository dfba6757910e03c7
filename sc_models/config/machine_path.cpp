// SPDX-License-Identifier: Apache-2.0
#include "config/machine_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/suggest.h"
#include "switch/on_demand/rtl_locations.h"

namespace fredsim {
namespace {

constexpr std::string_view kEnding = ".yaml";
constexpr std::string_view kSystems = "systems";  // in the folder, those of several dimensions

bool is_file(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

}  // namespace

std::filesystem::path machine_folder() {
  std::error_code failed;
  return machine_folder(std::filesystem::read_symlink("/proc/self/exe", failed));
}

std::filesystem::path machine_folder(const std::filesystem::path& program) {
  const std::filesystem::path root = rtl_locations_or_none(program).root;
  return root.empty() ? root : root / "configs";
}

std::vector<std::string> machine_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const std::filesystem::path& one : {folder, folder / kSystems}) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(one, failed))
      if (entry.path().extension() == kEnding) names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string machine_path(const std::string& word, const std::filesystem::path& folder) {
  if (word.empty() || word.find('/') != std::string::npos || is_file(word)) return word;
  const bool has_ending = std::filesystem::path(word).has_extension();
  const std::string file = has_ending ? word : word + std::string(kEnding);
  for (const std::filesystem::path& named : {folder / file, folder / kSystems / file})
    if (!folder.empty() && is_file(named)) return named.string();
  if (has_ending) return word;
  const std::vector<std::string> names = machine_names(folder);
  if (names.empty())
    throw BadInput(
        fmt::format("found '{}', which is no file, and no machines{}; allowed: a machine file",
                    word, folder.empty() ? "" : fmt::format(" in '{}'", folder.string())));
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw BadInput(fmt::format(
      "found '{}', which is no file, and no machine in '{}'; allowed: a machine file, or {}{}",
      word, folder.string(), join_words(views), did_you_mean(word, views)));
}

std::string machine_path(const std::string& word) { return machine_path(word, machine_folder()); }

}  // namespace fredsim

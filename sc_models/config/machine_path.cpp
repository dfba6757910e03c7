// SPDX-License-Identifier: Apache-2.0
#include "config/machine_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/suggest.h"
#include "switch/on_demand/rtl_locations.h"

namespace fredsim {
namespace {

constexpr std::string_view kEnding = ".yaml";
constexpr std::string_view kSystems = "systems";  // subfolder of machines with several dimensions

struct WorkloadFolder {
  std::string_view name;
  std::string_view ending;
};
constexpr std::array kWorkloadFolders = {WorkloadFolder{"models", ".yaml"},
                                         WorkloadFolder{"workloads", ".txt"}};

bool is_file(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

void add_names(const std::filesystem::path& folder, std::string_view ending,
               std::vector<std::string>& names) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ending) names.push_back(entry.path().stem().string());
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
  for (const std::filesystem::path& one : {folder, folder / kSystems})
    add_names(one, kEnding, names);
  std::ranges::sort(names);
  return names;
}

std::string machine_path(const std::string& word, const std::filesystem::path& folder) {
  if (word.empty() || is_file(word)) return word;
  const std::filesystem::path path(word);
  const bool is_name = word.find('/') == std::string::npos;
  const std::string file = path.has_extension() ? word : word + std::string(kEnding);
  if (is_name) {
    for (const std::filesystem::path& named : {folder / file, folder / kSystems / file})
      if (!folder.empty() && is_file(named)) return named.string();
  }
  const std::vector<std::string> names = machine_names(folder);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string stem = path.stem().string();
  if (!is_name || path.has_extension()) {
    const std::string_view near = same_word(stem, views);
    if (near.empty()) return word;
    throw BadInput(fmt::format("machine: found '{}', which is no file; did you mean '{}'?",
                               shown(word), near));
  }
  if (names.empty())
    throw BadInput(
        fmt::format("machine: found '{}', which is no file, and no machines{}; allowed: a file",
                    shown(word), folder.empty() ? "" : fmt::format(" in '{}'", folder.string())));
  throw BadInput(fmt::format("machine: found '{}', which is no file and no machine; {}",
                             shown(word),
                             advice(word, views, {.more = "fredsim info --machines"})));
}

std::string machine_path(const std::string& word) { return machine_path(word, machine_folder()); }

std::string workload_path(const std::string& word, const std::filesystem::path& folder) {
  if (is_file(word)) return word;
  if (folder.empty() || word.empty() || word.find('/') != std::string::npos) return {};
  for (const auto& [name, ending] : kWorkloadFolders) {
    for (const std::string& file : {word, word + std::string(ending)})
      if (const std::filesystem::path path = folder / name / file;
          path.extension() == ending && is_file(path))
        return path.string();
  }
  return {};
}

std::string workload_path(const std::string& word) { return workload_path(word, machine_folder()); }

std::vector<std::string> workload_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& [name, ending] : kWorkloadFolders) add_names(folder / name, ending, names);
  std::ranges::sort(names);
  return names;
}

}  // namespace fredsim

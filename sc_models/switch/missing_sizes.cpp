// SPDX-License-Identifier: Apache-2.0
#include "switch/missing_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/shell.h"
#include "switch/on_demand/loaded_library.h"
#include "switch/on_demand/rtl_cache.h"
#include "switch/on_demand/rtl_size.h"
#include "switch/rtl_switch.h"
#include "switch/switch_kind.h"
#include "switch/switch_registry.h"

namespace fredsim {
namespace {

// "fred P=4 top path/files.f" -> "top path/files.f"; empty for a built-in switch. The kind and its
// parameters, with or without their names, precede the top.
std::string own_part(const std::string& entry) {
  std::size_t at = entry.find_first_not_of(' ');
  for (bool is_kind = true; at != std::string::npos; is_kind = false) {
    const std::size_t end = std::min(entry.find(' ', at), entry.size());
    const std::string word = entry.substr(at, end - at);
    const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
    if (!is_kind && !is_number && word.find('=') == std::string::npos) return entry.substr(at);
    at = entry.find_first_not_of(' ', end);
  }
  return "";
}

// An entry with its file list, in the form of the size list.
std::string with_files(const SwitchBuild& build, const std::string& entry) {
  const std::string top = own_part(entry);
  if (top.empty()) return entry;
  for (const auto* list : {&build.extra, &build.listed}) {
    for (const std::string& other : *list) {
      const std::string own = own_part(other);
      if (own.starts_with(top + " ")) return entry + own.substr(top.size());
    }
  }
  return entry + " FILES.f";
}

bool is_same(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code failed;
  return std::filesystem::equivalent(a, b, failed) && !failed;
}

// Advice on missing sizes, and the title of the list of available ones.
std::string how_to_add(std::span<const std::string> missing, const std::string& program) {
  const std::string_view them = missing.size() == 1 ? "it" : "them";
  if (const std::string_view file = added_switches_file(); !file.empty()) {
    return fmt::format("Add {} to the SIZES in '{}' and build again.\nSizes built:", them, file);
  }
  if (switch_build().source.empty())
    return "Allowed: --rtl-build auto, which builds sizes, or those that are built:";
  std::error_code failed;
  const std::string line =
      build_line(switch_build(), missing, std::filesystem::current_path(failed), program);
  return fmt::format(
      "Add {} and build again{}:\n  {}\nSizes built (sc_models/switch/sizes.cmake):", them,
      line.find("FILES.f") == std::string::npos ? "" : ", with its file list for FILES.f", line);
}

}  // namespace

std::string build_line(const SwitchBuild& build, std::span<const std::string> entries,
                       const std::filesystem::path& folder, const std::string& program) {
  std::vector<std::string> all = build.extra;
  for (const std::string& entry : entries) all.push_back(with_files(build, entry));
  std::string source = "-S " + shell_quoted(build.source.string()) + " ";
  std::string target = build.build.string();
  if (is_same(folder, build.source)) {
    source = "";
    const std::string inside = build.build.lexically_relative(build.source).string();
    if (!inside.starts_with("..")) target = inside;
  }
  target = shell_quoted(target);
  return fmt::format("cmake {}-B {} {} && cmake --build {} --target {}", source, target,
                     shell_quoted(fmt::format("-DFREDSIM_EXTRA_SWITCHES={}", fmt::join(all, ";"))),
                     target, program);
}

namespace {

struct MissingSizes {
  std::vector<RtlSize> built_on_demand;
  // Entries of other sizes, with their users.
  std::vector<std::string> entries;
  std::string lines;
};

MissingSizes missing_of(std::span<const NeededSwitch> needed, bool on_demand) {
  const std::vector<std::string> built = built_switch_sizes();
  std::set<std::string> seen(built.begin(), built.end());
  MissingSizes missing;
  for (const NeededSwitch& one : needed) {
    const std::string entry = size_entry(one.shape);
    if (!seen.insert(entry).second) continue;
    std::optional<RtlSize> size;
    if (on_demand) size = rtl_size(one.shape, rtl_toolchain(), rtl_locations());
    if (size) {
      missing.built_on_demand.push_back(std::move(*size));
    } else {
      missing.lines += fmt::format("  {}  ({})\n", entry, one.who);
      missing.entries.push_back(entry);
    }
  }
  return missing;
}

}  // namespace

void require_built(std::span<const NeededSwitch> needed, const RtlBuildOptions& options,
                   const std::string& program) {
  const MissingSizes missing = missing_of(needed, options.build == RtlBuild::kAuto);
  if (!missing.entries.empty()) {
    std::vector<std::string> built = built_switch_sizes();
    if (built.empty()) built.emplace_back("none");
    throw BadInput(
        fmt::format("no RTL of {} is built:\n{}{}\n  {}",
                    missing.entries.size() == 1 ? "this switch size" : "these switch sizes",
                    missing.lines, how_to_add(missing.entries, program), fmt::join(built, "\n  ")));
  }
  if (missing.built_on_demand.empty()) return;
  for (const std::filesystem::path& library : build_libraries(
           missing.built_on_demand, rtl_toolchain(), rtl_locations(), cache_folder(), options))
    add_loaded_switch(load_switch(library));
}

}  // namespace fredsim

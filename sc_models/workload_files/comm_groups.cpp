// SPDX-License-Identifier: Apache-2.0
#include "workload_files/comm_groups.h"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/file_text.h"

namespace fredsim {
namespace {

using Json = nlohmann::json;

std::vector<int> ranks_of(const std::string& place, const Json& list, int ranks) {
  if (!list.is_array() || list.empty()) {
    throw BadInput(
        fmt::format("{}: found {}; allowed: a list of ranks, [0, 1]", place, list.dump()));
  }
  std::vector<int> group;
  std::vector<bool> there(static_cast<std::size_t>(ranks));
  for (const Json& rank : list) {
    if (!rank.is_number_unsigned() ||
        rank.get<std::uint64_t>() >= static_cast<std::uint64_t>(ranks)) {
      throw BadInput(
          fmt::format("{}: found {}; allowed: a rank, 0 to {}", place, rank.dump(), ranks - 1));
    }
    group.push_back(rank.get<int>());
    if (there[group.back()]) {
      throw BadInput(fmt::format("{}: rank {} comes twice", place, group.back()));
    }
    there[group.back()] = true;
  }
  return group;
}

}  // namespace

CommGroups read_comm_groups(const std::string& path, int ranks) {
  const std::optional<std::string> text = file_text(path);
  if (!text) {
    throw BadInput(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  }
  Json all;
  try {
    all = Json::parse(*text);
  } catch (const Json::parse_error& error) {
    throw BadInput(fmt::format("{}: not JSON, at byte {}", path, error.byte));
  } catch (const Json::out_of_range&) {
    throw BadInput(fmt::format("{}: found a number that is too large; allowed: ranks", path));
  }
  if (!all.is_object()) {
    throw BadInput(fmt::format(
        "{}: found no object; allowed: {{\"NAME\": [rank, …], …}}, groups by name", path));
  }
  CommGroups groups;
  for (const auto& [name, list] : all.items()) {
    groups[name] = ranks_of(fmt::format("{}: group {}", path, name), list, ranks);
  }
  return groups;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "workload_files/detail/process_groups.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace fredsim {
namespace {

using Json = nlohmann::json;
constexpr std::uint64_t kMostRanks = 1U << 20;

std::vector<int> ranks_in(const Json& list) {
  std::vector<int> ranks;
  if (!list.is_array()) return ranks;
  for (const Json& rank : list)
    if (rank.is_number_unsigned())
      ranks.push_back(static_cast<int>(std::min(rank.get<std::uint64_t>(), kMostRanks)));
  return ranks;
}

// The list of groups in a node's values, which Chakra's converter writes as Python's list of a
// text: ['[{"pg_name": "0", …}]'].
Json listed(const std::string& values) {
  const std::size_t begin = values.find("[{"), end = values.rfind("}]");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return nullptr;
  Json list = Json::parse(values.substr(begin, end + 2 - begin), nullptr, false);
  if (list.is_array()) return list;
  const Json texts = Json::parse(values, nullptr, false);  // ["[{\"pg_name\": …}]"]
  if (!texts.is_array() || texts.empty() || !texts[0].is_string()) return nullptr;
  return Json::parse(texts[0].get_ref<const std::string&>(), nullptr, false);
}

// Ranks of an attribute: a list of numbers, or "[0, 1]".
Json ranks_of_attribute(const pb::ChakraAttribute& attribute) {
  using Attribute = pb::ChakraAttribute;
  const auto all = [](const auto& list) {
    Json ranks = Json::array();
    for (const auto rank : list.values())
      ranks.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(rank, 0)));
    return ranks;
  };
  switch (attribute.value_case()) {
    case Attribute::kInt32List:
      return all(attribute.int32_list());
    case Attribute::kInt64List:
      return all(attribute.int64_list());
    case Attribute::kUint32List:
      return all(attribute.uint32_list());
    case Attribute::kUint64List:
      return all(attribute.uint64_list());
    case Attribute::kStringVal:
      return Json::parse(attribute.string_val(), nullptr, false);
    default:
      return Json::array();
  }
}

void add_group(const Json& group, CommGroups& into) {
  if (!group.is_object()) return;
  const auto name = group.find("pg_name");
  if (name == group.end() || !(name->is_string() || name->is_number_unsigned())) return;
  std::vector<int> ranks = ranks_in(group.value("ranks", Json::array()));
  const auto size = group.find("group_size");
  if (ranks.empty() && size != group.end() && size->is_number_unsigned()) {
    ranks.resize(std::min(size->get<std::uint64_t>(), kMostRanks));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  if (!ranks.empty())
    into[name->is_string() ? name->get<std::string>() : name->dump()] = std::move(ranks);
}

}  // namespace

bool is_process_groups(const pb::ChakraNode& node) {
  return node.type() == pb::METADATA_NODE &&
         node.name().find("process_group:init") != std::string::npos;
}

void read_process_groups(const pb::ChakraNode& node, CommGroups& into) {
  const Json groups = listed(node.inputs().values());
  if (groups.is_array())
    for (const Json& group : groups) add_group(group, into);
  Json own = Json::object();
  for (const pb::ChakraAttribute& attribute : node.attr()) {
    if (attribute.name() == "pg_name") own["pg_name"] = attribute.string_val();
    if (attribute.name() == "ranks") own["ranks"] = ranks_of_attribute(attribute);
  }
  add_group(own, into);
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "experts/router_file.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <numeric>

#include "base/error.h"
#include "base/suggest.h"
#include "experts/shares_section.h"

namespace fredsim {
namespace {

constexpr auto kRouterKeys = std::to_array<std::string_view>({"rows", "shares", "tokens"});
constexpr auto kRowWords =
    std::to_array<std::string_view>({"all", "layers", "ranks"});  // RouterRows
constexpr double kMaxTokens = 1e15;

double number_of(const ConfigNode& node, double max) {
  double value = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (node.kind == ConfigNode::Kind::kValue && error == std::errc() && stop == end && value >= 0 &&
      value <= max)
    return value;
  throw BadInput(fmt::format("{}: found '{}'; allowed: a number from 0 to {:g}", node.where,
                             shown(node.text), max));
}

RouterRows rows_of(const ConfigNode& node) {
  for (std::size_t i = 0; i < kRowWords.size(); ++i)
    if (node.kind == ConfigNode::Kind::kValue && node.text == kRowWords[i])
      return static_cast<RouterRows>(i);
  throw BadInput(fmt::format("{}: rows: found '{}'; allowed: {}", node.where, shown(node.text),
                             join_words(kRowWords)));
}

}  // namespace

RouterShares read_router_file(const std::string& path) {
  const ConfigNode root = read_config_file(path);
  check_keys(root, "a router's file", kRouterKeys);
  const ConfigNode* const shares = root.find("shares");
  const ConfigNode* const tokens = root.find("tokens");
  if ((shares == nullptr) == (tokens == nullptr))
    throw BadInput(fmt::format("{}: found {}; allowed: one of shares and tokens", path,
                               shares == nullptr ? "no shares" : "shares and tokens"));
  RouterShares found{.path = path};
  if (const ConfigNode* const rows = root.find("rows")) found.by = rows_of(*rows);
  const ConfigNode& list =
      list_of(shares != nullptr ? *shares : *tokens, "a list of rows, each a list of numbers");
  for (const ConfigEntry& entry : list.entries) {
    std::vector<double>& row = found.rows.emplace_back();
    for (const ConfigEntry& value :
         list_of(entry.node, "a list of numbers, one for each expert").entries)
      row.push_back(number_of(value.node, shares != nullptr ? 1 : kMaxTokens));
    found.places.push_back(fmt::format("{}: row {}", entry.node.where, entry.key));
    if (shares != nullptr) continue;
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(sum > 0))
      throw BadInput(fmt::format("{}: found no tokens; allowed: some", found.places.back()));
    for (double& value : row) value /= sum;
  }
  if (found.by == RouterRows::kAll && found.rows.size() > 1)
    throw BadInput(fmt::format("{}: found {} rows; allowed: one, or rows: layers, or rows: ranks",
                               path, found.rows.size()));
  return found;
}

}  // namespace fredsim

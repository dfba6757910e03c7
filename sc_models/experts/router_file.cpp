// SPDX-License-Identifier: Apache-2.0
#include "experts/router_file.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <numeric>

#include "base/error.h"
#include "base/key_reader.h"

namespace fredsim {
namespace {

constexpr double kMaxTokens = 1e15;
constexpr std::string_view kRows = "list of rows, each a list of numbers";

constexpr auto kRouterKeys = std::to_array<FileKey>({
    {.path = "rows",
     .meaning = "meaning of the rows: one row for all layers and ranks; a row per layer with "
                "experts; or a row per rank, for its tokens",
     .holds = Holds::kWord,
     .default_value = "all",
     .words = "all layers ranks",  // words of RouterRows
     .aliases = "by"},
    {.path = "shares",
     .meaning = "share of the tokens that each expert gets; the shares of a row add up to 1",
     .holds = Holds::kOther,
     .aliases = "probabilities weights",
     .instead = "tokens",
     .form = kRows,
     .schema = R"({"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1,
                   "items": {"type": "number", "minimum": 0, "maximum": 1}}})"},
    {.path = "tokens",
     .meaning = "number of tokens that each expert got; replaces shares: values are divided by the "
                "sum of their row",
     .holds = Holds::kOther,
     .is_optional = true,
     .aliases = "counts loads",
     .form = kRows,
     .schema = R"({"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1,
                   "items": {"type": "number", "minimum": 0, "maximum": 1e15}}})"},
});

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

}  // namespace

const FileKeys& router_file_keys() {
  static constexpr FileKeys kFile{.name = "router",
                                  .title = "files of routers",
                                  .given = "`fredsim train --router FILE`",
                                  .source = "sc_models/experts/router_file.cpp",
                                  .keys = kRouterKeys,
                                  .what = "a router's file"};
  return kFile;
}

RouterShares read_router_file(const std::string& path) {
  const ConfigNode root = read_config_file(path);
  const KeyReader file(root, router_file_keys());
  const bool has_shares = file.has("shares");
  if (has_shares == file.has("tokens"))
    throw BadInput(fmt::format("{}: found {}; allowed: one of shares and tokens", path,
                               has_shares ? "shares and tokens" : "no shares"));
  RouterShares found{.path = path};
  if (file.has("rows"))
    found.by = static_cast<RouterRows>(
        index_of(file.node("rows").text, file.label("rows"), words_in(kRouterKeys[0].words)));
  const ConfigNode& rows = file.node(has_shares ? "shares" : "tokens");
  for (const ConfigEntry& entry : filled_list(rows, rows.where, kRows).entries) {
    std::vector<double>& row = found.rows.emplace_back();
    for (const ConfigEntry& value :
         filled_list(entry.node, entry.node.where, "list of numbers, one for each expert").entries)
      row.push_back(number_of(value.node, has_shares ? 1 : kMaxTokens));
    found.places.push_back(fmt::format("{}: row {}", entry.node.where, entry.key));
    if (has_shares) continue;
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

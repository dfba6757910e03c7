// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "synthesis/trace_model.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "fredsim_trace_model";

Json json_of(const DrawnValues& drawn) {
  Json list = Json::array();
  for (std::size_t n = 0; n < drawn.values.size(); ++n) {
    list.push_back(drawn.values[n]);
    list.push_back(drawn.weights[n]);
  }
  return list;
}

// Role, lane: on the CPU, communication, stream; lanes and distances of dependencies.
Json json_of(const TokenPart& part) {
  Json list{part.role, part.lane.on_cpu ? 1 : 0, part.lane.is_communication ? 1 : 0,
            part.lane.stream};
  for (const LaneDistance& one : part.after) {
    list.push_back(one.lane);
    list.push_back(one.distance);
  }
  return list;
}

Json json_of(const TraceToken& token) {
  Json json;
  json["type"] = static_cast<int>(token.type);
  if (token.type == TraceNodeType::kCollective) {
    json["collective"] = static_cast<int>(token.collective);
    json["family"] = token.family;
  }
  if (token.priority != 0) json["priority"] = token.priority;
  if (token.root != TraceNode::kNobody) json["root"] = token.root;
  if (token.offset != 0) json["offset"] = token.offset;
  json["parts"] = Json::array();
  for (const TokenPart& part : token.parts) json["parts"].push_back(json_of(part));
  if (!token.durations.values.empty()) json["durations_ps"] = json_of(token.durations);
  if (!token.sizes.values.empty()) json["sizes"] = json_of(token.sizes);
  if (!token.operations.values.empty()) json["operations"] = json_of(token.operations);
  return json;
}

// Contexts and counts of what comes next, by turns.
Json json_of(const ContextCounts& contexts) {
  Json list = Json::array();
  for (const auto& [before, counts] : contexts) {
    list.push_back(before);
    Json next = Json::array();
    for (const auto& [symbol, count] : counts) {
      next.push_back(symbol);
      next.push_back(count);
    }
    list.push_back(std::move(next));
  }
  return list;
}

// A value of the file with its place: "model.json: tokens[3].root".
class Place {
 public:
  Place(const Json& json, std::string name) : json_(json), name_(std::move(name)) {}

  [[noreturn]] void refuse(const std::string& allowed) const {
    constexpr std::size_t kShown = 40;
    std::string found = json_.dump();
    if (found.size() > kShown) found = found.substr(0, kShown) + "…";
    throw BadInput(fmt::format("{}: found {}; allowed: {}", name_, found, allowed));
  }
  bool has(const char* key) const { return json_.contains(key); }
  Place at(const char* key) const {
    static const Json kNone;
    const auto found = json_.is_object() ? json_.find(key) : json_.end();
    const std::string name = fmt::format("{}{}{}", name_, name_.ends_with(' ') ? "" : ".", key);
    if (!json_.is_object() || found == json_.end()) return {kNone, name};
    return {*found, name};
  }
  std::vector<Place> list(std::size_t multiple = 1) const {
    if (!json_.is_array() || json_.size() % multiple != 0)
      refuse(multiple == 1 ? "a list" : fmt::format("a list of {} values each", multiple));
    std::vector<Place> places;
    for (std::size_t n = 0; n < json_.size(); ++n)
      places.push_back({json_[n], fmt::format("{}[{}]", name_, n)});
    return places;
  }
  std::int64_t number(std::int64_t least, std::int64_t most) const {
    if (json_.is_number_integer())
      if (const auto value = json_.get<std::int64_t>(); value >= least && value <= most)
        return value;
    refuse(fmt::format("{} to {}", least, most));
  }
  int small(std::int64_t least, std::int64_t most) const {
    return static_cast<int>(number(least, most));
  }
  std::uint64_t count(std::int64_t least = 0) const {
    return static_cast<std::uint64_t>(number(least, std::int64_t{1} << 53));
  }

 private:
  const Json& json_;
  std::string name_;
};

DrawnValues drawn_of(const Place& place) {
  DrawnValues drawn;
  const std::vector<Place> list = place.list(2);
  for (std::size_t n = 0; n + 1 < list.size(); n += 2) {
    drawn.values.push_back(list[n].count());
    drawn.weights.push_back(list[n + 1].number(1, std::int64_t{1} << 40));
  }
  return drawn;
}

constexpr int kMostRanks = 1 << 20, kMostStreams = 1 << 20;

TokenPart part_of(const Place& place, int roles) {
  constexpr std::size_t kFixed = 4;
  const std::vector<Place> list = place.list(2);
  if (list.size() < kFixed) place.refuse("role, two flags, stream, then dependencies");
  TokenPart part;
  part.role = list[0].small(0, roles - 1);
  part.lane.on_cpu = list[1].number(0, 1) != 0;
  part.lane.is_communication = list[2].number(0, 1) != 0;
  part.lane.stream = list[3].small(-1, kMostStreams);
  for (std::size_t n = kFixed; n < list.size(); n += 2)
    part.after.push_back({list[n].small(0, 4 * (kMostStreams + 1) + 3),
                          list[n + 1].small(1, std::numeric_limits<int>::max())});
  return part;
}

TraceToken token_of(const Place& place, int roles) {
  TraceToken token;
  token.type = static_cast<TraceNodeType>(place.at("type").number(2, 7));
  if (token.type == TraceNodeType::kCollective) {
    token.collective = static_cast<TraceCollective>(place.at("collective").number(0, 9));
    token.family = place.at("family").small(0, kMostRanks);
  }
  if (place.has("priority")) token.priority = place.at("priority").number(0, 2);
  if (place.has("root") || token.type == TraceNodeType::kSend ||
      token.type == TraceNodeType::kReceive)
    token.root = place.at("root").small(0, roles - 1);
  if (place.has("offset")) token.offset = place.at("offset").small(-kMostRanks, kMostRanks);
  for (const Place& part : place.at("parts").list()) token.parts.push_back(part_of(part, roles));
  if (place.has("durations_ps")) token.durations = drawn_of(place.at("durations_ps"));
  if (place.has("sizes")) token.sizes = drawn_of(place.at("sizes"));
  if (place.has("operations")) token.operations = drawn_of(place.at("operations"));
  return token;
}

TraceLayout layout_of(const Place& place) {
  TraceLayout layout;
  for (const Place& role : place.at("roles").list())
    layout.role_of.push_back(role.small(0, kMostRanks));
  if (layout.role_of.empty()) place.at("roles").refuse("a role per rank");
  for (const Place& one : place.at("families").list()) {
    GroupFamily family;
    for (const Place& group : one.at("groups").list())
      family.group_of.push_back(group.small(-1, kMostRanks));
    if (family.group_of.size() != layout.role_of.size())
      one.at("groups").refuse("a group per rank");
    family.grows = one.at("grows").number(0, 1) != 0;
    layout.families.push_back(std::move(family));
  }
  return layout;
}

ContextCounts contexts_of(const Place& place, int symbols) {
  ContextCounts contexts;
  const std::vector<Place> list = place.list(2);
  for (std::size_t n = 0; n + 1 < list.size(); n += 2) {
    std::vector<int> before;
    for (const Place& symbol : list[n].list())
      before.push_back(symbol.small(kSequenceStart, symbols - 1));
    SymbolCounts& counts = contexts[before];
    const std::vector<Place> next = list[n + 1].list(2);
    for (std::size_t m = 0; m + 1 < next.size(); m += 2)
      counts[next[m].small(kSequenceEnd, symbols - 1)] =
          next[m + 1].number(1, std::int64_t{1} << 40);
    if (counts.empty()) list[n + 1].refuse("counts of symbols");
  }
  if (!contexts.contains({})) place.refuse("the empty context among others");
  return contexts;
}

// Tokens of a scope name roles and families that its layout has.
void check_scopes(const TraceModel& model, const std::string& path) {
  const std::size_t layouts = model.layouts.size();
  const auto tokens = static_cast<int>(model.tokens.size());
  for (std::size_t l = 0; l < layouts; ++l) {
    const int roles = model.layouts[l].roles();
    std::vector<bool> seen(model.scopes.size(), false);
    std::vector<std::size_t> open{l};
    while (!open.empty()) {
      const std::size_t scope = open.back();
      open.pop_back();
      if (seen[scope]) continue;
      seen[scope] = true;
      for (const auto& [before, counts] : model.scopes[scope])
        for (const auto& [symbol, count] : counts) {
          if (symbol < 0) continue;
          if (symbol >= tokens) {
            const int block = model.repeats[static_cast<std::size_t>(symbol - tokens)].block;
            if (scope >= layouts && static_cast<std::size_t>(block) >= scope - layouts)
              throw BadInput(
                  fmt::format("{}: scopes[{}]: found repeated block {}; allowed: blocks before it",
                              path, scope, block));
            open.push_back(layouts + static_cast<std::size_t>(block));
            continue;
          }
          const TraceToken& token = model.tokens[static_cast<std::size_t>(symbol)];
          const bool has_roles =
              token.root < roles &&
              token.family < static_cast<int>(model.layouts[l].families.size()) &&
              std::ranges::all_of(token.parts,
                                  [&](const TokenPart& part) { return part.role < roles; });
          if (!has_roles)
            throw BadInput(fmt::format(
                "{}: scopes[{}]: found token {}, whose roles or groups layouts[{}] does not have; "
                "allowed: tokens of the layout",
                path, scope, symbol, l));
        }
    }
  }
}

}  // namespace

std::string model_text(const TraceModel& model) {
  Json json;
  json[kVersionKey] = TraceModel::kVersion;
  json["order"] = model.order;
  json["sources"] = model.sources;
  json["layouts"] = Json::array();
  for (std::size_t l = 0; l < model.layouts.size(); ++l) {
    Json families = Json::array();
    for (const GroupFamily& family : model.layouts[l].families)
      families.push_back({{"groups", family.group_of}, {"grows", family.grows ? 1 : 0}});
    json["layouts"].push_back({{"weight", model.weights[l]},
                               {"roles", model.layouts[l].role_of},
                               {"families", std::move(families)}});
  }
  json["tokens"] = Json::array();
  for (const TraceToken& token : model.tokens) json["tokens"].push_back(json_of(token));
  json["repeats"] = Json::array();
  for (const TraceRepeat& repeat : model.repeats)
    json["repeats"].push_back({repeat.block, repeat.count});
  json["scopes"] = Json::array();
  for (const ContextCounts& contexts : model.scopes) json["scopes"].push_back(json_of(contexts));
  return json.dump() + "\n";
}

TraceModel read_model(const std::string& path) {
  constexpr std::size_t kMostText = std::size_t{1} << 26;
  const std::string text = text_of_option(path, "MODEL", kMostText);
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    throw BadInput(fmt::format("{}: found no JSON object; allowed: a model of trace learn", path));
  const Place all(json, path + ": ");
  if (!all.has(kVersionKey) || json[kVersionKey] != TraceModel::kVersion)
    all.at(kVersionKey)
        .refuse(
            fmt::format("{}, the version of models that this program reads", TraceModel::kVersion));
  TraceModel model;
  model.order = all.at("order").small(1, TraceModel::kMaxOrder);
  model.sources = all.at("sources").count();
  for (const Place& layout : all.at("layouts").list()) {
    model.layouts.push_back(layout_of(layout));
    model.weights.push_back(layout.at("weight").number(1, std::int64_t{1} << 40));
  }
  if (model.layouts.empty()) all.at("layouts").refuse("a layout or more");
  int roles = 0;
  for (const TraceLayout& layout : model.layouts) roles = std::max(roles, layout.roles());
  for (const Place& token : all.at("tokens").list()) model.tokens.push_back(token_of(token, roles));
  const std::vector<Place> scopes = all.at("scopes").list();
  const auto blocks =
      static_cast<std::int64_t>(scopes.size()) - static_cast<std::int64_t>(model.layouts.size());
  if (blocks < 0) all.at("scopes").refuse("a scope per layout, then those of blocks");
  for (const Place& repeat : all.at("repeats").list()) {
    const std::vector<Place> pair = repeat.list(2);
    if (pair.size() != 2) repeat.refuse("block and count");
    model.repeats.push_back({pair[0].small(0, blocks - 1), pair[1].small(1, 1 << 24)});
  }
  const auto symbols = static_cast<int>(model.tokens.size() + model.repeats.size());
  for (const Place& scope : scopes) model.scopes.push_back(contexts_of(scope, symbols));
  check_scopes(model, path);
  return model;
}

}  // namespace fredsim

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
#include "synthesis/detail/joint_shape.h"
#include "synthesis/trace_model.h"
#include "workload/task_graph.h"

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

// Role, share; lane: on the CPU, stream; lanes and distances of dependencies.
Json json_of(const TokenPart& part) {
  Json list = Json::array({part.role, part.share, part.lane.on_cpu ? 1 : 0, part.lane.stream});
  for (const LaneDistance& one : part.after) {
    list.push_back(one.lane);
    list.push_back(one.distance);
  }
  return list;
}

Json json_of(const PlannedCollective& planned) {
  return {{"family", planned.family},       {"collective", to_string(planned.collective)},
          {"algorithm", planned.algorithm}, {"share", planned.share},
          {"priority", planned.priority},   {"root", planned.root}};
}

Json json_of(const std::vector<PlannedCollective>& all) {
  Json list = Json::array();
  for (const PlannedCollective& one : all) list.push_back(json_of(one));
  return list;
}

Json json_of(const JointShape& shape) {
  return {{"collective", to_string(shape.collective)},
          {"algorithm", shape.algorithm},
          {"before", json_of(shape.before)},
          {"beside", json_of(shape.beside)}};
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
  if (token.shape != TraceNode::kNobody) json["shape"] = token.shape;
  if (token.times != 1) json["times"] = token.times;
  if (token.category != TraceNode::kNobody) json["category"] = token.category;
  json["parts"] = Json::array();
  for (const TokenPart& part : token.parts) json["parts"].push_back(json_of(part));
  if (!token.durations.values.empty()) json["durations_ps"] = json_of(token.durations);
  if (!token.sizes.values.empty()) json["sizes"] = json_of(token.sizes);
  if (!token.operations.values.empty()) json["operations"] = json_of(token.operations);
  return json;
}

Json json_of(const SymbolCounts& counts) {
  Json list = Json::array();
  for (const auto& [symbol, count] : counts) {
    list.push_back(symbol);
    list.push_back(count);
  }
  return list;
}

// Contexts and counts of what comes next, by turns.
Json json_of(const SequenceVariant& variant) {
  Json contexts = Json::array();
  for (const auto& [before, counts] : variant.contexts) {
    contexts.push_back(before);
    contexts.push_back(json_of(counts));
  }
  return {{"weight", variant.weight},
          {"totals", json_of(variant.totals)},
          {"contexts", std::move(contexts)}};
}

Json json_of(const ModelScope& scope) {
  Json list = Json::array();
  for (const SequenceVariant& variant : scope) list.push_back(json_of(variant));
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
  // Refused by `read` if it is no text that it takes.
  template <typename Read>
  auto word(const Read& read) const {
    if (!json_.is_string()) refuse("a text");
    try {
      return read(json_.get<std::string>());
    } catch (const BadInput& refusal) {
      throw BadInput(fmt::format("{}: {}", name_, refusal.what()));
    }
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

std::string algorithm_of(const Place& place) {
  return place.word([](const std::string& word) {
    if (known_algorithm(word) != word)
      throw BadInput(fmt::format("found '{}'; allowed: an algorithm of collectives", word));
    return word;
  });
}

constexpr std::uint64_t kMostTokenBytes = std::uint64_t{1} << 50;
constexpr int kMostRanks = 1 << 20, kMostStreams = 1 << 20;

TokenPart part_of(const Place& place, int roles) {
  constexpr std::size_t kFixed = 4;
  const std::vector<Place> list = place.list();
  if (list.size() < kFixed || (list.size() - kFixed) % 2 != 0)
    place.refuse("role, share, flag, stream, then dependencies of two values each");
  TokenPart part;
  part.role = list[0].small(0, roles - 1);
  part.share = list[1].small(0, 1000);
  part.lane.on_cpu = list[2].number(0, 1) != 0;
  part.lane.stream = list[3].small(-1, kMostStreams);
  for (std::size_t n = kFixed; n < list.size(); n += 2)
    part.after.push_back({list[n].number(0, std::int64_t{1} << 40),
                          list[n + 1].small(1, std::numeric_limits<int>::max())});
  return part;
}

PlannedCollective planned_of(const Place& place, int roles) {
  PlannedCollective planned;
  planned.family = place.at("family").small(0, kMostRanks);
  planned.collective = place.at("collective").word(parse_collective);
  planned.algorithm = algorithm_of(place.at("algorithm"));
  planned.share = place.at("share").small(1, 1'000'000'000);
  planned.priority = place.at("priority").small(0, 2);
  planned.root = place.at("root").small(TraceNode::kNobody, roles - 1);
  return planned;
}

JointShape shape_of(const Place& place, int roles) {
  JointShape shape;
  shape.collective = place.at("collective").word(parse_collective);
  shape.algorithm = algorithm_of(place.at("algorithm"));
  for (const Place& one : place.at("before").list()) shape.before.push_back(planned_of(one, roles));
  for (const Place& one : place.at("beside").list()) shape.beside.push_back(planned_of(one, roles));
  return shape;
}

TraceToken token_of(const Place& place, int roles, std::size_t shapes) {
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
  if (place.has("shape")) {
    if (token.type != TraceNodeType::kCollective)
      place.at("shape").refuse("none, but of collectives");
    token.shape = place.at("shape").small(0, static_cast<std::int64_t>(shapes) - 1);
  }
  if (place.has("times")) token.times = place.at("times").small(1, 1 << 20);
  if (place.has("category"))
    token.category =
        place.at("category").small(0, static_cast<std::int64_t>(kTimeCategories.size()) - 1);
  for (const Place& part : place.at("parts").list()) token.parts.push_back(part_of(part, roles));
  if (place.has("durations_ps")) token.durations = drawn_of(place.at("durations_ps"));
  if (place.has("sizes")) token.sizes = drawn_of(place.at("sizes"));
  const auto times = static_cast<std::uint64_t>(token.times);
  for (const std::uint64_t size : token.sizes.values)
    if (size > kMostTokenBytes / times)
      place.at("sizes").refuse(fmt::format("up to {} bytes each", kMostTokenBytes / times));
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

SymbolCounts counts_of(const Place& place, int least, int symbols) {
  SymbolCounts counts;
  const std::vector<Place> list = place.list(2);
  for (std::size_t n = 0; n + 1 < list.size(); n += 2)
    counts[list[n].small(least, symbols - 1)] = list[n + 1].number(1, std::int64_t{1} << 40);
  if (counts.empty()) place.refuse("counts of symbols");
  return counts;
}

// Symbols and their numbers, by turns.
std::vector<int> context_of(const Place& place, int symbols) {
  std::vector<int> context;
  const std::vector<Place> list = place.list(2);
  for (std::size_t n = 0; n + 1 < list.size(); n += 2) {
    context.push_back(list[n].small(kSequenceStart, symbols - 1));
    context.push_back(list[n + 1].small(0, std::numeric_limits<int>::max()));
  }
  return context;
}

SequenceVariant variant_of(const Place& place, int symbols) {
  SequenceVariant variant;
  variant.weight = static_cast<std::uint64_t>(place.at("weight").number(1, std::int64_t{1} << 40));
  variant.totals = counts_of(place.at("totals"), 0, symbols);
  const std::vector<Place> contexts = place.at("contexts").list(2);
  for (std::size_t n = 0; n + 1 < contexts.size(); n += 2)
    variant.contexts[context_of(contexts[n], symbols)] =
        counts_of(contexts[n + 1], kSequenceEnd, symbols);
  return variant;
}

ModelScope scope_of(const Place& place, int symbols) {
  ModelScope scope;
  for (const Place& one : place.list()) scope.push_back(variant_of(one, symbols));
  if (scope.empty()) place.refuse("a variant or more");
  return scope;
}

// True if the layout has the roles and families that the token names.
bool fits(const TraceModel& model, const TraceToken& token, const TraceLayout& layout) {
  const int roles = layout.roles();
  const auto families = static_cast<int>(layout.families.size());
  const auto has = [&](const PlannedCollective& one) {
    return one.family < families && one.root < roles;
  };
  if (token.shape != TraceNode::kNobody) {
    const JointShape& shape = model.shapes[static_cast<std::size_t>(token.shape)];
    if (!std::ranges::all_of(shape.before, has) || !std::ranges::all_of(shape.beside, has))
      return false;
  }
  return token.root < roles && token.family < families &&
         std::ranges::all_of(token.parts, [&](const TokenPart& part) { return part.role < roles; });
}

// Tokens of a scope name roles and families that its layout has.
void check_scopes(const TraceModel& model, const std::string& path) {
  const std::size_t layouts = model.layouts.size();
  const auto tokens = static_cast<int>(model.tokens.size());
  for (std::size_t l = 0; l < layouts; ++l) {
    std::vector<bool> seen(model.scopes.size(), false);
    std::vector<std::size_t> open{l};
    while (!open.empty()) {
      const std::size_t scope = open.back();
      open.pop_back();
      if (seen[scope]) continue;
      seen[scope] = true;
      for (const SequenceVariant& variant : model.scopes[scope])
        for (const auto& [symbol, count] : variant.totals) {
          if (symbol >= tokens) {
            const int block = model.repeats[static_cast<std::size_t>(symbol - tokens)].block;
            if (scope >= layouts && static_cast<std::size_t>(block) >= scope - layouts)
              throw BadInput(
                  fmt::format("{}: scopes[{}]: found repeated block {}; allowed: blocks before it",
                              path, scope, block));
            open.push_back(layouts + static_cast<std::size_t>(block));
            continue;
          }
          if (!fits(model, model.tokens[static_cast<std::size_t>(symbol)], model.layouts[l]))
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
  json["shapes"] = Json::array();
  for (const JointShape& shape : model.shapes) json["shapes"].push_back(json_of(shape));
  json["tokens"] = Json::array();
  for (const TraceToken& token : model.tokens) json["tokens"].push_back(json_of(token));
  json["repeats"] = Json::array();
  for (const TraceRepeat& repeat : model.repeats)
    json["repeats"].push_back({repeat.block, repeat.count});
  json["scopes"] = Json::array();
  for (const ModelScope& scope : model.scopes) json["scopes"].push_back(json_of(scope));
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
  for (const Place& shape : all.at("shapes").list()) model.shapes.push_back(shape_of(shape, roles));
  for (const Place& token : all.at("tokens").list())
    model.tokens.push_back(token_of(token, roles, model.shapes.size()));
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
  for (const Place& scope : scopes) model.scopes.push_back(scope_of(scope, symbols));
  check_scopes(model, path);
  return model;
}

}  // namespace fredsim

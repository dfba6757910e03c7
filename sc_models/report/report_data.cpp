#include "report/report_data.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace fredsim {
namespace {

using Json = ReportData::Json;

constexpr std::string_view kResults =
    "results of run, compare, train, traffic or conflicts (--json FILE), or of "
    "scripts/microarchitectures.sh";

// A value of a file and the path to it, "runs[3].links": for messages.
class Value {
 public:
  Value(std::string place, const Json& json, bool is_root = false)
      : place_(std::move(place)), json_(json), is_root_(is_root) {}

  const Json& object() const { return checked(json_.is_object(), "an object"); }
  const Json& array() const { return checked(json_.is_array(), "a list"); }
  const Json& text() const { return checked(json_.is_string(), "a text"); }
  const Json& flag() const { return checked(json_.is_boolean(), "true or false"); }
  // 0 or more, as everything here is.
  const Json& number() const {
    return checked(json_.is_number() && json_.get<double>() >= 0, "a number, 0 or more");
  }
  const Json& number_or_null() const { return json_.is_null() ? json_ : number(); }
  const Json& text_or_null() const { return json_.is_null() ? json_ : text(); }
  bool is_text() const { return json_.is_string(); }
  bool is_null() const { return json_.is_null(); }

  bool has(const char* key) const { return object().contains(key); }
  Value at(const char* key) const {
    const auto found = object().find(key);
    if (found == json_.end()) {
      throw BadInput(fmt::format("{}: found no key '{}'; allowed: {}", place_, key, kResults));
    }
    return {fmt::format("{}{}{}", place_, is_root_ ? ": " : ".", key), *found};
  }
  std::vector<Value> items() const {
    std::vector<Value> values;
    for (const Json& item : array()) {
      values.emplace_back(fmt::format("{}[{}]", place_, values.size()), item);
    }
    return values;
  }

  [[noreturn]] void fail(std::string_view allowed) const {
    constexpr std::size_t kLongest = 40;
    std::string found = json_.is_object() ? "an object" : "a list";
    if (json_.is_primitive()) found = json_.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (found.size() > kLongest) found = "a long text";
    throw BadInput(fmt::format("{}: found {}; allowed: {}", place_, found, allowed));
  }

 private:
  const Json& checked(bool good, std::string_view allowed) const {
    if (!good) fail(allowed);
    return json_;
  }

  std::string place_;
  const Json& json_;
  bool is_root_;
};

using Check = const Json& (Value::*)() const;
struct Key {
  const char* name;
  Check check;
};

constexpr Check kText = &Value::text;
constexpr Check kNumber = &Value::number;
constexpr Check kNumberOrNull = &Value::number_or_null;
constexpr Check kTextOrNull = &Value::text_or_null;

constexpr auto kRunKeys = std::to_array<Key>({{"config", kTextOrNull},
                                              {"fabric", kText},
                                              {"model", kText},
                                              {"lanes", kNumber},
                                              {"clock_ghz", kNumber},
                                              {"seed", kNumberOrNull},
                                              {"cycles", kNumber}});
constexpr auto kCollectiveKeys = std::to_array<Key>({{"collective", kText},
                                                     {"algorithm", kText},
                                                     {"size_bytes", kNumberOrNull},
                                                     {"time_ns", kNumber},
                                                     {"algbw_gbps", kNumberOrNull},
                                                     {"busbw_gbps", kNumberOrNull},
                                                     {"payload", kTextOrNull}});
constexpr auto kComparisonKeys = std::to_array<Key>({{"speedup", kNumber},
                                                     {"injected_traffic_reduction", kNumber},
                                                     {"link_traffic_reduction", kNumber}});
constexpr auto kTrafficRunKeys = std::to_array<Key>({{"pattern", kText},
                                                     {"packet_flits", kNumber},
                                                     {"warmup_cycles", kNumber},
                                                     {"window_cycles", kNumber},
                                                     {"rate", kNumber},
                                                     {"offered_rate", kNumber},
                                                     {"accepted_rate", kNumber},
                                                     {"saturated", &Value::flag},
                                                     {"packets", kNumber},
                                                     {"packets_arrived", kNumber},
                                                     {"hops", kNumber}});
constexpr auto kHotspotKeys =
    std::to_array<Key>({{"hotspot_node", kNumber}, {"hotspot_fraction", kNumber}});
constexpr auto kLatencyKeys = std::to_array<Key>({{"mean", kNumberOrNull},
                                                  {"p50", kNumberOrNull},
                                                  {"p95", kNumberOrNull},
                                                  {"p99", kNumberOrNull},
                                                  {"max", kNumberOrNull}});
constexpr auto kPartKeys = std::to_array<Key>({{"collective", kText},
                                               {"algorithm", kText},
                                               {"priority", kText},
                                               {"size_bytes", kNumber},
                                               {"start_cycle", kNumber},
                                               {"cycles", kNumber},
                                               {"time_ns", kNumber},
                                               {"algbw_gbps", kNumber},
                                               {"busbw_gbps", kNumber},
                                               {"bound_ns", kNumber}});
constexpr auto kInjectionKeys = std::to_array<Key>({{"injected_bytes", kNumber},
                                                    {"injected_bytes_per_npu_max", kNumber},
                                                    {"link_bytes", kNumber},
                                                    {"flit_hops", kNumber}});
constexpr auto kSliceKeys = std::to_array<Key>({{"all", kNumber}, {"simulated", kNumber}});
constexpr auto kDerivedKeys =
    std::to_array<Key>({{"bound_ns", kNumberOrNull}, {"time_over_bound", kNumberOrNull}});
constexpr auto kSwitchKeys = std::to_array<Key>({{"model", kText},
                                                 {"flits_in", kNumber},
                                                 {"flits_out", kNumber},
                                                 {"reductions", kNumber},
                                                 {"phase_changes", kNumber}});
constexpr auto kLinkKeys =
    std::to_array<Key>({{"name", kText}, {"from", kText}, {"to", kText}, {"on_die", &Value::flag}});
constexpr auto kNodeKeys = std::to_array<Key>({{"name", kText}, {"kind", kText}});
constexpr auto kGridKeys = std::to_array<Key>({{"x", kNumber}, {"y", kNumber}});
constexpr auto kTreeKeys = std::to_array<Key>(
    {{"level", kNumber}, {"switch", kNumber}, {"slice", kNumber}, {"chiplet", kNumber}});

constexpr auto kConflictKeys = std::to_array<Key>({{"ports", kNumber},
                                                   {"middle", kNumber},
                                                   {"kind", kText},
                                                   {"flows", kNumber},
                                                   {"trials", kNumber},
                                                   {"seed", kNumber},
                                                   {"conflicts", kNumber},
                                                   {"conflict_rate", kNumber}});
constexpr auto kTrainingKeys = std::to_array<Key>({{"config", kText},
                                                   {"fabric", kText},
                                                   {"model", kText},
                                                   {"workload", kText},
                                                   {"strategy", kTextOrNull},
                                                   {"minibatch", kNumberOrNull},
                                                   {"microbatches", kNumberOrNull},
                                                   {"iterations", kNumber},
                                                   {"accounting", kTextOrNull},
                                                   {"gradients", kTextOrNull},
                                                   {"compute_flops_per_s", kNumberOrNull},
                                                   {"cycles", kNumber},
                                                   {"iteration_ns", kNumber},
                                                   {"payload", kText}});
constexpr auto kOptimizerKeys = std::to_array<Key>({{"optimizer", kTextOrNull}});
constexpr auto kInferenceKeys =
    std::to_array<Key>({{"phase", kText}, {"batch", kNumber}, {"context", kNumber}});
constexpr auto kTokenKeys = std::to_array<Key>({{"tokens_per_s", kNumber}});
constexpr auto kSwitchKindKeys = std::to_array<Key>({{"name", kText},
                                                     {"kind", kText},
                                                     {"config", kText},
                                                     {"logic_kge", kNumberOrNull},
                                                     {"area_mm2", kNumberOrNull},
                                                     {"path_fo4", kNumberOrNull},
                                                     {"clock_ghz", kNumberOrNull},
                                                     {"saturation", kNumberOrNull},
                                                     {"conflict_rate", kNumberOrNull}});
// Where conflicts are a matter of how the kind is made, not of a rate.
constexpr auto kSwitchKindConflictKeys = std::to_array<Key>({{"conflicts", kText}});
constexpr auto kKindWorkKeys = std::to_array<Key>({{"work", kText},
                                                   {"algorithm", kText},
                                                   {"time_ns", kNumber},
                                                   {"own_clock_time_ns", kNumberOrNull},
                                                   {"energy_pj_per_byte", kNumberOrNull}});
constexpr auto kIntervalKeys = std::to_array<Key>({{"low", kNumber}, {"high", kNumber}});

template <class Keys>
void copy(const Value& from, const Keys& keys, Json& to) {
  for (const Key& key : keys) to[key.name] = (from.at(key.name).*key.check)();
}

template <class Keys>
Json copied(const Value& from, const Keys& keys) {
  Json json = Json::object();
  copy(from, keys, json);
  return json;
}

template <class Keys>
void copy_if_there(const Value& from, const Keys& keys, Json& to) {
  if (from.has(keys.front().name)) copy(from, keys, to);
}

Json group_of(const Value& value) {
  Json group = Json::array();
  for (const Value& member : value.items())
    group.push_back(member.is_text() ? Json(member.text()) : Json(member.number()));
  return group;
}

Json parts_of(const Value& run) {
  Json parts = Json::array();
  if (!run.has("parts")) return parts;  // files of before there were any
  for (const Value& part : run.at("parts").items()) {
    Json& json = parts.emplace_back(copied(part, kPartKeys));
    json["group"] = group_of(part.at("group"));
  }
  return parts;
}

Json layout_of(const Value& run) {
  if (!run.has("layout")) return {};  // files of before there was one
  const Value layout = run.at("layout");
  Json json = {{"kind", layout.at("kind").text()}, {"nodes", Json::array()}};
  for (const Value& node : layout.at("nodes").items()) {
    Json& place = json["nodes"].emplace_back(copied(node, kNodeKeys));
    copy_if_there(node, kGridKeys, place);
    copy_if_there(node, kTreeKeys, place);
    if (node.has("lost")) place["lost"] = node.at("lost").flag();
    if (node.has("above")) place["above"] = node.at("above").text();
  }
  return json;
}

Json fabric_of(const Value& run) {
  Json links = Json::array();
  for (const Value& link : run.at("links").items()) links.push_back(copied(link, kLinkKeys));
  Json switches = Json::array();
  if (run.has("switches")) {
    for (const Value& one : run.at("switches").items()) switches.push_back(one.at("name").text());
  }
  Json faults = Json::array();
  if (run.has("faults"))
    for (const Value& fault : run.at("faults").items()) faults.push_back(fault.text());
  return {{"layout", layout_of(run)},
          {"links", std::move(links)},
          {"switches", std::move(switches)},
          {"faults", std::move(faults)}};
}

Json link_counts_of(const Value& run) {
  Json counts = Json::array();
  for (const Value& link : run.at("links").items()) {
    counts.push_back(Json::array(
        {link.at("flits").number(), link.at("bytes").number(), link.at("utilization").number()}));
  }
  return counts;
}

Json switch_counts_of(const Value& run) {
  Json counts = Json::array();
  if (!run.has("switches")) return counts;  // synthetic traffic of before there were any
  for (const Value& one : run.at("switches").items()) {
    Json& json = counts.emplace_back(copied(one, kSwitchKeys));
    json["stall_cycles"] = Json::object();
    const Value stalls = one.at("stall_cycles");
    for (const auto& [reason, cycles] : stalls.object().items()) {
      json["stall_cycles"][reason] = stalls.at(reason.c_str()).number();
    }
  }
  return counts;
}

// Cycles by cause: an object of numbers, or a list of causes with their means.
Json causes_of(const Value& causes) {
  Json json = Json::object();
  for (const auto& [cause, cycles] : causes.object().items()) {
    json[cause] = causes.at(cause.c_str()).number();
  }
  return json;
}

Json mean_causes_of(const Value& causes) {
  Json json = Json::object();
  for (const Value& cause : causes.items()) {
    json[cause.at("cause").text().get<std::string>()] = cause.at("mean").number();
  }
  return json;
}

// Where it was asked for.
void copy_breakdown(const Value& run, Json& json) {
  if (!run.has("breakdown")) return;
  json["breakdown"] = Json::array();
  for (const Value& part : run.at("breakdown").items()) {
    Json& copy = json["breakdown"].emplace_back(
        Json{{"packets", part.at("packets").number()}, {"stages", Json::array()}});
    if (part.has("work")) copy["work"] = part.at("work").text();
    for (const Value& stage : part.at("stages").items()) {
      copy["stages"].push_back(
          {{"stage", stage.at("stage").text()}, {"causes", mean_causes_of(stage.at("causes"))}});
    }
    if (!part.has("path")) continue;
    const Value path = part.at("path");
    Json& way = copy["path"] = {{"cycles", path.at("cycles").number()},
                                {"packets", path.at("packets").number()},
                                {"stages", Json::array()}};
    for (const Value& stage : path.at("stages").items()) {
      way["stages"].push_back(
          {{"stage", stage.at("stage").text()}, {"causes", causes_of(stage.at("causes"))}});
    }
  }
}

// Nothing in files of before there were any.
void copy_workers(const Value& run, Json& json) {
  for (const char* key : {"placement", "strategy"}) {
    if (run.has(key)) json[key] = run.at(key).text_or_null();
  }
  if (!run.has("dimensions")) return;
  const Value dimensions = run.at("dimensions");
  json["dimensions"] = dimensions.is_null() ? Json() : Json::array();
  if (dimensions.is_null()) return;
  for (const Value& name : dimensions.items()) json["dimensions"].push_back(name.text());
}

// None in files of before there were any.
Json settings_of(const Value& run) {
  Json settings = Json::object();
  if (!run.has("settings")) return settings;
  const Value values = run.at("settings");
  for (const auto& [key, value] : values.object().items()) {
    settings[key] = values.at(key.c_str()).text();
  }
  return settings;
}

void copy_collective(const Value& run, Json& json) {
  copy(run, kCollectiveKeys, json);
  json["groups"] = Json::array();
  for (const Value& group : run.at("groups").items()) json["groups"].push_back(group_of(group));
  json["parts"] = parts_of(run);
  copy_workers(run, json);
  if (run.has("slices")) json["slices"] = copied(run.at("slices"), kSliceKeys);
  json["traffic"] = copied(run.at("traffic"), kInjectionKeys);
  copy_if_there(run, kComparisonKeys, json);
  if (run.has("derived")) json["derived"] = copied(run.at("derived"), kDerivedKeys);
}

void copy_synthetic_traffic(const Value& run, Json& json) {
  copy(run, kTrafficRunKeys, json);
  copy_if_there(run, kHotspotKeys, json);
  json["latency_cycles"] = copied(run.at("latency_cycles"), kLatencyKeys);
}

Json training_of(const Value& run) {
  Json json = copied(run, kTrainingKeys);
  json["settings"] = settings_of(run);
  if (run.has("speedup")) json["speedup"] = run.at("speedup").number();
  copy_if_there(run, kOptimizerKeys, json);
  json["breakdown_ns"] = causes_of(run.at("breakdown_ns"));
  if (run.has("inference")) {
    json["inference"] = copied(run.at("inference"), kInferenceKeys);
    copy(run, kTokenKeys, json);
  }
  return json;
}

Json microarchitectures_of(const Value& value) {
  Json kinds = Json::array();
  for (const Value& kind : value.items()) {
    Json& json = kinds.emplace_back(copied(kind, kSwitchKindKeys));
    copy_if_there(kind, kSwitchKindConflictKeys, json);
    json["works"] = Json::array();
    for (const Value& work : kind.at("works").items()) {
      json["works"].push_back(copied(work, kKindWorkKeys));
    }
    if (json["works"].empty()) kind.at("works").fail("one work or more");
  }
  if (kinds.empty()) value.fail("one kind of switch or more");
  return kinds;
}

// Files of earlier versions have no commit.
std::string version_of(const Value& root) {
  std::string version = root.at("fredsim").text();
  if (root.has("commit")) version += fmt::format(" (commit {})", root.at("commit").text());
  return version;
}

Json parsed(const ResultFile& file) {
  try {
    return Json::parse(file.text);
  } catch (const Json::parse_error& error) {
    throw BadInput(
        fmt::format("{}: found no JSON at byte {}; allowed: {}", file.path, error.byte, kResults));
  } catch (const Json::exception&) {
    throw BadInput(
        fmt::format("{}: found a number that is too large; allowed: {}", file.path, kResults));
  }
}

}  // namespace

ReportData::ReportData()
    : json_({{"files", Json::array()},
             {"fabrics", Json::array()},
             {"runs", Json::array()},
             {"conflicts", Json::array()},
             {"trainings", Json::array()},
             {"microarchitectures", Json::array()}}) {}

void ReportData::add(const ResultFile& file) {
  const Json document = parsed(file);
  const Value root(file.path, document, true);
  const Json about = {{"name", file.path},
                      {"version", version_of(root)},
                      {"command", root.has("command") ? root.at("command").text() : Json()}};
  if (root.has("microarchitectures")) {
    for (Json& kind : microarchitectures_of(root.at("microarchitectures")))
      json_["microarchitectures"].push_back(std::move(kind));
    json_["files"].push_back(about);
    return;
  }
  const std::vector<Value> runs = root.at("runs").items();
  if (runs.empty()) root.at("runs").fail("one run or more");
  Json added = Json::array();
  Json conflicts = Json::array();
  Json trainings = Json::array();
  for (const Value& run : runs) {
    if (run.has("conflict_rate")) {
      Json& json = conflicts.emplace_back(copied(run, kConflictKeys));
      json["file"] = json_["files"].size();
      json["wilson_95"] = copied(run.at("wilson_95"), kIntervalKeys);
      continue;
    }
    if (run.has("incomplete")) continue;  // interrupted: no figures to compare
    if (run.has("breakdown_ns")) {
      trainings.push_back(training_of(run));
      trainings.back()["file"] = json_["files"].size();
      continue;
    }
    Json& json = added.emplace_back(copied(run, kRunKeys));
    json["file"] = json_["files"].size();
    json["settings"] = settings_of(run);
    if (run.has("pattern")) {
      copy_synthetic_traffic(run, json);
    } else {
      copy_collective(run, json);
    }
    json["fabric_index"] = fabric_index(fabric_of(run));
    json["links"] = link_counts_of(run);
    json["switches"] = switch_counts_of(run);
    copy_breakdown(run, json);
  }
  if (added.empty() && conflicts.empty() && trainings.empty())
    root.at("runs").fail("one run or more that was not interrupted");
  json_["files"].push_back(about);
  for (Json& run : added) json_["runs"].push_back(std::move(run));
  for (Json& rate : conflicts) json_["conflicts"].push_back(std::move(rate));
  for (Json& run : trainings) json_["trainings"].push_back(std::move(run));
}

std::size_t ReportData::fabric_index(Json fabric) {
  const auto [at, is_new] = fabrics_.try_emplace(
      fabric.dump(-1, ' ', false, Json::error_handler_t::replace), json_["fabrics"].size());
  if (is_new) json_["fabrics"].push_back(std::move(fabric));
  return at->second;
}

}  // namespace fredsim

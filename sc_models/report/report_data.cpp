// SPDX-License-Identifier: Apache-2.0
#include "report/report_data.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "report/detail/microarchitecture_fields.h"
#include "report/fields/all.h"

namespace fredsim {
namespace {

using Json = ReportData::Json;

constexpr std::string_view kResults = "a file of --json, or table.json of a sweep";

// A value of a file and the path to it, "runs[3].links": for messages.
class Value {
 public:
  Value(std::string place, const Json& json, bool is_root = false)
      : place_(std::move(place)), json_(json), is_root_(is_root) {}

  const Json& object() const { return checked(json_.is_object(), "an object"); }
  const Json& array() const { return checked(json_.is_array(), "a list"); }
  const Json& text() const { return checked(json_.is_string(), "a text"); }
  const Json& flag() const { return checked(json_.is_boolean(), "true or false"); }
  const Json& single() const {
    return checked(json_.is_primitive() && !json_.is_null(), "a number, a text, true or false");
  }
  // A nonnegative number, as all numbers here are.
  const Json& number() const {
    return checked(json_.is_number() && json_.get<double>() >= 0, "a number, 0 or more");
  }
  // Checks a value against its table; runs that were interrupted are left out, so that null, which
  // only they have, is no value.
  const Json& checked_as(const fields::Type& type) const {
    using enum fields::Null;
    if (json_.is_null() && type.null != kNever && type.null != kInterrupted) return json_;
    switch (type.kind) {
      case fields::Kind::kFlag:
      case fields::Kind::kTrue:
        return flag();
      case fields::Kind::kCount:
      case fields::Kind::kPositive:
      case fields::Kind::kSeveral:
      case fields::Kind::kNumber:
        return number();
      default:
        return text();
    }
  }
  bool is_text() const { return json_.is_string(); }
  bool is_null() const { return json_.is_null(); }

  template <const fields::Object& kObject>
  bool has(fields::Key<kObject> key) const {
    return object().contains(key.field().key);
  }
  template <const fields::Object& kObject>
  Value at(fields::Key<kObject> key) const {
    return named(key.field().key);
  }
  // Copies a single value.
  template <const fields::Object& kObject>
  const Json& get(fields::Key<kObject> key) const {
    return at(key).checked_as(key.field().type);
  }
  // Copies a value whose name is in no table.
  Value named(std::string_view key) const {
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

// Keys that several kinds of run have are named as those of a collective run.
using Document = fields::Key<fields::kRunDocument>;
using Run = fields::Key<fields::kRun>;
using Traffic = fields::Key<fields::kTrafficRun>;
using Training = fields::Key<fields::kTrainingRun>;
using Conflict = fields::Key<fields::kConflictRun>;
using Part = fields::Key<fields::kPart>;
using Link = fields::Key<fields::kLink>;
using Switch = fields::Key<fields::kSwitch>;
using Layout = fields::Key<fields::kLayout>;
using Node = fields::Key<fields::kNode>;
using Breakdown = fields::Key<fields::kBreakdown>;
using Stage = fields::Key<fields::kStage>;
using Cause = fields::Key<fields::kBreakdownCause>;
using Path = fields::Key<fields::kPath>;
using PathStage = fields::Key<fields::kPathStage>;
using SwitchKind = fields::Key<fields::kSwitchKind>;
using SweepDocument = fields::Key<fields::kSweepDocument>;
using SweepPoint = fields::Key<fields::kSweepPoint>;
using KindDocument = fields::Key<fields::kKindDocument>;

template <const fields::Object& kObject>
using Keys = std::initializer_list<fields::Key<kObject>>;

template <const fields::Object& kObject>
void copy(const Value& from, Keys<kObject> keys, Json& to) {
  for (const auto key : keys) to[std::string(key.field().key)] = from.get(key);
}

template <const fields::Object& kObject>
Json copied(const Value& from, Keys<kObject> keys) {
  Json json = Json::object();
  copy<kObject>(from, keys, json);
  return json;
}

template <const fields::Object& kObject>
void copy_if_there(const Value& from, Keys<kObject> keys, Json& to) {
  if (from.has(*keys.begin())) copy<kObject>(from, keys, to);
}

Json group_of(const Value& value) {
  Json group = Json::array();
  for (const Value& member : value.items())
    group.push_back(member.is_text() ? Json(member.text()) : Json(member.number()));
  return group;
}

Json parts_of(const Value& run) {
  Json parts = Json::array();
  if (!run.has(Run{"parts"})) return parts;  // files of earlier versions have none
  for (const Value& part : run.at(Run{"parts"}).items()) {
    Json& json = parts.emplace_back(copied<fields::kPart>(
        part, {"collective", "algorithm", "priority", "size_bytes", "start_cycle", "cycles",
               "time_ns", "algbw_gbps", "busbw_gbps", "bound_ns"}));
    json["group"] = group_of(part.at(Part{"group"}));
  }
  return parts;
}

Json layout_of(const Value& run) {
  if (!run.has(Run{"layout"})) return {};  // files of earlier versions have none
  const Value layout = run.at(Run{"layout"});
  Json json = {{"kind", layout.get(Layout{"kind"})}, {"nodes", Json::array()}};
  for (const Value& node : layout.at(Layout{"nodes"}).items()) {
    Json& place = json["nodes"].emplace_back(copied<fields::kNode>(node, {"name", "kind"}));
    copy_if_there<fields::kNode>(node, {"x", "y"}, place);
    copy_if_there<fields::kNode>(node, {"level", "switch", "slice", "chiplet"}, place);
    copy_if_there<fields::kNode>(node, {"lost"}, place);
    copy_if_there<fields::kNode>(node, {"above"}, place);
  }
  return json;
}

Json fabric_of(const Value& run) {
  Json links = Json::array();
  for (const Value& link : run.at(Run{"links"}).items())
    links.push_back(copied<fields::kLink>(link, {"name", "from", "to", "on_die"}));
  Json switches = Json::array();
  if (run.has(Run{"switches"})) {
    for (const Value& one : run.at(Run{"switches"}).items())
      switches.push_back(one.get(Switch{"name"}));
  }
  Json faults = Json::array();
  if (run.has(Run{"faults"}))
    for (const Value& fault : run.at(Run{"faults"}).items()) faults.push_back(fault.text());
  return {{"layout", layout_of(run)},
          {"links", std::move(links)},
          {"switches", std::move(switches)},
          {"faults", std::move(faults)}};
}

Json link_counts_of(const Value& run) {
  Json counts = Json::array();
  for (const Value& link : run.at(Run{"links"}).items()) {
    counts.push_back(Json::array(
        {link.get(Link{"flits"}), link.get(Link{"bytes"}), link.get(Link{"utilization"})}));
  }
  return counts;
}

// Numbers under names that are not checked.
Json numbers_of(const Value& values) {
  Json json = Json::object();
  for (const auto& [name, number] : values.object().items())
    json[name] = values.named(name).number();
  return json;
}

Json switch_counts_of(const Value& run) {
  Json counts = Json::array();
  if (!run.has(Run{"switches"})) return counts;  // synthetic traffic of earlier versions has none
  for (const Value& one : run.at(Run{"switches"}).items()) {
    Json& json = counts.emplace_back(copied<fields::kSwitch>(
        one, {"model", "flits_in", "flits_out", "reductions", "phase_changes"}));
    json["stall_cycles"] = numbers_of(one.at(Switch{"stall_cycles"}));
  }
  return counts;
}

// Mean cycles by cause.
Json mean_causes_of(const Value& causes) {
  Json json = Json::object();
  for (const Value& cause : causes.items())
    json[cause.get(Cause{"cause"}).get<std::string>()] = cause.get(Cause{"mean"});
  return json;
}

// Copies the breakdown if it was requested.
void copy_breakdown(const Value& run, Json& json) {
  if (!run.has(Run{"breakdown"})) return;
  json["breakdown"] = Json::array();
  for (const Value& part : run.at(Run{"breakdown"}).items()) {
    Json& copy = json["breakdown"].emplace_back(
        Json{{"packets", part.get(Breakdown{"packets"})}, {"stages", Json::array()}});
    if (part.has(Breakdown{"work"})) copy["work"] = part.get(Breakdown{"work"});
    for (const Value& stage : part.at(Breakdown{"stages"}).items()) {
      copy["stages"].push_back({{"stage", stage.get(Stage{"stage"})},
                                {"causes", mean_causes_of(stage.at(Stage{"causes"}))}});
    }
    if (!part.has(Breakdown{"path"})) continue;
    const Value path = part.at(Breakdown{"path"});
    Json& way = copy["path"] = copied<fields::kPath>(path, {"cycles", "packets"});
    way["stages"] = Json::array();
    for (const Value& stage : path.at(Path{"stages"}).items()) {
      way["stages"].push_back({{"stage", stage.get(PathStage{"stage"})},
                               {"causes", numbers_of(stage.at(PathStage{"causes"}))}});
    }
  }
}

// Adds nothing for files of earlier versions, which have no workers.
void copy_workers(const Value& run, Json& json) {
  copy_if_there<fields::kRun>(run, {"placement"}, json);
  copy_if_there<fields::kRun>(run, {"strategy"}, json);
  if (!run.has(Run{"dimensions"})) return;
  const Value dimensions = run.at(Run{"dimensions"});
  json["dimensions"] = dimensions.is_null() ? Json() : Json::array();
  if (dimensions.is_null()) return;
  for (const Value& name : dimensions.items()) json["dimensions"].push_back(name.text());
}

Json texts_of(const Value& values) {
  Json texts = Json::object();
  for (const auto& [key, value] : values.object().items()) texts[key] = values.named(key).text();
  return texts;
}

// No settings in files of earlier versions.
Json settings_of(const Value& run) {
  return run.has(Run{"settings"}) ? texts_of(run.at(Run{"settings"})) : Json::object();
}

void copy_collective(const Value& run, Json& json) {
  copy<fields::kRun>(
      run,
      {"collective", "algorithm", "size_bytes", "time_ns", "algbw_gbps", "busbw_gbps", "payload"},
      json);
  json["groups"] = Json::array();
  for (const Value& group : run.at(Run{"groups"}).items())
    json["groups"].push_back(group_of(group));
  json["parts"] = parts_of(run);
  copy_workers(run, json);
  if (run.has(Run{"slices"}))
    json["slices"] = copied<fields::kSlices>(run.at(Run{"slices"}), {"all", "simulated"});
  json["traffic"] = copied<fields::kInjected>(
      run.at(Run{"traffic"}),
      {"injected_bytes", "injected_bytes_per_npu_max", "link_bytes", "flit_hops"});
  copy_if_there<fields::kRun>(
      run, {"speedup", "injected_traffic_reduction", "link_traffic_reduction"}, json);
  if (run.has(Run{"derived"})) {
    json["derived"] =
        copied<fields::kDerived>(run.at(Run{"derived"}), {"bound_ns", "time_over_bound"});
    copy_if_there<fields::kDerived>(
        run.at(Run{"derived"}), {"network_bound_ns", "time_over_network_bound"}, json["derived"]);
  }
}

void copy_synthetic_traffic(const Value& run, Json& json) {
  copy<fields::kTrafficRun>(
      run,
      {"pattern", "packet_flits", "warmup_cycles", "window_cycles", "rate", "offered_rate",
       "accepted_rate", "saturated", "packets", "packets_arrived", "hops"},
      json);
  copy_if_there<fields::kTrafficRun>(
      run,
      {"hotspot_node", "hotspot_fraction", "excluded_nodes", "pattern_file", "packet_sizes",
       "burst", "request_reply", "request_latency_mean"},
      json);
  json["latency_cycles"] = copied<fields::kLatency>(run.at(Traffic{"latency_cycles"}),
                                                    {"mean", "p50", "p95", "p99", "max"});
}

// Adds nothing for files of earlier versions, which have no details.
void copy_training_details(const Value& run, Json& json) {
  if (run.has(Training{"critical_path_ns"}))
    json["critical_path_ns"] = numbers_of(run.at(Training{"critical_path_ns"}));
  if (run.has(Training{"npu_memory"}))
    json["npu_memory"] = copied<fields::kNpuMemory>(
        run.at(Training{"npu_memory"}), {"weights_bytes", "gradients_bytes", "optimizer_bytes",
                                         "activations_bytes", "expanded_bytes"});
  if (run.has(Training{"layers_per_stage"}) && !run.at(Training{"layers_per_stage"}).is_null()) {
    json["layers_per_stage"] = Json::array();
    for (const Value& layers : run.at(Training{"layers_per_stage"}).items())
      json["layers_per_stage"].push_back(layers.number());
  }
  if (!run.has(Training{"idealised"})) return;
  json["idealised"] = Json::array();
  for (const Value& text : run.at(Training{"idealised"}).items())
    json["idealised"].push_back(text.text());
}

Json training_of(const Value& run) {
  Json json = copied<fields::kTrainingRun>(
      run, {"config", "fabric", "model", "workload", "strategy", "minibatch", "microbatches",
            "iterations", "accounting", "gradients", "compute_flops_per_s", "cycles",
            "iteration_ns", "payload"});
  json["settings"] = settings_of(run);
  for (const Training key : std::initializer_list<Training>{
           "speedup", "optimizer", "algorithm", "placement", "memory", "recompute", "best_base"})
    if (run.has(key)) copy<fields::kTrainingRun>(run, {key}, json);
  json["breakdown_ns"] = numbers_of(run.at(Training{"breakdown_ns"}));
  copy_training_details(run, json);
  if (run.has(Training{"inference"})) {
    json["inference"] =
        copied<fields::kInference>(run.at(Training{"inference"}), {"phase", "batch", "context"});
    copy<fields::kTrainingRun>(run, {"tokens_per_s"}, json);
  }
  return json;
}

Json microarchitectures_of(const Value& value) {
  Json kinds = Json::array();
  for (const Value& kind : value.items()) {
    Json& json = kinds.emplace_back(copied<fields::kSwitchKind>(
        kind, {"name", "kind", "config", "logic_kge", "area_mm2", "path_fo4", "clock_ghz",
               "saturation", "conflict_rate"}));
    copy_if_there<fields::kSwitchKind>(kind, {"conflicts"}, json);
    json["works"] = Json::array();
    for (const Value& work : kind.at(SwitchKind{"works"}).items()) {
      json["works"].push_back(copied<fields::kKindWork>(
          work, {"work", "algorithm", "time_ns", "own_clock_time_ns", "energy_pj_per_byte"}));
    }
    if (json["works"].empty()) kind.at(SwitchKind{"works"}).fail("one work or more");
  }
  if (kinds.empty()) value.fail("one kind of switch or more");
  return kinds;
}

Json sweep_of(const Value& root) {
  Json json = copied<fields::kSweepDocument>(root, {"study", "missing"});
  json["points"] = Json::array();
  for (const Value& point : root.at(SweepDocument{"points"}).items()) {
    Json& copy = json["points"].emplace_back(copied<fields::kSweepPoint>(
        point, {"point", "command", "machine", "seed", "status", "message"}));
    copy["settings"] = texts_of(point.at(SweepPoint{"settings"}));
    copy["options"] = texts_of(point.at(SweepPoint{"options"}));
    const Value results = point.at(SweepPoint{"results"});
    copy["results"] = Json::object();
    for (const auto& [key, value] : results.object().items())
      copy["results"][key] = results.named(key).single();
  }
  if (json["points"].empty()) root.at(SweepDocument{"points"}).fail("one point or more");
  return json;
}

// Files of earlier versions have no commit.
std::string version_of(const Value& root) {
  std::string version = root.get(Document{"fredsim"});
  if (root.has(Document{"commit"}))
    version += fmt::format(" (commit {})", root.get(Document{"commit"}).get<std::string>());
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
             {"sweeps", Json::array()},
             {"microarchitectures", Json::array()}}) {}

void ReportData::add_input(const std::string& path) {
  json_["files"].push_back({{"name", path}, {"version", "-"}, {"command", Json()}});
}

void ReportData::set_traces(Json traces) { json_["traces"] = std::move(traces); }

void ReportData::add(const ResultFile& file) {
  const Json document = parsed(file);
  const Value root(file.path, document, true);
  const Json about = {
      {"name", file.path},
      {"version", version_of(root)},
      {"command", root.has(Document{"command"}) ? root.get(Document{"command"}) : Json()}};
  if (root.has(KindDocument{"microarchitectures"})) {
    for (Json& kind : microarchitectures_of(root.at(KindDocument{"microarchitectures"})))
      json_["microarchitectures"].push_back(std::move(kind));
    json_["files"].push_back(about);
    return;
  }
  if (root.has(SweepDocument{"points"})) {
    json_["sweeps"].push_back(sweep_of(root));
    json_["files"].push_back(about);
    return;
  }
  const std::vector<Value> runs = root.at(Document{"runs"}).items();
  if (runs.empty()) root.at(Document{"runs"}).fail("one run or more");
  Json added = Json::array();
  Json conflicts = Json::array();
  Json trainings = Json::array();
  for (const Value& run : runs) {
    if (run.has(Conflict{"conflict_rate"})) {
      Json& json = conflicts.emplace_back(copied<fields::kConflictRun>(
          run,
          {"ports", "middle", "kind", "flows", "trials", "seed", "conflicts", "conflict_rate"}));
      json["file"] = json_["files"].size();
      json["wilson_95"] = copied<fields::kInterval>(run.at(Conflict{"wilson_95"}), {"low", "high"});
      continue;
    }
    if (run.has(Run{"incomplete"})) continue;  // interrupted: no figures to compare
    if (run.has(Training{"breakdown_ns"})) {
      trainings.push_back(training_of(run));
      trainings.back()["file"] = json_["files"].size();
      continue;
    }
    Json& json = added.emplace_back(copied<fields::kRun>(
        run, {"config", "fabric", "model", "lanes", "clock_ghz", "seed", "cycles"}));
    json["file"] = json_["files"].size();
    json["settings"] = settings_of(run);
    if (run.has(Traffic{"pattern"})) {
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
    root.at(Document{"runs"}).fail("one run or more that was not interrupted");
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

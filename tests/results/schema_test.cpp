// SPDX-License-Identifier: Apache-2.0
// Output of writers against the schema that is made from the tables: samples of every kind of file keep to it, and one value
// changed, left out or added does not.
#include "results/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/member.h"
#include "report/json.h"
#include "report/network_table.h"
#include "report/optimum_table.h"
#include "report/rank_table.h"
#include "results/document.h"
#include "results/fields/fabric.h"
#include "results/training_results.h"
#include "support/sample_run.h"

namespace fredsim {
namespace {

using nlohmann::json;

// Subset of JSON Schema (draft 2020-12) that results_schema() writes.
class SchemaCheck {
 public:
  explicit SchemaCheck(json schema) : schema_(std::move(schema)) {}

  // Empty: the value keeps to the definition.
  std::string problem_of(const json& value, const std::string& definition) const {
    return problem(value, schema_.at("$defs").at(definition), "");
  }
  // Problem of a file of any kind.
  std::string problem_of(const json& value) const { return problem(value, schema_, ""); }
  const json& definition(const std::string& name) const { return schema_.at("$defs").at(name); }

 private:
  static bool is_of(const json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return value.type_name() == type;
  }

  std::string problem(const json& value, const json& schema, const std::string& at) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : at + " must not be there";
    for (const auto& [keyword, of] : schema.items()) {
      const std::string found = keyword_problem(value, schema, keyword, of, at);
      if (!found.empty()) return found;
    }
    return "";
  }

  std::string keyword_problem(const json& value, const json& schema, const std::string& keyword,
                              const json& of, const std::string& at) const {
    const std::string wrong = at + ": " + keyword;
    if (keyword == "$ref") {
      const auto name = of.get<std::string>();
      return problem(value, definition(name.substr(name.rfind('/') + 1)), at);
    }
    if (keyword == "type") return is_of(value, of) ? "" : wrong + " " + of.get<std::string>();
    if (keyword == "const") return value == of ? "" : wrong;
    if (keyword == "enum") return std::ranges::count(of, value) > 0 ? "" : wrong;
    if (keyword == "minimum")
      return !value.is_number() || value.get<double>() >= of.get<double>() ? "" : wrong;
    if (keyword == "minItems")
      return !value.is_array() || value.size() >= of.get<std::size_t>() ? "" : wrong;
    if (keyword == "pattern") {
      const auto [pattern, is_new] = patterns_.try_emplace(of.get<std::string>());
      if (is_new) pattern->second = pattern->first;
      return !value.is_string() || std::regex_search(value.get<std::string>(), pattern->second)
                 ? ""
                 : wrong;
    }
    if (keyword == "anyOf") {
      return std::ranges::any_of(of,
                                 [&](const json& one) { return problem(value, one, at).empty(); })
                 ? ""
                 : wrong;
    }
    if (keyword == "not") return problem(value, of, at).empty() ? wrong : "";
    if (keyword == "if") {
      const bool holds = problem(value, of, at).empty();
      const auto branch = schema.find(holds ? "then" : "else");
      return branch == schema.end() ? "" : problem(value, *branch, at);
    }
    if (value.is_array() && keyword == "items") {
      for (std::size_t i = 0; i < value.size(); ++i)
        if (const auto p = problem(value[i], of, fmt::format("{}/{}", at, i)); !p.empty()) return p;
    }
    return value.is_object() ? member_problem(value, schema, keyword, of, at) : "";
  }

  std::string member_problem(const json& value, const json& schema, const std::string& keyword,
                             const json& of, const std::string& at) const {
    if (keyword == "required") {
      for (const json& key : of)
        if (!value.contains(key)) return at + " lacks " + key.get<std::string>();
    }
    const auto properties = schema.find("properties");
    for (const auto& [key, inner] : value.items()) {
      const bool is_named = properties != schema.end() && properties->contains(key);
      const std::string inside = at + "/" + key;
      std::string found;
      if (keyword == "properties" && is_named) found = problem(inner, of.at(key), inside);
      if (keyword == "additionalProperties" && !is_named) found = problem(inner, of, inside);
      if (keyword == "propertyNames") found = problem(key, of, inside);
      if (!found.empty()) return found;
    }
    return "";
  }

  json schema_;
  mutable std::map<std::string, std::regex> patterns_;
};

const SchemaCheck& schema() {
  static const SchemaCheck kSchema(json::parse(results_schema({{"type", "object"}}).dump()));
  return kSchema;
}

// ---- samples

constexpr Origin kOrigin{"1.2.3", "5da5371-dirty", "fredsim sample"};

LatencyBreakdown sample_breakdown() {
  const CycleFigures figures{2.5, 2, 9, 12};
  LatencyBreakdown of;
  of.work = "all_reduce in_switch";
  of.packets = 10;
  of.latency = figures;
  of.stages = {{.name = "L1 up",
                .visits = 1.5,
                .causes = {{"arbiter", figures, 0.5, 25}},
                .operands = 4,
                .join = figures},
               {.name = "NIC", .visits = 1, .causes = {}, .operands = 0, .join = {}}};
  const PacketBreakdown packet{.name = "tree 3 #17",
                               .source = "npu0",
                               .destination = "npu1",
                               .begin = 5,
                               .end = 17,
                               .hops = {{"l1_0.s0", "L1 up", 6, {{"credit", 3}, {"link", 1}}}}};
  of.critical = packet;
  of.path = {.cycles = 40, .packets = 2, .stages = {{"L1 up", {{"phase", 7}}}, {"NPU", {}}}};
  of.listed = {packet};
  return of;
}

// With all stalls that switches with phases have.
RunResult stalled_run() {
  RunResult run = sample_run();
  run.switches[0].stall_cycles = {
      {"join", 1}, {"credit", 2}, {"phase", 3}, {"arbiter", 4}, {"link", 5}};
  return run;
}

// Every field that a run of collectives can have.
RunResult whole_run() {
  RunResult run = stalled_run();
  run.machine.push_back({"faults", std::vector<std::string>{"link:npu0-l1_0.s0", "npu:3"}});
  run.model = "rtl+tlm";
  run.groups.push_back({io_member(2), 4});
  run.workers->npus = {0, 1, 5, 6};
  run.parts[0].name = "forward";
  run.parts[0].operations = 3;
  run.parts[0].packet_order = "recurring";
  run.parts[0].frame_cycles = 64;
  run.operations = OperationsResult{};
  run.operations->rows = {1, 2, 3, 4, 5};
  run.slices = 5;
  run.slices_simulated = 1;
  run.links[0].counters = {{"resent_flits", 3}, {"damaged_flits", 2}, {"lost_flits", 1}};
  run.system = SystemResult{.dimension_order = "themis",
                            .chunk_order = "scf",
                            .dimensions = {{"pod", 100, 0.5}},
                            .utilization = 0.5};
  run.layout.nodes.push_back({"npu3", "npu", {}, {}, true, "l1_0.s0"});
  run.breakdowns = {sample_breakdown()};
  return run;
}

json run_file(const std::vector<ReportedRun>& runs) {
  return json::parse(results_json(kOrigin, runs));
}
json whole_run_file() {
  return run_file({{.result = whole_run(),
                    .comparison = Comparison{2, 0.5, 1.25},
                    .is_best_base = true,
                    .speedup_best_base = 1.5}});
}
json flow_file() {
  RunResult run = sample_run();
  run.model = "flow";
  run.payload = "not carried";
  run.switches.clear();
  run.flow = FlowResult{.error = FlowErrorResult{.measured_on = "mesh",
                                                 .sizes = {2048, 4096},
                                                 .mean_percent = 0.5,
                                                 .worst_percent = 1.25}};
  RunResult unmeasured = run;
  unmeasured.flow->error.reset();
  return run_file({{run, std::nullopt}, {unmeasured, std::nullopt}});
}
json interrupted_run_file() {
  RunResult run = whole_run();
  run.incomplete = run.parts[0].incomplete = true;
  run.payload = "incomplete";
  run.delivered_bytes = 77;
  run.parts[0].packet_order = "";
  return run_file({{run, std::nullopt}});
}
json own_file() {
  RunResult run = stalled_run();
  run.is_own = true;
  run.config.clear();
  run.machine.clear();
  run.parts.clear();
  run.size_bytes = run.seed = 0;
  run.algbw_gbps = run.busbw_gbps = run.bound_ns = 0;
  run.payload.clear();
  return json::parse(results_json({"1.2.3", "unknown", "tb_own_npu --json -"},
                                  std::vector<ReportedRun>{{run, std::nullopt}}));
}

json traffic_file(bool is_interrupted) {
  TrafficSetup setup;
  setup.config = "mesh.yaml";
  setup.machine = {{"clock", "1 GHz"}};
  setup.fabric = "mesh";
  setup.model = "lockstep";
  setup.pattern = "hotspot";
  setup.hotspot_node = 3;
  setup.hotspot_fraction = 0.25;
  setup.window_cycles = setup.nodes = setup.sending_nodes = 4;
  setup.layout = sample_run().layout;
  TrafficPoint arrived;
  arrived.rate = arrived.accepted = 0.5;
  arrived.arrived = arrived.packets = 9;
  arrived.latency_mean = 3.25;
  arrived.breakdown = sample_breakdown();
  arrived.breakdown->work.clear();
  arrived.breakdown->path.reset();
  arrived.links = sample_run().links;
  arrived.switches = stalled_run().switches;
  TrafficPoint none = arrived;
  none.arrived = 0;
  none.breakdown.reset();
  none.saturated = true;
  none.incomplete = is_interrupted;
  return json::parse(traffic_json(kOrigin, setup, std::vector{arrived, none}));
}

TrainingResult sample_training_result() {
  TrainingResult result;
  result.run = stalled_run();
  result.run.operations = OperationsResult{};
  result.iteration_ns = 500;
  result.iterations_ns = {490, 510};
  result.placement = "paper";
  result.npus = {0, 1, 5, 6};
  for (const char* part :
       {"compute", "input_load", "mp", "pp", "dp", "streaming", "memory", "bubble"}) {
    result.breakdown_ns.emplace_back(part, 62.5);
    if (std::string(part) != "bubble") result.critical_path_ns.emplace_back(part, 10.5);
  }
  result.speedup = 1.5;
  result.speedup_best_base = 1.25;
  result.is_best_base = true;
  result.packet_order = "paced";
  result.ranks = {{.member = "npu0",
                   .end_ns = 500,
                   .compute_ns = 400,
                   .memory_ns = 10,
                   .exposed_ns = 40,
                   .bubble_ns = 50}};
  result.memory = NpuMemory{24'000'000, 24'000'000, 144'000'000, 5'000'000, 7};
  return result;
}

TrainingSetup sample_training_setup() {
  TrainingSetup setup;
  setup.workload = "small";
  setup.parameters = 12'000'000;
  setup.strategy = "mp2-dp2-pp1";
  setup.minibatch = 16;
  setup.iterations = 2;
  setup.algorithm = "auto";
  setup.accounting = "overlap";
  setup.gradients = "bucket=25MB";
  setup.optimizer = "adam";
  setup.recompute = "full";
  setup.execution = "streaming";
  setup.stream = "multicast";
  setup.stream_layers = 1;
  setup.compute_rate = 1e15;
  setup.fit = TrainingSetup::Fit{"fred_d.yaml", 1.5, 12};
  setup.idealised = {"weights are there"};
  return setup;
}

json training_file(const TrainingSetup& setup, const TrainingResult& result) {
  return json::parse(training_json(kOrigin, setup, std::vector{result}));
}
json inference_file(const std::string& phase) {
  TrainingSetup setup = sample_training_setup();
  setup.inference = TrainingSetup::Inference{phase, 2, 64};
  setup.optimizer = setup.stream = "";
  setup.compute_rate.reset();
  setup.fit.reset();
  TrainingResult result = sample_training_result();
  result.tokens = TokenTimes{123.5, 2e6};
  result.memory.reset();
  return training_file(setup, result);
}
json traces_file() {
  TrainingSetup setup = sample_training_setup();
  setup.given = "traces, 8 ranks, 280 nodes";
  setup.optimizer = setup.stream = "";
  setup.model_file = "none";
  TrainingResult result = sample_training_result();
  result.memory.reset();
  return training_file(setup, result);
}
json interrupted_training_file() {
  TrainingResult result = sample_training_result();
  result.run.incomplete = true;
  result.run.payload = "incomplete";
  result.iterations_ns.clear();
  return training_file(sample_training_setup(), result);
}

json flow_training_file() {
  TrainingResult result = sample_training_result();
  result.run.model = "flow";
  result.run.payload = "not carried";
  result.run.switches.clear();
  result.run.flow = FlowResult{.error = FlowErrorResult{.measured_on = "mesh, each operation alone",
                                                        .sizes = {2048},
                                                        .mean_percent = 0.5,
                                                        .worst_percent = 1.25}};
  return training_file(sample_training_setup(), result);
}
json conflicts_file() {
  const ConflictSetup setup{.kind = "unicast", .ports = 8, .trials = 100, .seed = 3};
  return json::parse(
      conflicts_json(kOrigin, setup, std::vector<ConflictPoint>{{2, 3, 5, 100}, {3, 2, 0, 40}}));
}

json ranks_file() {
  RankSetup setup;
  setup.config = "mesh.yaml";
  setup.settings.all = {{"npu.count", "4"}};
  setup.machine = {{"clock", "1 GHz"}};
  setup.fabric = "mesh";
  setup.model = "rtl";
  setup.lanes = 16;
  RankForecast two{
      .look_ahead = 30, .max_cost_ns = 15, .exchange_ns = 2.5, .imbalance = 0.2, .speedup = 1.4};
  two.parts = {{.nodes = 3,
                .switches = 1,
                .npus = 2,
                .cost_ns = 15,
                .links_out = 4,
                .neighbours = {1},
                .flits_per_window = 60,
                .bytes_per_window = 1920},
               {.nodes = 1, .switches = 1, .cost_ns = 10, .links_out = 4, .neighbours = {0}}};
  RankForecast one{.max_cost_ns = 25, .speedup = 1};
  one.parts.resize(1);
  return json::parse(ranks_json(kOrigin, setup, std::vector{two, one}));
}

json optimum_file() {
  OptimumSetup setup{.config = "system.yaml",
                     .machine = {{"clock", "1 GHz"}},
                     .fabric = "system",
                     .npus = 32,
                     .has_cost = true,
                     .accounting = "overlap",
                     .total_gbps = 300,
                     .constraints = {"--at-least d0=100GB/s"},
                     .workloads = {"gpt3", "w.txt"},
                     .weights = {0.25, 0.75}};
  setup.settings.all = {{"npu.count", "4"}};
  const OptimumResult result{
      .bandwidths = {{"d0", "ring 8", 200, 2}, {"d1", "switch 4", 100, 57.4}},
      .objective = 2e9,
      .time_ns = 1e6,
      .dollars = 2e3,
      .equal_over_optimum = 1.5,
      .converged = true,
      .evaluations = 42};
  return json::parse(optimum_json(kOrigin, setup, result));
}

json network_file() {
  NetworkSetup setup{.config = "mesh.yaml",
                     .machine = {{"clock", "1 GHz"}},
                     .fabric = "mesh",
                     .npus = 16,
                     .degree = 4,
                     .link_gbps = 12.5,
                     .link_latency_ns = 1000,
                     .primes = true,
                     .paths = 4,
                     .seed = 1,
                     .accounting = "serial",
                     .workload = "gpt3",
                     .minibatch = 256};
  setup.settings.all = {{"npu.count", "4"}};
  const NetworkResult result{.strategy = "mp2-dp8-pp1",
                             .switch_strategy = "mp1-dp16-pp1",
                             .time_ns = 2e6,
                             .switch_time_ns = 1e6,
                             .best_switch_time_ns = 9e5,
                             .ring_interfaces = 3,
                             .pair_interfaces = 1,
                             .rings = {{8, 2, {1, 3}}, {16, 1, {1}}},
                             .has_joining_ring = true,
                             .matchings = {8},
                             .links = 64,
                             .diameter = 6,
                             .rounds = {{"mp2-dp8-pp1", 2e6}},
                             .converged = true,
                             .evaluations = 20};
  return json::parse(network_json(kOrigin, setup, result));
}

struct SampleFile {
  const char* name;
  const char* definition;
  std::function<json()> make;
};

const std::vector<SampleFile>& sample_files() {
  static const std::vector<SampleFile> kFiles{
      {"run", "run", whole_run_file},
      {"flow", "run", flow_file},
      {"interrupted_run", "run", interrupted_run_file},
      {"own", "own", own_file},
      {"traffic", "traffic", [] { return traffic_file(false); }},
      {"interrupted_traffic", "traffic", [] { return traffic_file(true); }},
      {"training", "training",
       [] { return training_file(sample_training_setup(), sample_training_result()); }},
      {"flow_training", "training", flow_training_file},
      {"prefill", "training", [] { return inference_file("prefill"); }},
      {"decode", "training", [] { return inference_file("decode"); }},
      {"traces", "training", traces_file},
      {"interrupted_training", "training", interrupted_training_file},
      {"conflicts", "conflicts", conflicts_file},
      {"ranks", "ranks", ranks_file},
      {"optimize", "optimize", optimum_file},
      {"optimize_topology", "optimize_topology", network_file}};
  return kFiles;
}

void PrintTo(const SampleFile& file, std::ostream* out) { *out << file.name; }

class SampleFiles : public testing::TestWithParam<SampleFile> {};

TEST_P(SampleFiles, KeepToTheSchema) {
  const json file = GetParam().make();
  EXPECT_EQ(schema().problem_of(file, GetParam().definition), "");
  EXPECT_EQ(schema().problem_of(file), "");
}

// ---- files with one thing changed

struct DescribedObject {
  std::string place, definition;
  json value;
};

// Name of the definition that a property has by itself, in a list or unless it is null; empty: none, or a machine's.
std::string definition_in(const json& property) {
  if (const auto of = property.find("$ref"); of != property.end()) {
    const auto path = of->get<std::string>();
    const std::string name = path.substr(path.rfind('/') + 1);
    return name == "machine" ? "" : name;
  }
  if (const auto items = property.find("items"); items != property.end())
    return definition_in(*items);
  const auto any = property.find("anyOf");
  return any == property.end() ? "" : definition_in(any->front());
}

// All objects in a value that tables describe, of lists the first.
void collect_objects(const json& value, const std::string& definition, const std::string& place,
                     std::vector<DescribedObject>& objects) {
  objects.push_back({place, definition, value});
  const json& properties = schema().definition(definition).at("properties");
  for (const auto& [key, inner] : value.items()) {
    const std::string name = definition_in(properties.at(key));
    const json* const one = inner.is_array() && !inner.empty() ? &inner.front() : &inner;
    if (!name.empty() && one->is_object()) collect_objects(*one, name, place + "/" + key, objects);
  }
}

std::vector<DescribedObject> objects_of(const SampleFile& file) {
  std::vector<DescribedObject> objects;
  collect_objects(file.make(), file.definition, "", objects);
  EXPECT_GE(objects.size(), 3U);
  return objects;
}

TEST_P(SampleFiles, WithAFurtherKeyAnywhereDoNot) {
  for (auto& [place, definition, value] : objects_of(GetParam())) {
    EXPECT_EQ(schema().problem_of(value, definition), "") << place;
    value["colour"] = "red";
    EXPECT_EQ(schema().problem_of(value, definition), "/colour must not be there") << place;
  }
}

TEST_P(SampleFiles, WithAValueOfAnotherTypeDoNot) {
  const json others[] = {"no word of this", -1, true, json::array({-1.5}), {{"colour", 1}}};
  std::set<std::string> seen;
  for (const auto& [place, definition, object] : objects_of(GetParam())) {
    for (const auto& [key, value] : object.items()) {
      if (key == "machine") continue;  // the machine's own schema has it
      seen.insert(key);
      for (const json& other : others) {
        // A value of its own type may be right; the type of one that may be null is not known.
        const bool is_of_its_type = other.type() == value.type() && !other.is_number();
        if (is_of_its_type || (value.is_null() && (other.is_string() || other.is_boolean())))
          continue;
        json changed = object;
        changed[key] = other;
        EXPECT_NE(schema().problem_of(changed, definition), "")
            << place << "/" << key << " " << other;
      }
    }
  }
  EXPECT_GT(seen.size(), 12U);
}

TEST_P(SampleFiles, WithoutAKeyThatIsAlwaysThereDoNot) {
  int required = 0;
  for (const auto& [place, definition, object] : objects_of(GetParam())) {
    const json& always = schema().definition(definition).at("required");
    for (const auto& [key, value] : object.items()) {
      json changed = object;
      changed.erase(key);
      const bool is_required = std::ranges::count(always, json(key)) > 0;
      required += is_required ? 1 : 0;
      const std::string problem = schema().problem_of(changed, definition);
      if (is_required) {
        EXPECT_EQ(problem, " lacks " + key) << place;
      } else if (!object.contains("incomplete")) {
        EXPECT_EQ(problem, "") << place << "/" << key;
      }
    }
  }
  EXPECT_GT(required, 15);
}

INSTANTIATE_TEST_SUITE_P(All, SampleFiles, testing::ValuesIn(sample_files()),
                         [](const auto& file) { return std::string(file.param.name); });

// Between them the samples have every key of the tables of these commands, so that none is left unchecked.
TEST(SampleFilesTogether, HaveEveryKeyOfTheirTables) {
  std::set<std::string> written;
  for (const SampleFile& sample : sample_files()) {
    const json file = sample.make();
    const std::function<void(const json&)> walk = [&](const json& value) {
      if (value.is_object())
        for (const auto& [key, inner] : value.items()) written.insert(key);
      for (const json& inner : value)
        if (inner.is_structured()) walk(inner);
    };
    walk(file);
  }
  std::set<std::string> visited;
  std::vector<std::string> missing;
  const std::function<void(const std::string&)> visit = [&](const std::string& name) {
    if (!visited.insert(name).second || name == "machine") return;
    for (const auto& [key, property] : schema().definition(name).at("properties").items()) {
      if (!written.contains(key)) missing.push_back(name + "." + key);
      const std::string text = property.dump();
      const std::regex reference("#/\\$defs/([a-z_0-9]+)");
      for (std::sregex_iterator at(text.begin(), text.end(), reference), end; at != end; ++at)
        visit((*at)[1]);
    }
  };
  for (const char* document :
       {"run", "own", "traffic", "training", "conflicts", "ranks", "optimize", "optimize_topology"})
    visit(document);
  EXPECT_EQ(missing, std::vector<std::string>{});
  EXPECT_GT(visited.size(), 25U);
}

// ---- states that the schema tells apart

TEST(ResultsSchema, OnlyInterruptedRunsHaveNoResult) {
  const json whole = whole_run_file();
  const json interrupted = interrupted_run_file();
  for (const char* key : {"algbw_gbps", "busbw_gbps"}) {
    json changed = whole;
    changed["runs"][0][key] = nullptr;
    EXPECT_EQ(schema().problem_of(changed, "run"), fmt::format("/runs/0/{}: not", key));
  }
  json exact = interrupted;
  exact["runs"][0]["payload"] = "exact";
  EXPECT_EQ(schema().problem_of(exact, "run"), "/runs/0/payload: const");
  json less = interrupted;
  less["runs"][0].erase("delivered_bytes");
  EXPECT_EQ(schema().problem_of(less, "run"), "/runs/0 lacks delivered_bytes");
  json more = whole;
  more["runs"][0]["delivered_bytes"] = 5;
  EXPECT_EQ(schema().problem_of(more, "run"), "/runs/0/delivered_bytes must not be there");
  json no_iteration = training_file(sample_training_setup(), sample_training_result());
  no_iteration["runs"][0]["iterations_ns"] = json::array();
  EXPECT_EQ(schema().problem_of(no_iteration, "training"), "/runs/0/iterations_ns: minItems");
}

TEST(ResultsSchema, NullOfOwnNpusIsTheirsAlone) {
  json file = own_file();
  EXPECT_EQ(schema().problem_of(file, "own"), "");
  file["command"] = "fredsim run";
  EXPECT_EQ(schema().problem_of(file, "own"), "/command: pattern");
  EXPECT_NE(schema().problem_of(file, "run"), "");
  EXPECT_NE(schema().problem_of(file), "") << "it is of no kind";
  json whole = whole_run_file();
  for (const char* key : {"config", "machine", "size_bytes", "seed", "payload"}) {
    json changed = whole;
    changed["runs"][0][key] = nullptr;
    EXPECT_NE(schema().problem_of(changed, "run"), "") << key;
  }
}

}  // namespace
}  // namespace fredsim

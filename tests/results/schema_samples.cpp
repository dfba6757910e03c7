// SPDX-License-Identifier: Apache-2.0
#include "schema_samples.h"

#include "base/member.h"
#include "report/doctor_table.h"
#include "report/json.h"
#include "report/network_table.h"
#include "report/optimum_table.h"
#include "report/rank_table.h"
#include "report/series_file.h"
#include "report/trace_figures.h"
#include "report/training_json.h"
#include "results/document.h"
#include "results/fields/fabric.h"
#include "support/sample_run.h"

namespace fredsim {
namespace {

using nlohmann::json;

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

// With all stalls that switches with phases have, and a series of two windows.
RunResult stalled_run() {
  RunResult run = sample_run();
  run.series =
      LinkSeries{.window_cycles = 8,
                 .cycles = 12,
                 .links = {{"a.0->b.1", "a", "b", {3, 1}, {1500, 500}, {3, 1}, {0.375, 0.25}}},
                 .switches = {{"a",
                               {{"join", {1, 0}},
                                {"credit", {0, 2}},
                                {"phase", {3, 0}},
                                {"arbiter", {2, 2}},
                                {"link", {5, 0}}}}}};
  run.switches[0].stall_cycles = {
      {"join", 1}, {"credit", 2}, {"phase", 3}, {"arbiter", 4}, {"link", 5}};
  return run;
}

EnergyResult sample_energy() {
  EnergyResult energy;
  energy.parts.adders = energy.parts.clock = 0.5;
  energy.events.additions = 3;
  energy.total = 1;
  energy.bits = 4096;
  return energy;
}

// Every field that a run of collectives can have.
json series_sample_file() {
  const RunResult run = stalled_run();
  const std::vector<SeriesOfRun> runs{
      {.config = "a.yaml",
       .settings = {},
       .fabric = "a",
       .size_bytes = 1024,
       .series = &*run.series},
      {.config = "a.yaml", .settings = {}, .fabric = "a", .rate = 0.5, .series = &*run.series}};
  return json::parse(series_text("s.json", runs, "1.2.3"));
}

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
  run.collective_overhead_ns = 2000;
  run.skew = "normal:2us";
  run.slices = 5;
  run.slices_simulated = 1;
  run.links[0].counters = {{"resent_flits", 3}, {"damaged_flits", 2}, {"lost_flits", 1}};
  run.system = SystemResult{.dimension_order = "themis",
                            .chunk_order = "scf",
                            .dimensions = {{"pod", 100, 0.5}},
                            .utilization = 0.5};
  run.layout.nodes.push_back({"npu3", "npu", {}, {}, true, "l1_0.s0"});
  run.credit_limit = CreditLimit{.link = "a.0->b.1",
                                 .buffer_bytes = 24576,
                                 .covering_bytes = 49152,
                                 .link_gbps = 50,
                                 .carried_gbps = 25,
                                 .key = "switch.input_buffer"};
  run.breakdowns = {sample_breakdown()};
  run.energy = sample_energy();
  return run;
}

json run_file(const std::vector<ReportedRun>& runs) {
  return json::parse(results_json(kOrigin, runs));
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

json traffic_file(bool is_interrupted) {
  TrafficSetup setup;
  setup.config = "mesh.yaml";
  setup.machine = {{"clock", "1 GHz"}};
  setup.fabric = "mesh";
  setup.model = "lockstep";
  setup.pattern = "hotspot";
  setup.hotspot_node = 3;
  setup.hotspot_fraction = 0.25;
  setup.excluded_nodes = {1};
  setup.pattern_file = "rates.csv";
  setup.packet_flits = 4.5;
  setup.packet_sizes = "1:0.5,8:0.5";
  setup.burst = "alpha=0.02,beta=0.1";
  setup.request_reply = "read=1:8,write=8:1,writes=0.5";
  setup.netrace =
      NetraceSetup{.file = "a.tra.bz2", .flit_bytes = 16, .nodes = 4, .cycles = 9, .packets = 9};
  setup.window_cycles = setup.nodes = setup.sending_nodes = 4;
  setup.layout = sample_run().layout;
  TrafficPoint arrived;
  arrived.rate = arrived.accepted = 0.5;
  arrived.arrived = arrived.packets = 9;
  arrived.latency_mean = 3.25;
  arrived.request_latency_mean = 1.5;
  arrived.energy = sample_energy();
  arrived.breakdown = sample_breakdown();
  arrived.breakdown->work.clear();
  arrived.breakdown->path.reset();
  arrived.links = sample_run().links;
  arrived.switches = stalled_run().switches;
  arrived.series = stalled_run().series;
  TrafficPoint none = arrived;
  none.arrived = 0;
  none.request_latency_mean.reset();
  none.breakdown.reset();
  none.energy = EnergyResult{.missing = "the run was interrupted"};
  none.saturated = true;
  none.incomplete = is_interrupted;
  return json::parse(traffic_json(kOrigin, setup, std::vector{arrived, none}));
}

TrainingResult sample_training_result() {
  TrainingResult result;
  result.run = stalled_run();
  result.run.energy = sample_energy();
  result.run.operations = OperationsResult{};
  result.iteration_ns = 500;
  result.iterations_ns = {490, 510};
  result.placement = "paper";
  result.npus = {0, 1, 5, 6};
  for (const char* part :
       {"compute", "input_load", "mp", "pp", "dp", "streaming", "memory", "ep", "cp", "bubble"}) {
    result.breakdown_ns.emplace_back(part, 62.5);
    if (std::string(part) != "bubble") result.critical_path_ns.emplace_back(part, 10.5);
  }
  result.speedup = 1.5;
  result.speedup_best_base = 1.25;
  result.is_best_base = true;
  result.packet_order = "paced";
  result.run.collective_overhead_ns = 2000;
  result.run.skew = "uniform:1us";
  result.ranks = {{.member = "npu0",
                   .end_ns = 500,
                   .compute_ns = 400,
                   .memory_ns = 10,
                   .exposed_ns = 40,
                   .bubble_ns = 50}};
  result.memory = NpuMemory{24'000'000, 24'000'000, 144'000'000, 5'000'000, 7};
  result.experts = ExpertUse{4, "zipf:1.2", "balanced", 3, 1.25, 4000, 12, 1.07};
  return result;
}

// A question and its workload.
struct TrainingSample {
  TrainingQuestion asked;
  TrainedWorkload workload;
};

TrainingSample sample_training() {
  TrainingSample sample;
  sample.workload = {.name = "small",
                     .parameters = 12'000'000,
                     .strategy = "mp2-cp2-dp1-pp1",
                     .layers_per_stage = {3.5, 4},
                     .algorithm = "auto",
                     .compute_rate = 1e15,
                     .fit = TrainedWorkload::Fit{"fred_d.yaml", 1.5, 12},
                     .idealised = {"weights are there"}};
  sample.asked.kind = TrainingQuestion::kStreaming;
  sample.asked.split.sp = true;
  sample.asked.gradients = "bucket=25MB";
  TrainingOptions& training = sample.asked.training;
  training.minibatch = 16;
  training.algorithm = "auto";
  training.accounting = Accounting::kOverlap;
  training.optimizer = Optimizer::kAdam;
  training.recompute = Recompute::kFull;
  training.stream = Stream::kMulticast;
  training.stream_layers = 1;
  return sample;
}

json training_file(const TrainingSample& sample, const TrainingResult& result) {
  return json::parse(training_json(kOrigin, sample.asked, sample.workload, std::vector{result}));
}
json inference_file(InferencePhase phase) {
  TrainingSample sample = sample_training();
  sample.asked.kind = TrainingQuestion::kInference;
  sample.asked.inference.emplace();
  sample.asked.inference->phase = phase;
  sample.asked.inference->batch = 2;
  sample.asked.inference->context = 64;
  sample.asked.inference->overlap = 2;
  sample.workload.compute_rate.reset();
  sample.workload.fit.reset();
  TrainingResult result = sample_training_result();
  result.tokens = TokenTimes{123.5, 2e6};
  result.memory.reset();
  return training_file(sample, result);
}
json traces_file() {
  TrainingSample sample = sample_training();
  sample.asked.kind = TrainingQuestion::kTraces;
  sample.workload.foreign_keys = {{"endpoint-delay", "10", "unsupported", "the NIC's own cycles"}};
  sample.workload.given = "traces, 8 ranks, 280 nodes";
  sample.workload.model_file = "none";
  TrainingResult result = sample_training_result();
  result.words = {"ep: 4: groups of experts"};
  result.memory.reset();
  return training_file(sample, result);
}
json interrupted_training_file() {
  TrainingResult result = sample_training_result();
  result.run.incomplete = true;
  result.run.payload = "incomplete";
  result.iterations_ns.clear();
  return training_file(sample_training(), result);
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
  return training_file(sample_training(), result);
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

json doctor_file() {
  DoctorSetup setup;
  setup.config = "mesh.yaml";
  setup.settings.all = {{"npu.count", "4"}};
  setup.machine = {{"clock", "1 GHz"}};
  setup.fabric = "mesh";
  const LiftedLimit buffers{.limit = Limit::kBuffers,
                            .time_ns = 50,
                            .is_calibrated = true,
                            .lifted_by = "switch.input_buffer: auto"};
  const LiftedLimit turns{.limit = Limit::kTurns, .note = "one dimension"};
  Diagnosis known{.collective = "all_reduce",
                  .algorithm = "ring",
                  .ranks = 4,
                  .size_bytes = 1024,
                  .time_ns = 100,
                  .is_calibrated = true,
                  .network_bound_ns = 40,
                  .limits = {buffers, turns},
                  .all_ns = 45};
  Diagnosis unknown = known;
  unknown.network_bound_ns = 0;
  return json::parse(doctor_json(kOrigin, setup, std::vector{known, unknown}));
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

json trace_info_file() {
  TraceInfo info{
      .nodes = 3, .dependencies = 2, .exposed_ps = 500, .work_ps = 7500, .critical_ps = 5000};
  info.types[TraceNodeType::kCollective] = {1, 2500, 64};
  info.collectives[{"ALL_REDUCE", "dp"}] = {1, 2500, 64};
  info.lanes[{false, 7}] = {1, 2500, 64};
  info.lanes[{true, TraceNode::kNobody}] = {2, 5000, 0};
  info.durations = quantiles_of({2500, 2500, 2500});
  info.sizes = quantiles_of({64});
  info.longest = {{.id = 1,
                   .name = "sum",
                   .type = TraceNodeType::kCollective,
                   .duration_ps = 2500,
                   .stream = 7}};
  TraceInfo not_recorded = info;
  not_recorded.exposed_ps.reset();
  return json::parse(trace_figures_json(
      kOrigin, {.traces = {{"a.0.et", info}, {"a.1.et", not_recorded}}, .all = info}));
}

}  // namespace

json whole_run_file() {
  return run_file({{.result = whole_run(),
                    .comparison = Comparison{2, 0.5, 1.25},
                    .is_best_base = true,
                    .speedup_best_base = 1.5}});
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

json whole_training_file() { return training_file(sample_training(), sample_training_result()); }

const std::vector<SampleFile>& sample_files() {
  static const std::vector<SampleFile> kFiles{
      {"run", "run", whole_run_file},
      {"flow", "run", flow_file},
      {"interrupted_run", "run", interrupted_run_file},
      {"own", "own", own_file},
      {"traffic", "traffic", [] { return traffic_file(false); }},
      {"interrupted_traffic", "traffic", [] { return traffic_file(true); }},
      {"training", "training", whole_training_file},
      {"flow_training", "training", flow_training_file},
      {"prefill", "training", [] { return inference_file(InferencePhase::kPrefill); }},
      {"decode", "training", [] { return inference_file(InferencePhase::kDecode); }},
      {"traces", "training", traces_file},
      {"interrupted_training", "training", interrupted_training_file},
      {"conflicts", "conflicts", conflicts_file},
      {"ranks", "ranks", ranks_file},
      {"doctor", "doctor", doctor_file},
      {"trace_info", "trace_info", trace_info_file},
      {"optimize", "optimize", optimum_file},
      {"optimize_topology", "optimize_topology", network_file},
      {"series", "series_file", series_sample_file}};
  return kFiles;
}

void PrintTo(const SampleFile& file, std::ostream* out) { *out << file.name; }

}  // namespace fredsim

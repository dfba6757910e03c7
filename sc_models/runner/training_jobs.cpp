// SPDX-License-Identifier: Apache-2.0
#include "runner/training_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "fabric/ranked_cut.h"
#include "runner/detail/best_base.h"
#include "runner/detail/chunk_options.h"
#include "runner/detail/machine_calibration.h"
#include "runner/detail/npu_memory.h"
#include "runner/detail/switch_pattern.h"
#include "runner/detail/switch_rtl.h"
#include "runner/detail/system_calibration.h"
#include "runner/detail/system_memory.h"
#include "runner/interrupt.h"
#include "runner/machine_word.h"
#include "runner/machines.h"
#include "runner/option_values.h"
#include "runner/run_ranks.h"
#include "systems/system_plan.h"
#include "topology/faults.h"
#include "workload/graph_size.h"
#include "workload/operation_shapes.h"
#include "workload/sequence_split.h"
#include "workload/trace_export.h"
#include "workload/training_graph.h"
#include "workload/worker_graph.h"
#include "workload/worker_traffic.h"

namespace fredsim {

TrainingJobs::TrainingJobs(const TrainRequest& request, const FileUses& files)
    : request_(request), files_(files), asked_(request_.train), rate_(asked_.compute_rate) {
  const InterruptEndsPlanning interrupt_ends_it;
  read_workload();
  if (asked_.inference) check_is_transformer(model_, "--phase");
  place_experts();
  if (asked_.is_model() && !asked_.inference)
    model_ = part_of_model(std::move(model_), asked_.training.strategy, asked_.split);
  load();
  for (TrainedMachine& entry : machines_) {
    const Topology& topology = entry.config.topology;
    check_graph(entry);
    if (asked_.is_model()) entry.placement = placement_on(entry);
    if (streams()) {
      entry.tasks = tasks_of(entry);
      add_plans(entry, entry.tasks->shapes());
      entry.plans = plans_of(topology, entry.tasks->shapes());
      continue;
    }
    const TaskGraph graph = graph_of(entry);
    add_plans(entry, graph.shapes);
    entry.plans = plans_of(topology, graph.shapes);
    if (!asked_.export_prefix.empty() && !traces_out_) {
      const std::size_t ranks = trace_ranks(graph, topology);
      check_exported(ranks);
      traces_out_.emplace(asked_.export_prefix, ranks, "--export-et");
    }
  }
  check_switches();
  write_placements();
  elaborate();
  if (traces_out_ && !asked_.fit) export_traces();
}

void TrainingJobs::load() {
  for (MachineConfig& config : load_machines(request_, request_.quiet)) {
    if (!request_.is_flow) check_runs_exactly(config);
    machines_.push_back(
        {.config = std::move(config), .placement = {}, .plans = {}, .machine = nullptr});
    if (!asked_.best_base || machines_.size() > 1) continue;
    machines_.push_back({.config = best_of(machines_.front().config),
                         .is_best_base = true,
                         .placement = {},
                         .plans = {},
                         .machine = nullptr});
  }
  check_chunking(asked_.chunking, std::ranges::any_of(machines_, [](const TrainedMachine& entry) {
                   return entry.config.topology.has_blocks();
                 }));
}

std::size_t TrainingJobs::place_of(std::size_t machine) const {
  return machine > 0 && asked_.best_base ? machine + 1 : machine;
}

void TrainingJobs::write_placements() const {
  if (!request_.expert_file.empty())
    OutputFile(request_.expert_file, "--write-expert-placement", &interrupt_flag())
        .write(expert_placement_text(experts_.of_file));
  if (request_.placement_file.empty()) return;
  std::vector<NamedPlacement> placements;
  for (const TrainedMachine& entry : machines_)
    placements.push_back({entry.config.topology.name, entry.placement.npus});
  fredsim::write_placements(request_.placement_file, files_, placements);
}

void TrainingJobs::read_workload() {
  switch (asked_.source) {
    case Source::kBuiltIn:
      model_ = built_in_model(asked_.workload);
      break;
    case Source::kModelFile:
      model_ = read_model_file(asked_.workload);
      break;
    case Source::kText:
      text_ = read_text_workload(asked_.workload);
      break;
    case Source::kTraces:
      traces_ = check_traces(asked_.traces, asked_.dependencies);
      if (asked_.rules.untimed_ps == 0) check_takes_time(traces_);
      if (asked_.rules.replays_communication && traces_.communications > 0 &&
          traces_.timed_communications == 0)
        throw BadInput(fmt::format(
            "--communication: found 'recorded', and none of the {} communications of {} has a "
            "duration; allowed: simulated, or traces of profiles (trace convert)",
            traces_.communications, asked_.workload));
      if (!asked_.comm_groups.empty())
        groups_ = read_comm_groups(asked_.comm_groups, static_cast<int>(traces_.paths.size()));
      else
        groups_ = traces_.groups;
      break;
  }
}

void TrainingJobs::check_exported(std::size_t ranks) const {
  std::vector<FileUse> outputs = files_.outputs;
  for (std::size_t r = 1; r < ranks; ++r)
    outputs.push_back({"--export-et", trace_file(asked_.export_prefix, r)});
  check_outputs(files_.inputs, outputs);
}

WorkerPlacement TrainingJobs::placement_on(TrainedMachine& entry) const {
  const Topology& topology = entry.config.topology;
  const Strategy& strategy = asked_.training.strategy;
  check_workers(strategy, topology, asked_.split);
  if (asked_.placement && !entry.is_best_base)
    return {asked_.placement->name(), npus_of(*asked_.placement, strategy, topology)};
  // Traffic of workers does not depend on their placement.
  entry.placement.npus = npus_left(topology);
  if (std::ssize(entry.placement.npus) < strategy.workers())
    return {"paper", paper_placement(strategy)};  // refused later, naming the failed NPU
  entry.placement.npus.resize(static_cast<std::size_t>(strategy.workers()));
  constexpr int kPasses = 2;  // passes of inference; all later passes equal the second
  const TaskGraph graph = graph_of(entry, asked_.inference ? kPasses : 1);
  PlacementSearch search{.seed = request_.seed, .on_conflict = asked_.on_conflict};
  if (asked_.placement)
    search.given = {asked_.placement->name(), npus_of(*asked_.placement, strategy, topology)};
  return auto_placement(strategy, topology, worker_traffic(graph, entry.placement.npus), search);
}

bool TrainingJobs::streams() const {
  constexpr std::size_t kMaxRanks = 512;
  return asked_.source == Source::kTraces && request_.timeline_file.empty() &&
         traces_.paths.size() <= kMaxRanks;
}

TraceRules TrainingJobs::trace_rules(const TrainedMachine& entry) const {
  TraceRules rules = asked_.rules;
  if (asked_.names_algorithm || entry.is_best_base) rules.algorithm = algorithm_of(entry);
  return rules;
}

std::unique_ptr<TraceTasks> TrainingJobs::tasks_of(const TrainedMachine& entry) const {
  return std::make_unique<TraceTasks>(traces_, groups_, ComputeSpeed{entry.config.compute, rate_},
                                      entry.config.topology, trace_rules(entry));
}

TextLayout TrainingJobs::layout_on(const Topology& topology) const {
  return text_layout(text_, asked_.workload, asked_.text_mp, static_cast<int>(topology.npus.size()),
                     topology.name);
}

TextGraphOptions TrainingJobs::text_options(const TrainedMachine& entry, int max_iterations) const {
  return {asked_.text_mp, std::min(asked_.training.iterations, max_iterations),
          algorithm_of(entry)};
}

void TrainingJobs::check_graph(const TrainedMachine& entry) const {
  if (asked_.source == Source::kTraces) return;
  const Topology& topology = entry.config.topology;
  const GraphSize size =
      asked_.source == Source::kText
          ? text_graph_size(text_, asked_.workload,
                            text_options(entry, std::numeric_limits<int>::max()), topology)
      : asked_.inference
          ? inference_graph_size(*model_.transformer, *asked_.inference)
          : training_graph_size(at_value_bytes(model_, entry.config.compute.value_bytes),
                                training_options(), topology);
  check_memory({.name = fmt::format("{}, {}", name_of(entry.config), name()),
                .tasks = size.tasks,
                .operations = size.operations,
                .bytes = graph_bytes(size) + graph_run_bytes(size)},
               simulated_nodes(topology, request_.is_flow), available_memory());
}

void TrainingJobs::add_plans(const TrainedMachine& entry,
                             const std::vector<OperationShape>& shapes) {
  const Topology& topology = entry.config.topology;
  nodes_ += simulated_nodes(topology, request_.is_flow);
  const std::string name = fmt::format("{}, {}", name_of(entry.config), this->name());
  if (runs_in_steps(topology, request_.is_flow))
    planned_.push_back({name, flow_system_size(topology, !request_.json_file.empty())});
  else
    for (const auto& shape : shapes)
      planned_.push_back({name, plan_size(topology, all_specs(shape))});
  check_memory(planned_, nodes_, available_memory());
}

const std::string& TrainingJobs::algorithm_of(const TrainedMachine& entry) const {
  static const std::string best = "auto";
  return entry.is_best_base ? best : asked_.training.algorithm;
}

bool TrainingJobs::streams_to_users(const TrainedMachine& entry) const {
  const Strategy& strategy = asked_.training.strategy;
  return entry.is_best_base && asked_.kind == TrainingQuestion::kStreaming &&
         std::ssize(io_controllers_left(entry.config.topology)) >= strategy.mp * strategy.pp;
}

TrainingOptions TrainingJobs::training_options() const {
  TrainingOptions training = asked_.training;
  training.experts = experts_;
  return training;
}

void TrainingJobs::place_experts() {
  constexpr const char* kOption = "--write-expert-placement";
  const std::string& file = request_.expert_file;
  experts_ = asked_.experts;
  experts_.seed = experts_.router.seed = request_.seed;
  const std::optional<ExpertLayers> layers =
      expert_layers(name(), model_.transformer ? &*model_.transformer : nullptr,
                    asked_.training.strategy, experts_);
  if (!layers) {
    if (file.empty()) return;
    throw BadInput(
        fmt::format("{}: found '{}' with {}, which has no experts; allowed: with a model "
                    "whose file has the key experts",
                    kOption, file, name()));
  }
  experts_.placing = ExpertOptions::Placing::kFile;
  experts_.of_file = layers->placement();
  if (file == "-") throw BadInput(fmt::format("{}: found '-'; allowed: a file", kOption));
}

TaskGraph TrainingJobs::graph_of(const TrainedMachine& entry, int max_iterations,
                                 ExpertRouting* routing) const {
  const ComputeSpeed speed{entry.config.compute, rate_};
  const Topology& topology = entry.config.topology;
  TrainingOptions training = training_options();
  training.npus = entry.placement.npus;
  training.iterations = std::min(training.iterations, max_iterations);
  training.algorithm = algorithm_of(entry);
  if (streams_to_users(entry)) training.stream = Stream::kMulticast;
  if (asked_.source == Source::kText)
    return text_graph(text_, asked_.workload, text_options(entry, max_iterations), topology);
  if (asked_.source == Source::kTraces)
    return trace_graph(traces_, groups_, speed, topology, trace_rules(entry));
  if (asked_.inference) {
    InferenceOptions inference = *asked_.inference;
    inference.npus = entry.placement.npus;
    inference.algorithm = training.algorithm;
    inference.steps = std::min(inference.steps, max_iterations);
    inference.experts = experts_;
    return inference_graph(name(), *model_.transformer, inference, speed, topology, routing);
  }
  return training_graph(model_, training, speed, topology, routing);
}

ShapePlans TrainingJobs::plans_of(const Topology& topology,
                                  std::vector<OperationShape> shapes) const {
  for (OperationShape& shape : shapes) {
    for (std::vector<CollectiveSpec>* specs : {&shape.before, &shape.work, &shape.beside})
      for (CollectiveSpec& spec : *specs) {
        spec.order = asked_.packet_order;
        spec.chunking = chunking_for(topology, spec, asked_.chunking);
      }
  }
  return plan_shapes(topology, shapes, asked_.on_conflict,
                     request_.is_flow ? SystemForm::kSteps : SystemForm::kExpanded);
}

void TrainingJobs::check_switches() const {
  if (request_.rtl_instances.empty()) return;
  std::vector<const Topology*> topologies;
  for (const TrainedMachine& entry : machines_) topologies.push_back(&entry.config.topology);
  check_switch_pattern("--rtl-instances", request_.rtl_instances, topologies);
}

void TrainingJobs::elaborate() {
  FabricOptions fabric;
  fabric.model = request_.model;
  fabric.rtl_instances = request_.rtl_instances;
  fabric.lanes = request_.lanes;
  fabric.seed = request_.seed;
  fabric.timeout_cycles = request_.timeout_cycles;
  fabric.skip = request_.skip;
  fabric.own_contexts = request_.switch_threads > 1;
  fabric.switch_threads = request_.switch_threads;
  fabric.stop = &interrupt_flag();
  std::vector<NeededSwitch> needed;
  for (const TrainedMachine& entry : machines_)
    std::ranges::move(needed_rtl(entry.config.topology, fabric), std::back_inserter(needed));
  check_switch_threads(request_.switch_threads, !needed.empty());
  require_rtl(needed, request_.rtl_build, request_.quiet);
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    TrainedMachine& entry = machines_[i];
    const Topology& topology = entry.config.topology;
    const std::string name = fmt::format("machine{}", i);
    if (runs_in_steps(topology, request_.is_flow)) {
      entry.calibration = std::make_unique<SystemCalibration>(entry.config, fabric, name);
      continue;
    }
    RankedCut ranked = cut_over(
        run_ranks(), cut_by_rank(topology, costs_of_nodes(topology, fabric), run_ranks()), {});
    fabric.cut = std::move(ranked.cut);
    fabric.share = std::move(ranked.share);
    if (topology.flow_only.empty())
      entry.machine = std::make_unique<Machine>(name.c_str(), topology, fabric);
    if (request_.is_flow)
      entry.calibration =
          std::make_unique<MachineCalibration>(topology, entry.machine.get(), request_.seed);
  }
}

void TrainingJobs::export_traces() const {
  std::optional<TraceTexts> texts;
  for (const TrainedMachine& entry : machines_) {
    if (entry.is_best_base) continue;  // its workers may be placed elsewhere
    TraceTexts own = trace_texts(graph_of(entry), entry.config.topology);
    if (texts && own != *texts) {
      throw BadInput(
          fmt::format("--export-et: found {} and {}, whose traces differ in times or ranks; "
                      "allowed: one of them",
                      name_of(machines_.front().config), name_of(entry.config)));
    }
    texts = std::move(own);
  }
  traces_out_->write(*texts);
}

}  // namespace fredsim

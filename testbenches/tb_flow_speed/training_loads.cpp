// SPDX-License-Identifier: Apache-2.0
#include "training_loads.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "config/config.h"
#include "runner/flow_engine.h"
#include "workload/graph_run.h"
#include "workload/model_file.h"
#include "workload/trace_export.h"
#include "workload/trace_tasks.h"
#include "workload/training_graph.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_check.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kSamples = 16;  // samples of a replica
constexpr const char* kGpt3 = "configs/models/gpt3.yaml";

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Temporary folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "tb_flow_speed_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw RunFailed(name + ": cannot be made");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

ModelShape first_layers(ModelShape model, int layers) {
  if (layers > 0 && std::cmp_less(layers, model.layers.size()))
    model.layers.resize(static_cast<std::size_t>(layers));
  return model;
}

TaskGraph graph_of(const ModelShape& model, const MachineConfig& machine,
                   const Strategy& strategy) {
  TrainingOptions options{.strategy = strategy};
  options.npus = paper_placement(strategy);
  options.minibatch = kSamples * static_cast<std::uint64_t>(strategy.dp);
  options.iterations = 1;
  return training_graph(model, options, {machine.compute, 0}, machine.topology);
}

TrainingCosts costs_of(double start, double planned, const GraphOutcome& outcome) {
  TrainingCosts costs{.plan_s = planned - start, .flow_s = processor_seconds() - planned};
  for (const RankTime& rank : outcome.times) costs.tasks += rank.tasks;
  costs.operations = outcome.result.operations->complete;
  return costs;
}

}  // namespace

TrainingCosts train_gpt3(const std::string& machine, const std::vector<std::string>& settings,
                         const Strategy& strategy) {
  const MachineConfig config = load_config(machine, settings);
  const ModelShape model = read_model_file(kGpt3);
  const double start = processor_seconds();
  const TaskGraph graph = graph_of(model, config, strategy);
  const ShapePlans plans =
      plan_shapes(config.topology, graph.shapes, OnConflict::kRefuse, SystemForm::kSteps);
  const double planned = processor_seconds();
  FlowEngine engine(config.topology, plans);
  return costs_of(start, planned, run_graph(engine, graph));
}

TrainingCosts train_streamed(const std::string& machine, const std::string& model,
                             const Strategy& strategy, int layers) {
  const MachineConfig config = load_config(machine);
  const double start = processor_seconds();
  TrainingOptions options{.strategy = strategy};
  options.npus = paper_placement(strategy);
  options.minibatch = kSamples * static_cast<std::uint64_t>(strategy.dp);
  options.microbatches = strategy.pp > 1 ? 8 : 1;
  options.accounting = Accounting::kOverlap;
  options.execution = Execution::kStreaming;
  const TaskGraph graph = training_graph(first_layers(built_in_model(model), layers), options,
                                         {config.compute, 0}, config.topology);
  const ShapePlans plans =
      plan_shapes(config.topology, graph.shapes, OnConflict::kRefuse, SystemForm::kSteps);
  const double planned = processor_seconds();
  FlowEngine engine(config.topology, plans);
  return costs_of(start, planned, run_graph(engine, graph));
}

TrainingCosts run_traces(const std::string& machine, const std::vector<std::string>& settings,
                         const Strategy& strategy, int layers) {
  const MachineConfig config = load_config(machine, settings);
  const Folder folder;
  const std::string prefix = folder.path() / "rank";
  const std::string groups_file = prefix + ".groups.json";
  {
    const TraceTexts texts = trace_texts(
        graph_of(first_layers(read_model_file(kGpt3), layers), config, strategy), config.topology);
    for (std::size_t r = 0; r < texts.ranks.size(); ++r)
      std::ofstream(prefix + "." + std::to_string(r) + ".et", std::ios::binary) << texts.ranks[r];
    std::ofstream(groups_file) << texts.groups;
  }
  const double start = processor_seconds();
  const TraceFiles files = check_traces(prefix);
  const CommGroups groups = read_comm_groups(groups_file, static_cast<int>(files.paths.size()));
  TraceTasks tasks(files, groups, {config.compute, 0}, config.topology);
  const ShapePlans plans =
      plan_shapes(config.topology, tasks.shapes(), OnConflict::kRefuse, SystemForm::kSteps);
  const double planned = processor_seconds();
  FlowEngine engine(config.topology, plans);
  return costs_of(start, planned, run_tasks(engine, tasks));
}

}  // namespace fredsim

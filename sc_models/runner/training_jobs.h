// SPDX-License-Identifier: Apache-2.0
// Jobs of `fredsim train`: iterations of a model, or of a workload from files, on several machines.
//
// The constructor plans and elaborates; run() is called in an SC_THREAD.
// Errors: the constructor checks the input completely and throws BadInput or RoutingConflict before
//   the first cycle is simulated. run() throws the errors of run_training(), prefixed with the
//   job's name, and BadInput or RunFailed if no compute rate gives the speed-up of --fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/machine.h"
#include "engine/run_engine.h"
#include "placement/worker_placement.h"
#include "results/timeline.h"
#include "runner/arrival_options.h"
#include "runner/calibration.h"
#include "runner/file_uses.h"
#include "runner/memory_check.h"
#include "runner/run_options.h"
#include "runner/trace_output.h"
#include "runner/train_options.h"
#include "workload/graph_timeline.h"
#include "workload/model_file.h"
#include "workload/text_graph.h"
#include "workload/text_groups.h"
#include "workload/trace_graph.h"
#include "workload/trace_tasks.h"
#include "workload/training_run.h"

namespace fredsim {

struct FlowTrial;  // report/flow_offer.h

// The options of `train`.
struct TrainRequest : MachineOptions, OutputOptions, SwitchOptions, SimulationOptions {
  bool is_flow = false;  // --engine flow
  TrainOptions train;
  ArrivalOptions arrivals;
  std::uint64_t seed = 1;
  std::string timeline_file;   // empty: none; "-": standard output
  std::string placement_file;  // --write-placement; empty: none
  std::string expert_file;     // --write-expert-placement; empty: none
};
inline constexpr auto kExpertFileRows =
    rows::under(headings::kExperts,
                rows::text<&TrainRequest::expert_file>(
                    "--write-expert-placement", "FILE",
                    "writes the experts of each rank in the form that --expert-placement reads"));
inline constexpr auto kTrainTimelineRows = rows::under(
    headings::kOutput,
    rows::text<&TrainRequest::timeline_file>("--timeline", "FILE.json",
                                             "computation and communication of each NPU over time, "
                                             "for ui.perfetto.dev and chrome://tracing. "
                                             "FILE.pftrace: as Perfetto's protobuf"));

struct TrainedMachine {
  MachineConfig config;
  bool is_best_base = false;            // --best-base
  WorkerPlacement placement;            // placement of models
  ShapePlans plans;                     // without computation times
  std::unique_ptr<TraceTasks> tasks{};  // tasks of traces that are read during the run
  std::unique_ptr<Machine> machine;
  std::unique_ptr<FlowCalibration> calibration{};  // --engine flow
};

class TrainingJobs {
 public:
  // `files`: files of the command line.
  TrainingJobs(const TrainRequest& request, const FileUses& files);
  // Runs the jobs, called from an SC_THREAD. False: interrupted.
  bool run();
  const std::vector<TrainingResult>& results() const { return results_; }
  // Timeline of the machines that are complete.
  Timeline timeline() const;
  const std::vector<TrainedMachine>& machines() const { return machines_; }
  TrainedWorkload workload() const;
  const TrainingQuestion& asked() const { return asked_; }

 private:
  using Source = TrainOptions::Source;

  void load();
  // Index on the command line.
  std::size_t place_of(std::size_t machine) const;
  void write_placements() const;
  void read_workload();
  // Checks the trace files of further ranks; the first rank's file and the groups' file are checked
  // with the options.
  void check_exported(std::size_t ranks) const;
  const std::string& name() const { return model_.name.empty() ? asked_.workload : model_.name; }
  // Short description of a text workload or of traces; empty for a model.
  std::string given() const;
  WorkerPlacement placement_on(TrainedMachine& entry) const;
  // Costs of a machine that these runs do not model.
  std::vector<std::string> idealised() const;
  std::vector<std::string> warnings() const;
  bool is_launched_at_once() const;
  void add_values(std::vector<std::string>& idealised) const;
  void add_shares(std::vector<std::string>& idealised) const;
  // True if traces are read during the run: not with a timeline, which holds all tasks, and not if
  // there are more files than may be open.
  bool streams() const;
  TraceRules trace_rules(const TrainedMachine& entry) const;
  std::unique_ptr<TraceTasks> tasks_of(const TrainedMachine& entry) const;
  TextLayout layout_on(const Topology& topology) const;
  TextGraphOptions text_options(const TrainedMachine& entry, int max_iterations) const;
  // Checks that the graph has room in memory, of all but traces.
  void check_graph(const TrainedMachine& entry) const;
  // Adds plans to the list that is kept until the end, for all machines.
  void add_plans(const TrainedMachine& entry, const std::vector<OperationShape>& shapes);
  const std::string& algorithm_of(const TrainedMachine& entry) const;
  // True if a stream reaches its users by multicast, which needs a controller for each shard.
  bool streams_to_users(const TrainedMachine& entry) const;
  TaskGraph graph_of(const TrainedMachine& entry,
                     int max_iterations = std::numeric_limits<int>::max(),
                     ExpertRouting* routing = nullptr) const;
  void place_experts();
  TrainingOptions training_options() const;
  ShapePlans plans_of(const Topology& topology, std::vector<OperationShape> shapes) const;
  void check_switches() const;
  void elaborate();
  void export_traces() const;
  std::unique_ptr<RunEngine> engine_of(const TrainedMachine& entry, bool is_flow) const;
  TrainingResult trained(const TrainedMachine& entry,
                         const std::function<void(const Progress&)>& on_progress,
                         const std::function<void(const GraphOutcome&)>& on_complete,
                         const std::function<void(const std::string&)>& say = {}) const;
  bool may_offer_flows(const TrainedMachine& entry) const;
  FlowTrial flow_trial(const TrainedMachine& entry, const TaskGraph& graph) const;
  // `on_progress` of an exact run, which offers `--engine flow` where the run is long.
  std::function<void(const Progress&)> with_offer(
      const TrainedMachine& entry, const TaskGraph& graph, RunEngine& engine,
      std::function<void(const Progress&)> on_progress,
      std::function<void(const std::string&)> say) const;
  std::optional<double> flops_of_run() const;
  // Trains on one machine. Incomplete after an interruption; none: interrupted before the start.
  std::optional<TrainingResult> train(const TrainedMachine& entry);
  bool run_next();
  // Finds the compute rate, by runs of the base and the machine named.
  bool fit();

  const TrainRequest request_;
  const FileUses files_;
  const TrainOptions& asked_;
  ModelShape model_;   // a model
  TextWorkload text_;  // a text workload
  TraceFiles traces_;  // traces
  CommGroups groups_;
  ExpertOptions experts_;  // with the seed of the run and the placement found
  double rate_;            // FLOP/s; 0: the roofline of each machine
  std::vector<TrainedMachine> machines_;
  std::vector<TrainingResult> results_;
  std::optional<TraceOutput> traces_out_;
  std::vector<PlannedWork> planned_;  // shapes of the graphs
  std::uint64_t nodes_ = 0;
  int fit_runs_ = 0;
  std::map<const TrainedMachine*, TaskRecords> records_;  // records of the latest run, for the
                                                          // timeline
  std::map<std::size_t, std::optional<TrainingResult>> of_fit_;  // by machine, at the rate found
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Runs of TrainingJobs: an engine for each machine, and what a run says about it.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/long_words.h"
#include "energy/run_energy.h"
#include "engine/communicator_run.h"
#include "engine/layout.h"
#include "report/flow_offer.h"
#include "runner/detail/chunk_options.h"
#include "runner/detail/job_progress.h"
#include "runner/detail/npu_memory.h"
#include "runner/flow_engine.h"
#include "runner/interrupt.h"
#include "runner/program_name.h"
#include "runner/run_ranks.h"
#include "runner/training_jobs.h"
#include "systems/system_plan.h"
#include "workload/training_graph.h"

namespace fredsim {
namespace {

constexpr double kMaxTrial = 10;  // seconds, of flows that are tried beside an exact run

IssuedPlans issued_by(const TaskGraph& graph, const ShapePlans& plans) {
  IssuedPlans issued;
  for (const std::shared_ptr<const PreparedPlan>& plan : plans) issued.push_back({.plan = plan});
  for (const GraphOperation& operation : graph.operations)
    issued[operation.shape].times += operation.times;
  return issued;
}

std::string packet_order_of(const ShapePlans& plans) {
  std::string order;
  for (const auto& plan : plans) {
    for (const Part& part : plan->plan.parts) {
      if (part.frame > 0) return "paced";
      if (part.is_ordered) order = "recurring";
    }
  }
  return order;
}

}  // namespace

bool TrainingJobs::run() {
  if (asked_.fit && !fit()) return false;
  if (traces_out_ && asked_.fit) export_traces();
  while (results_.size() < machines_.size())
    if (!run_next()) return false;
  return true;
}

Timeline TrainingJobs::timeline() const {
  Timeline timeline;
  for (std::size_t i = 0; i < results_.size() && !results_[i].run.incomplete; ++i) {
    const TrainedMachine& entry = machines_[i];
    const auto same = [&](const TrainedMachine& other) {
      return name_of(other.config) == name_of(entry.config);
    };
    std::string process = name_of(entry.config);
    if (std::ranges::count_if(machines_, same) > 1) process += fmt::format(" #{}", i + 1);
    show_on_timeline(process, entry.config.topology, graph_of(entry), records_.at(&entry),
                     results_[i].run.cycles, timeline);
  }
  return timeline;
}

std::unique_ptr<RunEngine> TrainingJobs::engine_of(const TrainedMachine& entry,
                                                   bool is_flow) const {
  const Topology& topology = entry.config.topology;
  std::unique_ptr<RunEngine> engine;
  if (is_flow) {
    engine = std::make_unique<FlowEngine>(
        topology, entry.plans,
        FlowEngineOptions{
            .seed = request_.seed,
            .stop = &interrupt_flag(),
            .calibration = entry.calibration.get(),
            .margin = runs_in_steps(topology, is_flow) ? kSystemTrainingMargin : kTrainingMargin});
  } else {
    engine = std::make_unique<ExactRun>(*entry.machine, entry.plans);
  }
  engine->set_arrivals(arrivals_of(request_.arrivals, entry.config, request_.seed));
  return engine;
}

// True for runs that `--engine flow` could do as they are.
bool TrainingJobs::may_offer_flows(const TrainedMachine& entry) const {
  return !request_.is_flow && request_.model == SwitchModel::kTlm &&
         request_.rtl_instances.empty() && !entry.config.topology.has_blocks() &&
         run_ranks() == nullptr;
}

FlowTrial TrainingJobs::flow_trial(const TrainedMachine& entry, const TaskGraph& graph) const {
  FlowTrial trial;
  std::atomic<bool> stop = false;
  FlowEngine engine(entry.config.topology, entry.plans, {.seed = request_.seed, .stop = &stop});
  engine.set_arrivals(arrivals_of(request_.arrivals, entry.config, request_.seed));
  const std::clock_t start = std::clock();
  const auto note = [&](const Progress& p) {
    trial.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    trial.progress.push_back({p.first.done, static_cast<double>(p.cycle)});
    if (trial.seconds > kMaxTrial || interrupt_flag()) stop = true;
  };
  try {
    trial.seconds = run_training(engine, graph, note).run.cpu_s;
  } catch (const Interrupted&) {
    trial.is_complete = false;
  }
  return trial;
}

std::function<void(const Progress&)> TrainingJobs::with_offer(
    const TrainedMachine& entry, const TaskGraph& graph, RunEngine& engine,
    std::function<void(const Progress&)> on_progress,
    std::function<void(const std::string&)> say) const {
  return [this, &entry, &graph, &engine, on_progress = std::move(on_progress), say = std::move(say),
          offer = FlowOffer(request_.skip),
          start = std::chrono::steady_clock::now()](const Progress& p) mutable {
    on_progress(p);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const OperationTotals& totals = engine.operations().totals();
    if (totals.operations == 0 || !offer.is_due(passed.count(), {p.first.done, p.first.total},
                                                {p.repeated.done, p.repeated.total}))
      return;
    const OperationsDone exact{static_cast<double>(totals.operations),
                               static_cast<double>(totals.last_end)};
    if (const std::string text = offer.text(flow_trial(entry, graph), exact); !text.empty())
      say(text);
  };
}

TrainingResult TrainingJobs::trained(const TrainedMachine& entry,
                                     const std::function<void(const Progress&)>& on_progress,
                                     const std::function<void(const GraphOutcome&)>& on_complete,
                                     const std::function<void(const std::string&)>& say) const {
  const Topology& topology = entry.config.topology;
  if (!streams()) {
    ExpertRouting routing;
    const TaskGraph graph = graph_of(entry, std::numeric_limits<int>::max(), &routing);
    const IssuedPlans issued = issued_by(graph, entry.plans);
    const bool stands_for_flows = request_.is_flow && entry.machine && is_short(topology, issued);
    const std::unique_ptr<RunEngine> engine =
        engine_of(entry, request_.is_flow && !stands_for_flows);
    TrainingResult result = run_training(*engine, graph,
                                         say && may_offer_flows(entry)
                                             ? with_offer(entry, graph, *engine, on_progress, say)
                                             : on_progress,
                                         on_complete);
    if (stands_for_flows) result.run = flow_result_of(topology, issued, std::move(result.run));
    if (model_.transformer && model_.transformer->experts > 0)
      result.experts = {.ep = asked_.experts.ep,
                        .router = asked_.experts.router.name,
                        .placement = asked_.experts.placement,
                        .slots = asked_.experts.slots,
                        .capacity = asked_.experts.capacity,
                        .routed = routing.routed,
                        .dropped = routing.dropped,
                        .imbalance = routing.imbalance};
    return result;
  }
  const std::unique_ptr<RunEngine> engine = engine_of(entry, request_.is_flow);
  if (!asked_.fit) return run_training(*engine, *entry.tasks, on_progress);
  // A fit runs a machine several times, at different rates.
  return run_training(*engine, *tasks_of(entry), on_progress);
}

// FLOPs of all iterations; none: unknown.
std::optional<double> TrainingJobs::flops_of_run() const {
  if (asked_.inference || !asked_.is_model() || model_.split.cp > 1) return std::nullopt;
  const TrainingOptions training = training_options();
  const std::optional<double> flops =
      training_flops(model_, static_cast<double>(training.minibatch), training.recompute);
  return flops ? std::optional(*flops * training.iterations) : std::nullopt;
}

std::optional<TrainingResult> TrainingJobs::train(const TrainedMachine& entry) {
  if (interrupt_flag()) return std::nullopt;
  const std::string job = fmt::format("{}, {}", name_of(entry.config), name());
  JobProgress progress(request_, job, request_.skip && request_.model == SwitchModel::kTlm);
  std::function<void(const Progress&)> on_progress;
  if (progress.is_wanted()) {
    on_progress = [&](const Progress& p) {
      const double ns = 1e9 / static_cast<double>(entry.config.topology.clock_hz);
      progress.update({.cycle = p.cycle,
                       .time_ns = static_cast<double>(p.cycle) * ns,
                       .bytes_delivered = p.bytes_delivered,
                       .share = static_cast<double>(p.bytes_delivered) /
                                static_cast<double>(std::max<std::uint64_t>(p.bytes_total, 1))},
                      {p.first.done, p.first.total}, {p.repeated.done, p.repeated.total});
    };
  }
  std::function<void(const std::string&)> say;
  if (!request_.quiet) {
    say = [&](const std::string& text) {
      progress.say(with_short_words(fmt::format("{}: {}: {}", program_name(), job, text)));
    };
  }
  std::function<void(const GraphOutcome&)> on_complete;
  if (!request_.timeline_file.empty()) {
    on_complete = [&](const GraphOutcome& outcome) { records_[&entry] = outcome.records; };
  }
  try {
    TrainingResult result = trained(entry, on_progress, on_complete, say);
    if (!result.run.incomplete)
      progress.complete({.cycle = result.run.cycles,
                         .time_ns = result.run.time_ns,
                         .bytes_delivered = result.run.delivered_bytes});
    name_arrivals(request_.arrivals, entry.config, result.run);
    result.run.config = entry.config.path;
    result.run.settings = entry.config.settings;
    result.run.machine = entry.config.keys;
    result.run.layout = layout_of(entry.config.topology);
    result.run.energy =
        energy_of(entry.config.topology, entry.config.energy, result.run, flops_of_run());
    result.placement = entry.placement.name;
    result.npus = entry.placement.npus;
    result.is_best_base = entry.is_best_base;
    if (entry.is_best_base) result.algorithm = algorithm_of(entry);
    if (asked_.source == Source::kText)
      result.words = text_words(text_, layout_on(entry.config.topology));
    if (streams_to_users(entry)) result.stream = "multicast";
    result.packet_order = packet_order_of(entry.plans);
    name_orders(asked_.chunking, result.run);
    if (asked_.is_model() && !asked_.inference)
      result.memory = npu_memory(model_, training_options(), entry.config.compute);
    return result;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", job, error.what()));
  }
}

bool TrainingJobs::run_next() {
  const auto known = of_fit_.find(results_.size());
  std::optional<TrainingResult> result =
      known != of_fit_.end() ? std::move(known->second) : train(machines_[results_.size()]);
  if (!result) return false;
  if (result->run.incomplete) {
    results_.push_back(std::move(*result));
    return false;
  }
  if (asked_.inference) result->tokens = token_times(result->iterations_ns, *asked_.inference);
  if (!results_.empty()) result->speedup = results_.front().iteration_ns / result->iteration_ns;
  if (asked_.best_base && !results_.empty()) {  // over the faster base
    const double best = results_.size() > 1 ? results_[1].iteration_ns : result->iteration_ns;
    result->speedup_best_base =
        std::min(results_.front().iteration_ns, best) / result->iteration_ns;
  }
  results_.push_back(std::move(*result));
  return true;
}

}  // namespace fredsim

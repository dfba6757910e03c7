// SPDX-License-Identifier: Apache-2.0
#include "runner/work_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "energy/run_energy.h"
#include "engine/layout.h"
#include "engine/plan_run.h"
#include "fabric/ranked_cut.h"
#include "operations/own_ranks.h"
#include "plan/link_load.h"
#include "runner/calibrate.h"
#include "runner/detail/best_base.h"
#include "runner/detail/chunk_options.h"
#include "runner/detail/group_members.h"
#include "runner/detail/job_progress.h"
#include "runner/detail/machine_calibration.h"
#include "runner/detail/switch_pattern.h"
#include "runner/detail/switch_rtl.h"
#include "runner/detail/system_calibration.h"
#include "runner/detail/system_memory.h"
#include "runner/flow_engine.h"
#include "runner/interrupt.h"
#include "runner/machine_word.h"
#include "runner/machines.h"
#include "runner/memory_check.h"
#include "runner/option_values.h"
#include "runner/run_ranks.h"
#include "runner/wave_files.h"
#include "runner/work_flows.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim {

namespace {

// Word of a machine on the command line.
std::string word_of(const MachineConfig& config) {
  return with_settings(config.path, config.settings.own);
}

void check_same_npus(const MachineConfig& base, const MachineConfig& other) {
  const std::size_t expected = npus_left(base.topology).size();
  const std::size_t found = npus_left(other.topology).size();
  if (found != expected) {
    throw BadInput(
        fmt::format("{}: found {} NPUs; allowed: {}, as many as the base {} has, since both "
                    "do the same work (or name the ranks with --group)",
                    word_of(other), found, expected, word_of(base)));
  }
}

void check_same_controllers(const MachineConfig& base, const MachineConfig& other) {
  const std::size_t expected = io_controllers_left(base.topology).size();
  const std::size_t found = io_controllers_left(other.topology).size();
  if (found != expected) {
    throw BadInput(
        fmt::format("{}: found {} I/O controllers; allowed: {}, as many as the base {} has, since "
                    "both do the same "
                    "work (or name them with --group)",
                    word_of(other), found, expected, word_of(base)));
  }
}

// Executes an action on a machine; its errors start with the machine as typed if several machines
// have its name.
template <class Action>
auto named(const MachineConfig& config, bool shares_name, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (!shares_name) throw;
    throw Error(error.code(), fmt::format("{}: {}", word_of(config), error.what()));
  }
}

// "all_reduce of 1 MiB", or the first collective of several.
std::string work_name(Collective collective, std::uint64_t bytes, std::size_t parts) {
  return fmt::format("{} of {}{}", to_string(collective), format_size(bytes),
                     parts > 1 ? fmt::format(" and {} more", parts - 1) : "");
}

std::vector<ComparedMachine> machines_of(const RunRequest& request) {
  std::vector<ComparedMachine> compared;
  for (MachineConfig& config : load_machines(request, request.quiet)) {
    for (const std::string& algorithm : request.algorithms)
      compared.push_back({.config = config, .algorithm = algorithm, .work = {}});
    if (!request.algorithms.empty()) continue;
    compared.push_back({.config = std::move(config), .work = {}});
    if (request.best_base && compared.size() == 1)
      compared.push_back(
          {.config = best_of(compared.front().config), .work = {}, .is_best_base = true});
  }
  return compared;
}

void check_systems(const RunRequest& request, const std::vector<ComparedMachine>& compared) {
  bool has_system = false;
  for (const ComparedMachine& entry : compared) {
    has_system = has_system || entry.config.topology.has_blocks();
    if (!request.is_flow) check_runs_exactly(entry.config);
  }
  check_chunking(request.work.chunking, has_system);
}

void write_placements(const RunRequest& request, const FileUses& files,
                      const std::vector<ComparedMachine>& compared) {
  if (request.placement_file.empty()) return;
  std::vector<NamedPlacement> placements;
  for (const ComparedMachine& entry : compared) {
    const Topology& topology = entry.config.topology;
    placements.push_back(
        {topology.name, npus_of(entry.work.placement, entry.work.strategy, topology)});
  }
  write_placements(request.placement_file, files, placements);
}

// The work with the algorithm of an entry.
WorkOptions with_algorithm(const ComparedMachine& entry, WorkOptions work) {
  if (!entry.algorithm.empty())
    for (WorkItem& item : work.items) item.algorithm = entry.algorithm;
  return work;
}

}  // namespace

std::vector<ComparedMachine> plan_work(const RunRequest& request, const FileUses& files) {
  const InterruptEndsPlanning interrupt_ends_it;
  std::vector<ComparedMachine> compared = machines_of(request);
  check_systems(request, compared);
  std::map<std::string, int> names;
  for (const ComparedMachine& entry : compared) ++names[entry.config.topology.name];
  const auto shares_name = [&](const ComparedMachine& entry) {
    return names[entry.config.topology.name] > 1;
  };
  for (ComparedMachine& entry : compared) {
    entry.work = named(entry.config, shares_name(entry), [&] {
      return work_on(with_algorithm(entry, request.work), entry.config.topology, request.seed,
                     entry.is_best_base);
    });
    if (request.best_base) entry.work.is_placed = true;  // results of all have placements
    entry.asked_arrivals = request.arrivals;
    entry.arrivals = arrivals_of(request.arrivals, entry.config, request.seed);
  }
  const auto specs = [&](const ComparedMachine& entry, std::uint64_t size) {
    return named(entry.config, shares_name(entry),
                 [&] { return specs_of(entry.work, entry.config.topology, size, request.seed); });
  };
  // Ranks that begin at individual times need a work with order.
  const bool has_order =
      request.work.has_order() || std::ranges::any_of(compared, [](const ComparedMachine& entry) {
        return entry.arrivals.any();
      });
  std::vector<PlannedWork> work;
  std::uint64_t nodes = 0;
  for (const ComparedMachine& entry : compared) {
    const MachineConfig& config = entry.config;
    const bool in_steps = runs_in_steps(config.topology, request.is_flow);
    if (request.work.whole_machine()) check_same_npus(compared.front().config, config);
    if (request.work.names_all_controllers())
      check_same_controllers(compared.front().config, config);
    nodes += simulated_nodes(config.topology, request.is_flow);
    for (const std::uint64_t size : request.work.sizes) {
      const std::vector<CollectiveSpec> asked = specs(entry, size);
      const CollectiveSpec& first = asked.front();
      work.push_back({fmt::format("{}, {}", name_of(config),
                                  work_name(first.collective, first.bytes, asked.size())),
                      in_steps ? flow_system_size(config.topology, !request.json_file.empty())
                               : plan_size(config.topology, asked)});
    }
  }
  check_memory(work, nodes, available_memory());
  for (ComparedMachine& entry : compared) {
    const MachineConfig& config = entry.config;
    for (const std::uint64_t size : request.work.sizes) {
      named(config, shares_name(entry), [&] {
        entry.plans.push_back(plan_of_work(config.topology, entry.work, size, request.seed,
                                           has_order, request.is_flow));
      });
    }
  }
  write_placements(request, files, compared);
  std::vector<const Topology*> topologies;
  topologies.reserve(compared.size());
  for (const ComparedMachine& entry : compared) topologies.push_back(&entry.config.topology);
  if (!request.wave.file.empty()) {
    check_instance_pattern("--wave-scope", request.wave.scope, topologies);
  }
  if (!request.rtl_instances.empty()) {
    check_switch_pattern("--rtl-instances", request.rtl_instances, topologies);
  }
  return compared;
}

namespace {

// Name of a machine in a timeline: machines of equal name and settings are distinguished by their
// files, machines of one file by their numbers.
std::string timeline_name(const std::vector<ComparedMachine>& compared, std::size_t i) {
  const MachineConfig& config = compared[i].config;
  const auto alike = [&](bool by_file) {
    return std::ranges::count_if(compared, [&](const ComparedMachine& other) {
      return name_of(other.config) == name_of(config) &&
             (!by_file || other.config.path == config.path);
    });
  };
  std::string name = name_of(config);
  if (alike(false) > 1) name += fmt::format(" ({})", config.path);
  if (alike(true) > 1) name += fmt::format(" #{}", i + 1);
  return name;
}

// Waveform files by machine; empty for machines without one.
std::vector<std::string> wave_files(const RunRequest& request,
                                    const std::vector<ComparedMachine>& compared) {
  std::vector<std::string> files;
  for (const ComparedMachine& entry : compared) {
    const Topology& topology = entry.config.topology;
    std::string& file = files.emplace_back();
    if (request.wave.file.empty() || !matches_instance(request.wave.scope, topology)) continue;
    std::string own = request.wave.file;
    if (compared.size() > 1) own = wave_file_of(own, topology.name);
    for (int n = 2; std::ranges::count(files, own) > 0; ++n) {  // machines of equal name
      own = wave_file_of(request.wave.file, fmt::format("{}.{}", topology.name, n));
    }
    file = own;
  }
  return files;
}

void check_waves(const FileUses& files, const std::vector<std::string>& waves) {
  std::vector<FileUse> outputs = files.outputs;
  for (const std::string& file : waves) {
    if (file.empty()) continue;
    const std::vector<FileUse> wave = wave_uses(file);
    outputs.insert(outputs.end(), wave.begin(), wave.end());
  }
  check_outputs(files.inputs, outputs);
}

// Partitions that advance by themselves (engine/communicator.h), which requires that nothing
// observes single edges.
Cut cut_for(const Topology& topology, const FabricOptions& options) {
  const bool is_looked_at = options.timeline != nullptr || options.breakdown.is_on ||
                            options.series_cycles > 0 || !options.wave.file.empty();
  return is_looked_at || options.switch_threads > 1 ? Cut{} : cut_for_caches(topology);
}

}  // namespace

void elaborate(const RunRequest& request, const FileUses& files,
               std::vector<ComparedMachine>& compared, Timeline* timeline) {
  const FabricOptions fabric{.model = request.model,
                             .rtl_instances = request.rtl_instances,
                             .lanes = request.lanes,
                             .seed = request.seed,
                             .timeout_cycles = request.timeout_cycles,
                             .skip = request.skip,
                             .wave = {},
                             .own_contexts = request.switch_threads > 1,
                             .switch_threads = request.switch_threads,
                             .stop = &interrupt_flag(),
                             .timeline = timeline,
                             .timeline_level = request.timeline_level,
                             .timeline_name = {},
                             .breakdown = request.breakdown,
                             .series_cycles = request.series.cycles};
  const std::vector<std::string> waves = wave_files(request, compared);
  if (request.compares) check_waves(files, waves);
  std::vector<FabricOptions> own(compared.size(), fabric);
  std::vector<NeededSwitch> needed;  // switches of all machines, for one message
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (!waves[i].empty()) {
      own[i].wave = request.wave;
      own[i].wave.file = waves[i];
    }
    own[i].timeline_name = timeline_name(compared, i);
    if (!request.is_flow) {
      const Topology& topology = compared[i].config.topology;
      const bool has_order = std::holds_alternative<WorkPlan>(compared[i].plans.front());
      const Cut within = has_order ? Cut{} : cut_for(topology, own[i]);
      RankedCut ranked =
          cut_over(run_ranks(),
                   cut_by_rank(topology, costs_of_nodes(topology, own[i]), run_ranks()), within);
      own[i].cut = std::move(ranked.cut);
      own[i].share = std::move(ranked.share);
      if (run_ranks() != nullptr && !topology.has_slices()) {
        const int rank = run_ranks()->rank();
        for (AnyPlan& work : compared[i].plans)
          if (Plan* const plan = std::get_if<Plan>(&work))
            keep_own_ranks(
                *plan, [&](NodeId node) { return own[i].share.rank_of[own[i].cut[node]] == rank; });
      }
    }
    if (runs_in_steps(compared[i].config.topology, request.is_flow)) continue;
    std::ranges::move(needed_rtl(compared[i].config.topology, own[i]), std::back_inserter(needed));
  }
  check_switch_threads(request.switch_threads, !needed.empty());
  require_rtl(needed, request.rtl_build, request.quiet);
  std::optional<CalibrationFile> calibrations;
  if (!request.calibration_file.empty())
    calibrations = read_calibrations("--calibration", request.calibration_file);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    ComparedMachine& entry = compared[i];
    const std::string name = fmt::format("machine{}", i);
    const MachineConfig& config = entry.config;
    const Topology& topology = config.topology;
    entry.seed = request.seed;
    if (runs_in_steps(topology, request.is_flow)) {
      if (calibrations) check_no_system(config, "--calibration");
      entry.calibration = std::make_unique<SystemCalibration>(config, own[i], name);
      continue;
    }
    if (topology.flow_only.empty())
      entry.machine = std::make_unique<Machine>(name.c_str(), topology, own[i]);
    if (!request.is_flow) continue;
    entry.calibration = std::make_unique<MachineCalibration>(
        topology, entry.machine.get(), request.seed,
        calibrations ? calibrations->of(calibrated_machine(config)) : Calibrator::Calibrations());
  }
}

std::optional<WorkersResult> workers_of(const WorkOptions& work, const Topology& topology) {
  if (!work.is_placed) return std::nullopt;
  WorkersResult workers{.placement = work.placement.name(),
                        .npus = npus_of(work.placement, work.strategy, topology),
                        .strategy = {},
                        .dimensions = {}};
  if (work.strategy) workers.strategy = to_string(*work.strategy);
  for (const Dimension dimension : work.dimensions) {
    workers.dimensions.push_back(to_string(dimension));
  }
  return workers;
}

namespace {

std::string work_name(const AnyPlan& planned) {
  if (const auto* const work = std::get_if<WorkPlan>(&planned)) {
    std::size_t specs = 0;
    for (const WorkStep& step : work->steps) specs += step.specs.size();
    const CollectiveSpec& first = work->steps.front().specs.front();
    return work_name(first.collective, first.bytes, specs);
  }
  const auto* const plan = std::get_if<Plan>(&planned);
  const std::vector<Part>& parts = plan == nullptr ? std::get<SystemPlan>(planned).collectives
                                   : plan->collectives.empty() ? plan->parts
                                                               : plan->collectives;
  return work_name(parts.front().collective, parts.front().bytes, parts.size());
}

IssuedPlans issued_by(const WorkPlan& work) {
  IssuedPlans issued;
  for (const WorkPlan::Batch& batch : work.batches)
    issued.push_back({.plan = batch.plan, .times = work.steps[batch.steps.front()].repeat});
  return issued;
}

RunResult run_on_engine(ComparedMachine& entry, std::size_t size,
                        const std::function<void(const Progress&)>& on_progress) {
  const AnyPlan& planned = entry.plans[size];
  const auto* const work = std::get_if<WorkPlan>(&planned);
  if (work == nullptr)
    return entry.calibration ? entry.calibration->run(planned)
                             : run_plan(*entry.machine, std::get<Plan>(planned), on_progress);
  const auto exact = [&] {
    return run_work(*entry.machine, *work, on_progress, 0, entry.arrivals);
  };
  if (!entry.calibration) return exact();
  const Topology& topology = entry.config.topology;
  const IssuedPlans issued = issued_by(*work);
  if (entry.machine && is_short(topology, issued)) return flow_result_of(topology, issued, exact());
  FlowEngine engine(
      topology, plans_of(*work),
      {.seed = entry.seed, .stop = &interrupt_flag(), .calibration = entry.calibration.get()});
  engine.set_arrivals(entry.arrivals);
  return run_work(engine, *work, on_progress);
}

}  // namespace

RunResult run_job(ComparedMachine& entry, std::size_t size, const OutputOptions& outputs) {
  const std::string job =
      fmt::format("{}, {}", name_of(entry.config), work_name(entry.plans[size]));
  const bool may_replay = entry.machine != nullptr && entry.machine->options().skip &&
                          entry.machine->options().model == SwitchModel::kTlm;
  JobProgress progress(outputs, job, may_replay);
  std::function<void(const Progress&)> on_progress;
  if (progress.is_wanted()) {
    const double ns_per_cycle = 1e9 / static_cast<double>(entry.config.topology.clock_hz);
    on_progress = [&progress, ns_per_cycle](const Progress& p) {
      const auto delivered = static_cast<double>(p.bytes_delivered);
      progress.update(
          {.cycle = p.cycle,
           .time_ns = static_cast<double>(p.cycle) * ns_per_cycle,
           .bytes_delivered = p.bytes_delivered,
           .share = delivered / static_cast<double>(std::max(p.bytes_total, std::uint64_t{1}))},
          {p.first.done, p.first.total}, {p.repeated.done, p.repeated.total});
    };
  }
  try {
    RunResult result = run_on_engine(entry, size, on_progress);
    if (!result.incomplete)
      progress.complete({.cycle = result.cycles,
                         .time_ns = result.time_ns,
                         .bytes_delivered = result.delivered_bytes});
    name_arrivals(entry.asked_arrivals, entry.config, result);
    result.config = entry.config.path;
    result.settings = entry.config.settings;
    result.machine = entry.config.keys;
    result.layout = layout_of(entry.config.topology);
    result.energy = energy_of(entry.config.topology, entry.config.energy, result);
    return result;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", job, error.what()));
  }
}

}  // namespace fredsim

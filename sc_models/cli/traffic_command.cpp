// SPDX-License-Identifier: Apache-2.0
// `fredsim traffic`: synthetic traffic, without SystemC.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/rank_session.h"
#include "cli/traffic_arguments.h"
#include "cli/wave_arguments.h"
#include "config/buffer_notes.h"
#include "energy/run_energy.h"
#include "engine/layout.h"
#include "engine/machine.h"
#include "fabric/ranked_cut.h"
#include "report/breakdown_table.h"
#include "report/json.h"
#include "report/output_file.h"
#include "report/traffic_table.h"
#include "results/fields/traffic.h"
#include "results/version.h"
#include "runner/interrupt.h"
#include "runner/job_progress.h"
#include "runner/machines.h"
#include "runner/switch_pattern.h"
#include "runner/switch_rtl.h"
#include "traffic/traffic_run.h"

namespace fredsim {

namespace {

// The search for saturation bisects the injection limit in this many steps: to less than 1 %.
constexpr int kSearchSteps = 128;

struct TrafficRequest : MachineOptions, OutputOptions, SwitchOptions {
  TrafficOptions traffic;
  // Ascending; empty: those that the search for saturation takes.
  std::vector<double> rates;
  WaveOptions wave;
  BreakdownOptions breakdown;
};

// Observers of every edge of all nodes leave threads nothing to do by themselves.
void check_threads(const TrafficRequest& request) {
  if (request.traffic.threads == 1) return;
  for (const auto& [option, is_on] : {std::pair("--wave", !request.wave.file.empty()),
                                      std::pair("--breakdown", request.breakdown.is_on)}) {
    if (!is_on) continue;
    throw BadInput(
        fmt::format("--threads: found {} with {}; allowed: 1, since it looks at every cycle",
                    request.traffic.threads, option));
  }
}

void check_rates(const std::vector<double>& rates, const Topology& topology) {
  const double limit = injection_limit(topology);
  if (!rates.empty() && rates.back() > limit) {
    throw BadInput(fmt::format(
        "--rate: found '{:g}'; allowed: {:g} at most, the flits per cycle that the {} "
        "ports of an NPU of {} take",
        rates.back(), limit, topology.nodes[topology.npus.front()].ports, topology.name));
  }
}

FabricOptions fabric_of(const TrafficRequest& request) {
  return {.model = request.model,
          .rtl_instances = request.rtl_instances,
          .wave = request.wave,
          .own_contexts = request.traffic.threads > 1,
          .stop = &interrupt_flag()};
}

SwitchFactory switches_of(const TrafficRequest& request, const Topology& topology) {
  const FabricOptions fabric = fabric_of(request);
  require_rtl(needed_rtl(topology, fabric), request.rtl_build, request.quiet);
  return factory_for(fabric);
}

// Over processes and threads.
RankedCut cut_of(const TrafficRequest& request, const Topology& topology) {
  const int threads = request.traffic.threads;
  if (run_ranks() == nullptr) return {.cut = cut_for_threads(topology, threads)};
  check_threads(topology, threads);
  const Cut by_rank =
      cut_by_rank(topology, costs_of_nodes(topology, fabric_of(request)), run_ranks());
  return cut_over(run_ranks(), by_rank,
                  threads == 1 ? Cut{} : cut_parts_evenly(topology, by_rank, threads));
}

class Sweep {
 public:
  Sweep(const TrafficRequest& request, const MachineConfig& machine)
      : name_(with_settings(machine.topology.name, machine.settings.own)),
        pattern_(to_string(request.traffic.pattern.kind)),
        outputs_(request),
        ns_per_cycle_(1e9 / static_cast<double>(machine.topology.clock_hz)),
        topology_(machine.topology),
        figures_(machine.energy),
        run_(machine.topology, request.traffic, switches_of(request, machine.topology),
             cut_of(request, machine.topology)),
        setup_(run_.setup()) {
    setup_.config = machine.path;
    setup_.settings = machine.settings;
    setup_.machine = machine.keys;
    setup_.layout = layout_of(machine.topology);
    if (!request.wave.file.empty()) run_.trace(request.wave);
    if (request.breakdown.is_on) run_.break_down(request.breakdown);
    run_.stop_on(interrupt_flag());
  }

  // No rates: those of the search for saturation. False: interrupted, with an incomplete point if one was
  // under way.
  bool measure(std::span<const double> rates) {
    if (rates.empty()) return search_saturation();
    return std::ranges::all_of(rates, [&](double rate) { return measure(rate).has_value(); });
  }

  const std::string& name() const { return name_; }
  const TrafficSetup& setup() const { return setup_; }
  const std::vector<TrafficPoint>& points() const { return points_; }
  const WaveRecorder* wave() const { return run_.wave(); }
  void finish_wave() { run_.finish_wave(); }

 private:
  bool search_saturation() {
    int low = 0;
    int high = kSearchSteps;
    std::optional<bool> saturated = measure_step(high);
    if (saturated == false) return true;
    while (saturated && high - low > 1) {
      const int middle = (low + high) / 2;
      saturated = measure_step(middle);
      (saturated == true ? high : low) = middle;
    }
    return saturated.has_value();
  }
  std::optional<bool> measure_step(int step) {
    return measure(setup_.injection_limit * step / kSearchSteps);
  }
  // True: the rate is saturated; none: interrupted.
  std::optional<bool> measure(double rate) {
    if (interrupt_flag()) return std::nullopt;
    const std::string job = fmt::format("{}, {} at rate {:g}", name_, pattern_, rate);
    JobProgress progress(outputs_, job, false);
    TrafficRun::OnProgress on_progress;
    if (progress.is_wanted()) {
      on_progress = [&](const TrafficRun::Progress& p) {
        const auto cycle = static_cast<double>(p.cycle);
        progress.update({.cycle = p.cycle,
                         .time_ns = cycle * ns_per_cycle_,
                         .bytes_delivered = p.bytes,
                         .share = std::min(cycle / static_cast<double>(p.window_end), 1.0)},
                        {cycle, p.end});
      };
    }
    try {
      TrafficPoint point = run_.measure(rate, on_progress);
      const auto node_cycles =
          static_cast<double>(setup_.sending_nodes) * static_cast<double>(setup_.window_cycles);
      point.energy =
          energy_of(topology_, figures_, point, setup_.window_cycles, point.accepted * node_cycles);
      if (!point.incomplete)
        progress.complete({.cycle = point.cycles,
                           .time_ns = static_cast<double>(point.cycles) * ns_per_cycle_,
                           .bytes_delivered = point.delivered_bytes});
      const auto next = std::ranges::upper_bound(points_, rate, {}, &TrafficPoint::rate);
      const std::optional<bool> saturated =
          point.incomplete ? std::nullopt : std::optional(point.saturated);
      points_.insert(next, std::move(point));
      return saturated;
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", job, error.what()));
    }
  }

  std::string name_;
  std::string_view pattern_;
  const OutputOptions& outputs_;
  double ns_per_cycle_;
  const Topology& topology_;
  const EnergyFigures& figures_;
  TrafficRun run_;
  TrafficSetup setup_;
  std::vector<TrafficPoint> points_;  // rates ascending
};

class TrafficCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    machine_strings_.add_one_to(app);
    strings_.add_to(app);
    switch_strings_.add_to(app);
    seed_strings_.add_to(app, "of creation times and destinations (default 1)");
    breakdown_strings_.add_to(app);
    wave_strings_.add_to(app);
    output_strings_.add_json_to(app);
    output_strings_.add_format_to(app);
    machine_strings_.add_overrides_to(app);
    rank_strings_.add_to(app);
    output_strings_.add_progress_to(app);
  }

  void check() override {
    machine_strings_.check(request_);
    output_strings_.check(request_);
    rank_strings_.check();
    const std::uint64_t seed = seed_strings_.checked();
    switch_strings_.check(request_);
    request_.breakdown = breakdown_strings_.checked();
    request_.wave = wave_strings_.checked();
    check_trigger(request_.wave, request_.model);
    request_.rates = strings_.checked_rates();
    request_.traffic = strings_.checked(seed);
    check_threads(request_);
    refuse_on_ranks("--wave", !request_.wave.file.empty());
    refuse_on_ranks("--breakdown", request_.breakdown.is_on);
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    add_output("--json", request_.json_file, files);
    add_output("--progress", request_.progress_file, files);
    add_wave_files(request_.wave, files);
    return files;
  }

  void run(const Invocation& invocation) override {
    interrupt_flag();
    const std::optional<OutputFile> json = open_output("--json", request_.json_file);
    request_.progress_log = open_progress(request_.progress_file);
    const MachineConfig machine = load_machines(request_, request_.quiet).front();
    check_no_system(machine, "traffic");
    check_runs_exactly(machine);
    const Topology* topology = &machine.topology;
    check_rates(request_.rates, *topology);
    if (!request_.rtl_instances.empty()) {
      check_switch_pattern("--rtl-instances", request_.rtl_instances, {&topology, 1});
    }
    if (!request_.wave.file.empty()) {
      check_instance_pattern("--wave-scope", request_.wave.scope, {&topology, 1});
    }
    Sweep sweep(request_, machine);
    const bool prints = !json || !json->is_stdout();
    TableOutput output = table_output(request_);
    const auto print_table = [&] {
      if (sweep.wave() != nullptr) note_wave(*sweep.wave(), request_.quiet);
      if (prints && !sweep.points().empty()) {
        fmt::print("{}", output.table(traffic_table(sweep.setup(), sweep.points())));
        fmt::print("{}", output.block(traffic_summary(sweep.points())));
        for (const TrafficPoint& point : sweep.points()) {
          if (!point.breakdown) continue;
          const std::string title =
              fmt::format("{}, {} at rate {:g}", sweep.name(), sweep.setup().pattern, point.rate);
          fmt::print("{}", breakdown_text(title, {&*point.breakdown, 1}, output));
        }
      }
    };
    bool is_complete = true;
    try {
      is_complete = sweep.measure(request_.rates);
    } catch (const Error&) {
      print_table();  // points that were complete before the failure
      throw;
    }
    print_table();
    sweep.finish_wave();
    note_ranks(request_.quiet);
    if (prints && !request_.quiet) {
      std::vector<std::string> notes = topology->notes;
      std::ranges::move(buffer_notes(*topology, {request_.traffic.packet_flits}),
                        std::back_inserter(notes));
      fmt::print("{}", output.lists({{notes_title(machine), std::move(notes)}}));
    }
    if (prints) fmt::print("{}", output.legend(kTrafficLegend));
    if (json)
      json->write(traffic_json(origin_of(invocation.command_line), sweep.setup(), sweep.points()));
    if (!is_complete) {
      const auto complete = std::ranges::count(sweep.points(), false, &TrafficPoint::incomplete);
      throw Interrupted(fmt::format("interrupted: {} rates complete", complete));
    }
  }

 private:
  MachineStrings machine_strings_;
  TrafficStrings strings_;
  SwitchStrings switch_strings_;
  SeedStrings seed_strings_;
  BreakdownStrings breakdown_strings_;
  WaveStrings wave_strings_;
  OutputStrings output_strings_;
  RankStrings rank_strings_;
  TrafficRequest request_;
};

}  // namespace

CommandRow traffic_row() {
  return {
      .name = "traffic",
      .purpose = "Latency and throughput of one machine under synthetic traffic, a line per rate.",
      .aliases = "synthetic noc booksim garnet load",
      .main_options =
          "--rate --saturation --pattern --packet-flits --warmup --cycles --model "
          "--threads --breakdown --wave --set --json --format",
      .examples =
          "  fredsim traffic mesh_2x2 --rate 0.1:1:0.1\n"
          "  fredsim traffic mesh_2x2 --saturation --pattern transpose",
      .make = []() -> std::unique_ptr<Command> { return std::make_unique<TrafficCommand>(); },
      .runs_on_ranks = true,
      .point_results = &fields::kTrafficDocument};
}

}  // namespace fredsim

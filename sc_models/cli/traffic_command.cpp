#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/switch_pattern.h"
#include "cli/wave_arguments.h"
#include "engine/machine.h"
#include "fabric/layout.h"
#include "report/breakdown_table.h"
#include "report/json.h"
#include "report/output_file.h"
#include "report/progress.h"
#include "report/traffic_table.h"
#include "results/version.h"
#include "traffic/traffic_run.h"

namespace fredsim {

namespace {

using SteadyClock = std::chrono::steady_clock;

// The search for saturation bisects the injection limit in this many steps: to less than 1 %.
constexpr int kSearchSteps = 128;

void check_rates(const std::vector<double>& rates, const Topology& topology) {
  const double limit = injection_limit(topology);
  if (!rates.empty() && rates.back() > limit) {
    throw BadInput(fmt::format(
        "--rate: found '{:g}'; allowed: {:g} at most, the flits per cycle that the {} "
        "ports of an NPU of {} take",
        rates.back(), limit, topology.nodes[topology.npus.front()].ports, topology.name));
  }
}

SwitchFactory switches_of(const Options& options, const Topology& topology) {
  const FabricOptions fabric{.model = options.model,
                             .rtl_instances = options.rtl_instances,
                             .wave = options.wave,
                             .own_contexts = options.traffic.threads > 1,
                             .stop = &interrupt_flag()};
  require_built(needed_rtl(topology, fabric));
  return factory_for(fabric);
}

class Sweep {
 public:
  Sweep(const Options& options, const MachineConfig& machine)
      : name_(with_settings(machine.topology.name, machine.settings.own)),
        pattern_(to_string(options.traffic.pattern.kind)),
        show_progress_(!options.quiet),
        ns_per_cycle_(1e9 / static_cast<double>(machine.topology.clock_hz)),
        run_(machine.topology, options.traffic, switches_of(options, machine.topology)),
        setup_(run_.setup()) {
    setup_.config = machine.path;
    setup_.settings = machine.settings;
    setup_.machine = machine.keys;
    setup_.layout = layout_of(machine.topology);
    if (!options.wave.file.empty()) run_.trace(options.wave);
    if (options.breakdown.is_on) run_.break_down(options.breakdown);
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
  // Whether the rate is saturated; none: interrupted.
  std::optional<bool> measure(double rate) {
    if (interrupt_flag()) return std::nullopt;
    const std::string job = fmt::format("{}, {} at rate {:g}", name_, pattern_, rate);
    std::optional<ProgressLine> line;
    TrafficRun::OnProgress on_progress;
    if (show_progress_) {
      line.emplace(stderr, progress_style(stderr), job, SteadyClock::now());
      on_progress = [&](std::uint64_t cycle, std::uint64_t window_end, std::uint64_t bytes) {
        line->update({.cycle = cycle,
                      .time_ns = static_cast<double>(cycle) * ns_per_cycle_,
                      .bytes_delivered = bytes,
                      .share = static_cast<double>(std::min(cycle, window_end)) /
                               static_cast<double>(window_end)},
                     SteadyClock::now());
      };
    }
    try {
      TrafficPoint point = run_.measure(rate, on_progress);
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
  bool show_progress_;
  double ns_per_cycle_;
  TrafficRun run_;
  TrafficSetup setup_;
  std::vector<TrafficPoint> points_;  // rates ascending
};

}  // namespace

void traffic_command(const Options& options) {
  interrupt_flag();
  std::optional<OutputFile> json;
  if (!options.json_file.empty()) json.emplace(options.json_file, "--json", &interrupt_flag());
  const MachineConfig machine = load_machines(options).front();
  const Topology* topology = &machine.topology;
  check_rates(options.rates, *topology);
  if (!options.rtl_instances.empty()) {
    check_switch_pattern("--rtl-instances", options.rtl_instances, {&topology, 1});
  }
  if (!options.wave.file.empty()) {
    check_instance_pattern("--wave-scope", options.wave.scope, {&topology, 1});
  }
  Sweep sweep(options, machine);
  const bool prints = !json || !json->is_stdout();
  TableOutput output(options.format, terminal_style(stdout));
  if (prints && !options.quiet) {
    fmt::print("{}", output.lists({{notes_title(machine), topology->notes}}));
    std::fflush(stdout);
  }
  const auto print_table = [&] {
    if (sweep.wave() != nullptr) note_wave(*sweep.wave(), options.quiet);
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
    is_complete = sweep.measure(options.rates);
  } catch (const Error&) {
    print_table();  // what was done before the failure
    throw;
  }
  print_table();
  sweep.finish_wave();
  if (prints && !options.quiet) {
    fmt::print("{}", output.legend(kTrafficLegend));
  }
  if (json)
    json->write(traffic_json(origin_of(options.command_line), sweep.setup(), sweep.points()));
  if (!is_complete) {
    const auto complete = std::ranges::count(sweep.points(), false, &TrafficPoint::incomplete);
    throw Interrupted(fmt::format("interrupted: {} rates complete", complete));
  }
}

}  // namespace fredsim

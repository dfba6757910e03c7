// SPDX-License-Identifier: Apache-2.0
#include "runner/traffic_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "energy/run_energy.h"
#include "engine/layout.h"
#include "engine/machine.h"
#include "fabric/ranked_cut.h"
#include "runner/detail/group_members.h"
#include "runner/detail/job_progress.h"
#include "runner/detail/switch_pattern.h"
#include "runner/detail/switch_rtl.h"
#include "runner/interrupt.h"
#include "runner/machines.h"
#include "runner/run_ranks.h"
#include "traffic/traffic_run.h"

namespace fredsim {
namespace {

// Steps of the injection limit in the bisection for saturation: resolution below 1 %.
constexpr int kSearchSteps = 128;
constexpr int kMaxExcluded = 1 << 20;

// Largest sum of a row of a matrix of rates; 1 for other patterns.
double load_of(const TrafficRequest& request) {
  const auto& matrix = request.traffic.pattern.matrix;
  return matrix == nullptr ? 1 : matrix->largest_sum();
}

void check_rates(const TrafficRequest& request, const Topology& topology) {
  const double load = load_of(request);
  const double limit = injection_limit(topology);
  if (request.rates.empty() || request.rates.back() * load <= limit) return;
  throw BadInput(fmt::format(
      "--rate: found '{:g}'{}; allowed: {:g} at most, the flits per cycle that the {} ports of an "
      "NPU of {} take",
      request.rates.back(),
      load == 1 ? "" : fmt::format(" with rows of --pattern that add up to {:g}", load),
      limit / load, topology.nodes[topology.npus.front()].ports, topology.name));
}

// Refuses options of sources beside a trace, which has its own packets.
void check_netrace_alone(const OptionTexts& texts) {
  static constexpr std::array kOfSources{
      "--pattern", "--packet-flits",     "--burst",          "--request-reply", "--hotspot-node",
      "--warmup",  "--hotspot-fraction", "--excluded-nodes", "--cycles",        "--series"};
  for (const char* const option : kOfSources)
    if (texts.has(option))
      throw BadInput(
          fmt::format("{}: found '{}' with --netrace; allowed: without it, since the "
                      "trace has its own packets",
                      option, texts[option]));
  if (texts.has("--threads") && texts["--threads"] != "1")
    throw BadInput(fmt::format(
        "--threads: found '{}' with --netrace; allowed: 1, since packets wait for others anywhere",
        texts["--threads"]));
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

// Partitions the topology over processes and threads.
RankedCut cut_of(const TrafficRequest& request, const Topology& topology) {
  const int threads = request.traffic.threads;
  if (run_ranks() == nullptr) return {.cut = cut_for_threads(topology, threads)};
  check_threads(topology, threads);
  const Cut by_rank =
      cut_by_rank(topology, costs_of_nodes(topology, fabric_of(request)), run_ranks());
  return cut_over(run_ranks(), by_rank,
                  threads == 1 ? Cut{} : cut_parts_evenly(topology, by_rank, threads));
}

MachineConfig machine_of(const TrafficRequest& request) {
  MachineConfig machine = std::move(load_machines(request, request.quiet).front());
  check_no_system(machine, "traffic");
  check_runs_exactly(machine);
  const Topology* const topology = &machine.topology;
  check_rates(request, *topology);
  if (!request.rtl_instances.empty())
    check_switch_pattern("--rtl-instances", request.rtl_instances, {&topology, 1});
  if (!request.wave.file.empty())
    check_instance_pattern("--wave-scope", request.wave.scope, {&topology, 1});
  return machine;
}

}  // namespace

namespace traffic_rows {

void read_pattern(const OptionText& /*option*/, Q& request, const std::string& given) {
  PatternSpec& pattern = request.traffic.pattern;
  std::error_code error;
  const bool is_file = given.ends_with(".csv") || given.find('/') != std::string::npos ||
                       std::filesystem::exists(given, error);
  const bool is_name = std::ranges::count(words_in(kPatternWords), given) > 0;
  if (is_name || !is_file) {
    pattern.kind = parse_pattern(given);
    return;
  }
  pattern.kind = PatternKind::kMatrix;
  pattern.matrix = std::make_shared<const RateMatrix>(read_rate_matrix(given));
}

void read_excluded(const OptionText& option, Q& request, const std::string& given) {
  for (const std::string_view field : split_at(given, ',')) {
    const std::optional<NumberRange> range = to_range(field);
    if (!range || range->last >= kMaxExcluded)
      throw BadInput(
          fmt::format("{}: found '{}'; allowed: NPUs such as 0,5-8", option.name, field));
    for (int node = range->first; node <= range->last; ++node)
      request.traffic.pattern.excluded.push_back(node);
  }
}

void read_region(const OptionText& option, Q& request, const std::string& given) {
  request.netrace.region =
      static_cast<int>(parse_number(given, option.name, 0, kMaxNetraceRegions - 1));
}

}  // namespace traffic_rows

void read_traffic(const OptionTexts& texts, TrafficRequest& request) {
  const bool has_saturation = texts.has("--saturation");
  if (texts.has("--netrace")) {
    for (const char* const option : {"--rate", "--saturation"})
      if (texts.has(option))
        throw BadInput(
            fmt::format("{}: found together with --netrace; allowed: either of them", option));
    check_netrace_alone(texts);
  } else if (has_saturation == texts.has("--rate")) {
    throw BadInput(
        fmt::format("--rate: found {}; allowed: either --rate or --saturation",
                    has_saturation ? "together with --saturation" : "neither it nor --saturation"));
  }
  const std::string pattern = texts.has("--pattern") ? texts["--pattern"] : "uniform";
  for (const char* option : {"--hotspot-node", "--hotspot-fraction"})
    if (texts.has(option) && pattern != "hotspot")
      throw BadInput(
          fmt::format("{}: found '{}' with --pattern {}; allowed: together with --pattern hotspot",
                      option, texts[option], pattern));
  if (texts.has("--excluded-nodes") != (pattern == "background"))
    throw BadInput(fmt::format(
        "--excluded-nodes: found {} with --pattern {}; allowed: together with --pattern background",
        texts.has("--excluded-nodes") ? "'" + texts["--excluded-nodes"] + "'" : "none", pattern));
  if (texts.has("--request-reply") && texts.has("--packet-flits"))
    throw BadInput(fmt::format(
        "--packet-flits: found '{}' with --request-reply, which has its own lengths; allowed: "
        "either of them",
        texts["--packet-flits"]));
  read_rows(kTrafficRows, texts, request);
  if (has_saturation && request.traffic.bursts.r1)
    throw BadInput(fmt::format(
        "--burst: found '{}' with --saturation, which changes the rate; allowed: alpha and beta",
        request.traffic.bursts.text));
}

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

TrafficJobs::TrafficJobs(const TrafficRequest& request)
    : request_(request),
      machine_(machine_of(request_)),
      name_(with_settings(machine_.topology.name, machine_.settings.own)),
      pattern_(request_.netrace.file.empty() ? to_string(request_.traffic.pattern.kind)
                                             : "netrace"),
      ns_per_cycle_(1e9 / static_cast<double>(machine_.topology.clock_hz)),
      run_(make_run()),
      setup_(run_->setup()) {
  setup_.config = machine_.path;
  setup_.settings = machine_.settings;
  setup_.machine = machine_.keys;
  setup_.layout = layout_of(machine_.topology);
  if (!request_.wave.file.empty()) run_->trace(request_.wave);
  if (request_.breakdown.is_on) run_->break_down(request_.breakdown);
  if (request_.series.cycles > 0) run_->record_series(request_.series.cycles);
  run_->stop_on(interrupt_flag());
}

std::unique_ptr<TrafficFabric> TrafficJobs::make_run() {
  const SwitchFactory switches = switches_of(request_, machine_.topology);
  if (!request_.netrace.file.empty()) {
    auto replay = std::make_unique<NetraceRun>(machine_.topology, request_.traffic,
                                               request_.netrace, switches);
    rates_ = {replay->offered()};
    return replay;
  }
  rates_ = request_.rates;
  return std::make_unique<TrafficRun>(machine_.topology, request_.traffic, switches,
                                      cut_of(request_, machine_.topology));
}

bool TrafficJobs::measure() {
  is_complete_ =
      rates_.empty()
          ? search_saturation()
          : std::ranges::all_of(rates_, [&](double rate) { return measure(rate).has_value(); });
  return is_complete_;
}

bool TrafficJobs::search_saturation() {
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

std::optional<bool> TrafficJobs::measure_step(int step) {
  return measure(setup_.injection_limit / load_of(request_) * step / kSearchSteps);
}

std::optional<bool> TrafficJobs::measure(double rate) {
  if (interrupt_flag()) return std::nullopt;
  const std::string job = fmt::format("{}, {} at rate {:g}", name_, pattern_, rate);
  JobProgress progress(request_, job, false);
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
    TrafficPoint point = run_->measure(rate, on_progress);
    const std::uint64_t window = setup_.netrace ? point.cycles : setup_.window_cycles;
    const auto node_cycles =
        static_cast<double>(setup_.sending_nodes) * static_cast<double>(window);
    point.energy =
        energy_of(machine_.topology, machine_.energy, point, window, point.accepted * node_cycles);
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

}  // namespace fredsim

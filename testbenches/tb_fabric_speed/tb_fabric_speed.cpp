// SPDX-License-Identifier: Apache-2.0
// Speed of a loaded machine: the SystemC fabric against a bare loop over the same Verilated
// switches, and the twins against both. See --help for options.
//
// All sides run a collective over all NPUs, by default an all-reduce. "SystemC": clock process,
// TLM-2.0 NPUs, NICs, payload verification, links. "bare": a plain loop over switches and links, on
// the same switch instances, cycle for cycle with the same inputs, the endpoints' pins played back
// from a recording. "twins": the SystemC side with --model tlm; it simulates one of several equal
// slices, unless --set fabric.simulate_slices=all. "switches alone": the pins of the switches in
// the bare loop, played back into the switches and nothing else (switch_replay.h), as RTL and as
// twins: the speed-up of a twin itself, where "twins" includes links and endpoints; also by kind
// and ports, per switch.
// Runs alternate; medians are reported. Cycles are per second of processor time, which depends less
// on the load of the host. With --check the exit code is 1 when a target of the project is missed:
// RTL at 10 000 cycles/s or more, SystemC with all endpoints costing 10 % or less, twins alone 15
// times as fast as their RTL.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/flit.h"
#include "base/units.h"
#include "cli/program_options.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "fabric/switch_setup.h"
#include "replay.h"
#include "step_costs.h"
#include "switch/missing_sizes.h"
#include "switch_replay.h"
#include "systems/make_plan.h"

namespace fredsim::speed {
namespace {

constexpr double kMinCyclesPerSecond = 10'000;
constexpr double kMaxSystemcCost = 0.10;
constexpr double kMinTwinRatio = 15;

struct Options {
  std::string config = "configs/fred_d.yaml";
  std::vector<std::string> settings;
  std::string collective = "all_reduce";
  std::string size = "8MiB";
  int pairs = 7;
  int lanes = 1;
  bool check = false;
};

// One round of runs: cycles per second of processor time, and how they compare.
struct Pair {
  double systemc = 0, bare = 0, cost = 0;
  double twins = 0, ratio = 0;
  double rtl_alone = 0, twins_alone = 0, ratio_alone = 0;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median_of(const std::vector<Pair>& pairs, double Pair::*value) {
  std::vector<double> values;
  for (const Pair& pair : pairs) values.push_back(pair.*value);
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

class Comparison : public sc_core::sc_module {
 public:
  Comparison(sc_core::sc_module_name name, const Topology& topology, const Options& options)
      : sc_core::sc_module(name),
        topology_(topology),
        options_(options),
        plan_(plan_of(topology, options)),
        machine_("machine", topology,
                 {.model = SwitchModel::kRtl, .lanes = options.lanes, .skip = false}),
        twins_("twins", topology,
               {.model = SwitchModel::kTlm, .lanes = options.lanes, .skip = false}),
        bare_(topology, options.lanes) {
    SC_HAS_PROCESS(Comparison);
    SC_THREAD(run);
    set_stack_size(1 << 20);
    FabricCore& core = machine_.fabric().core();
    for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
      if (topology.nodes[id].is_switch()) {
        bare_.attach(id, machine_.fabric().switch_core(id));
        continue;
      }
      recorders_.push_back(
          std::make_unique<Recorder>(machine_.fabric().nic(id), core, options.lanes));
      players_.push_back(
          std::make_unique<Player>(recorders_.back()->recording, bare_, options.lanes));
      core.attach(id, *recorders_.back());
      bare_.attach(id, *players_.back());
      endpoints_.push_back(id);
    }
  }

  bool passed() const { return passed_; }
  const std::string& error() const { return error_; }

 private:
  static Plan plan_of(const Topology& topology, const Options& options) {
    std::vector<int> group(topology.npus.size());
    for (std::size_t rank = 0; rank < group.size(); ++rank) group[rank] = static_cast<int>(rank);
    return make_plan(topology, parse_collective(options.collective), group,
                     parse_size(options.size, "--size"), "paper");
  }

  void run() {
    try {
      compare();
    } catch (const Error& error) {
      error_ = error.what();
    }
  }

  void compare() {
    record();
    fmt::print("{}, {} of {}, {} cycles, {} switches; cycles per second of processor time\n\n",
               topology_.name, options_.collective, options_.size, cycles_, recorded_.size());
    fmt::print("{:>80}\n", "switches alone");
    fmt::print("{:>6}{:>10}{:>10}{:>8}{:>10}{:>8}{:>10}{:>10}{:>8}\n", "pair", "SystemC", "bare",
               "cost", "twins", "ratio", "RTL", "twins", "ratio");
    std::vector<Pair> pairs;
    for (int pair = 1; pair <= options_.pairs; ++pair) {
      pairs.push_back(run_pair(pair % 2 == 1));
      print(fmt::to_string(pair), pairs.back());
    }
    const Pair medians = {.systemc = median_of(pairs, &Pair::systemc),
                          .bare = median_of(pairs, &Pair::bare),
                          .cost = median_of(pairs, &Pair::cost),
                          .twins = median_of(pairs, &Pair::twins),
                          .ratio = median_of(pairs, &Pair::ratio),
                          .rtl_alone = median_of(pairs, &Pair::rtl_alone),
                          .twins_alone = median_of(pairs, &Pair::twins_alone),
                          .ratio_alone = median_of(pairs, &Pair::ratio_alone)};
    print("median", medians);
    fredsim::speed::print(
        step_costs(topology_, recorded_, machine_, twins_, cycles_, options_.lanes, options_.pairs),
        options_.lanes);
    print_rest(medians);
    passed_ = !options_.check ||
              (medians.systemc >= kMinCyclesPerSecond && medians.cost <= kMaxSystemcCost &&
               medians.ratio_alone >= kMinTwinRatio);
  }

  static void print(const std::string& name, const Pair& p) {
    fmt::print("{:>6}{:>10.0f}{:>10.0f}{:>7.1f}%{:>10.0f}{:>8.1f}{:>10.0f}{:>10.0f}{:>8.1f}\n",
               name, p.systemc, p.bare, 100 * p.cost, p.twins, p.ratio, p.rtl_alone, p.twins_alone,
               p.ratio_alone);
  }

  // Cost of a cycle beside the switches' own: bare beyond switches alone, and SystemC beyond bare.
  void print_rest(const Pair& medians) const {
    const double links = 1e9 / medians.bare - 1e9 / medians.rtl_alone;
    const double ends = 1e9 / medians.systemc - 1e9 / medians.bare;
    const double twins = 1e9 / medians.twins - 1e9 / medians.twins_alone;
    double nic_ports = 0;
    for (const NodeId id : endpoints_) nic_ports += topology_.nodes[id].ports;
    fmt::print(
        "\nns per cycle beside the switches: links {:.0f}, NPUs and NICs {:.0f}; with twins "
        "both together {:.0f}, for {} links and {:.0f} ports of endpoints\n",
        links, ends, twins, topology_.links.size(), nic_ports);
  }

  Pair run_pair(bool systemc_first) {
    Pair p;
    if (systemc_first) p.systemc = run_systemc(machine_);
    p.bare = run_bare();
    if (!systemc_first) p.systemc = run_systemc(machine_);
    p.cost = 1 - p.systemc / p.bare;
    p.twins = run_systemc(twins_);
    p.ratio = p.twins / p.systemc;
    p.rtl_alone = run_alone(machine_);
    p.twins_alone = run_alone(twins_);
    p.ratio_alone = p.twins_alone / p.rtl_alone;
    return p;
  }

  void record() {
    const RunResult result = run_plan(machine_, plan_);
    cycles_ = result.cycles;
    for (const LinkResult& link : result.links) flits_.push_back(link.flits);
    first_edge_ = ~std::uint64_t{0};
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
      const auto& edges = recorders_[i]->recording.edges;
      if (!edges.empty()) first_edge_ = std::min(first_edge_, edges.front().number);
      machine_.fabric().core().attach(endpoints_[i], machine_.fabric().nic(endpoints_[i]));
    }
    record_switches();
  }

  // Records the input pins of the switches in the bare loop.
  void record_switches() {
    std::vector<std::unique_ptr<PinRecorder>> recorders;
    for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id) {
      if (topology_.nodes[id].is_endpoint()) continue;
      recorders.push_back(
          std::make_unique<PinRecorder>(machine_.fabric().switch_core(id), options_.lanes));
      bare_.attach(id, *recorders.back());
    }
    run_bare();
    for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id) {
      if (topology_.nodes[id].is_endpoint()) continue;
      bare_.attach(id, machine_.fabric().switch_core(id));
      recorded_.push_back({id, std::move(recorders[recorded_.size()]->recording)});
    }
  }

  double run_alone(Machine& machine) {
    std::vector<Replayed> switches;
    for (const auto& [id, recording] : recorded_) {
      switches.push_back(
          {&recording, &machine.fabric().switch_core(id), topology_.nodes[id].ports});
    }
    return static_cast<double>(cycles_) / replay(switches, options_.lanes);
  }

  double run_systemc(Machine& machine) {
    const RunResult result = run_plan(machine, plan_);
    return static_cast<double>(result.cycles) / result.cpu_s;
  }

  double run_bare() {
    bare_.reset();
    SwitchSetup setup(topology_, bare_);
    setup.add(plan_.programs);
    for (setup.begin(); !setup.done(); setup.check(bare_)) {
      setup.issue(bare_);
      bare_.tick();
    }
    bare_.clear_counts();
    for (const auto& player : players_) player->play(first_edge_);
    const double start = cpu_seconds();
    for (std::uint64_t cycle = 0; cycle <= cycles_; ++cycle) play_edge();
    const double seconds = cpu_seconds() - start;
    while (!bare_.empty()) play_edge();
    for (int link = 0; link < static_cast<int>(flits_.size()); ++link) {
      if (bare_.count(link).flits != flits_[link]) {
        throw RunFailed("the bare loop did not repeat the run on link " +
                        topology_.links[link].name);
      }
    }
    return static_cast<double>(cycles_) / seconds;
  }

  void play_edge() {
    for (const auto& player : players_) player->poll();
    bare_.tick();
  }

  const Topology& topology_;
  const Options& options_;
  Plan plan_;
  Machine machine_;
  Machine twins_;
  FabricCore bare_;
  std::vector<NodeId> endpoints_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  std::vector<std::unique_ptr<Player>> players_;
  std::uint64_t cycles_ = 0;
  std::uint64_t first_edge_ = 0;
  std::vector<std::uint64_t> flits_;  // per link, of the recorded run
  std::vector<RecordedSwitch> recorded_;
  bool passed_ = false;
  std::string error_;
};

}  // namespace
}  // namespace fredsim::speed

int sc_main(int argc, char** argv) {
  fredsim::speed::Options options;
  fredsim::ProgramOptions program(
      "tb_fabric_speed",
      "What the SystemC fabric costs against a bare loop over the same Verilated switches, and\n"
      "what the twins save: cycles per second of processor time of a collective over all NPUs,\n"
      "run in turn; medians count.",
      "  build/tb_fabric_speed --size 8MiB --pairs 9\n"
      "  build/tb_fabric_speed --config configs/mesh_reducing.yaml --size 2MiB\n"
      "  build/tb_fabric_speed --set switch.kind=voq_crossbar --collective all_to_all");
  program.add("--config", options.config, "FILE.yaml", "machine (default configs/fred_d.yaml)");
  program.app()
      .add_option("--set", options.settings, "a key of the machine file over its value, repeatable")
      ->type_name("KEY.PATH=VALUE")
      ->allow_extra_args(false);
  program.add("--collective", options.collective, "NAME", "over all NPUs (default all_reduce)");
  program.add("--size", options.size, "SIZE", "of the collective (default 8MiB)");
  program.add("--pairs", options.pairs, 1, "of runs (default 7)");
  program.add("--lanes", options.lanes, 1, "of a flit, 1 to 256 (default 1)");
  program.add_flag("--check", options.check,
                   "exit code 1 below 10000 cycles/s, where SystemC costs over 10 %, or\n"
                   "where twins alone are less than 15 times as fast as their RTL");
  if (const auto end = program.parse({argv + 1, argv + argc})) return *end;
  try {
    const fredsim::Topology topology =
        fredsim::load_config(options.config, options.settings).topology;
    if (options.lanes > fredsim::kFlitLanes) {
      throw fredsim::BadInput(
          fmt::format("--lanes: found {}; allowed: 1 to {}", options.lanes, fredsim::kFlitLanes));
    }
    fredsim::require_built(fredsim::needed_rtl(topology, {.model = fredsim::SwitchModel::kRtl,
                                                          .lanes = options.lanes}),
                           {.build = fredsim::RtlBuild::kAuto});
    fredsim::speed::Comparison comparison("comparison", topology, options);
    sc_core::sc_start();
    if (!comparison.error().empty()) fmt::print(stderr, "{}\n", comparison.error());
    return comparison.passed() ? 0 : 1;
  } catch (const fredsim::Error& error) {
    return fredsim::report_error("tb_fabric_speed", error);
  }
}

// Speed of a loaded machine: the SystemC fabric against a bare loop over the
// same Verilated switches. --help says what it takes.
//
// Both sides run an all-reduce over all NPUs on the same switch instances, cycle for cycle with the
// same inputs. "SystemC": clock process, TLM-2.0 NPUs, NICs, payload verification, links. "bare": a
// plain loop over switches and links, the endpoints' pins played back from a recording. "twins": the
// SystemC side with --model tlm, as a ratio to RTL. Runs alternate; medians count. With --check the exit
// code is 1 when a target of the project is missed: the loaded wafer at 15 000 cycles/s or more, and SystemC
// with all endpoints costing 10 % or less.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <systemc>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "common/program_options.h"
#include "config/config.h"
#include "fabric/machine.h"
#include "fabric/switch_setup.h"
#include "replay.h"
#include "switch/register_map.h"

namespace fredsim::speed {
namespace {

constexpr double kMinCyclesPerSecond = 15'000;
constexpr double kMaxSystemcCost = 0.10;

struct Options {
  std::string config = "configs/fred_d.yaml";
  std::string size = "8MiB";
  int pairs = 7;
  bool check = false;
};

double median(std::vector<double> values) {
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
        machine_("machine", topology, {.model = SwitchModel::kRtl, .skip = false}),
        twins_("twins", topology, {.model = SwitchModel::kTlm, .skip = false}),
        bare_(topology, 1) {
    SC_HAS_PROCESS(Comparison);
    SC_THREAD(run);
    set_stack_size(1 << 20);
    FabricCore& core = machine_.fabric().core();
    for (NodeId id = 0; id < static_cast<NodeId>(topology.nodes.size()); ++id) {
      if (topology.nodes[id].is_switch()) {
        bare_.attach(id, machine_.fabric().switch_core(id));
        continue;
      }
      recorders_.push_back(std::make_unique<Recorder>(machine_.fabric().nic(id), core, 1));
      players_.push_back(std::make_unique<Player>(recorders_.back()->recording, bare_, 1));
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
    return make_plan(topology, Collective::kAllReduce, group, parse_size(options.size, "--size"),
                     "auto");
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
    std::vector<double> systemc;
    std::vector<double> bare;
    std::vector<double> cost;
    std::vector<double> twins;
    std::vector<double> ratio;
    fmt::print("{}, all-reduce of {}, {} cycles, {} switches\n\n", topology_.name, options_.size,
               cycles_, topology_.nodes.size() - endpoints_.size());
    fmt::print("{:>6}{:>20}{:>20}{:>10}{:>20}{:>8}\n", "pair", "SystemC cycles/s", "bare cycles/s",
               "cost", "twins cycles/s", "ratio");
    const auto print = [](const auto& name, double a, double b, double c, double d, double e) {
      fmt::print("{:>6}{:>20.0f}{:>20.0f}{:>9.1f}%{:>20.0f}{:>8.1f}\n", name, a, b, 100 * c, d, e);
    };
    for (int pair = 1; pair <= options_.pairs; ++pair) {
      const bool systemc_first = pair % 2 == 1;
      if (systemc_first) systemc.push_back(run_systemc());
      bare.push_back(run_bare());
      if (!systemc_first) systemc.push_back(run_systemc());
      cost.push_back(1 - systemc.back() / bare.back());
      twins.push_back(twins_.run(plan_).sim_cycles_per_s);
      ratio.push_back(twins.back() / systemc.back());
      print(pair, systemc.back(), bare.back(), cost.back(), twins.back(), ratio.back());
    }
    print("median", median(systemc), median(bare), median(cost), median(twins), median(ratio));
    passed_ = !options_.check ||
              (median(systemc) >= kMinCyclesPerSecond && median(cost) <= kMaxSystemcCost);
  }

  void record() {
    const RunResult result = machine_.run(plan_);
    cycles_ = result.cycles;
    for (const LinkResult& link : result.links) flits_.push_back(link.flits);
    first_edge_ = ~std::uint64_t{0};
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
      const auto& edges = recorders_[i]->recording.edges;
      if (!edges.empty()) first_edge_ = std::min(first_edge_, edges.front().number);
      machine_.fabric().core().attach(endpoints_[i], machine_.fabric().nic(endpoints_[i]));
    }
  }

  double run_systemc() { return machine_.run(plan_).sim_cycles_per_s; }

  double run_bare() {
    bare_.reset();
    for (NodeId id = 0; id < static_cast<NodeId>(topology_.nodes.size()); ++id) configure(id);
    for (const PhaseProgram& program : plan_.programs) {
      for (const auto& [address, data] : phase_writes(program)) write(program.node, address, data);
    }
    bare_.clear_counts();
    for (const auto& player : players_) player->play(first_edge_);
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t cycle = 0; cycle <= cycles_; ++cycle) play_edge();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    while (!bare_.empty()) play_edge();
    for (int link = 0; link < static_cast<int>(flits_.size()); ++link) {
      if (bare_.count(link).flits != flits_[link]) {
        throw RunFailed("the bare loop did not repeat the run on link " +
                        topology_.links[link].name);
      }
    }
    return static_cast<double>(cycles_) / wall.count();
  }

  void play_edge() {
    for (const auto& player : players_) player->poll();
    bare_.tick();
  }

  void configure(NodeId id) {
    const Node& node = topology_.nodes[id];
    if (node.is_endpoint()) return;
    for (const auto& [address, data] : setup_writes(topology_, bare_, id)) write(id, address, data);
  }

  void write(NodeId node, std::uint32_t address, std::uint32_t data) {
    bare_.access(node, {true, true, static_cast<std::uint16_t>(address), data});
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
      "what the twins save: cycles per second of an all-reduce over all NPUs, run in turn; "
      "medians\n"
      "count.",
      "  build/tb_fabric_speed --size 8MiB --pairs 9");
  program.add("--config", options.config, "FILE.yaml", "machine (default configs/fred_d.yaml)");
  program.add("--size", options.size, "SIZE", "of the all-reduce (default 8MiB)");
  program.add("--pairs", options.pairs, 1, "of runs (default 7)");
  program.add_flag("--check", options.check,
                   "exit code 1 below 15000 cycles/s, or where SystemC costs over 10 %");
  if (const auto end = program.parse({argv + 1, argv + argc})) return *end;
  try {
    const fredsim::Topology topology = fredsim::load_config(options.config).topology;
    fredsim::speed::Comparison comparison("comparison", topology, options);
    sc_core::sc_start();
    if (!comparison.error().empty()) fmt::print(stderr, "{}\n", comparison.error());
    return comparison.passed() ? 0 : 1;
  } catch (const fredsim::Error& error) {
    return fredsim::report_error("tb_fabric_speed", error);
  }
}

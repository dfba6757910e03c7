// SPDX-License-Identifier: Apache-2.0
// Cost of the flow engine (flow/flow_run.h), and of the plans that it runs: seconds of processor
// time and peak memory on standard output, a row per load, each in a process of its own. --help
// lists the options. Run from the top of the checkout.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <systemc>
#include <vector>

#include "base/error.h"
#include "cli/program_options.h"
#include "config/config.h"
#include "flow/flow_run.h"
#include "flow/system_flows.h"
#include "plan/collective_spec.h"
#include "send_loads.h"
#include "systems/make_plan.h"
#include "systems/system_plan.h"
#include "training_loads.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kBytes = 16 << 20;

// Figures of one load.
struct Cost {
  double plan_s = 0, flow_s = 0;
  std::uint64_t flows = 0, updates = 0;
};

struct Load {
  std::string name;
  double aim_s = 0;   // plan and flow together; 0: none
  double aim_mb = 0;  // 0: none
  std::function<Cost()> run{};
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Cost cost_of(const std::function<SendCounts()>& run) {
  const double start = cpu_seconds();
  const SendCounts counts = run();
  return {.flow_s = cpu_seconds() - start, .flows = counts.sends, .updates = counts.updates};
}

CollectiveSpec all_reduce(const Topology& topology, const std::string& algorithm) {
  CollectiveSpec spec;
  spec.bytes = kBytes;
  spec.algorithm = algorithm;
  spec.group.resize(topology.npus.size());
  std::iota(spec.group.begin(), spec.group.end(), 0);
  return spec;
}

// An all-reduce over all NPUs of a mesh, side x side.
Cost mesh_cost(int side, const std::string& algorithm) {
  const Topology topology =
      load_config("configs/mesh.yaml",
                  {fmt::format("fabric.width={}", side), fmt::format("fabric.height={}", side),
                   fmt::format("npu.count={}", side * side), "io.count=0"})
          .topology;
  const CollectiveSpec spec = all_reduce(topology, algorithm);
  const double start = cpu_seconds();
  const Plan plan = make_plan(topology, {&spec, 1});
  const double planned = cpu_seconds();
  const FlowTimes times = run_flows(topology, plan);
  return {planned - start, cpu_seconds() - planned, times.flows, times.updates};
}

// All-reduce over all NPUs of a system, dimension by dimension. Building the system is part of the
// plan.
Cost system_cost(const std::string& machine, const std::vector<std::string>& settings,
                 Collective collective) {
  const double start = cpu_seconds();
  const Topology system = load_config("configs/systems/" + machine + ".yaml", settings).topology;
  CollectiveSpec spec = all_reduce(system, "auto");
  spec.collective = collective;
  const SystemPlan plan = plan_system(system, {&spec, 1});
  const double planned = cpu_seconds();
  const FlowTimes times = run_flows(system, plan);
  flow_traffic(system, plan);
  return {planned - start, cpu_seconds() - planned, times.flows, times.updates};
}

// Operations of that all-reduce in place of flows, and tasks of updates.
Cost cost_of(const TrainingCosts& costs) {
  return {costs.plan_s, costs.flow_s, costs.operations, costs.tasks};
}

Load mesh_load(int side, const std::string& algorithm, double aim_s, double aim_mb) {
  return {fmt::format("{} NPUs, mesh, {} as trees", side * side, algorithm), aim_s, aim_mb,
          [=] { return mesh_cost(side, algorithm); }};
}

// Boxes of 8 NPUs, joined by switches sized for the number of boxes.
Load boxes_load(int boxes, Collective collective, double aim_s, double aim_mb) {
  return {fmt::format("{} NPUs, 8 by {}, {}", 8 * boxes, boxes, to_string(collective)), aim_s,
          aim_mb, [=] {
            return system_cost("dgx_8_128", {fmt::format("fabric.dimensions.2.size={}", boxes)},
                               collective);
          }};
}

std::vector<Load> loads(bool small) {
  const int ranks = small ? 32 : 1024;
  const int hosts = small ? 8 : 128;
  const int side = small ? 4 : 32;
  const int large_side = small ? 8 : 64;
  const Strategy workers{.mp = small ? 4 : 16, .dp = small ? 4 : 64};
  const std::vector<std::string> radix{fmt::format("fabric.radix={}", small ? 4 : 16)};
  const std::vector<std::string> places{
      fmt::format("fabric.dimensions.2.size={}", workers.workers() / 8)};
  const int layers = small ? 4 : 0;
  return {
      {fmt::format("{} NPUs, ring as sends in step", ranks), 1, 100,
       [=] { return cost_of([&] { return ring_sends(ranks, false); }); }},
      {fmt::format("{} NPUs, ring as sends, rates differ", ranks), 1, 100,
       [=] { return cost_of([&] { return ring_sends(ranks, true); }); }},
      {fmt::format("{} hosts, all-to-all as sends", hosts), 5, 0,
       [=] { return cost_of([&] { return all_to_all_sends(hosts); }); }},
      mesh_load(side, "ring", 0.05, 0),
      mesh_load(side, "hier_ring", 0, 0),
      mesh_load(side, "multi_tree", 0.05, 0),
      mesh_load(large_side, "multi_tree", 4, 0),
      {"320 NPUs, 16 wafers, by dimension", 0, 0,
       [] { return system_cost("fred_d_16", {}, Collective::kAllReduce); }},
      boxes_load(small ? 16 : 256, Collective::kAllReduce, 1, 200),
      boxes_load(small ? 33 : 2048, Collective::kReduceScatter, 10, 4096),
      boxes_load(small ? 64 : 8192, Collective::kAllReduce, 10, 4096),
      {"20 NPUs, GPT-3, streamed, Fred-D *", 2, 0,
       [=] {
         return cost_of(
             train_streamed("configs/fred_d.yaml", "gpt3", {.mp = 2, .dp = 5, .pp = 2}, layers));
       }},
      {"20 NPUs, Transformer-1T, streamed, Fred-D *", 2, 0,
       [=] {
         return cost_of(
             train_streamed("configs/fred_d.yaml", "transformer_1t", {.dp = 20}, layers));
       }},
      {fmt::format("{} NPUs, GPT-3, fat tree *", workers.workers()), 10, 0,
       [=] { return cost_of(train_gpt3("configs/systems/fat_tree.yaml", radix, workers)); }},
      {fmt::format("{} NPUs, GPT-3, 8 by {} *", workers.workers(), workers.workers() / 8), 10, 0,
       [=] { return cost_of(train_gpt3("configs/systems/libra_2d.yaml", places, workers)); }},
      {fmt::format("{} traces, 8 by {} *", workers.workers(), workers.workers() / 8), 20, 4096,
       [=] {
         return cost_of(run_traces("configs/systems/libra_2d.yaml", places, workers, layers));
       }},
  };
}

std::string ratio(double value, double aim) {
  return aim > 0 ? fmt::format("{:.2f}", value / aim) : "";
}

// Measures in a separate process, so that its peak memory is the load's. Returns the exit code.
int measure(const Load& load) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    int code = 0;
    try {
      const Cost cost = load.run();
      const double mb = peak_mb();
      fmt::print("{:<40}{:>9.3f}{:>9.3f}{:>9.1f}{:>10}{:>9}{:>9}{:>9}\n", load.name, cost.plan_s,
                 cost.flow_s, mb, cost.flows, cost.updates,
                 ratio(cost.plan_s + cost.flow_s, load.aim_s), ratio(mb, load.aim_mb));
    } catch (const Error& error) {
      code = report_error("tb_flow_speed", error);
    } catch (const std::exception& error) {
      fmt::print(stderr, "tb_flow_speed: {}: {}\n", load.name, error.what());
      code = 1;
    }
    std::fflush(stdout);
    _exit(code);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    fmt::print(stderr, "tb_flow_speed: {}: no process could be started\n", load.name);
    return 1;
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fmt::print(stderr, "tb_flow_speed: {}: ended by signal {}\n", load.name, WTERMSIG(status));
  return 1;
}

}  // namespace
}  // namespace fredsim

int sc_main(int argc, char** argv) {
  fredsim::ProgramOptions options(
      "tb_flow_speed",
      "What the flow engine costs: seconds of processor time, for the plan and for its flows, and "
      "MB of\n"
      "peak memory, a row per load, with the ratios to the project's aims.",
      "  build/tb_flow_speed\n"
      "  build/tb_flow_speed --only all-to-all");
  bool small = false;
  std::string only;
  options.app().add_flag("--small", small,
                         "the same loads with few NPUs, without meaning as figures");
  options.app()
      .add_option("--only", only, "only loads whose names have this in them (default: all)")
      ->type_name("TEXT");
  if (const auto end = options.parse({argv + 1, argv + argc})) return *end;
  std::vector<fredsim::Load> loads = fredsim::loads(small);
  std::erase_if(
      loads, [&](const fredsim::Load& load) { return load.name.find(only) == std::string::npos; });
  if (loads.empty()) {
    return fredsim::report_error(
        "tb_flow_speed",
        fredsim::BadInput(fmt::format(
            "--only: found '{}'; allowed: a part of the name of a load, as without it", only)));
  }
  fmt::print("{:<40}{:>9}{:>9}{:>9}{:>10}{:>9}{:>9}{:>9}\n", "load", "plan s", "flow s", "MB",
             "flows", "updates", "s / aim", "MB / aim");
  int code = 0;
  for (const fredsim::Load& load : loads)
    if (const int found = fredsim::measure(load); found != 0) code = found;
  fmt::print("* of these operations and tasks, in place of flows and updates\n");
  return code;
}

// SPDX-License-Identifier: Apache-2.0
// Cost of a simulated cycle by mesh size and by traffic, with the memory needed, and the speed-up
// of large meshes whose partitions run ahead independently: three tables on standard output. See
// --help for options.
//
// Meshes: routers and links of configs/mesh.yaml (twins), without I/O. Traffic: every NPU sends
//   one-flit packets to its eastern neighbour (`neighbor`, two links on average for any size).
// First table: the same total of flits per cycle on 4 x 4 to 64 x 64 meshes. Second: 64 x 64 with
//   increasing traffic. Third: all-reduces over all NPUs as in `fredsim run`, alternately with the
//   fabric in one piece and cut (cut_for_caches()).
// Cost: processor time per simulated cycle and per flit and link, the median of five repeats; for
//   all-reduces the time of the run, the median of --pairs.
// Run from the top of the checkout.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <systemc>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "cli/program_options.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "fabric/cut.h"
#include "systems/make_plan.h"
#include "traffic/traffic_run.h"

namespace fredsim {
namespace {

constexpr int kRepeats = 5;
constexpr int kWarmUp = 2'000;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Topology square_mesh(int side) {
  return load_config("configs/mesh.yaml",
                     {fmt::format("fabric.width={}", side), fmt::format("fabric.height={}", side),
                      fmt::format("npu.count={}", side * side), "io.count=0"})
      .topology;
}

std::uint64_t link_flits(const Topology& topology, const FabricCore& core) {
  std::uint64_t flits = 0;
  for (int link = 0; link < static_cast<int>(topology.links.size()); ++link) {
    flits += core.count(link).flits;
  }
  return flits;
}

// `total`: flits created per cycle by all NPUs.
void measure(int side, double total, int cycles) {
  const Topology topology = square_mesh(side);
  TrafficRun run(topology, {.pattern = {.kind = PatternKind::kNeighbor}},
                 switches_of(SwitchModel::kTlm));
  run.start(total / (side * side));
  for (int cycle = 0; cycle < kWarmUp; ++cycle) run.tick();
  std::vector<double> seconds;
  const std::uint64_t before = link_flits(topology, run.core());
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const std::clock_t start = std::clock();
    for (int cycle = 0; cycle < cycles; ++cycle) run.tick();
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  const double flits = static_cast<double>(link_flits(topology, run.core()) - before) /
                       (static_cast<double>(kRepeats) * cycles);
  const double cost = median(seconds) / cycles * 1e9;
  fmt::print("{:>7} {:>9.1f} {:>14.2f} {:>12.0f} {:>14.1f} {:>9.0f}\n",
             fmt::format("{0} x {0}", side), total, flits, cost, cost / flits, peak_megabytes());
}

// All-reduces of meshes in one piece and in parts, in turn.
class Pairs : public sc_core::sc_module {
 public:
  Pairs(sc_core::sc_module_name name, std::uint64_t bytes, int pairs)
      : sc_core::sc_module(name), bytes_(bytes), pairs_(pairs) {
    for (const int side : {24, 32}) {
      meshes_.push_back(std::make_unique<Mesh>(Mesh{.topology = square_mesh(side)}));
      Mesh& mesh = *meshes_.back();
      mesh.whole = std::make_unique<Machine>(fmt::format("whole{}", side).c_str(), mesh.topology,
                                             FabricOptions{});
      mesh.parts = std::make_unique<Machine>(fmt::format("parts{}", side).c_str(), mesh.topology,
                                             FabricOptions{.cut = cut_for_caches(mesh.topology)});
    }
    SC_HAS_PROCESS(Pairs);
    SC_THREAD(measure);
  }
  void rethrow_failure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  struct Mesh {
    Topology topology;
    std::unique_ptr<Machine> whole{}, parts{};
  };

  void measure() {
    try {
      for (const auto& mesh : meshes_) measure(*mesh);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void measure(Mesh& mesh) const {
    std::vector<int> group(mesh.topology.npus.size());
    std::iota(group.begin(), group.end(), 0);
    const Plan plan = make_plan(mesh.topology, Collective::kAllReduce, group, bytes_, "auto");
    std::vector<double> whole, parts, ratios;
    std::uint64_t cycles = 0;
    for (int pair = 0; pair < pairs_; ++pair) {
      const RunResult a = run_plan(*mesh.whole, plan);
      const RunResult b = run_plan(*mesh.parts, plan);
      cycles = a.cycles;
      if (b.cycles != cycles)
        throw RunFailed(fmt::format("{} cycles in parts, {} in one piece", b.cycles, cycles));
      whole.push_back(a.cpu_s);
      parts.push_back(b.cpu_s);
      ratios.push_back(a.cpu_s / b.cpu_s);
    }
    fmt::print("{:>7} {:>9} {:>14.2f} {:>12.2f} {:>14.2f}\n",
               fmt::format("{0} x {0}", mesh.topology.grid.width), cycles, median(whole),
               median(parts), median(ratios));
  }

  std::uint64_t bytes_;
  int pairs_;
  std::vector<std::unique_ptr<Mesh>> meshes_;
  std::exception_ptr failure_;
};

void print_heading(const std::string& title) {
  fmt::print("{}\n\n{:>7} {:>9} {:>14} {:>12} {:>14} {:>9}\n", title, "mesh", "created", "on links",
             "cost", "cost", "peak");
  fmt::print("{:>7} {:>9} {:>14} {:>12} {:>14} {:>9}\n", "", "per cycle", "flits per cycle",
             "ns per cycle", "ns per flit", "MB");
}

}  // namespace
}  // namespace fredsim

int sc_main(int argc, char** argv) {
  int cycles = 20'000;
  int pairs = 3;
  std::string size = "1MiB";
  fredsim::ProgramOptions options(
      "tb_mesh_scaling",
      "What a simulated cycle costs by the size of the mesh and by the traffic on it, and the\n"
      "memory it takes: meshes of 4 x 4 to 64 x 64 under the same traffic, and 64 x 64 under more\n"
      "and more. And what all-reduces on large meshes gain where parts of them go ahead.",
      "  build/tb_mesh_scaling 5000\n"
      "  build/tb_mesh_scaling 200 --size 16MiB --pairs 1");
  options.add("CYCLES", cycles, 1, "simulated per measurement (default 20000)");
  options.add("--size", size, "SIZE", "of the all-reduces (default 1MiB)");
  options.add("--pairs", pairs, 1,
              "of all-reduces per mesh, in one piece and in parts (default 3)");
  if (const auto end = options.parse({argv + 1, argv + argc})) return *end;
  try {
    fredsim::print_heading("The same traffic on larger and larger meshes");
    for (const int side : {4, 8, 16, 32, 64}) fredsim::measure(side, 4, cycles);
    fredsim::print_heading("\nMore and more traffic on one mesh");
    for (const double total : {1, 4, 16, 64, 256}) fredsim::measure(64, total, cycles);
    fmt::print("\nAll-reduces of {}, the mesh in one piece and in parts that go ahead\n\n", size);
    fmt::print("{:>7} {:>9} {:>14} {:>12} {:>14}\n", "mesh", "cycles", "one piece, s", "parts, s",
               "ratio");
    fredsim::Pairs all_reduces("pairs", fredsim::parse_size(size, "--size"), pairs);
    sc_core::sc_start();
    all_reduces.rethrow_failure();
  } catch (const fredsim::Error& error) {
    return fredsim::report_error("tb_mesh_scaling", error);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Cost of planning a collective over all NPUs, bounds included: milliseconds of processor time, the
// median of five, on standard output. --help lists the options. Run from the top of the checkout.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/program_options.h"
#include "config/config.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

constexpr int kRepeats = 5;
constexpr std::uint64_t kBytes = 16 << 20;
constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduceScatter,
                                  Collective::kAllGather, Collective::kReduce,
                                  Collective::kBroadcast, Collective::kGather,
                                  Collective::kScatter,   Collective::kAllToAll};

struct Machine {
  std::string config;
  std::vector<std::string> overrides;
};

double milliseconds(const Topology& topology, Collective collective, std::string& algorithm) {
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  std::vector<double> times;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const std::clock_t start = std::clock();
    const Plan plan = make_plan(topology, collective, group, kBytes, "auto");
    times.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    algorithm = plan.parts.front().algorithm;
  }
  std::ranges::sort(times);
  return times[kRepeats / 2];
}

void measure(const Machine& machine) {
  const Topology topology = load_config(machine.config, machine.overrides).topology;
  fmt::print("{} {}: {} NPUs\n", machine.config, fmt::join(machine.overrides, " "),
             topology.npus.size());
  for (const Collective collective : kCollectives) {
    std::string algorithm;
    const double ms = milliseconds(topology, collective, algorithm);
    fmt::print("  {:<16} {:<10} {:8.2f} ms\n", to_string(collective), algorithm, ms);
  }
}

}  // namespace
}  // namespace fredsim

int main(int argc, char** argv) {
  fredsim::ProgramOptions options(
      "tb_plan_time",
      "What planning a collective of 16 MiB over all NPUs costs, bounds included: milliseconds of\n"
      "processor time, the median of five, a line per collective.",
      "  build/tb_plan_time\n"
      "  build/tb_plan_time configs/fred_64.yaml fabric.middle=2");
  std::string config;
  std::vector<std::string> overrides;
  options.app()
      .add_option("CONFIG", config,
                  "machine file (default: the mesh and Fred-A to -D, one after the other)")
      ->type_name("");
  options.app()
      .add_option("KEY.PATH=VALUE", overrides, "settings of the machine file to change")
      ->type_name("");
  if (const auto end = options.parse({argv + 1, argv + argc})) return *end;
  try {
    if (!config.empty()) {
      fredsim::measure({config, overrides});
      return 0;
    }
    const std::string slow = "fabric.uplink_bandwidth=1.5 TB/s";
    const std::string endpoints = "fabric.in_switch=false";
    fredsim::measure({"configs/mesh.yaml", {}});
    fredsim::measure({"configs/fred_d.yaml", {slow, endpoints}});
    fredsim::measure({"configs/fred_d.yaml", {slow}});
    fredsim::measure({"configs/fred_d.yaml", {endpoints}});
    fredsim::measure({"configs/fred_d.yaml", {}});
    return 0;
  } catch (const fredsim::Error& error) {
    return fredsim::report_error("tb_plan_time", error);
  }
}

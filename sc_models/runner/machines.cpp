// SPDX-License-Identifier: Apache-2.0
#include "runner/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/long_words.h"
#include "base/units.h"
#include "fabric/rank_cut.h"
#include "runner/machine_word.h"
#include "runner/program_name.h"

namespace fredsim {

std::vector<MachineConfig> load_machines(const MachineOptions& options, bool quiet) {
  LoadedMachines loaded = load_configs(options.machines, options.overrides, options.faults);
  if (!quiet) {
    for (const std::string& note : loaded.notes)
      fmt::print(stderr, "{}: {}\n", program_name(), with_short_words(note));
  }
  return std::move(loaded.machines);
}

void check_runs_exactly(const MachineConfig& machine) {
  if (machine.topology.flow_only.empty()) return;
  throw BadInput(fmt::format("{}: {} flit by flit; allowed: --engine flow", machine.path,
                             machine.topology.flow_only));
}

void check_no_system(const MachineConfig& machine, std::string_view command) {
  if (!machine.topology.has_blocks()) return;
  throw BadInput(
      fmt::format("{}: found a system of dimensions; allowed with {}: a machine that is "
                  "none, such as that of a block",
                  machine.path, command));
}

bool runs_in_steps(const Topology& topology, bool is_flow) {
  return is_flow && topology.has_blocks();
}

std::string notes_title(const MachineConfig& machine) {
  return fmt::format("{} ({})", machine.topology.name,
                     with_settings(machine.path, machine.settings.own));
}

namespace {

// Max bandwidth of an NPU in bytes per second: over its links, and over links of switches that have
// no other NPU, such as at the corner of a mesh. 0: the topology has no links, such as a system of
// dimensions.
std::uint64_t npu_bandwidth(const Topology& topology) {
  constexpr int kNone = -1, kSeveral = -2;
  std::vector<int> npu_of(topology.nodes.size(), kNone);  // the only NPU of a switch
  std::vector<bool> is_npu(topology.nodes.size());
  for (const int npu : topology.npus) is_npu[static_cast<std::size_t>(npu)] = true;
  for (const Link& link : topology.links) {
    if (!is_npu[link.from]) continue;
    int& owner = npu_of[link.to];
    owner = owner == kNone || owner == static_cast<int>(link.from) ? static_cast<int>(link.from)
                                                                   : kSeveral;
  }
  std::map<int, std::uint64_t> sent, passed_on;
  std::set<int> sharing;
  for (const Link& link : topology.links) {
    if (is_npu[link.from]) {
      sent[link.from] += link.bytes_per_second;
      if (npu_of[link.to] == kSeveral) sharing.insert(link.from);
    } else if (npu_of[link.from] >= 0 && topology.nodes[link.to].is_switch()) {
      passed_on[npu_of[link.from]] += link.bytes_per_second;
    }
  }
  std::uint64_t most = 0;
  for (const auto& [npu, bandwidth] : sent)
    most = std::max(most, sharing.contains(npu) ? bandwidth : std::min(bandwidth, passed_on[npu]));
  return most;
}

}  // namespace

TitledList unequal_parts(std::span<const MachineConfig* const> machines) {
  TitledList list{.title = "not equal, beside the fabric", .lines = {}};
  const auto add = [&](std::string_view key, const auto& value_of) {
    std::vector<std::string> values;
    for (const MachineConfig* machine : machines) values.push_back(value_of(*machine));
    if (std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end() ||
        std::ranges::count(values, "") > 0)
      return;
    std::string& line = list.lines.emplace_back(fmt::format("{}: ", key));
    for (std::size_t i = 0; i < values.size(); ++i)
      line += fmt::format("{}{} in {}", i == 0 ? "" : ", ", values[i], name_of(*machines[i]));
  };
  add("NPU bandwidth", [](const MachineConfig& machine) {
    const std::uint64_t bandwidth = npu_bandwidth(machine.topology);
    return bandwidth == 0 ? "" : format_bandwidth(static_cast<double>(bandwidth));
  });
  add("npu.count",
      [](const MachineConfig& machine) { return std::to_string(machine.topology.npus.size()); });
  add("clock",
      [](const MachineConfig& machine) { return format_frequency(machine.topology.clock_hz); });
  return list;
}

std::vector<RankForecast> rank_forecasts(const Topology& topology, int ranks, SwitchModel model,
                                         int lanes, const ExchangeCosts& exchange) {
  const NodeCosts costs = node_costs(topology, model, lanes);
  std::vector<RankForecast> forecasts;
  for (const int parts : {ranks, 16, 256}) {
    if (!forecasts.empty() && (parts <= ranks || parts > max_ranks(topology))) continue;
    forecasts.push_back(
        rank_forecast(topology, cut_for_ranks(topology, costs, parts), costs, exchange));
  }
  return forecasts;
}

}  // namespace fredsim

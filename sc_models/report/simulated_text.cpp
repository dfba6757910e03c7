// SPDX-License-Identifier: Apache-2.0
#include "report/simulated_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fredsim {
namespace {

using Runs = std::vector<const RunResult*>;

std::string text_of_simulated(const Runs& runs) {
  Simulated simulated;
  std::uint64_t cycles = 0, flit_hops = 0;
  int slices = 0, fewest = std::numeric_limits<int>::max(), max = 0;
  for (const RunResult* run : runs) {
    const auto [of_cycles, of_flit_hops] = simulated_of(*run);
    simulated.cycles += of_cycles;
    simulated.flit_hops += of_flit_hops;
    cycles += run->cycles;
    flit_hops += run->flit_hops;
    slices = std::max(slices, run->slices);
    fewest = std::min(fewest, run->slices_simulated);
    max = std::max(max, run->slices_simulated);
  }
  std::string text = fmt::format("{} of {} cycles, {} of {} flit-hops", simulated.cycles, cycles,
                                 simulated.flit_hops, flit_hops);
  if (fewest == slices) return text;
  const std::string some =
      fewest == max ? fmt::to_string(max) : fmt::format("{} to {}", fewest, max);
  return text + fmt::format(", {} of {} slices", some, slices);
}

std::string text_of_operations(const Runs& runs) {
  OperationsResult sum;
  for (const RunResult* run : runs) {
    if (!run->operations) continue;
    sum.complete += run->operations->complete;
    sum.rows.preloaded += run->operations->rows.preloaded;
    sum.rows.loaded += run->operations->rows.loaded;
    sum.rows.found += run->operations->rows.found;
    sum.waited_for_rows += run->operations->waited_for_rows;
    sum.waited_for_others += run->operations->waited_for_others;
  }
  return fmt::format(
      "{}; phases preloaded {}, loaded {}, found {}; cycles waited for phases {}, for others {}",
      sum.complete, sum.rows.preloaded, sum.rows.loaded, sum.rows.found, sum.waited_for_rows,
      sum.waited_for_others);
}

std::string listed(const std::string& title, std::span<const MachineRuns> machines,
                   std::string (*text_of)(const Runs&), TableOutput& output) {
  if (machines.empty()) return "";
  if (machines.size() == 1)
    return output.paragraph(fmt::format("{}: {}", title, text_of(machines.front().runs)));
  TitledList list{title, {}};
  for (const auto& [machine, runs] : machines)
    list.lines.push_back(fmt::format("{}: {}", machine, text_of(runs)));
  return output.lists({std::move(list)});
}

}  // namespace

Simulated simulated_of(const RunResult& run) {
  const std::uint64_t cycles = run.idle_cycles + run.repeated_cycles;
  const std::uint64_t flit_hops = run.repeated_flit_hops + run.equal_slices_flit_hops;
  return {run.cycles - std::min(run.cycles, cycles),
          run.flit_hops - std::min(run.flit_hops, flit_hops)};
}

std::string simulated_text(std::span<const MachineRuns> machines, TableOutput& output) {
  return listed("simulated", machines, text_of_simulated, output);
}

std::string operations_text(std::span<const MachineRuns> machines, TableOutput& output) {
  std::vector<MachineRuns> ordered;
  std::ranges::copy_if(machines, std::back_inserter(ordered), [](const MachineRuns& machine) {
    return std::ranges::any_of(machine.runs,
                               [](const RunResult* run) { return run->operations.has_value(); });
  });
  return listed("operations", ordered, text_of_operations, output);
}

std::string lockstep_text(std::span<const MachineRuns> machines, TableOutput& output) {
  std::set<std::pair<std::string, std::string>> different;
  std::uint64_t cycles = 0;
  for (const MachineRuns& machine : machines) {
    for (const RunResult* run : machine.runs) {
      if (run->model != "lockstep" || run->incomplete) return "";
      different.emplace(run->config, settings_text(run->settings.own));
      cycles += simulated_of(*run).cycles;
    }
  }
  if (different.empty()) return "";
  return output.paragraph(fmt::format("RTL equals twin on {} machine{}, {} cycles",
                                      different.size(), different.size() == 1 ? "" : "s", cycles));
}

}  // namespace fredsim

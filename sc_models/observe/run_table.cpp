#include "observe/run_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <set>

#include "base/setting.h"
#include "base/units.h"
#include "observe/machine_labels.h"
#include "observe/text_table.h"

namespace fredsim {

namespace {

// "20 NPUs", "10 groups of 2 NPUs", "2 + 3 NPUs"
std::string ranks_text(const RunResult& r) {
  if (r.groups.size() == 1) return fmt::format("{} NPUs", r.groups.front().size());
  const bool equal = std::ranges::all_of(
      r.groups, [&](const auto& group) { return group.size() == r.groups.front().size(); });
  if (equal) return fmt::format("{} groups of {} NPUs", r.groups.size(), r.groups.front().size());
  std::string text;
  for (const auto& group : r.groups)
    text += fmt::format("{}{}", text.empty() ? "" : " + ", group.size());
  return text + " NPUs";
}

bool same_work(const PartResult& a, const PartResult& b) {
  return a.collective == b.collective && a.algorithm == b.algorithm && a.priority == b.priority &&
         a.size_bytes == b.size_bytes && a.start_cycle == b.start_cycle;
}

// algbw or busbw.
std::string bandwidth(double gbps, bool incomplete) {
  return incomplete ? "-" : fmt::format("{:.1f}", gbps);
}

// The parts of the runs that have several different ones.
std::string parts_tables(std::span<const ReportedRun> runs) {
  std::string text;
  for (const ReportedRun& run : runs) {
    const RunResult& r = run.result;
    const auto like_first = [&](const PartResult& p) { return same_work(p, r.parts.front()); };
    if (r.parts.empty() || std::ranges::all_of(r.parts, like_first)) continue;
    TextTable table({{"group", "", Align::kLeft},
                     {"collective", "", Align::kLeft},
                     {"algorithm", "", Align::kLeft},
                     {"priority", "", Align::kLeft},
                     {"size", ""},
                     {"start", "cycle"},
                     {"cycles", ""},
                     {"time", "ns"},
                     {"algbw", "GB/s"},
                     {"busbw", "GB/s"},
                     {"bound*", "ns"}});
    for (const PartResult& p : r.parts) {
      table.add_row({fmt::format("{}", fmt::join(p.group, ",")), p.collective, p.algorithm,
                     p.priority, format_size(p.size_bytes), fmt::to_string(p.start_cycle),
                     fmt::to_string(p.cycles), fmt::format("{:.1f}", p.time_ns),
                     bandwidth(p.algbw_gbps, p.incomplete), bandwidth(p.busbw_gbps, p.incomplete),
                     fmt::format("{:.1f}", p.bound_ns)});
    }
    text += fmt::format("\n{}, {}:\n\n{}", with_settings(r.fabric, r.settings.own),
                        format_size(r.size_bytes), table.to_string());
  }
  return text;
}

std::string injected_per_npu(const RunResult& r) {
  std::set<int> npus;  // groups may overlap
  for (const auto& group : r.groups) npus.insert(group.begin(), group.end());
  return fmt::format("{:.0f}",
                     static_cast<double>(r.injected_bytes) / static_cast<double>(npus.size()));
}

std::string time_over_bound(const RunResult& r) {
  return r.bound_ns > 0 && !r.incomplete ? fmt::format("{:.3f}", r.time_ns / r.bound_ns) : "-";
}

// A ratio to the base.
std::string times(const ReportedRun& run, double Comparison::*ratio) {
  if (run.comparison) return fmt::format("{:.3f}", *run.comparison.*ratio);
  return run.result.incomplete ? "-" : "base";
}

}  // namespace

std::string run_table(std::span<const ReportedRun> runs) {
  assert(!runs.empty());
  const RunResult& first = runs.front().result;
  TextTable table({{"size", ""},
                   {"cycles", ""},
                   {"time", "ns"},
                   {"algbw", "GB/s"},
                   {"busbw", "GB/s"},
                   {"injected/NPU", "bytes"},
                   {"link traffic", "bytes"},
                   {"bound*", "ns"},
                   {"time/bound*", ""},
                   {"payload", "", Align::kLeft},
                   {"simulated", "cycles/s"}});
  for (const auto& [r, comparison] : runs) {
    table.add_row({format_size(r.size_bytes), fmt::to_string(r.cycles),
                   fmt::format("{:.1f}", r.time_ns), bandwidth(r.algbw_gbps, r.incomplete),
                   bandwidth(r.busbw_gbps, r.incomplete), injected_per_npu(r),
                   fmt::to_string(r.link_bytes), fmt::format("{:.1f}", r.bound_ns),
                   time_over_bound(r), r.payload, fmt::format("{:.0f}", r.sim_cycles_per_s)});
  }
  return fmt::format(
      "{}: {} over {}, algorithm {}, model {}, lanes {}, clock {:g} GHz, seed {}\n\n{}",
      with_settings(first.fabric, first.settings.own), first.collective, ranks_text(first),
      first.algorithm, first.model, first.lanes, first.clock_ghz, first.seed,
      table.to_string() + parts_tables(runs));
}

std::string compare_table(std::span<const ReportedRun> runs) {
  assert(!runs.empty());
  const RunResult& base = runs.front().result;
  TextTable table({{"machine", "", Align::kLeft},
                   {"algorithm", "", Align::kLeft},
                   {"cycles", ""},
                   {"time", "ns"},
                   {"busbw", "GB/s"},
                   {"speed-up", "x"},
                   {"injected/NPU", "bytes"},
                   {"injected less", "x"},
                   {"link traffic", "bytes"},
                   {"link less", "x"},
                   {"bound*", "ns"},
                   {"time/bound*", ""},
                   {"payload", "", Align::kLeft}});
  const MachineLabels machines = machine_labels(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ReportedRun& run = runs[i];
    const RunResult& r = run.result;
    table.add_row({machines.labels[i], r.algorithm, fmt::to_string(r.cycles),
                   fmt::format("{:.1f}", r.time_ns), bandwidth(r.busbw_gbps, r.incomplete),
                   times(run, &Comparison::speedup), injected_per_npu(r),
                   times(run, &Comparison::injected_traffic_reduction),
                   fmt::to_string(r.link_bytes), times(run, &Comparison::link_traffic_reduction),
                   fmt::format("{:.1f}", r.bound_ns), time_over_bound(r), r.payload});
  }
  std::string notes;
  for (const std::string& note : machines.notes) notes += note + "\n";
  return fmt::format("{} of {} over {}, model {}, lanes {}, seed {}\n{}\n{}", base.collective,
                     format_size(base.size_bytes), ranks_text(base), base.model, base.lanes,
                     base.seed, notes, table.to_string() + parts_tables(runs));
}

}  // namespace fredsim

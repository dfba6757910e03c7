// SPDX-License-Identifier: Apache-2.0
#include "report/run_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/member.h"
#include "base/units.h"

namespace fredsim::run_columns {
namespace {

// "20 NPUs", "20 NPUs and 1 I/O controller"
std::string members_text(const std::vector<int>& group) {
  const auto controllers = std::ranges::count_if(group, is_io_member);
  const auto npus = std::ssize(group) - controllers;
  if (controllers == 0) return fmt::format("{} NPUs", npus);
  const std::string io =
      fmt::format("{} I/O controller{}", controllers, controllers == 1 ? "" : "s");
  return npus == 0 ? io : fmt::format("{} NPU{} and {}", npus, npus == 1 ? "" : "s", io);
}

// "0,1,5,6;2,3": ranks of the groups.
std::string groups_text(const RunResult& r) {
  std::string text;
  for (const auto& group : r.groups) text += (text.empty() ? "" : ";") + member_names(group);
  return text;
}

double npus_of(const RunResult& r) {
  std::set<int> npus;  // groups may overlap
  for (const auto& group : r.groups) npus.insert(group.begin(), group.end());
  return static_cast<double>(npus.size());
}

// Cell of a figure that own NPUs may not have: it is 0 then.
Cell unless_missing(const RunResult& r, double figure, Cell cell) {
  return r.is_own && figure == 0 ? no_cell() : std::move(cell);
}

Cell time_over(const RunResult& r, double bound_ns) {
  return bound_ns > 0 && !r.incomplete ? number_cell(r.time_ns / bound_ns, 3) : no_cell();
}

// Cell of a ratio to the base.
Cell times(const ReportedRun& run, double Comparison::*ratio) {
  if (run.comparison) return number_cell(*run.comparison.*ratio, 3);
  return run.result.incomplete ? no_cell() : Cell("base", "1");
}

Cell payload(const RunResult& r) {
  if (r.payload.empty()) return no_cell();  // own NPUs, payload not checked
  return {r.payload, r.payload == "exact" || r.flow ? Tone::kPlain : Tone::kBad};
}

}  // namespace

std::string ranks_text(const RunResult& r) {
  std::string first = members_text(r.groups.front());
  if (r.groups.size() == 1) return first;
  if (std::ranges::all_of(r.groups,
                          [&](const auto& group) { return members_text(group) == first; }))
    return fmt::format("{} groups of {}", r.groups.size(), first);
  const bool has_io = std::ranges::any_of(
      r.groups, [](const auto& group) { return std::ranges::any_of(group, is_io_member); });
  std::string text;
  for (const auto& group : r.groups)
    text += fmt::format("{}{}", text.empty() ? "" : " + ", group.size());
  return text + (has_io ? " NPUs and I/O controllers" : " NPUs");
}

Cell bandwidth(double gbps, bool incomplete) {
  return incomplete ? no_cell() : number_cell(gbps, 1);
}

Cell size_cell(std::uint64_t bytes) { return {format_size(bytes), fmt::to_string(bytes)}; }

RunField only_in_csv(const char* name, std::function<Cell(const RunResult&)> cell) {
  return {{.label = name, .name = name, .shown = Shown::kOnlyInCsv},
          [cell = std::move(cell)](const RunRow& row) { return cell(row.result()); }};
}

RunField field(Column column, std::function<Cell(const RunResult&)> cell) {
  return {std::move(column),
          [cell = std::move(cell)](const RunRow& row) { return cell(row.result()); }};
}

std::vector<RunField> fields_of_work() {
  const auto of_workers = [](std::string WorkersResult::*name) {
    return [name](const RunResult& r) -> Cell { return r.workers ? *r.workers.*name : ""; };
  };
  return {only_in_csv("config", [](const RunResult& r) { return r.config; }),
          only_in_csv("settings", [](const RunResult& r) { return settings_text(r.settings.all); }),
          only_in_csv("model", [](const RunResult& r) { return r.model; }),
          only_in_csv("lanes", [](const RunResult& r) { return fmt::to_string(r.lanes); }),
          only_in_csv("clock_ghz", [](const RunResult& r) { return fmt::to_string(r.clock_ghz); }),
          only_in_csv("seed",
                      [](const RunResult& r) {
                        return unless_missing(r, static_cast<double>(r.seed),
                                              fmt::to_string(r.seed));
                      }),
          only_in_csv("collective", [](const RunResult& r) { return r.collective; }),
          only_in_csv("groups", groups_text),
          only_in_csv("placement", of_workers(&WorkersResult::placement)),
          only_in_csv("strategy", of_workers(&WorkersResult::strategy)),
          only_in_csv("dimensions", [](const RunResult& r) -> Cell {
            return r.workers ? fmt::format("{}", fmt::join(r.workers->dimensions, ",")) : "";
          })};
}

RunField machine_field(Shown shown) {
  return {{.label = "machine", .align = Align::kLeft, .name = "fabric", .shown = shown},
          [](const RunRow& row) { return Cell(row.machine, row.result().fabric); }};
}

RunField algorithm_field(int rank, Shown shown) {
  return field({"algorithm", "", Align::kLeft, rank, {}, "algorithm", shown},
               [](const RunResult& r) { return r.algorithm; });
}

RunField size_field(Shown shown) {
  return field({.label = "size", .name = "size_bytes", .shown = shown}, [](const RunResult& r) {
    return unless_missing(r, static_cast<double>(r.size_bytes), size_cell(r.size_bytes));
  });
}

RunField cycles_field(int rank) {
  return field({.label = "cycles",
                .rank = rank,
                .name = "cycles",
                .meaning = "clock cycles from the first rank that begins to the last that ends"},
               [](const RunResult& r) { return count_cell(r.cycles); });
}

RunField time_field() {
  return field({.label = "time", .unit = "ns", .name = "time_ns"},
               [](const RunResult& r) { return number_cell(r.time_ns, 1); });
}

RunField algbw_field(int rank) {
  return field({.label = "algbw",
                .unit = "GB/s",
                .rank = rank,
                .name = "algbw_gbps",
                .meaning = "size over time"},
               [](const RunResult& r) {
                 return unless_missing(r, r.algbw_gbps, bandwidth(r.algbw_gbps, r.incomplete));
               });
}

RunField busbw_field(int rank) {
  return field({.label = "busbw",
                .unit = "GB/s",
                .rank = rank,
                .name = "busbw_gbps",
                .meaning = "algbw in bytes that each rank must move, as NCCL-tests count: x "
                           "2(N-1)/N for an all-reduce of N ranks"},
               [](const RunResult& r) {
                 return unless_missing(r, r.busbw_gbps, bandwidth(r.busbw_gbps, r.incomplete));
               });
}

RunField injected_field(int rank) {
  return field({.label = "injected/NPU",
                .unit = "bytes",
                .rank = rank,
                .header = {"injected", "bytes/NPU"},
                .name = "injected_bytes_per_npu",
                .meaning = "payload that NPUs put on the network, mean over NPUs"},
               [](const RunResult& r) {
                 return number_cell(static_cast<double>(r.injected_bytes) / npus_of(r), 0);
               });
}

RunField link_field(int rank) {
  return field({.label = "link traffic",
                .unit = "bytes",
                .rank = rank,
                .header = {"link", "bytes"},
                .name = "link_bytes",
                .meaning = "bytes over links, summed over links"},
               [](const RunResult& r) { return count_cell(r.link_bytes); });
}

RunField bound_field(int rank) {
  return field(
      {.label = "bound*",
       .unit = "ns",
       .rank = rank,
       .name = "bound_ns",
       .meaning = "time that the busiest link of the plan needs at its rate"},
      [](const RunResult& r) { return unless_missing(r, r.bound_ns, number_cell(r.bound_ns, 1)); });
}

RunField time_over_bound_field(int rank) {
  return field({.label = "time/bound*",
                .rank = rank,
                .header = {"time/", "bound*"},
                .name = "time_over_bound",
                .meaning = "1: as fast as this algorithm can be"},
               [](const RunResult& r) { return time_over(r, r.bound_ns); });
}

RunField time_over_network_field(int rank) {
  return field({.label = "time/network bound*",
                .rank = rank,
                .header = {"time/net.", "bound*"},
                .name = "time_over_network_bound",
                .meaning = "1: as fast as any algorithm can be on this network"},
               [](const RunResult& r) { return time_over(r, r.network_bound_ns); });
}

RunField payload_field(int rank) {
  return field({"payload", "", Align::kLeft, rank, {}, "payload"}, payload);
}

RunField ratio_field(Column column, double Comparison::*ratio) {
  return {std::move(column), [ratio](const RunRow& row) { return times(*row.run, ratio); }};
}

RunField speedup_field() {
  return {{.label = "speed-up",
           .unit = "x",
           .name = "speedup",
           .meaning = "time of the base over the time of this machine"},
          [](const RunRow& row) {
            Cell cell = times(*row.run, &Comparison::speedup);
            if (row.is_fastest) cell.tone = Tone::kGood;
            return cell;
          }};
}

std::vector<RunField> error_fields(std::span<const ReportedRun> runs) {
  if (std::ranges::none_of(runs,
                           [](const ReportedRun& run) { return run.result.flow.has_value(); }))
    return {};
  return {field({.label = "error",
                 .unit = "± %",
                 .name = "error_worst_percent",
                 .meaning = "largest difference from exact runs at sizes that did not calibrate"},
                [](const RunResult& r) {
                  if (!r.flow) return no_cell();
                  return r.flow->error ? error_cell(r.flow->error->worst_percent)
                                       : Cell("unmeasured", "");
                })};
}

std::vector<RunField> resent_fields(std::span<const ReportedRun> runs, int rank) {
  const bool any = std::ranges::any_of(runs, [](const ReportedRun& run) {
    return std::ranges::any_of(
        run.result.links, [](const LinkResult& link) { return link.has_counter("resent_flits"); });
  });
  if (!any) return {};
  return {field({.label = "retransmitted",
                 .unit = "flits",
                 .rank = rank,
                 .header = {"retrans.", "flits"},
                 .name = "resent_flits",
                 .meaning = "flits that links sent again"},
                [](const RunResult& r) {
                  std::uint64_t flits = 0;
                  for (const LinkResult& link : r.links) flits += link.counter("resent_flits");
                  return count_cell(flits);
                })};
}

std::vector<RunField> energy_fields(std::span<const ReportedRun> runs, int rank) {
  if (std::ranges::none_of(runs,
                           [](const ReportedRun& run) { return run.result.energy.has_value(); }))
    return {};
  return {field({.label = "energy",
                 .unit = "pJ/bit",
                 .rank = rank,
                 .name = "energy_pj_per_bit",
                 .meaning = "of switches, links and NPUs, over the bits of the vectors"},
                [](const RunResult& r) {
                  const bool is_known = r.energy.has_value();
                  return energy_cell(r.energy, is_known ? static_cast<double>(r.energy->bits) : 0);
                })};
}

RunField placement_field(std::span<const ReportedRun> runs) {
  const auto cell = [](const RunResult& r) {
    return r.workers ? Cell(r.workers->placement) : no_cell();
  };
  const bool is_same = std::ranges::all_of(runs, [&](const ReportedRun& run) {
    return cell(run.result).text == cell(runs.front().result).text;
  });
  return field({.label = "placement",
                .align = Align::kLeft,
                .shown = is_same ? Shown::kNotInText : Shown::kAlways},
               cell);
}

RunField over_best_field() {
  return {
      {.label = "over best base",
       .unit = "x",
       .header = {"over best", "base x"},
       .name = "speedup_best_base",
       .meaning = "time of the faster of the base and its best self over the time of this machine"},
      [](const RunRow& row) {
        const auto& speedup = row.run->speedup_best_base;
        return speedup ? number_cell(*speedup, 3) : no_cell();
      }};
}

std::vector<RunField> more_counts() {
  return {only_in_csv("injected_bytes",
                      [](const RunResult& r) { return count_cell(r.injected_bytes); }),
          only_in_csv("injected_bytes_per_npu_max",
                      [](const RunResult& r) { return count_cell(r.injected_bytes_per_npu_max); }),
          only_in_csv("flit_hops", [](const RunResult& r) { return count_cell(r.flit_hops); }),
          only_in_csv("wall_s", [](const RunResult& r) { return fmt::to_string(r.wall_s); }),
          only_in_csv("acknowledgement_packets",
                      [](const RunResult& r) { return count_cell(r.acknowledgement_packets); }),
          only_in_csv("idle_cycles", [](const RunResult& r) { return count_cell(r.idle_cycles); }),
          only_in_csv("repeated_cycles",
                      [](const RunResult& r) { return count_cell(r.repeated_cycles); }),
          only_in_csv("repeated_flit_hops",
                      [](const RunResult& r) { return count_cell(r.repeated_flit_hops); }),
          only_in_csv("equal_slices_flit_hops",
                      [](const RunResult& r) { return count_cell(r.equal_slices_flit_hops); })};
}

std::vector<RunField> joined(std::initializer_list<std::vector<RunField>> groups) {
  std::vector<RunField> all;
  for (const auto& group : groups) std::ranges::copy(group, std::back_inserter(all));
  return all;
}

}  // namespace fredsim::run_columns

// SPDX-License-Identifier: Apache-2.0
#include "report/run_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <set>
#include <utility>

#include "base/member.h"
#include "base/setting.h"
#include "base/units.h"
#include "report/machine_labels.h"
#include "report/table_fields.h"

namespace fredsim {

namespace {

// A line of either table.
struct RunRow {
  std::string machine;
  const ReportedRun* run = nullptr;
  bool is_fastest = false;  // fastest machine, and faster than the base
  const RunResult& result() const { return run->result; }
};
using RunField = Field<RunRow>;

// "20 NPUs", "20 NPUs and 1 I/O controller"
std::string members_text(const std::vector<int>& group) {
  const auto controllers = std::ranges::count_if(group, is_io_member);
  const auto npus = std::ssize(group) - controllers;
  if (controllers == 0) return fmt::format("{} NPUs", npus);
  const std::string io =
      fmt::format("{} I/O controller{}", controllers, controllers == 1 ? "" : "s");
  return npus == 0 ? io : fmt::format("{} NPU{} and {}", npus, npus == 1 ? "" : "s", io);
}

// "20 NPUs", "10 groups of 2 NPUs", "2 + 3 NPUs"
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

// Cell of algbw or busbw.
Cell bandwidth(double gbps, bool incomplete) {
  return incomplete ? no_cell() : number_cell(gbps, 1);
}

Cell size_cell(std::uint64_t bytes) { return {format_size(bytes), fmt::to_string(bytes)}; }

// Cell of a figure that own NPUs may not have: it is 0 then.
Cell unless_missing(const RunResult& r, double figure, Cell cell) {
  return r.is_own && figure == 0 ? no_cell() : std::move(cell);
}

Cell time_over(const RunResult& r, double bound_ns) {
  return bound_ns > 0 && !r.incomplete ? number_cell(r.time_ns / bound_ns, 3) : no_cell();
}

// Names the buffer that limits the busiest link of the largest size. Empty: no buffer does.
std::string credit_note(const RunResult& r) {
  if (!r.credit_limit) return {};
  const CreditLimit& limit = *r.credit_limit;
  return fmt::format(
      "{}: buffers limit the busiest link, {}: {} carry {:.3g} of {:.3g} GB/s; {} are "
      "needed ({})",
      with_settings(r.fabric, r.settings.own), limit.link, format_size(limit.buffer_bytes),
      limit.carried_gbps, limit.link_gbps, format_size(limit.covering_bytes), limit.key);
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

// Column for programs only: people find its value in the heading, or do not need it.
RunField only_in_csv(const char* name, std::function<Cell(const RunResult&)> cell) {
  return {{.label = name, .name = name, .shown = Shown::kOnlyInCsv},
          [cell = std::move(cell)](const RunRow& row) { return cell(row.result()); }};
}

RunField field(Column column, std::function<Cell(const RunResult&)> cell) {
  return {std::move(column),
          [cell = std::move(cell)](const RunRow& row) { return cell(row.result()); }};
}

// Participants of a run, and its work apart from algorithm and size.
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

// The best of several machines stands out.
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

// Columns of the stated error of flow times, if it was measured.
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

// Retransmissions, if links have them.
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

// Column of energy, if that of any run is known.
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

// A placement that all runs share is left out of text, not of other formats.
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

bool same_work(const PartResult& a, const PartResult& b) {
  return a.collective == b.collective && a.algorithm == b.algorithm && a.priority == b.priority &&
         a.size_bytes == b.size_bytes && a.start_cycle == b.start_cycle;
}

// Names and repetitions are columns only in a work with order that has them.
TextTable parts_of(const RunResult& r) {
  const bool has_names =
      std::ranges::any_of(r.parts, [](const PartResult& p) { return !p.name.empty(); });
  const bool repeats =
      std::ranges::any_of(r.parts, [](const PartResult& p) { return p.operations > 1; });
  std::vector<Column> columns;
  if (has_names) columns.push_back({"name", "", Align::kLeft});
  if (repeats) columns.push_back({"times"});
  for (const Column& column : std::vector<Column>{{"group", "", Align::kLeft},
                                                  {"collective", "", Align::kLeft},
                                                  {"algorithm", "", Align::kLeft, 1},
                                                  {"priority", "", Align::kLeft, 2},
                                                  {"size"},
                                                  {"start", "cycle", Align::kRight, 4},
                                                  {"cycles", "", Align::kRight, 3},
                                                  {"time", "ns"},
                                                  {"algbw", "GB/s", Align::kRight, 6},
                                                  {"busbw", "GB/s"},
                                                  {"bound*", "ns", Align::kRight, 5}})
    columns.push_back(column);
  TextTable table(std::move(columns));
  for (const PartResult& p : r.parts) {
    std::vector<Cell> cells;
    if (has_names) cells.emplace_back(p.name.empty() ? "-" : p.name);
    if (repeats) cells.push_back(count_cell(p.operations));
    std::ranges::move(
        std::vector<Cell>{member_names(p.group), p.collective, p.algorithm, p.priority,
                          size_cell(p.size_bytes), count_cell(p.start_cycle), count_cell(p.cycles),
                          number_cell(p.time_ns, 1), bandwidth(p.algbw_gbps, p.incomplete),
                          bandwidth(p.busbw_gbps, p.incomplete), number_cell(p.bound_ns, 1)},
        std::back_inserter(cells));
    table.add_row(std::move(cells));
  }
  return table;
}

// True for several algorithms on one machine.
bool are_of_one_machine(std::span<const ReportedRun> runs) {
  const RunResult& base = runs.front().result;
  const bool are_alike = std::ranges::all_of(runs, [&](const ReportedRun& run) {
    return run.result.config == base.config && run.result.settings.all == base.settings.all;
  });
  return are_alike && std::ranges::any_of(runs, [&](const ReportedRun& run) {
           return run.result.algorithm != base.algorithm;
         });
}

double speedup_of(const ReportedRun& run) { return run.comparison ? run.comparison->speedup : 1; }

}  // namespace

TitledTable run_table(std::span<const ReportedRun> runs) {
  assert(!runs.empty());
  const RunResult& first = runs.front().result;
  const std::vector<RunField> own = {
      algorithm_field(0, Shown::kOnlyInCsv),
      size_field(Shown::kAlways),
      cycles_field(1),
      time_field(),
      algbw_field(4),
      busbw_field(0),
      injected_field(5),
      link_field(6),
      bound_field(7),
      time_over_bound_field(4),
      time_over_network_field(3),
      payload_field(2),
      field({.label = "simulated",
             .unit = "cycles/s",
             .rank = 8,
             .name = "sim_cycles_per_s",
             .meaning = "simulated cycles per second of waiting"},
            [](const RunResult& r) { return number_cell(r.sim_cycles_per_s, 0); })};
  std::vector<RunRow> rows;
  for (const ReportedRun& run : runs) rows.push_back({run.result.fabric, &run});
  const auto fields = joined({{machine_field(Shown::kOnlyInCsv)},
                              fields_of_work(),
                              own,
                              error_fields(runs),
                              resent_fields(runs, 2),
                              energy_fields(runs, 9),
                              more_counts()});
  const bool has_seed = !first.is_own || first.seed != 0;
  std::string heading =
      fmt::format("{}: {} over {}, algorithm {}, model {}, lanes {}, clock {:g} GHz{}",
                  with_settings(first.fabric, first.settings.own), first.collective,
                  ranks_text(first), first.algorithm, first.model, first.lanes, first.clock_ghz,
                  has_seed ? fmt::format(", seed {}", first.seed) : "");
  std::vector<std::string> notes;
  if (std::string note = credit_note(runs.back().result); !note.empty())
    notes.push_back(std::move(note));
  return {std::move(heading), table_of(fields, rows), std::move(notes)};
}

TitledTable compare_table(std::span<const ReportedRun> runs, TableFormat format) {
  assert(!runs.empty());
  const RunResult& base = runs.front().result;
  const bool has_best = std::ranges::any_of(runs, &ReportedRun::is_best_base);
  const bool is_one_machine = are_of_one_machine(runs) && !has_best;
  std::vector<RunField> own = {
      algorithm_field(has_best || is_one_machine ? 0 : 4, Shown::kAlways),
      size_field(Shown::kNotInText),
      cycles_field(2),
      time_field(),
      algbw_field(11),
      busbw_field(1),
      speedup_field(),
      injected_field(8),
      ratio_field({.label = "inj. traffic ÷",
                   .rank = 5,
                   .header = {"inj.", "traffic ÷"},
                   .name = "injected_traffic_reduction",
                   .meaning = "payload injected on the base over that on this machine"},
                  &Comparison::injected_traffic_reduction),
      link_field(9),
      ratio_field({.label = "link traffic ÷",
                   .rank = 7,
                   .header = {"link", "traffic ÷"},
                   .name = "link_traffic_reduction",
                   .meaning = "bytes over links of the base over those of this machine"},
                  &Comparison::link_traffic_reduction),
      bound_field(10),
      time_over_bound_field(6),
      time_over_network_field(is_one_machine ? 0 : 6),
      payload_field(3),
      only_in_csv("sim_cycles_per_s",
                  [](const RunResult& r) { return fmt::to_string(r.sim_cycles_per_s); })};
  if (has_best) {
    const auto speedup =
        std::ranges::find(own, "speed-up", [](const RunField& f) { return f.column.label; });
    own.insert(speedup + 1, over_best_field());
    own.insert(own.begin() + 1, placement_field(runs));
  }
  const double fastest = speedup_of(*std::ranges::max_element(runs, {}, speedup_of));
  std::vector<RunRow> rows;
  const MachineLabels machines = machine_labels(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_fastest = runs[i].comparison && fastest > 1 && speedup_of(runs[i]) == fastest;
    rows.push_back({machines.labels[i], &runs[i], is_fastest});
  }
  const bool is_text = format == TableFormat::kTable;
  std::string heading =
      fmt::format("{}{} over {}, model {}, lanes {}, seed {}", base.collective,
                  is_text ? fmt::format(" of {}", format_size(base.size_bytes)) : "",
                  ranks_text(base), base.model, base.lanes, base.seed);
  std::vector<std::string> notes = machines.notes;
  for (const ReportedRun& run : runs)
    if (std::string note = credit_note(run.result); !note.empty()) notes.push_back(std::move(note));
  return {std::move(heading),
          table_of(joined({{machine_field(Shown::kAlways)},
                           fields_of_work(),
                           own,
                           error_fields(runs),
                           resent_fields(runs, 3),
                           energy_fields(runs, 12),
                           more_counts()}),
                   rows),
          std::move(notes)};
}

std::vector<TitledTable> parts_tables(std::span<const ReportedRun> runs) {
  std::vector<TitledTable> tables;
  for (const ReportedRun& run : runs) {
    const RunResult& r = run.result;
    const auto like_first = [&](const PartResult& p) { return same_work(p, r.parts.front()); };
    const bool has_order = std::ranges::any_of(
        r.parts, [](const PartResult& p) { return p.operations > 1 || !p.name.empty(); });
    if (r.parts.empty() || (!has_order && std::ranges::all_of(r.parts, like_first))) continue;
    tables.push_back(
        {fmt::format("{}, {}:", with_settings(r.fabric, r.settings.own), format_size(r.size_bytes)),
         parts_of(r)});
  }
  return tables;
}

}  // namespace fredsim

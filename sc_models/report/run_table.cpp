// SPDX-License-Identifier: Apache-2.0
#include "report/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "base/member.h"
#include "base/setting.h"
#include "base/units.h"
#include "report/machine_labels.h"
#include "report/run_columns.h"

namespace fredsim {

namespace {

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
        std::vector<Cell>{
            member_names(p.group), p.collective, p.algorithm, p.priority,
            run_columns::size_cell(p.size_bytes), count_cell(p.start_cycle), count_cell(p.cycles),
            number_cell(p.time_ns, 1), run_columns::bandwidth(p.algbw_gbps, p.incomplete),
            run_columns::bandwidth(p.busbw_gbps, p.incomplete), number_cell(p.bound_ns, 1)},
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
  const std::vector<run_columns::RunField> own = {
      run_columns::algorithm_field(0, Shown::kOnlyInCsv),
      run_columns::size_field(Shown::kAlways),
      run_columns::cycles_field(1),
      run_columns::time_field(),
      run_columns::algbw_field(4),
      run_columns::busbw_field(0),
      run_columns::injected_field(5),
      run_columns::link_field(6),
      run_columns::bound_field(7),
      run_columns::time_over_bound_field(4),
      run_columns::time_over_network_field(3),
      run_columns::payload_field(2),
      run_columns::field({.label = "simulated",
                          .unit = "cycles/s",
                          .rank = 8,
                          .name = "sim_cycles_per_s",
                          .meaning = "simulated cycles per second of waiting"},
                         [](const RunResult& r) { return number_cell(r.sim_cycles_per_s, 0); })};
  std::vector<run_columns::RunRow> rows;
  for (const ReportedRun& run : runs) rows.push_back({run.result.fabric, &run});
  const auto fields = run_columns::joined({{run_columns::machine_field(Shown::kOnlyInCsv)},
                                           run_columns::fields_of_work(),
                                           own,
                                           run_columns::error_fields(runs),
                                           run_columns::resent_fields(runs, 2),
                                           run_columns::energy_fields(runs, 9),
                                           run_columns::more_counts()});
  const bool has_seed = !first.is_own || first.seed != 0;
  std::string heading =
      fmt::format("{}: {} over {}, algorithm {}, model {}, lanes {}, clock {:g} GHz{}",
                  with_settings(first.fabric, first.settings.own), first.collective,
                  run_columns::ranks_text(first), first.algorithm, first.model, first.lanes,
                  first.clock_ghz, has_seed ? fmt::format(", seed {}", first.seed) : "");
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
  std::vector<run_columns::RunField> own = {
      run_columns::algorithm_field(has_best || is_one_machine ? 0 : 4, Shown::kAlways),
      run_columns::size_field(Shown::kNotInText),
      run_columns::cycles_field(2),
      run_columns::time_field(),
      run_columns::algbw_field(11),
      run_columns::busbw_field(1),
      run_columns::speedup_field(),
      run_columns::injected_field(8),
      run_columns::ratio_field(
          {.label = "inj. traffic ÷",
           .rank = 5,
           .header = {"inj.", "traffic ÷"},
           .name = "injected_traffic_reduction",
           .meaning = "payload injected on the base over that on this machine"},
          &Comparison::injected_traffic_reduction),
      run_columns::link_field(9),
      run_columns::ratio_field(
          {.label = "link traffic ÷",
           .rank = 7,
           .header = {"link", "traffic ÷"},
           .name = "link_traffic_reduction",
           .meaning = "bytes over links of the base over those of this machine"},
          &Comparison::link_traffic_reduction),
      run_columns::bound_field(10),
      run_columns::time_over_bound_field(6),
      run_columns::time_over_network_field(is_one_machine ? 0 : 6),
      run_columns::payload_field(3),
      run_columns::only_in_csv("sim_cycles_per_s", [](const RunResult& r) {
        return fmt::to_string(r.sim_cycles_per_s);
      })};
  if (has_best) {
    const auto speedup = std::ranges::find(
        own, "speed-up", [](const run_columns::RunField& f) { return f.column.label; });
    own.insert(speedup + 1, run_columns::over_best_field());
    own.insert(own.begin() + 1, run_columns::placement_field(runs));
  }
  const double fastest = speedup_of(*std::ranges::max_element(runs, {}, speedup_of));
  std::vector<run_columns::RunRow> rows;
  const MachineLabels machines = machine_labels(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_fastest = runs[i].comparison && fastest > 1 && speedup_of(runs[i]) == fastest;
    rows.push_back({machines.labels[i], &runs[i], is_fastest});
  }
  const bool is_text = format == TableFormat::kTable;
  std::string heading =
      fmt::format("{}{} over {}, model {}, lanes {}, seed {}", base.collective,
                  is_text ? fmt::format(" of {}", format_size(base.size_bytes)) : "",
                  run_columns::ranks_text(base), base.model, base.lanes, base.seed);
  std::vector<std::string> notes = machines.notes;
  for (const ReportedRun& run : runs)
    if (std::string note = credit_note(run.result); !note.empty()) notes.push_back(std::move(note));
  return {std::move(heading),
          table_of(run_columns::joined({{run_columns::machine_field(Shown::kAlways)},
                                        run_columns::fields_of_work(),
                                        own,
                                        run_columns::error_fields(runs),
                                        run_columns::resent_fields(runs, 3),
                                        run_columns::energy_fields(runs, 12),
                                        run_columns::more_counts()}),
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

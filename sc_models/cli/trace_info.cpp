// SPDX-License-Identifier: Apache-2.0
// `fredsim trace info`: what traces are made of.
#include "workload_files/trace_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/trace_action.h"
#include "profile/convert.h"
#include "report/table_output.h"
#include "report/trace_figures.h"
#include "results/version.h"

namespace fredsim {
namespace {

// Nodes of one kind, over all ranks.
struct TallyRow {
  std::string name{}, group{};
  TraceTally tally{};
};

TitledTable tally_table(const char* label, const std::vector<TallyRow>& rows) {
  std::vector<Field<TallyRow>> fields{{{.label = label, .align = Align::kLeft, .name = label},
                                       [](const TallyRow& r) { return r.name; }}};
  if (std::ranges::any_of(rows, [](const TallyRow& r) { return !r.group.empty(); }))
    fields.push_back({{.label = "group", .align = Align::kLeft, .name = "group"},
                      [](const TallyRow& r) { return r.group; }});
  fields.push_back({{.label = "nodes", .name = "nodes"},
                    [](const TallyRow& r) { return count_cell(r.tally.count); }});
  fields.push_back({{.label = "time", .unit = "µs", .name = "time_us"},
                    [](const TallyRow& r) { return trace_us_cell(r.tally.ps); }});
  fields.push_back({{.label = "bytes", .name = "bytes"},
                    [](const TallyRow& r) { return count_cell(r.tally.bytes); }});
  return {"", table_of(fields, rows)};
}

TitledTable info_table(const std::vector<NamedTraceInfo>& traces) {
  using InfoField = Field<NamedTraceInfo>;
  const std::vector<InfoField> fields{
      {{.label = "trace", .align = Align::kLeft, .name = "trace"},
       [](const NamedTraceInfo& t) { return t.path; }},
      {{.label = "nodes", .name = "nodes"},
       [](const NamedTraceInfo& t) { return count_cell(t.info.nodes); }},
      {{.label = "dependencies", .rank = 2, .name = "dependencies"},
       [](const NamedTraceInfo& t) { return count_cell(t.info.dependencies); }},
      {{.label = "work", .unit = "µs", .name = "work_us", .meaning = "sum of all durations"},
       [](const NamedTraceInfo& t) { return trace_us_cell(t.info.work_ps); }},
      {{.label = "critical path",
        .unit = "µs",
        .header = {"critical", "path µs"},
        .name = "critical_us",
        .meaning = "longest chain of dependencies, by duration"},
       [](const NamedTraceInfo& t) { return trace_us_cell(t.info.critical_ps); }},
      {{.label = "parallelism",
        .rank = 1,
        .name = "parallelism",
        .meaning = "work over critical path"},
       [](const NamedTraceInfo& t) { return number_cell(t.info.parallelism(), 2); }},
      {{.label = "exposed",
        .unit = "µs",
        .name = "exposed_us",
        .meaning = "communication while no computation of the GPU runs, as recorded"},
       [](const NamedTraceInfo& t) {
         return t.info.exposed_ps ? trace_us_cell(*t.info.exposed_ps) : no_cell();
       }}};
  return {"", table_of(fields, traces)};
}

struct QuantileRow {
  std::string name{};
  double scale = 1;
  TraceQuantiles of{};
};

TitledTable quantile_table(const std::vector<QuantileRow>& rows) {
  std::vector<Field<QuantileRow>> fields{
      {{.label = "distribution", .align = Align::kLeft, .name = "distribution"},
       [](const QuantileRow& r) { return r.name; }},
      {{.label = "values", .name = "values"},
       [](const QuantileRow& r) { return count_cell(r.of.count); }}};
  for (std::size_t q = 0; q < TraceQuantiles::kPercents.size(); ++q) {
    const std::string label = fmt::format("p{}", TraceQuantiles::kPercents[q]);
    fields.push_back({{.label = label, .name = label}, [q](const QuantileRow& r) {
                        return number_cell(static_cast<double>(r.of.values[q]) / r.scale, 1);
                      }});
  }
  fields.push_back({{.label = "max", .name = "max"}, [](const QuantileRow& r) {
                      return number_cell(static_cast<double>(r.of.max) / r.scale, 1);
                    }});
  return {"", table_of(fields, rows)};
}

void print_figures(const TraceOptions& request, const TraceFigures& figures) {
  const TraceInfo& all = figures.all;
  std::vector<TallyRow> types, collectives, lanes;
  for (const auto& [type, tally] : all.types)
    types.push_back({std::string(to_string(type)), "", tally});
  for (const auto& [key, tally] : all.collectives)
    collectives.push_back({key.first, key.second.empty() ? "all" : key.second, tally});
  for (const auto& [lane, tally] : all.lanes)
    lanes.push_back({trace_lane_text(lane.first, lane.second), "", tally});
  TableOutput output = table_output(request);
  fmt::print("{}", output.table(info_table(figures.traces)));
  fmt::print("{}", output.table(tally_table("type", types)));
  if (!collectives.empty())
    fmt::print("{}", output.table(tally_table("communication", collectives)));
  fmt::print("{}", output.table(tally_table("lane", lanes)));
  fmt::print("{}", output.table(quantile_table({{"duration, µs", kTracePsPerUs, all.durations},
                                                {"size, bytes", 1, all.sizes}})));
  TitledList list{"Longest, µs", {}};
  for (const TraceNode& node : all.longest)
    list.lines.push_back(fmt::format(
        "{:.1f}  {:.60}", static_cast<double>(node.duration_ps) / kTracePsPerUs, node.name));
  fmt::print("{}", output.lists({list}));
  fmt::print("{}", output.legend(""));
}

void inform(const TraceOptions& request) {
  const std::optional<OutputFile> json = open_output("--json", request.json_file);
  const TraceFigures figures = trace_figures(profile_paths(request.files));
  if (!json || !json->is_stdout()) print_figures(request, figures);
  if (json) json->write(trace_figures_json(origin_of(request.command_line), figures));
}

}  // namespace

TraceAction trace_info_action() { return {.name = "info", .options = {"--json"}, .run = inform}; }

}  // namespace fredsim

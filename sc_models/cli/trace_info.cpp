// SPDX-License-Identifier: Apache-2.0
// `fredsim trace info`: what traces are made of.
#include "workload_files/trace_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/trace_action.h"
#include "profile/convert.h"
#include "report/table_output.h"

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

struct NamedInfo {
  std::string path{};
  TraceInfo info{};
};

TitledTable info_table(const std::vector<NamedInfo>& traces) {
  using InfoField = Field<NamedInfo>;
  const std::vector<InfoField> fields{
      {{.label = "trace", .align = Align::kLeft, .name = "trace"},
       [](const NamedInfo& t) { return t.path; }},
      {{.label = "nodes", .name = "nodes"},
       [](const NamedInfo& t) { return count_cell(t.info.nodes); }},
      {{.label = "dependencies", .rank = 2, .name = "dependencies"},
       [](const NamedInfo& t) { return count_cell(t.info.dependencies); }},
      {{.label = "work", .unit = "µs", .name = "work_us", .meaning = "sum of all durations"},
       [](const NamedInfo& t) { return trace_us_cell(t.info.work_ps); }},
      {{.label = "critical path",
        .unit = "µs",
        .header = {"critical", "path µs"},
        .name = "critical_us",
        .meaning = "longest chain of dependencies, by duration"},
       [](const NamedInfo& t) { return trace_us_cell(t.info.critical_ps); }},
      {{.label = "parallelism",
        .rank = 1,
        .name = "parallelism",
        .meaning = "work over critical path"},
       [](const NamedInfo& t) { return number_cell(t.info.parallelism(), 2); }},
      {{.label = "exposed",
        .unit = "µs",
        .name = "exposed_us",
        .meaning = "communication while no computation of the GPU runs, as recorded"},
       [](const NamedInfo& t) {
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

void add_tally(std::vector<TallyRow>& rows, const std::string& name, const std::string& group,
               const TraceTally& tally) {
  auto row = std::ranges::find_if(
      rows, [&](const TallyRow& r) { return r.name == name && r.group == group; });
  if (row == rows.end()) row = rows.insert(rows.end(), {name, group, {}});
  row->tally.count += tally.count;
  row->tally.ps += tally.ps;
  row->tally.bytes += tally.bytes;
}

std::string lane_text(const std::pair<bool, int>& lane) {
  if (lane.first)
    return lane.second == TraceNode::kNobody ? "CPU" : fmt::format("CPU thread {}", lane.second);
  return lane.second == TraceNode::kNobody ? "no stream" : fmt::format("stream {}", lane.second);
}

void inform(const TraceOptions& request) {
  std::vector<NamedInfo> traces;
  std::vector<TallyRow> types, collectives, lanes;
  std::vector<std::uint64_t> durations, sizes;
  std::vector<TraceNode> longest;
  for (const std::string& path : profile_paths(request.files)) {
    const std::vector<TraceNode> nodes = read_trace_nodes(path);
    NamedInfo& trace = traces.emplace_back(NamedInfo{path, trace_info(path, nodes)});
    for (const auto& [type, tally] : trace.info.types)
      add_tally(types, std::string(to_string(type)), "", tally);
    for (const auto& [key, tally] : trace.info.collectives)
      add_tally(collectives, key.first, key.second.empty() ? "all" : key.second, tally);
    for (const auto& [lane, tally] : trace.info.lanes) add_tally(lanes, lane_text(lane), "", tally);
    for (const TraceNode& node : nodes) {
      if (node.duration_ps != 0) durations.push_back(node.duration_ps);
      if (node.type >= TraceNodeType::kSend) sizes.push_back(node.bytes);
    }
    longest.insert(longest.end(), trace.info.longest.begin(), trace.info.longest.end());
  }
  TableOutput output = table_output(request);
  fmt::print("{}", output.table(info_table(traces)));
  fmt::print("{}", output.table(tally_table("type", types)));
  if (!collectives.empty())
    fmt::print("{}", output.table(tally_table("communication", collectives)));
  fmt::print("{}", output.table(tally_table("lane", lanes)));
  fmt::print("{}", output.table(quantile_table(
                       {{"duration, µs", kTracePsPerUs, quantiles_of(std::move(durations))},
                        {"size, bytes", 1, quantiles_of(std::move(sizes))}})));
  constexpr std::size_t kLongest = 10;
  std::ranges::stable_sort(longest, std::greater(), &TraceNode::duration_ps);
  longest.resize(std::min(kLongest, longest.size()));
  TitledList list{"Longest, µs", {}};
  for (const TraceNode& node : longest)
    list.lines.push_back(fmt::format(
        "{:.1f}  {:.60}", static_cast<double>(node.duration_ps) / kTracePsPerUs, node.name));
  fmt::print("{}", output.lists({list}));
  fmt::print("{}", output.legend(""));
}

}  // namespace

TraceAction trace_info_action() { return {.name = "info", .options = {}, .run = inform}; }

}  // namespace fredsim

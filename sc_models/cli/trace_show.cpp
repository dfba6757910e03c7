// SPDX-License-Identifier: Apache-2.0
// `fredsim trace show`: pictures of traces: timeline, graph of dependencies, page.
#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_text.h"
#include "cli/trace_action.h"
#include "profile/convert.h"
#include "report/output_file.h"
#include "report/report_data.h"
#include "report/report_page.h"
#include "report/table_output.h"
#include "report/trace_dot.h"
#include "report/trace_page.h"
#include "report/trace_timeline.h"
#include "results/version.h"

namespace fredsim {
namespace {

// Files that are written together, and what is said of each.
struct Pictures {
  std::vector<OutputFile> files{};
  std::vector<std::string> texts{}, notes{};
};

bool is_graphml(std::string_view path) { return path.ends_with(".graphml"); }
bool is_svg(std::string_view path) { return path.ends_with(".svg"); }

std::string count_text(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

void add_timeline(std::span<const ShownTrace> traces, Pictures& pictures) {
  TraceTimelineCounts counts;
  const Timeline timeline = trace_timeline(traces, counts);
  const std::string& path = pictures.files.back().path();
  pictures.texts.push_back(is_perfetto_file(path) ? timeline.perfetto(version())
                                                  : timeline.json(version()));
  std::string note = fmt::format("{}: {} and {}", path, count_text(counts.spans, "span"),
                                 count_text(counts.arrows, "arrow"));
  if (counts.untimed > 0)
    note += fmt::format(", without {} that {} no time", count_text(counts.untimed, "node"),
                        counts.untimed == 1 ? "takes" : "take");
  if (counts.backward > 0)
    note += fmt::format(
        "; {} have no arrow, since the recording does not keep to them",
        counts.backward == 1 ? "1 dependency" : fmt::format("{} dependencies", counts.backward));
  if (!timeline.left_out().empty())
    note += fmt::format("; a file holds {} events at most, left out: {}; show fewer traces",
                        Timeline::kMaxEvents, timeline.left_out_text());
  pictures.notes.push_back(note + ".");
}

void add_graph(const TraceOptions& request, const ShownTrace& trace, Pictures& pictures) {
  const std::string& path = pictures.files.back().path();
  TraceGraphChoice choice{.from = request.from, .depth = request.depth};
  if (!is_graphml(path)) choice.most = kMostDrawnNodes;
  const TraceSubgraph graph = trace_subgraph(trace, choice);
  if (is_graphml(path))
    pictures.texts.push_back(trace_graphml(trace, graph));
  else if (is_svg(path))
    pictures.texts.push_back(svg_of_dot(trace_dot(trace, graph)));
  else
    pictures.texts.push_back(trace_dot(trace, graph));
  std::string note =
      fmt::format("{}: {} of {} nodes", path, graph.nodes.size(), trace.nodes.size());
  if (graph.left_out > 0)
    note += fmt::format(
        ", {}; {} more are left out: {}", graph.from ? "nearest first" : "by begin", graph.left_out,
        graph.from ? "choose a smaller --depth, or a .graphml file, which has no limit"
                   : "choose some with --from and --depth, or a .graphml file, which has no limit");
  pictures.notes.push_back(note + ".");
}

void add_page(const TraceOptions& request, std::span<const ShownTrace> traces, Pictures& pictures) {
  std::vector<SimulatedMachine> machines;
  if (!request.simulated_file.empty())
    machines = simulated_machines(request.simulated_file,
                                  text_of_option(request.simulated_file, "--simulated"));
  TracePageData data = trace_page_data(traces, machines);
  ReportData page;
  for (const ShownTrace& trace : traces) page.add_input(trace.path);
  if (!machines.empty()) page.add_input(request.simulated_file);
  page.set_traces(std::move(data.json));
  pictures.texts.push_back(report_page(version(), page.json()));
  std::string note =
      fmt::format("{}: {}", pictures.files.back().path(), count_text(data.spans, "operation"));
  for (std::size_t m = 0; m < machines.size(); ++m)
    note += fmt::format(", {} simulated on {}", data.simulated[m], machines[m].name);
  pictures.notes.push_back(note + ".");
}

void check_show(const TraceOptions& request) {
  if (request.timeline_file.empty() && request.graph_file.empty() && request.page_file.empty())
    throw BadInput("show: found no picture; allowed: --timeline, --graph, --page");
  const std::string_view graph = request.graph_file;
  if (graph.empty()) {
    if (!request.from.empty())
      throw BadInput("--from: found without --graph; allowed: together with --graph");
    return;
  }
  if (graph != "-" && !graph.ends_with(".dot") && !is_svg(graph) && !is_graphml(graph))
    throw BadInput(fmt::format(
        "--graph: found '{}'; allowed: a name that ends in .dot, .svg or .graphml, or -", graph));
}

void show(const TraceOptions& request) {
  const std::vector<std::string> paths = profile_paths(request.files);
  if (!request.graph_file.empty() && paths.size() != 1)
    throw BadInput(fmt::format("--graph: found {} traces; allowed: one", paths.size()));
  Pictures pictures;
  std::vector<ShownTrace> traces;
  for (const std::string& path : paths) traces.push_back(shown_trace(path));
  if (!request.timeline_file.empty()) {
    pictures.files.push_back(*open_output("--timeline", request.timeline_file));
    add_timeline(traces, pictures);
  }
  if (!request.graph_file.empty()) {
    pictures.files.push_back(*open_output("--graph", request.graph_file));
    add_graph(request, traces.front(), pictures);
  }
  if (!request.page_file.empty()) {
    pictures.files.push_back(*open_output("--page", request.page_file));
    add_page(request, traces, pictures);
  }
  const std::vector<std::string_view> texts(pictures.texts.begin(), pictures.texts.end());
  OutputFile::write_together(pictures.files, texts);
  TableOutput output = table_output(request);
  for (std::size_t n = 0; n < pictures.notes.size(); ++n)
    if (!pictures.files[n].is_stdout()) fmt::print("{}", output.paragraph(pictures.notes[n]));
}

}  // namespace

TraceAction trace_show_action() {
  return {.name = "show",
          .options = {"--timeline", "--graph", "--from", "--depth", "--page", "--simulated"},
          .check = check_show,
          .run = show};
}

}  // namespace fredsim

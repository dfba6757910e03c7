// SPDX-License-Identifier: Apache-2.0
// `fredsim trace`: execution traces of profiles; no machine, no simulation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "profile/convert.h"
#include "report/table_fields.h"
#include "report/table_output.h"
#include "runner/interrupt.h"
#include "runner/option_values.h"
#include "runner/run_options.h"
#include "runner/trace_output.h"
#include "workload_files/trace_info.h"

namespace fredsim {
namespace {

constexpr double kPsPerUs = 1e6;

struct TraceOptions : OutputOptions {
  std::string action{};
  std::vector<std::string> files{}, hosts{};
  std::string out{};
  std::string steps{};
  bool gpu_only = false;
  bool unknown_is_compute = false;
};

// "4" or "4..6".
std::optional<std::pair<int, int>> parse_steps(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::pair<int, int> steps;
  const std::size_t dots = text.find("..");
  const auto number = [&](std::string_view word, int& into) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into);
    return error == std::errc() && end == word.data() + word.size() && into >= 0;
  };
  const std::string_view all(text);
  const bool is_good =
      dots == std::string::npos
          ? number(all, steps.first) && number(all, steps.second)
          : number(all.substr(0, dots), steps.first) && number(all.substr(dots + 2), steps.second);
  if (!is_good || steps.second < steps.first)
    throw BadInput(fmt::format("--step: found '{}'; allowed: N, or FIRST..LAST", text));
  return steps;
}

template <typename Ps>
Cell us_cell(Ps ps) {
  return number_cell(static_cast<double>(ps) / kPsPerUs, 1);
}

// A row per rank.
TitledTable ranks_table(const ConvertedProfiles& converted) {
  using RankField = Field<ConvertedRank>;
  const std::vector<RankField> fields{
      {{.label = "rank", .name = "rank"},
       [](const ConvertedRank& r) { return count_cell(static_cast<std::uint64_t>(r.rank)); }},
      {{.label = "nodes", .name = "nodes"},
       [](const ConvertedRank& r) { return count_cell(r.graph.nodes.size()); }},
      {{.label = "GPU operations",
        .rank = 1,
        .header = {"GPU", "operations"},
        .name = "gpu_operations"},
       [](const ConvertedRank& r) { return count_cell(r.check.computations); }},
      {{.label = "communications", .header = {"communi-", "cations"}, .name = "communications"},
       [](const ConvertedRank& r) { return count_cell(r.check.communications); }},
      {{.label = "recorded", .unit = "µs", .name = "recorded_us"},
       [](const ConvertedRank& r) { return us_cell(r.check.recorded); }},
      {{.label = "replayed",
        .unit = "µs",
        .name = "replayed_us",
        .meaning = "with recorded durations, each as early as its dependencies allow"},
       [](const ConvertedRank& r) { return us_cell(r.check.replayed); }},
      {{.label = "exposed",
        .unit = "µs",
        .name = "exposed_us",
        .meaning = "communication while no computation of the GPU runs, as recorded"},
       [](const ConvertedRank& r) { return us_cell(r.check.exposed); }}};
  return {"", table_of(fields, converted.ranks)};
}

// A row per rule, over all ranks.
TitledTable rules_table(const ConvertedProfiles& converted) {
  struct Row {
    std::string rule;
    RuleCheck sum;
  };
  std::vector<Row> rows;
  for (std::size_t n = 0; n < kTraceRules.size(); ++n) {
    Row row{std::string(kTraceRules[n]), {}};
    for (const ConvertedRank& rank : converted.ranks) {
      row.sum.dependencies += rank.check.rules[n].dependencies;
      row.sum.violated += rank.check.rules[n].violated;
    }
    rows.push_back(std::move(row));
  }
  const std::vector<Field<Row>> fields{
      {{.label = "rule", .align = Align::kLeft, .name = "rule"},
       [](const Row& r) { return r.rule; }},
      {{.label = "dependencies", .name = "dependencies"},
       [](const Row& r) { return count_cell(r.sum.dependencies); }},
      {{.label = "violated",
        .name = "violated",
        .meaning = "operations that began in the recording before what they are said to wait for"},
       [](const Row& r) { return count_cell(r.sum.violated); }}};
  return {"", table_of(fields, rows)};
}

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
                    [](const TallyRow& r) { return us_cell(r.tally.ps); }});
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
       [](const NamedInfo& t) { return us_cell(t.info.work_ps); }},
      {{.label = "critical path",
        .unit = "µs",
        .header = {"critical", "path µs"},
        .name = "critical_us",
        .meaning = "longest chain of dependencies, by duration"},
       [](const NamedInfo& t) { return us_cell(t.info.critical_ps); }},
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
         return t.info.exposed_ps ? us_cell(*t.info.exposed_ps) : no_cell();
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

class TraceCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    static constexpr auto kRows = rows::under(
        headings::kWork,
        rows::text<&TraceOptions::action>(
            "ACTION", "",
            "convert: profiles of PyTorch become execution traces for train --trace; info: what "
            "traces are made of; diff: what differs between two",
            {.offer = kActions, .least = 1}),
        rows::text<&TraceOptions::files>(
            "FILE", "",
            "convert: a profile per rank (.json or .json.gz of torch.profiler); info, diff: "
            "execution traces (.et). %d in a name stands for 0, 1, 2, …",
            {.least = 1, .most = kAnyNumber}),
        rows::text<&TraceOptions::hosts>(
            "--host", "FILE",
            "convert: an execution trace of PyTorch's host per profile, for sizes that a profile "
            "lacks",
            {.most = kAnyNumber}),
        rows::text<&TraceOptions::steps>(
            "--step", "N", "convert: a step, or FIRST..LAST (default: the last whole one)"),
        rows::flag<&TraceOptions::gpu_only>("--gpu-only",
                                            "convert: leaves the time of CPU threads out"),
        rows::flag<&TraceOptions::unknown_is_compute>(
            "--unknown-compute", "convert: unknown collectives become computations"));
    static constexpr auto kOut =
        rows::under(headings::kOutput,
                    rows::text<&TraceOptions::out>(
                        "--out", "PREFIX",
                        "convert: writes PREFIX.RANK.et and PREFIX.groups.json, all or none"));
    options_.add(app, request_, kRows, kOut);
    options_.add(app, request_, kTableRows);
  }

  void check() override {
    options_.read();
    const bool converts = request_.action == "convert";
    if (!converts && request_.action != "info" && request_.action != "diff")
      refuse_word("ACTION", request_.action, {{"convert", "info", "diff"}});
    if (converts && request_.out.empty())
      throw BadInput("--out: found nothing; allowed: a prefix, of PREFIX.RANK.et");
    for (const char* const option :
         {"--out", "--host", "--step", "--gpu-only", "--unknown-compute"})
      if (!converts && options_.texts.has(option))
        throw BadInput(
            fmt::format("{}: found with {}; allowed: with convert", option, request_.action));
    if (request_.action == "diff" && request_.files.size() != 2)
      throw BadInput(
          fmt::format("FILE: found {} files; allowed: 2, with diff", request_.files.size()));
    profile_.steps = parse_steps(request_.steps);
    profile_.gpu_only = request_.gpu_only;
    profile_.unknown_is_compute = request_.unknown_is_compute;
  }

  FileUses files() const override { return {}; }

  void run(const Invocation& /*invocation*/) override {
    interrupt_flag();
    if (request_.action == "convert") return convert();
    if (request_.action == "info") return inform();
    const TraceDifferences found =
        trace_differences(read_trace_nodes(request_.files[0]), read_trace_nodes(request_.files[1]));
    for (const std::string& line : found.first) fmt::print("{}\n", line);
    if (found.count > found.first.size())
      fmt::print("… {} more\n", found.count - found.first.size());
    if (found.count > 0)
      throw RunFailed(fmt::format("the traces differ in {} places", found.count));
    fmt::print("0 differences\n");
  }

 private:
  static constexpr std::string_view kActions = "convert info diff";

  void convert() const {
    const ConvertedProfiles converted = convert_profiles(request_.files, request_.hosts, profile_);
    TraceTexts texts;
    for (const ConvertedRank& rank : converted.ranks) {
      if (rank.rank != static_cast<int>(texts.ranks.size()))
        throw BadInput(fmt::format("FILE: found no profile of rank {}; allowed: ranks from 0 on",
                                   texts.ranks.size()));
      texts.ranks.push_back(trace_text(rank.graph));
    }
    texts.groups = groups_text(converted);
    TraceOutput(request_.out, texts.ranks.size(), "--out").write(texts);
    report(converted);
  }

  void inform() const {
    std::vector<NamedInfo> traces;
    std::vector<TallyRow> types, collectives, lanes;
    std::vector<std::uint64_t> durations, sizes;
    std::vector<TraceNode> longest;
    for (const std::string& path : profile_paths(request_.files)) {
      const std::vector<TraceNode> nodes = read_trace_nodes(path);
      NamedInfo& trace = traces.emplace_back(NamedInfo{path, trace_info(path, nodes)});
      for (const auto& [type, tally] : trace.info.types)
        add_tally(types, std::string(to_string(type)), "", tally);
      for (const auto& [key, tally] : trace.info.collectives)
        add_tally(collectives, key.first, key.second.empty() ? "all" : key.second, tally);
      for (const auto& [lane, tally] : trace.info.lanes)
        add_tally(lanes, lane_text(lane), "", tally);
      for (const TraceNode& node : nodes) {
        if (node.duration_ps != 0) durations.push_back(node.duration_ps);
        if (node.type >= TraceNodeType::kSend) sizes.push_back(node.bytes);
      }
      longest.insert(longest.end(), trace.info.longest.begin(), trace.info.longest.end());
    }
    TableOutput output = table_output(request_);
    fmt::print("{}", output.table(info_table(traces)));
    fmt::print("{}", output.table(tally_table("type", types)));
    if (!collectives.empty())
      fmt::print("{}", output.table(tally_table("communication", collectives)));
    fmt::print("{}", output.table(tally_table("lane", lanes)));
    fmt::print(
        "{}",
        output.table(quantile_table({{"duration, µs", kPsPerUs, quantiles_of(std::move(durations))},
                                     {"size, bytes", 1, quantiles_of(std::move(sizes))}})));
    constexpr std::size_t kLongest = 10;
    std::ranges::stable_sort(longest, std::greater(), &TraceNode::duration_ps);
    longest.resize(std::min(kLongest, longest.size()));
    TitledList list{"Longest, µs", {}};
    for (const TraceNode& node : longest)
      list.lines.push_back(fmt::format(
          "{:.1f}  {:.60}", static_cast<double>(node.duration_ps) / kPsPerUs, node.name));
    fmt::print("{}", output.lists({list}));
    fmt::print("{}", output.legend(""));
  }

  void report(const ConvertedProfiles& converted) const {
    TableOutput output = table_output(request_);
    fmt::print("{}", output.table(ranks_table(converted)));
    fmt::print("{}", output.table(rules_table(converted)));
    std::string text;
    RecordedCheck sum;
    std::uint64_t joined = 0, operations = 0, unknown = 0, without = 0;
    for (const ConvertedRank& rank : converted.ranks) {
      sum.computations += rank.check.computations;
      sum.unexplained_computations += rank.check.unexplained_computations;
      sum.communications += rank.check.communications;
      sum.unexplained_communications += rank.check.unexplained_communications;
      unknown += rank.graph.unknown_calls;
      without += rank.graph.without_launch;
      if (rank.check.largest_gap > sum.largest_gap) {
        sum.largest_gap = rank.check.largest_gap;
        sum.largest = rank.check.largest;
      }
      if (!rank.join) continue;
      joined += rank.join->joined;
      operations += rank.join->operations;
    }
    text = fmt::format(
        "Unexplained: {} of {} operations and {} of {} communications begin more than 20 µs after "
        "all that they wait for; the largest gap is {:.1f} µs, before {:.60}.",
        sum.unexplained_computations, sum.computations, sum.unexplained_communications,
        sum.communications, static_cast<double>(sum.largest_gap) / kPsPerUs, sum.largest);
    fmt::print("{}", output.paragraph(text));
    if (operations > 0)
      fmt::print("{}", output.paragraph(
                           fmt::format("Host: {} of {} operations found in the execution traces.",
                                       joined, operations)));
    if (unknown > 0)
      fmt::print(
          "{}", output.paragraph(fmt::format("{} unknown collectives are computations.", unknown)));
    if (without > 0)
      fmt::print("{}", output.paragraph(fmt::format(
                           "{} operations of the GPU have no launch in the profile.", without)));
    const auto traced = static_cast<int>(converted.ranks.size());
    if (traced < converted.world)
      fmt::print("{}", output.paragraph(fmt::format(
                           "{} of the job's {} ranks were given; train --trace needs all.", traced,
                           converted.world)));
    fmt::print("{}", output.legend(""));
  }

  OptionSet options_;
  TraceOptions request_;
  ProfileOptions profile_;
};

}  // namespace

CommandRow trace_row() {
  return {.name = "trace",
          .purpose = "Traces from profiles of PyTorch: what they have, differences.",
          .aliases = "kineto profile chakra",
          .main_options = "--host --out --step",
          .examples =
              "  fredsim trace convert configs/profiles/step_%d.json --out step\n"
              "  fredsim trace info step.%d.et\n"
              "  fredsim trace diff step.0.et step.0.et",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<TraceCommand>(); }};
}

}  // namespace fredsim

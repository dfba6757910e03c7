// SPDX-License-Identifier: Apache-2.0
// `fredsim trace convert`: profiles of PyTorch become execution traces.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/trace_action.h"
#include "profile/convert.h"
#include "report/table_output.h"
#include "runner/trace_output.h"
#include "workload_files/rank_manifest.h"

namespace fredsim {
namespace {

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

ProfileOptions profile_options(const TraceOptions& request) {
  return {.steps = parse_steps(request.steps),
          .gpu_only = request.gpu_only,
          .unknown_is_compute = request.unknown_is_compute};
}

int number_of(const std::string& option, const std::string& text, int least) {
  constexpr int kMost = 1 << 16;
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < least || number > kMost)
    throw BadInput(
        fmt::format("{}: found '{:.40}'; allowed: {} to {}", option, text, least, kMost));
  return number;
}

RankCopies rank_copies(const TraceOptions& request) {
  RankCopies copies{.ranks = request.ranks};
  if (!request.like.empty()) copies.like = number_of("--like", request.like, 0);
  for (const std::string& text : request.resized) {
    const std::size_t at = text.rfind('=');
    if (at == std::string::npos)
      throw BadInput(
          fmt::format("--resize: found '{:.40}'; allowed: GROUP=N, a process group and "
                      "its number of ranks",
                      text));
    copies.resized.emplace_back(text.substr(0, at), number_of("--resize", text.substr(at + 1), 1));
  }
  return copies;
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
       [](const ConvertedRank& r) { return trace_us_cell(r.check.recorded); }},
      {{.label = "replayed",
        .unit = "µs",
        .name = "replayed_us",
        .meaning = "with recorded durations, each as early as its dependencies allow"},
       [](const ConvertedRank& r) { return trace_us_cell(r.check.replayed); }},
      {{.label = "exposed",
        .unit = "µs",
        .name = "exposed_us",
        .meaning = "communication while no computation of the GPU runs, as recorded"},
       [](const ConvertedRank& r) { return trace_us_cell(r.check.exposed); }}};
  return {"", table_of(fields, converted.ranks)};
}

// A row per rule and kind of operations that wait by it, over all ranks; last, operations that wait
// for nothing.
TitledTable rules_table(const ConvertedProfiles& converted) {
  struct Row {
    std::string rule, kind;
    RuleCheck sum;
  };
  std::vector<Row> rows;
  for (std::size_t n = 0; n <= kTraceRules.size(); ++n)
    for (std::size_t kind = 0; kind < kRecordedKinds.size(); ++kind) {
      const bool is_free = n == kTraceRules.size();
      Row row{
          is_free ? "none" : std::string(kTraceRules[n]), std::string(kRecordedKinds[kind]), {}};
      for (const ConvertedRank& rank : converted.ranks) {
        const RuleCheck one =
            is_free ? RuleCheck{.unexplained = rank.check.free[kind]} : rank.check.rules[n][kind];
        row.sum.dependencies += one.dependencies;
        row.sum.violated += one.violated;
        row.sum.unexplained += one.unexplained;
      }
      if (row.sum.dependencies + row.sum.unexplained > 0) rows.push_back(std::move(row));
    }
  const std::vector<Field<Row>> fields{
      {{.label = "rule", .align = Align::kLeft, .name = "rule"},
       [](const Row& r) { return r.rule; }},
      {{.label = "of", .align = Align::kLeft, .name = "of"}, [](const Row& r) { return r.kind; }},
      {{.label = "dependencies", .name = "dependencies"},
       [](const Row& r) { return count_cell(r.sum.dependencies); }},
      {{.label = "violated",
        .name = "violated",
        .meaning = "operations that began in the recording before what they are said to wait for"},
       [](const Row& r) { return count_cell(r.sum.violated); }},
      {{.label = "unexplained",
        .name = "unexplained",
        .meaning = "operations that began more than 20 µs after the last that they wait for, by "
                   "its rule"},
       [](const Row& r) { return count_cell(r.sum.unexplained); }}};
  return {"", table_of(fields, rows)};
}

void report(const TraceOptions& request, const ConvertedProfiles& converted) {
  TableOutput output = table_output(request);
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
      sum.communications, static_cast<double>(sum.largest_gap) / kTracePsPerUs, sum.largest);
  fmt::print("{}", output.paragraph(text));
  if (operations > 0)
    fmt::print(
        "{}", output.paragraph(fmt::format(
                  "Host: {} of {} operations found in the execution traces.", joined, operations)));
  if (unknown > 0)
    fmt::print("{}",
               output.paragraph(fmt::format("{} unknown collectives are computations.", unknown)));
  if (without > 0)
    fmt::print("{}", output.paragraph(fmt::format(
                         "{} operations of the GPU have no launch in the profile.", without)));
  const auto traced = static_cast<int>(converted.ranks.size());
  if (!converted.trace_of.empty())
    fmt::print("{}",
               output.paragraph(fmt::format("{} ranks run {} trace{}: {}.", converted.world, traced,
                                            traced == 1 ? "" : "s", manifest_file(request.out))));
  else if (traced < converted.world)
    fmt::print("{}", output.paragraph(fmt::format(
                         "{} of the job's {} ranks were given; train --trace needs all.", traced,
                         converted.world)));
  fmt::print("{}", output.legend(""));
}

void check(const TraceOptions& request) {
  if (request.out.empty())
    throw BadInput("--out: found nothing; allowed: a prefix, of PREFIX.RANK.et");
  if (converts_formats(request)) return check_formats(request);
  profile_options(request);
  rank_copies(request);
}

void convert(const TraceOptions& request) {
  if (converts_formats(request)) return convert_formats(request);
  const ConvertedProfiles converted = convert_profiles(
      request.files, request.hosts, profile_options(request), rank_copies(request));
  TraceTexts texts;
  for (const ConvertedRank& rank : converted.ranks) {
    if (converted.trace_of.empty() && rank.rank != static_cast<int>(texts.ranks.size()))
      throw BadInput(fmt::format("FILE: found no profile of rank {}; allowed: ranks from 0 on",
                                 texts.ranks.size()));
    texts.ranks.push_back(trace_text(rank.graph));
  }
  texts.groups = groups_text(converted);
  if (!converted.trace_of.empty()) {
    RankManifest manifest{.ranks = converted.trace_of};
    for (std::size_t n = 0; n < texts.ranks.size(); ++n)
      manifest.traces.push_back(
          std::filesystem::path(trace_file(request.out, n)).filename().string());
    texts.manifest = manifest_text(manifest);
  }
  TraceOutput(request.out, texts.ranks.size(), "--out", !texts.manifest.empty()).write(texts);
  report(request, converted);
}

}  // namespace

TraceAction trace_convert_action() {
  return {.name = "convert",
          .options = {"--out", "--host", "--step", "--ranks", "--like", "--resize", "--gpu-only",
                      "--unknown-compute", "--to", "--from"},
          .check = check,
          .run = convert};
}

}  // namespace fredsim

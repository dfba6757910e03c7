// SPDX-License-Identifier: Apache-2.0
// `fredsim trace`: execution traces of profiles; no machine, no simulation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
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

Cell us_cell(Kineto::Ps ps) { return number_cell(static_cast<double>(ps) / kPsPerUs, 1); }

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

class TraceCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    static constexpr auto kRows = rows::under(
        headings::kWork,
        rows::text<&TraceOptions::action>(
            "ACTION", "", "convert: profiles of PyTorch become execution traces for train --trace",
            {.offer = "convert", .least = 1}),
        rows::text<&TraceOptions::files>(
            "FILE", "",
            "a profile per rank (.json or .json.gz of torch.profiler), or one name with %d for 0, "
            "1, 2, …",
            {.least = 1, .most = kAnyNumber}),
        rows::text<&TraceOptions::hosts>(
            "--host", "FILE",
            "an execution trace of PyTorch's host per profile, for sizes that a profile lacks",
            {.most = kAnyNumber}),
        rows::text<&TraceOptions::steps>("--step", "N",
                                         "a step, or FIRST..LAST (default: the last whole one)"),
        rows::flag<&TraceOptions::gpu_only>("--gpu-only", "leaves the time of CPU threads out"),
        rows::flag<&TraceOptions::unknown_is_compute>("--unknown-compute",
                                                      "unknown collectives become computations"));
    static constexpr auto kOut = rows::under(
        headings::kOutput,
        rows::text<&TraceOptions::out>(
            "--out", "PREFIX", "writes PREFIX.RANK.et and PREFIX.groups.json, all or none"));
    options_.add(app, request_, kRows, kOut);
    options_.add(app, request_, kTableRows);
  }

  void check() override {
    options_.read();
    if (request_.action != "convert") refuse_word("ACTION", request_.action, {{"convert"}});
    if (request_.out.empty())
      throw BadInput("--out: found nothing; allowed: a prefix, of PREFIX.RANK.et");
    profile_.steps = parse_steps(request_.steps);
    profile_.gpu_only = request_.gpu_only;
    profile_.unknown_is_compute = request_.unknown_is_compute;
  }

  FileUses files() const override { return {}; }

  void run(const Invocation& /*invocation*/) override {
    interrupt_flag();
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

 private:
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
          .purpose = "Converts profiles of PyTorch to execution traces for train --trace.",
          .aliases = "kineto profile chakra",
          .main_options = "ACTION FILE --host --out --step",
          .examples =
              "  fredsim trace convert trace_%d.json.gz --out step\n"
              "  fredsim trace convert trace.json --host et.json --step 10 --out step",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<TraceCommand>(); }};
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// `fredsim trace learn` and `fredsim trace synthesize`: models of traces, and traces drawn from
// them.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/number_text.h"
#include "cli/trace_action.h"
#include "report/output_file.h"
#include "report/table_output.h"
#include "runner/interrupt.h"
#include "runner/trace_output.h"
#include "synthesis/learn.h"
#include "synthesis/synthesize.h"

namespace fredsim {
namespace {

struct CountedRow {
  std::string name{};
  std::uint64_t count = 0;
};

TitledTable counted_table(const char* label, const std::vector<CountedRow>& rows) {
  const std::vector<Field<CountedRow>> fields{
      {{.label = label, .align = Align::kLeft, .name = label},
       [](const CountedRow& r) { return r.name; }},
      {{.label = "number", .name = "number"},
       [](const CountedRow& r) { return count_cell(r.count); }}};
  return {"", table_of(fields, rows)};
}

struct OrderRow {
  int order = 0;
  double bits = 0;
};

void check_learn(const TraceOptions& request) {
  if (request.out.empty()) throw BadInput("--out: found nothing; allowed: a file, of the model");
}

void learn(const TraceOptions& request) {
  const OutputFile file(request.out, "--out", &interrupt_flag());
  std::vector<JobSequences> jobs;
  for (const std::string& path : request.files) {
    jobs.push_back(job_sequences(path));
    if (interrupt_flag()) throw Interrupted("interrupted: no model was written");
  }
  const LearnedModel learned = learn_model(jobs, secret_factor());
  const std::string text = model_text(learned.model);
  file.write(text);
  if (file.is_stdout()) return;
  TableOutput output = table_output(request);
  const TraceModel& model = learned.model;
  fmt::print("{}", output.table(counted_table("model", {{"jobs", jobs.size()},
                                                        {"nodes", learned.nodes},
                                                        {"layouts", model.layouts.size()},
                                                        {"sequences", learned.sequences},
                                                        {"operations", learned.symbols},
                                                        {"after repeats", learned.folded},
                                                        {"tokens", model.tokens.size()},
                                                        {"repeats", model.repeats.size()}})));
  std::vector<OrderRow> orders;
  for (int order = 1; order <= TraceModel::kMaxOrder; ++order)
    orders.push_back({order, learned.bits[static_cast<std::size_t>(order)]});
  const std::vector<Field<OrderRow>> fields{
      {{.label = "order", .name = "order"},
       [](const OrderRow& r) { return count_cell(static_cast<std::uint64_t>(r.order)); }},
      {{.label = "bits per symbol", .name = "bits", .meaning = "of held-out sequences"},
       [](const OrderRow& r) { return number_cell(r.bits, 2); }}};
  fmt::print("{}", output.table({"", table_of(fields, orders)}));
  fmt::print("{}",
             output.paragraph(fmt::format(
                 "Order {}. Sizes are times a factor that is not in the model.", model.order)));
  fmt::print("{}", output.legend(""));
}

void check_synthesize(const TraceOptions& request) {
  if (request.files.size() != 1)
    throw BadInput(fmt::format("FILE: found {} files; allowed: 1, the model, with synthesize",
                               request.files.size()));
  if (request.out.empty())
    throw BadInput("--out: found nothing; allowed: a prefix, of PREFIX.RANK.et");
  if (request.ranks == 0) throw BadInput("--ranks: found nothing; allowed: 1 to 1048576");
  constexpr std::uint64_t kMostSynthetic = 1 << 20;
  if (static_cast<std::uint64_t>(request.ranks) *
          static_cast<std::uint64_t>(parse_scale(request.scale, "--scale").ranks) >
      kMostSynthetic)
    throw BadInput(fmt::format("--scale: found {}, for {} ranks; allowed: up to {} together",
                               request.scale, request.ranks, kMostSynthetic));
}

void synthesize_job(const TraceOptions& request) {
  const SynthesisScale scale = parse_scale(request.scale, "--scale");
  const TraceModel model = read_model(request.files.front());
  const TraceOutput output(
      request.out, static_cast<std::size_t>(request.ranks) * static_cast<std::size_t>(scale.ranks),
      "--out");
  SyntheticJob job = synthesize(model, request.ranks, request.seed, scale);
  output.write({.ranks = std::move(job.ranks), .groups = groups_text(job)});
  TableOutput table = table_output(request);
  fmt::print("{}", table.table(counted_table(
                       "trace", {{"ranks", static_cast<std::uint64_t>(request.ranks) *
                                               static_cast<std::uint64_t>(scale.ranks)},
                                 {"nodes", job.nodes},
                                 {"communications", job.communications},
                                 {"groups", job.groups.size()},
                                 {"repeated blocks", job.repeats}})));
  if (scale.layers != 1 && job.repeats == 0)
    fmt::print("{}", table.paragraph("No block repeats in this trace: layers changed nothing."));
  fmt::print("{}", table.legend(""));
}

}  // namespace

TraceAction trace_learn_action() {
  return {.name = "learn", .options = {"--out"}, .check = check_learn, .run = learn};
}

TraceAction trace_synthesize_action() {
  return {.name = "synthesize",
          .options = {"--out", "--ranks", "--seed", "--scale"},
          .check = check_synthesize,
          .run = synthesize_job};
}

}  // namespace fredsim

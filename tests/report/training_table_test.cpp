// SPDX-License-Identifier: Apache-2.0
// Table of training runs: its heading, its columns in every format, and hidden columns.
#include "report/training_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/text_width.h"
#include "support/sample_run.h"

namespace fredsim {
namespace {

// A question and its workload.
struct TrainingSample {
  TrainingQuestion asked;
  TrainedWorkload workload;
};

TrainingSample training_setup() {
  TrainingSample setup;
  setup.workload.name = "gpt3";
  setup.workload.parameters = 175'000'000'000;
  setup.workload.strategy = "mp2-dp5-pp2";
  setup.workload.algorithm = "auto";
  setup.asked.training.minibatch = 32;
  setup.asked.training.accounting = Accounting::kOverlap;
  setup.asked.training.optimizer = Optimizer::kAdam;
  setup.asked.gradients = "layer";
  return setup;
}

void make_inference(InferencePhase phase, std::uint64_t batch, std::uint64_t context,
                    TrainingSample& setup) {
  setup.asked.kind = TrainingQuestion::kInference;
  setup.asked.inference.emplace();
  setup.asked.inference->phase = phase;
  setup.asked.inference->batch = batch;
  setup.asked.inference->context = context;
}

TitledTable table_of(const TrainingSample& setup, std::span<const TrainingResult> runs) {
  return training_table(setup.asked, setup.workload, runs);
}

TrainingResult training_result(const std::string& fabric, double ns) {
  TrainingResult result;
  result.run = sample_run();
  result.run.fabric = fabric;
  result.iteration_ns = ns;
  result.iterations_ns = {ns};
  result.placement = "paper";
  result.breakdown_ns = {{"compute", ns / 2}, {"bubble", 40}, {"input_load", 0},
                         {"mp", ns / 4},      {"pp", ns / 8}, {"dp", ns / 8 - 40},
                         {"streaming", 0},    {"memory", 0}};
  result.critical_path_ns = {{"compute", ns}};
  return result;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string heading_of(const TrainingSample& setup, std::vector<TrainingResult> runs = {}) {
  if (runs.empty()) runs = {training_result("mesh", 2e6)};
  return table_of(setup, runs).heading;
}

// Column `name` of a table in CSV, a value per run.
std::vector<std::string> training_csv(const TrainingSample& setup,
                                      const std::vector<TrainingResult>& runs,
                                      const std::string& name) {
  const TitledTable table = table_of(setup, runs);
  const auto& columns = table.table.columns();
  std::vector<std::string> values;
  const auto at = std::ranges::find(columns, name, &Column::name);
  if (at == columns.end()) return {"no column " + name};
  for (const auto& row : table.table.rows())
    values.push_back(row[static_cast<std::size_t>(at - columns.begin())].value);
  return values;
}

std::vector<std::string> text_columns(const TitledTable& table) {
  std::vector<std::string> labels;
  for (const Column& column : table.table.columns())
    if (column.shown == Shown::kAlways) labels.push_back(column.label);
  return labels;
}

TEST(TrainingTable, TheHeadingSaysWhatWasTrainedAndHow) {
  EXPECT_EQ(heading_of(training_setup()),
            "gpt3: 175 G parameters, mp2-dp5-pp2 (placement paper), minibatch 32, 1 microbatch, 2 "
            "iterations\n"
            "algorithm auto, accounting overlap, gradients layer, optimizer adam, compute by the "
            "roofline of each machine file; model rtl, lanes 3, seed 7");
  TrainingSample setup = training_setup();
  setup.asked.kind = TrainingQuestion::kStreaming;
  setup.asked.packet_order = PacketOrder::kPaced;
  TrainingOptions& training = setup.asked.training;
  training.microbatches = 4;
  training.iterations = 1;
  training.stream_layers = 1;
  setup.workload.parameters = 1234;
  setup.workload.compute_rate = 1.25e14;
  setup.workload.fit = TrainedWorkload::Fit{"fred_d.yaml", 1.5, 9};
  EXPECT_EQ(
      heading_of(setup),
      "gpt3: 1.23 k parameters, mp2-dp5-pp2 (placement paper), minibatch 32, 4 microbatches, 1 "
      "iteration\n"
      "algorithm auto, packets paced where they can be, accounting overlap, weights streamed by "
      "broadcast, 1 layer of a stage at a time, compute 125 TFLOP/s per NPU, fitted on "
      "fred_d.yaml = 1.5; model rtl, lanes 3, seed 7");
  training.stream_layers = 3;
  setup.workload.fit.reset();
  EXPECT_NE(
      heading_of(setup).find("3 layers of a stage at a time, compute 125 TFLOP/s per NPU; model"),
      std::string::npos)
      << heading_of(setup);
}

TEST(TrainingTable, TheHeadingOfInferenceNamesItsPass) {
  TrainingSample setup = training_setup();
  make_inference(InferencePhase::kDecode, 1, 512, setup);
  EXPECT_EQ(
      heading_of(setup),
      "gpt3: 175 G parameters, mp2-dp5-pp2 (placement paper), decode of 1 sequence with a context "
      "of 512 tokens, 1 microbatch, 2 passes\n"
      "algorithm auto, compute by the roofline of each machine file; model rtl, lanes 3, seed 7");
  make_inference(InferencePhase::kPrefill, 2, 1, setup);
  EXPECT_NE(heading_of(setup).find("prefill of 2 sequences with a context of 1 token,"),
            std::string::npos)
      << heading_of(setup);
}

TEST(TrainingTable, TheHeadingOfGivenWorkSaysWhatItIs) {
  TrainingSample setup = training_setup();
  setup.asked.kind = TrainingQuestion::kTraces;
  setup.workload.given = "traces, 8 ranks, 280 nodes";
  EXPECT_EQ(
      heading_of(setup),
      "gpt3: traces, 8 ranks, 280 nodes\n"
      "algorithm auto, compute by the roofline of each machine file; model rtl, lanes 3, seed 7");
}

TEST(TrainingTable, PlacementsThatDifferAreThoseOfTheirMachines) {
  TrainingResult other = training_result("fred_d", 1e6);
  other.placement = "snake";
  other.run.settings.own = {{"fabric.middle", "2"}};
  EXPECT_NE(heading_of(training_setup(), {training_result("mesh", 2e6), other})
                .find("(placement paper on mesh, snake on fred_d@fabric.middle=2)"),
            std::string::npos);
}

TEST(TrainingTable, TimesAreInMicrosecondsUpToAHundredMilliseconds) {
  for (const auto& [ns, unit, shown] : {std::tuple(99'999'900.0, "us", "99999.9"),
                                        {100e6, "ms", "100.0"},
                                        {123.4, "us", "0.1234"}}) {
    // The longest of all machines decides for all.
    const std::vector<TrainingResult> runs{training_result("mesh", ns / 4),
                                           training_result("fred", ns)};
    const TextTable table = table_of(training_setup(), runs).table.written();
    const auto& columns = table.columns();
    const auto at = std::ranges::find(columns, "iteration", &Column::label);
    ASSERT_NE(at, columns.end());
    EXPECT_EQ(at->unit, unit);
    EXPECT_EQ(table.rows()[1][static_cast<std::size_t>(at - columns.begin())].text, shown);
    EXPECT_EQ(training_csv(training_setup(), runs, "iteration_ns")[1], fmt::to_string(ns));
    EXPECT_EQ(training_csv(training_setup(), runs, "mp_ns")[1], fmt::to_string(ns / 4));
  }
}

TEST(TrainingTable, PartsOfNoTimeAreForProgramsOnly) {
  std::vector<TrainingResult> runs{training_result("mesh", 2e6), training_result("fred", 1e6)};
  const std::vector<std::string> all{"machine", "iteration", "speed-up", "compute", "mp",
                                     "pp",      "dp",        "cycles",   "payload"};
  EXPECT_EQ(text_columns(table_of(training_setup(), runs)), all)
      << "a bubble of 0.04 us would be shown as 0.0";
  for (const char* name : {"bubble_ns", "input_load_ns", "streaming_ns", "memory_ns"})
    EXPECT_EQ(training_csv(training_setup(), runs, name).size(), 2U) << name;
  runs[1].breakdown_ns[1].second = 51;   // bubble
  runs[1].breakdown_ns[2].second = 0.1;  // input
  EXPECT_EQ(text_columns(table_of(training_setup(), runs)),
            (std::vector<std::string>{"machine", "iteration", "speed-up", "compute", "bubble",
                                      "input", "mp", "pp", "dp", "cycles", "payload"}));
}

TEST(TrainingTable, ColumnsOfInferenceAreItsTokens) {
  TrainingSample setup = training_setup();
  TrainingResult result = training_result("mesh", 2e6);
  result.tokens = TokenTimes{1234.56, 2.5e6};
  TrainingResult interrupted = training_result("fred", 1e6);
  for (const auto& [phase, label, name] :
       {std::tuple(InferencePhase::kPrefill, "first token", "time_to_first_token_ns"),
        {InferencePhase::kDecode, "per token", "time_per_token_ns"}}) {
    make_inference(phase, 2, 64, setup);
    const TitledTable table = table_of(setup, std::vector{result, interrupted});
    const std::vector<std::string> labels = text_columns(table);
    EXPECT_EQ(std::ranges::count(labels, label), 1) << name;
    EXPECT_EQ(training_csv(setup, {result, interrupted}, name),
              (std::vector<std::string>{"1234.56", ""}));
    EXPECT_EQ(training_csv(setup, {result, interrupted}, "tokens_per_s"),
              (std::vector<std::string>{fmt::to_string(2.5e6), ""}));
    EXPECT_EQ(training_csv(setup, {result}, "phase"),
              std::vector<std::string>{phase == InferencePhase::kPrefill ? "prefill" : "decode"});
    EXPECT_EQ(training_csv(setup, {result}, "minibatch"), std::vector<std::string>{""});
    EXPECT_EQ(training_csv(setup, {result}, "batch"), std::vector<std::string>{"2"});
    EXPECT_EQ(training_csv(setup, {result}, "context"), std::vector<std::string>{"64"});
  }
}

TEST(TrainingTable, TheBestBaseHasItsAlgorithmAndPlacement) {
  TrainingResult base = training_result("mesh", 2e6);
  TrainingResult best = base;
  best.is_best_base = true;
  best.algorithm = "hier_ring";
  best.stream = "multicast";
  best.packet_order = "paced";
  best.speedup = 1.25;
  best.speedup_best_base = 1;
  const std::vector<TrainingResult> runs{base, best};
  TrainingSample setup = training_setup();
  setup.asked.kind = TrainingQuestion::kStreaming;
  const std::vector<std::string> labels = text_columns(table_of(setup, runs));
  for (const char* label : {"over best base", "algorithm", "placement"})
    EXPECT_EQ(std::ranges::count(labels, label), 1) << label;
  EXPECT_EQ(training_csv(setup, runs, "algorithm"),
            (std::vector<std::string>{"auto", "hier_ring"}));
  EXPECT_EQ(training_csv(setup, runs, "stream"),
            (std::vector<std::string>{"broadcast", "multicast"}));
  EXPECT_EQ(training_csv(setup, runs, "packet_order"),
            (std::vector<std::string>{"arrival", "paced"}));
  EXPECT_EQ(training_csv(setup, runs, "speedup"), (std::vector<std::string>{"", "1.25"}));
  EXPECT_EQ(training_csv(setup, runs, "speedup_best_base"), (std::vector<std::string>{"", "1"}));
  // A name is unique in CSV, even if the table for people shows it twice.
  std::vector<std::string> names;
  const auto table = table_of(setup, runs).table;
  for (const Column& column : table.columns())
    if (!column.name.empty()) names.push_back(column.name);
  std::ranges::sort(names);
  EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
}

TEST(TrainingTable, AnInterruptedRunHasNoTimes) {
  TrainingResult interrupted = training_result("fred", 0);
  interrupted.run.incomplete = true;
  interrupted.run.payload = "incomplete";
  interrupted.breakdown_ns.clear();
  const std::vector<TrainingResult> runs{training_result("mesh", 2e6), interrupted};
  EXPECT_EQ(training_csv(training_setup(), runs, "iteration_ns")[1], "");
  EXPECT_EQ(training_csv(training_setup(), runs, "compute_ns")[1], "");
  EXPECT_EQ(training_csv(training_setup(), runs, "payload")[1], "incomplete");
  EXPECT_EQ(training_csv(training_setup(), runs, "cycles")[1], "300") << "those so far";
}

// A table of many columns on a narrow terminal: no line is wider, and omitted columns are named.
TEST(TrainingTable, KeepsToTheWidthAndNamesWhatHasNoRoom) {
  std::vector<TrainingResult> runs{training_result("mesh", 2e6),
                                   training_result("a_machine_of_a_very_long_name", 1e6)};
  for (TrainingResult& run : runs) {
    run.speedup = run.speedup_best_base = 1.5;
    for (auto& [part, ns] : run.breakdown_ns) ns += 1e5;
  }
  runs[0].is_best_base = true;
  for (const std::size_t columns : {60U, 80U, 120U, 200U}) {
    TableOutput output(TableFormat::kTable, {.columns = columns}, true);
    const std::string text = output.table(table_of(training_setup(), runs));
    for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), columns) << line;
    const std::string legend = output.legend(training_legend());
    EXPECT_EQ(legend.find("Columns hidden at") == 0 ||
                  legend.find("\nColumns hidden at") != std::string::npos,
              columns < 200)
        << columns << "\n"
        << legend;
  }
}

TEST(TrainingTable, NamesWhatIsIdealised) {
  TrainingSample setup = training_setup();
  EXPECT_EQ(idealised_text(setup.workload), "");
  setup.workload.idealised = {"loads cost nothing", "weights are there"};
  EXPECT_EQ(idealised_text(setup.workload), "Idealised: loads cost nothing; weights are there.");
}

}  // namespace
}  // namespace fredsim

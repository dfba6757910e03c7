// SPDX-License-Identifier: Apache-2.0
// `fredsim astra`: ASTRA-sim 2's command line, answered as `train --trace` on the network of its
// file.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <variant>

#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/command_answer.h"
#include "report/output_file.h"
#include "results/version.h"
#include "runner/astra_options.h"
#include "runner/program_name.h"
#include "runner/run.h"
#include "runner/run_ranks.h"
#include "workload_files/trace_files.h"

namespace fredsim {
namespace {

// A line per rank, as ASTRA-sim prints it: a cycle is a nanosecond, and all time in which a rank
// does not compute is exposed.
std::string finished_lines(const TrainingResult& result) {
  std::string text;
  for (std::size_t r = 0; r < result.ranks.size(); ++r) {
    const TrainedRank& rank = result.ranks[r];
    text += fmt::format("sys[{}] finished, {:.0f} cycles, exposed communication {:.0f} cycles.\n",
                        r, rank.end_ns, rank.end_ns - rank.compute_ns);
  }
  return text;
}

std::vector<TitledList> key_lists(const std::vector<ForeignKey>& keys) {
  std::vector<TitledList> lists;
  for (const char* use : {"mapped", "ignored", "unsupported"}) {
    TitledList list{.title = use, .lines = {}};
    for (const ForeignKey& key : keys)
      if (key.use == use)
        list.lines.push_back(fmt::format("{} {}: {}", key.key, key.found, key.says));
    if (!list.lines.empty()) lists.push_back(std::move(list));
  }
  return lists;
}

class AstraCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, astra_, kAstraRows);
    options_.add(app, request_, kEngineRows<TrainRequest>, kSimulationRows, kSwitchRows,
                 seed_rows<&TrainRequest::seed>(kPayloadSeed), kTrainTimelineRows, kJsonRows,
                 kOverrideRows, kRankRows, kQuietRows, kProgressRows);
  }

  void check() override {
    options_.read();
    check_switches(request_);
    if (request_.is_flow) options_.refuse_with_flows();
    refuse_on_ranks("--engine flow", request_.is_flow);
    complete_astra(astra_, request_);
  }

  FileUses files() const override {
    FileUses files;
    add_astra_files(astra_, files);
    for (const std::string& path : possible_trace_files(request_.train.traces))
      files.inputs.push_back({"--workload-configuration", astra_.workload, path});
    add_output("--json", request_.json_file, files);
    add_output("--progress", request_.progress_file, files);
    add_output("--timeline", request_.timeline_file, files);
    return files;
  }

  std::optional<Question> question() const override { return request_; }

  void run(const Invocation& invocation) override {
    Printer printer(request_);
    answer_command(request_, invocation, printer);
  }

 private:
  class Printer final : public RunObserver {
   public:
    explicit Printer(const TrainRequest& request) : request_(request) {}
    void on_end(const Results& results) override {
      const TrainingJobs& training = *std::get<TrainResults>(results);
      if (!request_.quiet && !training.results().empty())
        fmt::print(stderr, "{}",
                   table_output(request_).lists(key_lists(request_.train.foreign_keys)));
      if (request_.json_file == "-" || request_.timeline_file == "-") return;
      for (const TrainingResult& result : training.results())
        if (!result.run.incomplete) fmt::print("{}", finished_lines(result));
    }

   private:
    const TrainRequest& request_;
  };

  OptionSet options_;
  AstraOptions astra_;
  TrainRequest request_;
};

}  // namespace

CommandRow astra_row() {
  return {.name = "astra",
          .purpose = "Chakra traces by the options and files of ASTRA-sim 2.",
          .aliases =
              "astra-sim astrasim AstraSim_Analytical_Congestion_Aware "
              "AstraSim_Analytical_Congestion_Unaware",
          .main_options =
              "--workload-configuration --system-configuration "
              "--network-configuration --remote-memory-configuration "
              "--comm-group-configuration --engine --timeline --json",
          .examples =
              "  fredsim astra --workload-configuration configs/traces/small --quiet \\\n"
              "    --system-configuration configs/systems/files/astra_sim_system.json \\\n"
              "    --network-configuration configs/systems/files/astra_sim_ring.yaml",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<AstraCommand>(); },
          .runs_on_ranks = true};
}

}  // namespace fredsim

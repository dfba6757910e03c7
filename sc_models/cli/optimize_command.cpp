// SPDX-License-Identifier: Apache-2.0
// `fredsim optimize`: searches over machines.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/command_answer.h"
#include "report/output_file.h"
#include "results/version.h"
#include "runner/run.h"

namespace fredsim {

namespace {

class OptimizeCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, request_, kMachineRows);
    options_.add_given(app, kBandwidthRows);
    options_.add_given(app, kTopooptRows);
    options_.add(app, request_, kOverrideRows, kJsonRows, kTableRows, kQuietRows);
  }

  void check() override {
    options_.read();
    const OptionTexts& texts = options_.texts;
    if (texts.has("--topology")) {
      request_.search = topoopt_options(texts);
      return;
    }
    refuse_without_topology(texts);
    request_.search = bandwidth_options(texts);
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    const auto add_workload = [&files](const TrainOptions& workload) {
      if (workload.source != TrainOptions::Source::kBuiltIn)
        files.inputs.push_back({"--workload", workload.workload});
    };
    if (const auto* network = std::get_if<TopooptAsked>(&request_.search))
      add_workload(network->train);
    else
      std::ranges::for_each(std::get<BandwidthOptions>(request_.search).workloads, add_workload);
    add_output("--json", request_.json_file, files);
    if (const auto* network = std::get_if<TopooptAsked>(&request_.search))
      add_output("--write", network->machine_file, files);
    return files;
  }

  std::optional<Question> question() const override { return request_; }

  void run(const Invocation& invocation) override {
    const auto* const network = std::get_if<TopooptAsked>(&request_.search);
    RunObserver nobody;
    answer_command(request_, invocation, nobody, [&](const Results& answer) {
      if (request_.json_file != "-" && (network == nullptr || network->machine_file != "-"))
        print(answer);
    });
  }

 private:
  void print(const Results& answer) const {
    TableOutput output = table_output(request_);
    if (const auto* network = std::get_if<FoundNetwork>(&answer)) {
      fmt::print("{}", output.table(network_table(network->setup, network->result)));
      fmt::print("{}", output.legend(network_legend(network->result)));
      return;
    }
    const auto& found = std::get<FoundBandwidths>(answer);
    fmt::print("{}", output.table(optimum_table(found.setup, found.result)));
    fmt::print("{}", output.paragraph(optimum_summary(found.setup, found.result)));
    fmt::print("{}", output.legend(optimum_legend(found.setup)));
  }

  OptionSet options_;
  OptimizeRequest request_;
};

}  // namespace

CommandRow optimize_row() {
  return {.name = "optimize",
          .purpose = "Bandwidths, or a network, for the least time of a workload.",
          .aliases = "optimise search tune",
          .main_options =
              "--total --workload --size --for --at-least --engine --mp --dp "
              "--pp --topology --npus --write --json",
          .examples =
              "  fredsim optimize libra_4d --total 300GB/s \\\n"
              "      --workload configs/workloads/libra_175b.txt\n"
              "  fredsim optimize libra_3d --total 1TB/s --for time_cost \\\n"
              "      --workload configs/workloads/libra_1t.txt --at-least d0=500GB/s\n"
              "  fredsim optimize libra_2d --total 500GB/s --workload gpt3 \\\n"
              "      --mp 16 --dp 64 --accounting overlap\n"
              "  fredsim optimize fred_d --total 6TB/s --size 16MiB \\\n"
              "      --engine flow\n"
              "  fredsim optimize mesh --topology topoopt --npus 128 --degree 4 \\\n"
              "      --workload transformer_17b --write topoopt.yaml",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<OptimizeCommand>(); }};
}

}  // namespace fredsim

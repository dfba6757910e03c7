// SPDX-License-Identifier: Apache-2.0
// `fredsim optimize`: searches over machines.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/optimize_arguments.h"
#include "cli/option_groups.h"
#include "cli/topoopt_arguments.h"
#include "report/output_file.h"
#include "results/version.h"
#include "runner/bandwidth_jobs.h"
#include "runner/interrupt.h"
#include "runner/machines.h"
#include "runner/topoopt_run.h"

namespace fredsim {

namespace {

class OptimizeCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    machine_strings_.add_one_to(app);
    bandwidth_strings_.add_to(app);
    topoopt_strings_.add_to(app);
    machine_strings_.add_overrides_to(app);
    output_strings_.add_json_to(app);
    output_strings_.add_format_to(app);
    output_strings_.add_quiet_to(app);
  }

  void check() override {
    machine_strings_.check(machine_);
    output_strings_.check(output_);
    if (topoopt_strings_.is_asked()) {
      topoopt_ = topoopt_strings_.checked(bandwidth_strings_);
      bandwidth_.workloads = {topoopt_->train};
      return;
    }
    topoopt_strings_.refuse_without_topology();
    bandwidth_ = bandwidth_strings_.checked();
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(machine_, files);
    for (const TrainOptions& workload : bandwidth_.workloads)
      if (workload.source != TrainOptions::Source::kBuiltIn)
        files.inputs.push_back({"--workload", workload.workload});
    add_output("--json", output_.json_file, files);
    if (topoopt_) add_output("--write", topoopt_->machine_file, files);
    return files;
  }

  void run(const Invocation& invocation) override {
    interrupt_flag();
    const std::optional<OutputFile> json = open_output("--json", output_.json_file);
    const MachineConfig machine = std::move(load_machines(machine_, output_.quiet).front());
    if (topoopt_) return run_topology(invocation, machine, json);
    const FoundBandwidths found = find_bandwidths(machine, bandwidth_);
    if (!json || !json->is_stdout()) {
      TableOutput output = table_output(output_);
      fmt::print("{}", output.table(optimum_table(found.setup, found.result)));
      fmt::print("{}", output.paragraph(optimum_summary(found.setup, found.result)));
      fmt::print("{}", output.legend(optimum_legend(found.setup)));
    }
    if (json)
      json->write(optimum_json(origin_of(invocation.command_line), found.setup, found.result));
  }

 private:
  void run_topology(const Invocation& invocation, const MachineConfig& machine,
                    const std::optional<OutputFile>& json) const {
    const std::optional<OutputFile> file = open_output("--write", topoopt_->machine_file);
    const FoundNetwork found = find_network(machine, *topoopt_);
    if ((!json || !json->is_stdout()) && (!file || !file->is_stdout())) {
      TableOutput output = table_output(output_);
      fmt::print("{}", output.table(network_table(found.setup, found.result)));
      fmt::print("{}", output.legend(network_legend(found.result)));
    }
    if (file) file->write(found.machine);
    if (json)
      json->write(network_json(origin_of(invocation.command_line), found.setup, found.result));
    if (found.is_interrupted) throw Interrupted("interrupted: the best network so far");
  }

  MachineStrings machine_strings_;
  MachineOptions machine_;
  BandwidthStrings bandwidth_strings_;
  BandwidthOptions bandwidth_;
  TopooptStrings topoopt_strings_;
  std::optional<TopooptAsked> topoopt_;
  OutputStrings output_strings_;
  OutputOptions output_;
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

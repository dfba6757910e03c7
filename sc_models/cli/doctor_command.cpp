// SPDX-License-Identifier: Apache-2.0
// `fredsim doctor`: limits that keep a work on a machine above the bound of its network.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/calibrated_diagnosis.h"
#include "cli/command.h"
#include "report/doctor_table.h"
#include "report/output_file.h"
#include "report/terminal.h"
#include "results/version.h"
#include "runner/interrupt.h"
#include "runner/job_runner.h"
#include "runner/work_jobs.h"

namespace fredsim {

namespace {

class DoctorCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, request_, kMachineRows);
    options_.add_given(app, kItemRows);
    options_.add_given(app, kWorkRows);
    options_.add(
        app, request_,
        seed_rows<&RunRequest::seed>("seed of random matrices and searched placements (default 1)"),
        kJsonRows, kTableRows, kQuietRows, kOverrideRows);
  }

  void check() override {
    request_.is_flow = true;
    options_.read();
    request_.work = work_options(options_.texts);
    options_.refuse_with_flows();
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    add_work_files(options_.texts, request_.work, files);
    add_output("--json", request_.json_file, files);
    return files;
  }

  void run(const Invocation& invocation) override {
    interrupt_flag();
    const std::optional<OutputFile> json = open_output("--json", request_.json_file);
    CalibratedDiagnosis diagnosis(request_, invocation.files,
                                  std::move(plan_work(request_, invocation.files).front()),
                                  options_.texts["--work"]);
    const MachineConfig& machine = diagnosis.machine();
    const DoctorSetup setup{.config = machine.path,
                            .settings = machine.settings,
                            .machine = machine.keys,
                            .fabric = machine.topology.name};
    const bool prints = !json || !json->is_stdout();
    TableOutput output = table_output(request_);
    std::vector<Diagnosis> diagnoses;
    JobRunner runner("jobs", [&] {
      for (std::size_t s = 0; s < request_.work.sizes.size(); ++s) {
        diagnoses.push_back(diagnosis.run(s));
        if (!prints) continue;
        fmt::print("{}", output.table(doctor_table(setup, diagnoses.back())));
        std::fflush(stdout);
      }
    });
    sc_core::sc_start();
    runner.finish();
    if (prints) fmt::print("{}", output.legend(kDoctorLegend));
    if (json) json->write(doctor_json(origin_of(invocation.command_line), setup, diagnoses));
  }

 private:
  OptionSet options_;
  RunRequest request_;
};

}  // namespace

CommandRow doctor_row() {
  return {.name = "doctor",
          .purpose = "Says why a work is slower than its network's bound.",
          .aliases = "check verify diagnose env",
          .main_options =
              "--collective --size -b -e -f --group --algorithm --work --strategy "
              "--dimension --set --json --format",
          .examples =
              "  fredsim doctor mesh --size 4MiB\n"
              "  fredsim doctor astra_sim --set switch.input_buffer=24KiB\n"
              "  fredsim doctor libra_2d --collective all_gather",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<DoctorCommand>(); }};
}

}  // namespace fredsim

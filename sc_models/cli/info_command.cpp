// SPDX-License-Identifier: Apache-2.0
// `fredsim info`: what a machine file builds; no simulation.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/machines.h"
#include "config/describe.h"
#include "config/machine_path.h"
#include "report/terminal.h"

namespace fredsim {

namespace {

class InfoCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    strings_.add_one_to(app);
    strings_.add_overrides_to(app);
    const auto print_machines = [] {
      for (const std::string& name : machine_names(machine_folder())) fmt::print("{}\n", name);
      throw CLI::Success();  // without a CONFIG, too
    };
    app.add_flag_callback(
           "--machines", print_machines,
           "only the names of the machine files that come with the program, without a CONFIG")
        ->trigger_on_parse();
    app.add_flag("--parts", lists_parts_, "only the names of what --fault can take, one a line");
  }

  void check() override { strings_.check(options_); }

  FileUses files() const override {
    FileUses files;
    add_machine_files(options_, files);
    return files;
  }

  void run(const Invocation&) override {
    for (const MachineConfig& machine : load_machines(options_, false)) {
      fmt::print("{}", lists_parts_ ? describe_parts(machine.topology)
                                    : describe(machine.topology, terminal_style(stdout).columns));
    }
  }

 private:
  MachineStrings strings_;
  MachineOptions options_;
  bool lists_parts_ = false;
};

}  // namespace

CommandRow info_row() {
  return {.name = "info",
          .purpose = "Prints what a machine file builds.",
          .examples =
              "  build/fredsim info configs/fred_d.yaml\n"
              "  build/fredsim info configs/fred_d.yaml --set fabric.middle=2",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<InfoCommand>(); }};
}

}  // namespace fredsim

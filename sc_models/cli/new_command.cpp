// SPDX-License-Identifier: Apache-2.0
// `fredsim new`: a first machine file of a kind of fabric, with a comment above every key.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "config/config_schema.h"
#include "config/machine_path.h"
#include "config/new_machine.h"
#include "runner/option_values.h"
#include "topology/topology_kind.h"

namespace fredsim {
namespace {

class NewCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    static constexpr auto kRows = rows::under(
        headings::kWork,
        rows::text<&NewCommand::name_>(
            "KIND", "",
            "fabric type: ", {.more_words = kind_words, .more_meaning = kind_list, .least = 1}),
        rows::number<&NewCommand::npus_>("--npus", "N",
                                         "number of NPUs (default: a small machine of the kind)",
                                         {.max = 1'000'000}));
    options_.add(app, *this, kRows);
  }

  void check() override {
    options_.read();
    kind_ = find_topology_kind(name_);
    if (kind_ == nullptr)
      refuse_word("KIND", name_, names_of(topology_kinds()), topology_aliases());
  }

  FileUses files() const override { return {}; }

  void run(const Invocation& /*invocation*/) override {
    fmt::print("{}", new_machine_file(*kind_, npus_ > 0 ? std::optional(npus_) : std::nullopt,
                                      machine_folder()));
  }

 private:
  static std::string kind_words() {
    return fmt::format("{}", fmt::join(names_of(topology_kinds()), " "));
  }
  static std::string kind_list() { return join_words(names_of(topology_kinds())); }

  OptionSet options_;
  std::string name_;
  const TopologyKind* kind_ = nullptr;
  int npus_ = 0;  // 0: size of a small machine
};

}  // namespace

CommandRow new_row() {
  return {.name = "new",
          .purpose = "Prints a machine file that runs, every key explained.",
          .aliases = "create init generate template",
          .examples =
              "  fredsim new mesh2d > my.yaml\n"
              "  fredsim new fred_tree --npus 64 > my.yaml",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<NewCommand>(); }};
}

}  // namespace fredsim

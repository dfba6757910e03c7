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
    const std::vector<const TopologyKind*> kinds = topology_kinds();
    const std::vector<std::string_view> names = names_of(kinds);
    CLI::Option* const kind =
        app.add_option("KIND", name_, "fabric type: " + join_words(names))->required();
    offer(kind->type_name(""), names);
    add(app, "--npus", npus_text_, "N", "number of NPUs (default: a small machine of the kind)");
  }

  void check() override {
    const std::vector<const TopologyKind*> kinds = topology_kinds();
    kind_ = find_topology_kind(name_);
    if (kind_ == nullptr) refuse_word("KIND", name_, names_of(kinds), topology_aliases());
    constexpr std::uint64_t kMost = 1'000'000;
    if (!npus_text_.empty()) npus_ = static_cast<int>(parse_number(npus_text_, "--npus", 1, kMost));
  }

  FileUses files() const override { return {}; }

  void run(const Invocation& /*invocation*/) override {
    fmt::print("{}", new_machine_file(*kind_, npus_, machine_folder()));
  }

 private:
  std::string name_, npus_text_;
  const TopologyKind* kind_ = nullptr;
  std::optional<int> npus_;
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

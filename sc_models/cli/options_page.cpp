// SPDX-License-Identifier: Apache-2.0
#include "cli/options_page.h"

#include <fmt/format.h>

#include "cli/add_option.h"
#include "results/reference.h"

namespace fredsim {
namespace {

std::string option_row(const CLI::Option& option) {
  const std::string value = option.get_type_name();
  std::string name = option.get_name(false, true);
  if (name.empty()) name = option.get_name();
  return fmt::format("| `{}` | {} |\n", value.empty() ? name : name + " " + value,
                     markdown_cell(option.get_description()));
}

}  // namespace

std::string options_page(const CLI::App& app) {
  std::string text =
      "# Commands and options\n\n"
      "Made from the help of the commands by `fredsim help --markdown`; `scripts/reference.sh` "
      "renews it. `fredsim help COMMAND` has examples, too.\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    text += fmt::format("\n## fredsim {}\n\n{}\n", command->get_name(), command->get_description());
    for (const OptionGroup& group : option_groups(*command)) {
      text += fmt::format("\n| {} | meaning |\n|---|---|\n", markdown_cell(group.heading));
      for (const CLI::Option* option : group.options) text += option_row(*option);
    }
  }
  return text;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>

#include "base/text_width.h"
#include "report/terminal.h"

namespace fredsim {

namespace {

constexpr std::size_t kNarrowest = 60;  // to the right of the options' names there must be room
constexpr std::size_t kWidest = 100;
constexpr std::size_t kFurther = 2;  // indentation of lines that go on

// True of the first line of an example, and of one after a backslash.
bool is_of_command(const std::string& line) {
  return line.starts_with("  build/fredsim ") || line.starts_with("    ");
}

// CLI11's, with lines that end before the edge.
class WrappingFormatter : public CLI::Formatter {
 public:
  explicit WrappingFormatter(std::size_t columns) : columns_(columns) {}

  std::string make_description(const CLI::App* app) const override {
    return wrap(CLI::Formatter::make_description(app), columns_);
  }
  // Command lines stay whole, to be copied.
  std::string make_footer(const CLI::App* app) const override {
    std::istringstream footer(CLI::Formatter::make_footer(app));
    std::string text;
    for (std::string line; std::getline(footer, line);)
      text += (is_of_command(line) ? line : wrap(line, columns_, kFurther)) + '\n';
    return text;
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return beside(sub->get_display_name(true), sub->get_description());
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return beside(make_option_name(option, is_positional) + make_option_opts(option),
                  make_option_desc(option));
  }

 private:
  std::string beside(const std::string& name, const std::string& meaning) const {
    std::ostringstream text;
    CLI::detail::format_help(text, name, wrap(meaning, columns_ - column_width_), column_width_);
    return text.str();
  }

  std::size_t columns_;
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() {
  return std::make_shared<WrappingFormatter>(
      std::clamp(terminal_style(stdout).columns, kNarrowest, kWidest));
}

void add_examples(CLI::App& command, const std::string& lines) {
  std::string footer = command.get_footer();
  if (!footer.empty()) footer += "\n\n";
  command.footer(footer + "Examples, at the top of a checkout:\n" + lines);
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_width.h"
#include "cli/add_option.h"
#include "config/machine_path.h"
#include "report/terminal.h"
#include "runner/program_name.h"

namespace fredsim {

namespace {

constexpr std::size_t kNarrowest = 60;  // min room to the right of the options' names
constexpr std::size_t kWidest = 100;
constexpr std::size_t kFurther = 2;  // indentation of continuation lines
constexpr std::size_t kBriefNames = 26;
constexpr std::string_view kExample = "  fredsim ";
constexpr std::string_view kFiles = "configs/";

// True for the first line of an example, and for a line after a backslash.
bool is_of_command(const std::string& line) {
  return line.starts_with(kExample) || line.starts_with("    ");
}

// Line of an example as it can be typed here.
std::string as_typed(std::string line) {
  if (line.starts_with(kExample)) line.replace(2, kExample.size() - 3, called_as());
  const std::size_t file = line.find(kFiles);
  if (file == std::string::npos || std::filesystem::exists("configs")) return line;
  const std::filesystem::path folder = machine_folder();
  if (!folder.empty()) line.replace(file, kFiles.size(), folder.string() + '/');
  return line;
}

// The first examples of a text.
std::string first_examples(const std::string& examples, int count) {
  std::istringstream lines(examples);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kExample) && count-- == 0) break;
    text += line + '\n';
  }
  return text;
}

std::string first_sentence(const std::string& meaning) {
  return meaning.substr(0, meaning.find(". "));
}

// CLI11's formatter with line wrapping.
class WrappingFormatter : public CLI::Formatter {
 public:
  explicit WrappingFormatter(std::size_t columns) : columns_(columns) {}

  std::string make_description(const CLI::App* app) const override {
    return wrap(CLI::Formatter::make_description(app), columns_);
  }
  std::string make_footer(const CLI::App* app) const override {
    return shown_footer(app->get_footer());
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return beside(sub->get_display_name(true), sub->get_description());
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return beside(make_option_name(option, is_positional) + make_option_opts(option),
                  make_option_desc(option));
  }

 protected:
  // Footer with whole command lines, for copying.
  std::string shown_footer(const std::string& footer) const {
    std::istringstream lines(footer);
    std::string text;
    for (std::string line; std::getline(lines, line);)
      text += (is_of_command(line) ? as_typed(line) : wrap(line, columns_, kFurther)) + '\n';
    return text;
  }

 private:
  std::string beside(const std::string& name, const std::string& meaning) const {
    std::ostringstream text;
    CLI::detail::format_help(text, name, wrap(meaning, columns_ - column_width_), column_width_);
    return text.str();
  }

  std::size_t columns_;
};

// --help of a command; WrappingFormatter formats its --help-all.
class CommandFormatter final : public WrappingFormatter {
 public:
  CommandFormatter(std::size_t columns, std::vector<std::string> main_options, std::string footer)
      : WrappingFormatter(columns),
        full_(columns),
        main_options_(std::move(main_options)),
        footer_(std::move(footer)) {
    column_width(kBriefNames);
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (mode != CLI::AppFormatMode::Normal) return full_help(app);
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
           make_group("Options", false, shown_options(*app)) + '\n' + shown_footer(footer_);
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return first_sentence(option->get_description());
  }

 private:
  std::string full_help(const CLI::App* app) const {
    std::string text =
        full_.make_description(app) +
        full_.make_usage(app, app->get_parent()->get_name() + ' ' + app->get_name()) +
        full_.make_positionals(app);
    for (const OptionGroup& group : option_groups(*app)) {
      std::vector<const CLI::Option*> options = group.options;
      std::erase_if(options, [](const CLI::Option* option) { return !option->nonpositional(); });
      if (!options.empty()) text += full_.make_group(group.heading, false, options);
    }
    return text + '\n' + full_.make_footer(app);
  }

  std::vector<const CLI::Option*> shown_options(const CLI::App& app) const {
    std::vector<const CLI::Option*> shown;
    for (const std::string& name : main_options_) shown.push_back(app.get_option(name));
    const auto is_of_help = [&](const CLI::Option* option) {
      return option == app.get_help_ptr() || option == app.get_help_all_ptr();
    };
    if (shown.empty())
      shown = app.get_options([&](const CLI::Option* option) {
        return option->nonpositional() && !is_of_help(option);
      });
    shown.push_back(app.get_help_ptr());
    shown.push_back(app.get_help_all_ptr());
    return shown;
  }

  WrappingFormatter full_;
  std::vector<std::string> main_options_;  // empty: all
  std::string footer_;
};

std::size_t help_columns() {
  return std::clamp(terminal_style(stdout).columns, kNarrowest, kWidest);
}

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() {
  constexpr std::size_t kCommandNames = 16;
  auto formatter = std::make_shared<WrappingFormatter>(help_columns());
  formatter->column_width(kCommandNames);
  return formatter;
}

void finish_help(CLI::App& command, const std::string& main_options, const std::string& examples) {
  constexpr int kExamples = 2;
  std::string notes = command.get_footer();
  if (!notes.empty()) notes += "\n\n";
  std::vector<std::string> names =
      main_options.empty() ? std::vector<std::string>{} : CLI::detail::split(main_options, ' ');
  command.formatter(std::make_shared<CommandFormatter>(
      help_columns(), std::move(names),
      notes + "Examples:\n" + first_examples(examples, kExamples)));
  command.set_help_flag();
  const std::size_t count =
      command.get_options([](const CLI::Option* option) { return option->nonpositional(); }).size();
  under(command, headings::kHelp);
  command.set_help_flag("-h,--help", "the options that matter");
  command.set_help_all_flag("--help-all",
                            fmt::format("all {} options, by group, and all examples", count));
  command.footer(fmt::format("{}{}\n\nExamples:\n{}", notes, kExitCodes, examples));
}

}  // namespace fredsim

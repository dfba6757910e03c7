// SPDX-License-Identifier: Apache-2.0
#include "cli/parse_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "cli/add_option.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/known_words.h"
#include "cli/man_page.h"
#include "cli/options_page.h"
#include "cli/parse_problem.h"
#include "cli/spelling.h"
#include "results/version.h"
#include "runner/program_name.h"

namespace fredsim {

namespace {

struct HelpAsked {
  std::string topic, shell;
  bool has_all = false, is_page = false, is_man = false;
};
constexpr auto kHelpRows = rows::under(
    "Options", rows::text<&HelpAsked::topic>("COMMAND", "", "a command (default: all in short)"),
    rows::flag<&HelpAsked::has_all>("--all", "what --help-all prints"),
    rows::flag<&HelpAsked::is_page>("--markdown", "the options of all commands, as a page"),
    rows::flag<&HelpAsked::is_man>("--man", "a manual page, of the command or of the program"),
    rows::text<&HelpAsked::shell>("--completion", "SHELL",
                                  "the script with which bash, zsh or fish completes command lines",
                                  {.offer = "bash zsh fish"}));

constexpr std::string_view kListsCommands = "fredsim --help";

struct Candidate {
  CLI::App* app;
  std::unique_ptr<Command> command;
  bool runs_on_ranks = false;
};

std::string program_footer() {
  return fmt::format(
      "{}\n\n{} help COMMAND says what a command takes. Examples:\n"
      "  fredsim run mesh_2x2 --size 64KiB\n"
      "  fredsim compare mesh_2x2 fred_2x2 --size 16MiB",
      kExitCodes, program_name());
}

// Names of the commands; `names` owns the texts.
std::vector<std::string_view> command_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return {names.begin(), names.end()};
}

// Command for several machines that replaces the parsed one; empty: none.
std::string_view several_of(const CLI::App& app, std::span<const CommandRow> rows) {
  for (const CommandRow& row : rows)
    if (app.got_subcommand(row.name)) return row.several;
  return {};
}

}  // namespace

std::optional<ParsedCommand> parse_command_line(int argc, const char* const* argv,
                                                std::span<const CommandRow> rows) {
  CLI::App app(
      "Cycle-accurate collectives and traffic on a wafer-scale interconnect: FRED against a 2D "
      "mesh.",
      program_name());
  app.formatter(help_formatter());
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", version_text());
  app.set_help_flag("-h,--help", "this text");
  app.set_help_all_flag("--help-all", "all options of all commands");

  std::vector<Candidate> candidates;
  for (const CommandRow& row : rows) {
    CLI::App* const command = app.add_subcommand(row.name, row.purpose);
    candidates.push_back({command, row.make(), row.runs_on_ranks});
    under(*command, headings::kWork);
    candidates.back().command->add_to(*command);
    finish_help(*command, row.main_options, row.examples);
  }
  CLI::App* const help =
      app.add_subcommand("help", "Prints what --help prints, of a command or of all.");
  OptionSet help_options;
  HelpAsked asked;
  help_options.add(*help, asked, kHelpRows);
  finish_help(*help, "", "  fredsim help run\n  fredsim help run --all");
  app.footer(program_footer());

  std::vector<std::string> names;
  if (argc < 2) {
    throw BadInput(fmt::format("command: found none; allowed: {}",
                               list_words(command_names(app, names), "or", kListsCommands)));
  }
  const auto words = std::span(argv, static_cast<std::size_t>(argc)).subspan(1);
  try {
    check_spelling(app, words, known_words(app));
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return std::nullopt;
    }
    throw BadInput(parse_problem(app, several_of(app, rows)));
  }
  help_options.read();
  const auto& [topic, shell, has_all, is_page, is_man] = asked;
  if (is_page) {
    fmt::print("{}", options_page(app));
    return std::nullopt;
  }
  if (!shell.empty()) {
    fmt::print("{}", completion_script(app, shell));
    return std::nullopt;
  }
  if (is_man) {
    const CLI::App* page = &app;
    for (const CLI::App* command : app.get_subcommands({}))
      if (command->get_name() == topic) page = command;
    if (page == &app && !topic.empty())
      throw BadInput(
          fmt::format("help: found '{}'; {}", topic,
                      advice(topic, command_names(app, names), {.more = kListsCommands})));
    fmt::print("{}", man_page(*page, version_text()));
    return std::nullopt;
  }
  if (help->parsed()) {
    std::vector<const char*> asked{*argv};
    if (!topic.empty()) asked.push_back(topic.c_str());
    asked.push_back(has_all ? "--help-all" : "--help");
    return parse_command_line(static_cast<int>(asked.size()), asked.data(), rows);
  }
  for (auto& [parsed, command, runs_on_ranks] : candidates) {
    if (!parsed->parsed()) continue;
    command->check();
    FileUses files = command->files();
    check_outputs(files.inputs, files.outputs);
    return ParsedCommand{.name = parsed->get_name(),
                         .command = std::move(command),
                         .invocation = {.command_line = command_line(program_name(), words),
                                        .files = std::move(files)},
                         .runs_on_ranks = runs_on_ranks};
  }
  throw std::logic_error("a command line without a command");
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "cli/add_option.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

struct ShownOption {
  std::vector<std::string> names;  // "-h", "--help"
  bool takes_value = false;
  std::string words;  // offered for its value; empty: files
  std::string meaning;
};

// First sentence of a meaning, without characters that a shell interprets.
std::string short_meaning(std::string_view text) {
  std::string meaning(text.substr(0, text.find_first_of(":;.")));
  std::erase_if(meaning, [](char c) {
    return c == '\'' || c == '"' || c == '[' || c == ']' || c == '`' || c == '$';
  });
  return meaning;
}

std::vector<ShownOption> options_of(CLI::App& command) {
  std::vector<ShownOption> options;
  for (CLI::Option* option : command.get_options()) {
    if (option->get_group().empty() || !option->nonpositional()) continue;
    ShownOption& shown = options.emplace_back();
    for (const std::string& name : option->get_snames()) shown.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) shown.names.push_back("--" + name);
    shown.takes_value = option->get_items_expected_max() > 0;
    shown.words = offered(*option);
    shown.meaning = short_meaning(option->get_description());
  }
  return options;
}

// True for commands whose first words are machines.
bool takes_machines(CLI::App& command) {
  return std::ranges::any_of(command.get_options(), [](const CLI::Option* option) {
    return option->get_name().starts_with("CONFIG");
  });
}

// Words of the command's first argument; empty: machines or files.
std::string first_words(CLI::App& command, const std::string& commands) {
  if (command.get_name() == "help") return commands;
  for (CLI::Option* option : command.get_options())
    if (option->get_positional()) return offered(*option);
  return "";
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
  std::vector<CLI::App*> commands;
  for (CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) commands.push_back(command);
  return commands;
}

std::string names_of(const std::vector<CLI::App*>& commands) {
  std::string names;
  for (CLI::App* command : commands) names += (names.empty() ? "" : " ") + command->get_name();
  return names;
}

std::string bash_script(CLI::App& app) {
  const std::string program = app.get_name();
  const std::vector<CLI::App*> commands = commands_of(app);
  std::string text = fmt::format(
      "# Completion of {0} in bash, made by '{0} help --completion bash'.\n"
      "_{0}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} "
      "command=${{COMP_WORDS[1]}}\n"
      "  local words='' machines=''\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '{1} --help --version' -- \"$current\")\n"
      "    return\n"
      "  fi\n"
      "  case $command in\n",
      program, names_of(commands));
  for (CLI::App* command : commands) {
    text += fmt::format("    {})\n      case $before in\n", command->get_name());
    std::string names;
    for (const ShownOption& option : options_of(*command)) {
      for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
      if (!option.takes_value) continue;
      text += fmt::format("        {})\n", fmt::join(option.names, "|"));
      if (option.words.empty()) {
        text += "          mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n";
      } else {
        text += fmt::format("          mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\")\n",
                            option.words);
      }
      text += "          return ;;\n";
    }
    text += fmt::format("      esac\n      words='{}'\n", names);
    if (const std::string words = first_words(*command, names_of(commands)); !words.empty())
      text += fmt::format("      words+=' {}'\n", words);
    if (takes_machines(*command))
      text += fmt::format(
          "      [[ $current == -* ]] || machines=$({} info --machines 2>/dev/null)\n", program);
    text += "      ;;\n";
  }
  return text + fmt::format(
                    "  esac\n"
                    "  mapfile -t COMPREPLY < <(compgen -W \"$words $machines\" -- \"$current\"; "
                    "compgen -f -- \"$current\")\n"
                    "}}\n"
                    "complete -o filenames -F _{0} {0}\n",
                    program);
}

std::string zsh_script(CLI::App& app) {
  const std::string program = app.get_name();
  const std::vector<CLI::App*> commands = commands_of(app);
  std::string text = fmt::format(
      "#compdef {0}\n# Completion of {0} in zsh, made by '{0} help --completion zsh'.\n"
      "_{0}() {{\n  local -a commands\n  commands=(\n",
      program);
  for (CLI::App* command : commands)
    text += fmt::format("    '{}:{}'\n", command->get_name(),
                        short_meaning(command->get_description()));
  text += fmt::format(
      "  )\n"
      "  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n"
      "  local -a machines\n  machines=(${{(f)\"$({} info --machines 2>/dev/null)\"}})\n"
      "  shift words\n  ((CURRENT--))\n"
      "  case $command in\n",
      program);
  for (CLI::App* command : commands) {
    text += fmt::format("    {})\n      _arguments \\\n", command->get_name());
    for (const ShownOption& option : options_of(*command)) {
      for (const std::string& name : option.names) {
        std::string value;
        if (option.takes_value)
          value = option.words.empty() ? ":value:_files" : fmt::format(":value:({})", option.words);
        text += fmt::format("        '*{}[{}]{}' \\\n", name, option.meaning, value);
      }
    }
    if (takes_machines(*command)) {
      text += "        '*:machine:{ compadd -a machines; _files }'\n";
    } else if (const std::string words = first_words(*command, names_of(commands));
               !words.empty()) {
      text += fmt::format("        '1:word:({})'\n", words);
    } else {
      text += "        '*:file:_files'\n";
    }
    text += "      ;;\n";
  }
  return text + fmt::format("  esac\n}}\n_{} \"$@\"\n", program);
}

std::string fish_script(CLI::App& app) {
  const std::string program = app.get_name();
  const std::vector<CLI::App*> commands = commands_of(app);
  std::string text =
      fmt::format("# Completion of {0} in fish, made by '{0} help --completion fish'.\n", program);
  for (CLI::App* command : commands)
    text += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d '{}'\n", program,
                        command->get_name(), short_meaning(command->get_description()));
  for (CLI::App* command : commands) {
    const std::string where = fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'",
                                          program, command->get_name());
    if (takes_machines(*command))
      text += fmt::format("{} -a '({} info --machines 2>/dev/null)'\n", where, program);
    if (const std::string words = first_words(*command, names_of(commands)); !words.empty())
      text += fmt::format("{} -f -a '{}'\n", where, words);
    for (const ShownOption& option : options_of(*command)) {
      text += where;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value)
        text += option.words.empty() ? " -r" : fmt::format(" -x -a '{}'", option.words);
      text += fmt::format(" -d '{}'\n", option.meaning);
    }
  }
  return text;
}

}  // namespace

std::string completion_script(CLI::App& app, const std::string& shell) {
  constexpr auto kShells = std::to_array<std::string_view>({"bash", "zsh", "fish"});
  switch (parse_word("--completion", shell, kShells)) {
    case 0:
      return bash_script(app);
    case 1:
      return zsh_script(app);
    default:
      return fish_script(app);
  }
}

}  // namespace fredsim

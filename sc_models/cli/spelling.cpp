// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fredsim {

namespace {

// "-x" or "--name", but neither "-" (standard output) nor a negative number.
bool looks_like_option(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && text != "--" && (text[1] < '0' || text[1] > '9');
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

[[noreturn]] void refuse_command(const CLI::App& app, std::string_view found,
                                 std::span<const Alias> aliases) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  // Example: "version".
  const std::string option = fmt::format("--{}", found);
  if (app.get_option_no_throw(option) != nullptr)
    throw BadInput(fmt::format("command: found '{}'; did you mean '{}'?", found, option));
  const std::vector<std::string_view> words(names.begin(), names.end());
  throw BadInput(
      fmt::format("command: found '{}'; {}", found,
                  advice(found, words,
                         {.aliases = aliases, .more = fmt::format("{} --help", app.get_name())})));
}

// Refuses an unknown option; `name` has no value part.
[[noreturn]] void refuse_option(const CLI::App& app, const std::string& where,
                                const std::string& name, const SpellingHints& hints) {
  const std::vector<std::string> names = option_names(app);
  const std::vector<std::string_view> words(names.begin(), names.end());
  const auto refusal = [&](const std::string& end) {
    return BadInput(fmt::format("option of {}: found '{}'; {}", where, name, end));
  };
  if (const std::string_view same = same_word(name, words, hints.options); !same.empty())
    throw refusal(fmt::format("did you mean '{}'?", same));
  if (const std::string end = hints.answer ? hints.answer(name, app) : ""; !end.empty())
    throw refusal(end);
  throw refusal(
      advice(name, words, {.aliases = hints.options, .more = fmt::format("{} --help-all", where)}));
}

// Checks one "--name", "--name=value", "-x" or "-xvalue"; returns true if the next argument is its
// value.
bool check_option(const CLI::App& app, const std::string& where, std::string_view text,
                  const SpellingHints& hints) {
  const bool is_long = text.starts_with("--");
  const std::size_t name_end = is_long ? text.find('=') : 2;
  const std::string name(text.substr(0, name_end));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr) refuse_option(app, where, name, hints);
  const bool has_value = name_end < text.size();
  if (option->get_items_expected_max() == 0) {
    if (has_value && is_long) {
      throw BadInput(fmt::format("{0}: found '{1}'; allowed: {0} alone, it takes no value", name,
                                 text.substr(name_end)));
    }
    return false;
  }
  if (has_value && is_long && name_end + 1 == text.size()) {
    throw BadInput(fmt::format("{}: found no value after '='", name));
  }
  return !has_value;
}

// Checks for "rate=0.1", the syntax of other simulators, in place of "--rate 0.1".
void check_setting(const CLI::App& app, const std::string& where, std::string_view text,
                   const SpellingHints& hints) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || text.find_first_of("@/.:,") < equals) return;
  const std::vector<std::string> names = option_names(app);
  const std::vector<std::string_view> words(names.begin(), names.end());
  const std::string_view option = same_word(text.substr(0, equals), words, hints.options);
  if (option.empty()) return;
  throw BadInput(fmt::format("{}: found '{}'; did you mean '{} {}'?", where, text, option,
                             text.substr(equals + 1)));
}

}  // namespace

void check_spelling(const CLI::App& app, std::span<const char* const> arguments,
                    const SpellingHints& hints) {
  const CLI::App* scope = &app;
  std::string where = app.get_name();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view text = arguments[i];
    if (text == "--") return;
    if (looks_like_option(text)) {
      if (!check_option(*scope, where, text, hints)) continue;
      ++i;
      const bool has_next = i < arguments.size();
      const std::string_view next = has_next ? arguments[i] : "";
      // An empty text would later count as an absent option.
      if (next.empty() || looks_like_option(next)) {
        const std::string value = scope->get_option(std::string(text))->get_type_name();
        throw BadInput(fmt::format("{}: found no value after it{}{}", text,
                                   has_next ? fmt::format(" but '{}'", next) : "",
                                   value.empty() ? "" : "; allowed: " + value));
      }
    } else if (scope == &app && !app.get_subcommands({}).empty()) {
      for (const CLI::App* command : app.get_subcommands({}))
        if (command->get_name() == text) scope = command;
      if (scope == &app) refuse_command(app, text, hints.commands);
      where = app.get_name() + " " + scope->get_name();
    } else if (text.empty()) {
      throw BadInput(fmt::format("{}: found an empty argument", where));
    } else {
      check_setting(*scope, where, text, hints);
    }
  }
}

}  // namespace fredsim

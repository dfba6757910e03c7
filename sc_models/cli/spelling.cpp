// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"

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

[[noreturn]] void fail_unknown(const std::string& what, std::string_view found,
                               const std::vector<std::string>& allowed) {
  const std::vector<std::string_view> words(allowed.begin(), allowed.end());
  const bool is_letter = found.size() <= 2;  // every letter is near every other
  throw BadInput(fmt::format("{}: found '{}'; allowed: {}{}", what, found, join_words(words),
                             is_letter ? "" : did_you_mean(found, words)));
}

// One "--name", "--name=value", "-x" or "-xvalue"; whether the next argument is its value.
bool check_option(const CLI::App& app, const std::string& where, std::string_view text) {
  const bool is_long = text.starts_with("--");
  const std::size_t name_end = is_long ? text.find('=') : 2;
  const std::string name(text.substr(0, name_end));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr) {
    fail_unknown("option of " + where, is_long ? name : std::string(text), option_names(app));
  }
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

}  // namespace

void check_spelling(const CLI::App& app, std::span<const char* const> arguments) {
  const CLI::App* scope = &app;
  std::string where = app.get_name();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view text = arguments[i];
    if (text == "--") return;
    if (looks_like_option(text)) {
      if (!check_option(*scope, where, text)) continue;
      ++i;
      const bool has_next = i < arguments.size();
      const std::string_view next = has_next ? arguments[i] : "";
      // An empty text would later pass for an option that is not there.
      if (next.empty() || looks_like_option(next)) {
        const std::string value = scope->get_option(std::string(text))->get_type_name();
        throw BadInput(fmt::format("{}: found no value after it{}{}", text,
                                   has_next ? fmt::format(" but '{}'", next) : "",
                                   value.empty() ? "" : "; allowed: " + value));
      }
    } else if (scope == &app && !app.get_subcommands({}).empty()) {
      std::vector<std::string> commands;
      for (const CLI::App* command : app.get_subcommands({})) {
        commands.push_back(command->get_name());
        if (command->get_name() == text) scope = command;
      }
      if (scope == &app) fail_unknown("command", text, commands);
      where = app.get_name() + " " + scope->get_name();
    } else if (text.empty()) {
      throw BadInput(fmt::format("{}: found an empty argument", where));
    }
  }
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "cli/parse_problem.h"

#include <fmt/format.h>

namespace fredsim {
namespace {

std::string name_of(const CLI::Option& option) { return option.get_name(); }

// "one", "2", "2 or more", "1 to 3"
std::string allowed_count(const CLI::Option& option) {
  const int low = option.get_items_expected_min();
  const int high = option.get_items_expected_max();
  if (high >= CLI::detail::expected_max_vector_size) return fmt::format("{} or more", low);
  if (low == high) return low == 1 ? "one" : fmt::to_string(low);
  return fmt::format("{} to {}", low, high);
}

// Problem with the number of values of an option; empty: none.
std::string count_problem(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";  // a flag, which counts its occurrences
  const auto found = static_cast<int>(option.count());
  if (found == 0 && !option.get_required()) return "";
  const bool fits =
      found >= option.get_items_expected_min() && found <= option.get_items_expected_max();
  if (fits && found > 0) return "";
  const std::string name = name_of(option);
  const std::string values = option.get_positional() ? name : found > 1 ? "values" : "value";
  return fmt::format("{}found {} {}; allowed: {}", option.get_positional() ? "" : name + ": ",
                     found == 0 ? "no" : fmt::to_string(found), values, allowed_count(option));
}

// An option that excludes another given option; empty: none.
std::string clash(const CLI::Option& option) {
  if (option.count() == 0) return "";
  for (const CLI::Option* other : option.get_excludes()) {
    if (other->count() == 0) continue;
    return fmt::format("{}: found together with {}; allowed: one of them", name_of(option),
                       name_of(*other));
  }
  return "";
}

// Problem with a second word for a single argument: a setting in the syntax of other simulators, or
// another machine.
std::string extra_word(const CLI::App& app, const CLI::App& command, const std::string& word,
                       std::string_view several) {
  const std::string found = fmt::format("{}: found '{}' beside a first", command.get_name(), word);
  if (word.find('=') != std::string::npos && command.get_option_no_throw("--set") != nullptr)
    return fmt::format("{}; did you mean '--set {}'?", found, word);
  if (!several.empty())
    return fmt::format("{} machine; did you mean '{} {}'?", found, app.get_name(), several);
  return fmt::format("{}; allowed: one ({} {} --help)", found, app.get_name(), command.get_name());
}

}  // namespace

std::string parse_problem(const CLI::App& app, std::string_view several) {
  const CLI::App* scope = &app;
  for (const CLI::App* parsed : app.get_subcommands()) scope = parsed;
  std::string problem;
  for (const CLI::Option* option : scope->get_options()) {
    if (problem.empty() && option->get_positional() && option->count() > 1 &&
        option->get_items_expected_max() == 1)
      return extra_word(app, *scope, option->results()[1], several);
    if (problem.empty()) problem = count_problem(*option);
    if (problem.empty()) problem = clash(*option);
  }
  const std::vector<std::string> left = app.remaining(true);
  if (problem.empty() && !left.empty()) {
    problem = fmt::format("found '{}', which it does not take", left.front());
  }
  if (problem.empty()) problem = "found options that do not go together";
  if (scope == &app) return fmt::format("{} ({} --help)", problem, app.get_name());
  return fmt::format("{0}: {1} ({2} {0} --help)", scope->get_name(), problem, app.get_name());
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Options as all commands add them: collected as text, checked later (option_values.h), so that every
// message has the same form.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

// Headings of options in --help-all, the manual page and the reference.
namespace heading {
inline constexpr const char* kWork = "Work";
inline constexpr const char* kTraining = "Training";
inline constexpr const char* kInference = "Inference";
inline constexpr const char* kExperts = "Experts";
inline constexpr const char* kPlacement = "Placement";
inline constexpr const char* kSystems = "Systems";
inline constexpr const char* kNetwork = "Network search";
inline constexpr const char* kMachine = "Machine";
inline constexpr const char* kModel = "Model";
inline constexpr const char* kOutput = "Output";
inline constexpr const char* kWaves = "Waves";
inline constexpr const char* kLimits = "Limits";
inline constexpr const char* kHelp = "Help";
}  // namespace heading

// Options added from here on stand under this heading.
inline void under(CLI::App& command, const char* heading) {
  command.option_defaults()->group(heading);
}

// Arguments and options under their headings, in the order in which the first of each was added.
struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
inline std::vector<OptionGroup> option_groups(const CLI::App& app) {
  std::vector<OptionGroup> groups;
  for (const std::string& name : app.get_groups())
    groups.push_back({name, app.get_options([&](const CLI::Option* option) {
                        return option->get_group() == name;
                      })});
  return groups;
}

// `meaning`: its first sentence is all that --help has of it.
inline CLI::Option* add(CLI::App& command, const char* name, std::string& text, const char* value,
                        const std::string& meaning) {
  return command.add_option(name, text, meaning)->type_name(value);
}

// An option that may come several times, each with one value.
inline CLI::Option* add(CLI::App& command, const char* name, std::vector<std::string>& texts,
                        const char* value, const std::string& meaning) {
  return command.add_option(name, texts, meaning)->type_name(value)->allow_extra_args(false);
}

// Words that shells offer for a value, blanks between them. Kept as the name of a validator that takes everything.
inline void offer(CLI::Option* option, const std::string& words) {
  option->check(CLI::Validator([](std::string&) { return std::string(); }, "").name(words));
}

// The same, of the words that the value's check allows.
inline void offer(CLI::Option* option, std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : " ") + std::string(word);
  offer(option, text);
}

// Those words; empty: none.
inline std::string offered(CLI::Option& option) {
  try {
    return option.get_validator(0)->get_name();
  } catch (const CLI::OptionNotFound&) {
    return "";
  }
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Options as all commands add them: collected as text, checked later (option_values.h), so that every
// message has the same form.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/option_row.h"

namespace fredsim {

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

// An option of a row.
inline void add(CLI::App& command, const OptionText& option, std::string& text) {
  under(command, option.heading);
  if (option.value == nullptr) {
    command.add_flag_function(
        option.name, [&text](std::int64_t count) { text = count > 0 ? "true" : ""; },
        option.meaning);
    return;
  }
  CLI::Option* const added = add(command, option.name, text, option.value, option.meaning);
  const std::string_view words = option.offer.empty() ? option.words : option.offer;
  if (!words.empty()) offer(added, std::string(words));
}

// Adds every option of a table.
template <class Options>
void add_rows(CLI::App& command, std::span<const OptionRow<Options>> rows, OptionTexts& texts) {
  for (const OptionRow<Options>& row : rows) add(command, row.text, texts[row.text.name]);
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

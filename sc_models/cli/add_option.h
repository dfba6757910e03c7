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

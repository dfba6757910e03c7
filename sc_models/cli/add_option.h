// SPDX-License-Identifier: Apache-2.0
// Adds options of commands to the command line from the rows of tables (results/option_row.h).
// Values are collected as text and read once all are present, so every message has the same form.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/option_row.h"

namespace fredsim {

// Puts options added from here on under this heading.
inline void under(CLI::App& command, const char* heading) {
  command.option_defaults()->group(heading);
}

// Group of arguments and options under one heading; groups are ordered by their first addition.
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

// Offers words, separated by blanks, to shells that complete a value. The words are the name of a
// validator that accepts everything.
inline void offer(CLI::Option* option, const std::string& words) {
  option->check(CLI::Validator([](std::string&) { return std::string(); }, "").name(words));
}

// Offers the words that the value's check allows.
inline void offer(CLI::Option* option, std::span<const std::string_view> words) {
  offer(option, fmt::format("{}", fmt::join(words, " ")));
}

// Adds an option or argument from its row.
inline CLI::Option* add(CLI::App& command, const OptionText& option, OptionTexts& texts) {
  under(command, option.heading);
  const std::string meaning =
      option.meaning + (option.more_meaning == nullptr ? "" : option.more_meaning());
  if (option.value == nullptr)
    return command.add_flag_function(
        option.name,
        [&text = texts[option.name]](std::int64_t count) { text = count > 0 ? "true" : ""; },
        meaning);
  std::vector<std::string>& all = texts.list(option.name);
  CLI::Option* const added =
      option.is_list()
          ? command.add_option(option.name, all, meaning)
          : command.add_option_function<std::string>(
                option.name, [&all](const std::string& text) { all = {text}; }, meaning);
  added->type_name(option.value)->required(option.least > 0);
  if (option.is_list() && option.is_argument())
    added->expected(option.least, std::min(option.most, CLI::detail::expected_max_vector_size));
  else if (option.is_list())
    added->allow_extra_args(false);
  const std::string_view words = option.offer.empty() ? option.words : option.offer;
  if (option.more_words != nullptr)
    offer(added, option.more_words());
  else if (!words.empty())
    offer(added, std::string(words));
  return added;
}

// Options of a command: tables, given texts, and the values read from them.
class OptionSet {
 public:
  // Adds the options of tables, which read() stores in `options`.
  template <class Options, class... Tables>
  void add(CLI::App& command, Options& options, const Tables&... tables) {
    (add_given(command, tables), ...);
    (reads_.emplace_back([this, tables, &options] { read_rows(tables, texts, options); }), ...);
  }
  // Adds options whose texts are read by the code that completes them.
  template <class Rows>
  void add_given(CLI::App& command, const Rows& rows) {
    for (const auto& row : rows) fredsim::add(command, row.text, texts);
    flow_checks_.emplace_back([this, rows] { fredsim::refuse_with_flows(rows, texts); });
  }
  void read() const {
    for (const auto& read : reads_) read();
  }
  // Refuses given options that only flit-level runs have.
  void refuse_with_flows() const {
    for (const auto& check : flow_checks_) check();
  }

  OptionTexts texts;

 private:
  std::vector<std::function<void()>> reads_, flow_checks_;
};

// Words offered for a value; empty: none.
inline std::string offered(CLI::Option& option) {
  try {
    return option.get_validator(0)->get_name();
  } catch (const CLI::OptionNotFound&) {
    return "";
  }
}

}  // namespace fredsim

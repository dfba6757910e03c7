// SPDX-License-Identifier: Apache-2.0
#include "cli/program_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/long_words.h"
#include "base/units.h"
#include "cli/parse_problem.h"
#include "cli/spelling.h"

namespace fredsim {

ProgramOptions::ProgramOptions(std::string name, const std::string& purpose,
                               const std::string& examples)
    : name_(std::move(name)), app_(std::make_unique<CLI::App>(purpose, name_)) {
  app_->footer("Examples, at the top of a checkout:\n" + examples);
}

ProgramOptions::~ProgramOptions() = default;

CLI::Option* ProgramOptions::add(const std::string& option, std::string& text,
                                 const std::string& value, const std::string& meaning) {
  return app_->add_option(option, text, meaning)->type_name(value);
}

CLI::Option* ProgramOptions::add_flag(const std::string& option, bool& flag,
                                      const std::string& meaning) {
  return app_->add_flag(option, flag, meaning);
}

CLI::Option* ProgramOptions::add_number(const std::string& option, const std::string& meaning,
                                        std::uint64_t min, std::uint64_t max,
                                        std::function<void(std::uint64_t)> take) {
  std::string& text = texts_.emplace_back();
  checks_.emplace_back([&text, option, min, max, take = std::move(take)] {
    if (!text.empty()) take(parse_number(text, option, min, max));
  });
  return app_->add_option(option, text, meaning)->type_name("N");
}

void ProgramOptions::parse_or_throw(std::span<char* const> arguments) {
  check_spelling(*app_, {arguments.data(), arguments.size()});
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());  // reversed, for CLI11
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::ParseError&) {
    throw BadInput(parse_problem(*app_));
  }
  for (const auto& check : checks_) check();
}

std::optional<int> ProgramOptions::parse(std::span<char* const> arguments) {
  try {
    parse_or_throw(arguments);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app_->help());
    return 0;
  } catch (const std::exception& error) {
    return report_error(name_, error);
  }
}

int report_error(const std::string& program, const std::exception& error) {
  std::fflush(stdout);
  fmt::print(stderr, "{}: {}\n", program, with_short_words(error.what()));
  const auto* known = dynamic_cast<const Error*>(&error);
  return static_cast<int>(known == nullptr ? ExitCode::kFailed : known->code());
}

}  // namespace fredsim

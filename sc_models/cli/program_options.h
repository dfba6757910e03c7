// SPDX-License-Identifier: Apache-2.0
// The command line of a testbench or measuring program: its options, --help, and what becomes of
// anything else.
//
// Help: purpose, arguments and options with their defaults, examples. Lines have 100 columns at most if
//   purposes, meanings and examples keep to it: a meaning begins in column 30, further lines of it after '\n'.
// Errors: parse() prints what was found and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fredsim {

class ProgramOptions {
 public:
  // `examples`: command lines as typed at the top of a checkout, one per line.
  ProgramOptions(std::string name, const std::string& purpose, const std::string& examples);

  const std::string& name() const { return name_; }
  CLI::App& app() { return app_; }
  // With a value `value` ("FILE.fst"). `text` keeps what it has where the option is not there.
  CLI::Option* add(const std::string& option, std::string& text, const std::string& value,
                   const std::string& meaning);
  // A whole number, `least` or more.
  template <typename Number>
  CLI::Option* add(const std::string& option, Number& number, std::uint64_t min,
                   const std::string& meaning) {
    CLI::Option* const added = app_.add_option(option, texts_.emplace_back(), meaning);
    checks_.emplace_back([this, option, &number, min, index = texts_.size() - 1] {
      constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
      if (!texts_[index].empty())
        number = static_cast<Number>(number_of(texts_[index], option, min, kMax));
    });
    return added->type_name("N");
  }
  CLI::Option* add_flag(const std::string& option, bool& flag, const std::string& meaning);

  // The exit code, where the program is to end: 0 after --help, 2 after a message. `arguments` without the
  // program's name.
  std::optional<int> parse(std::span<char* const> arguments);

 private:
  static std::uint64_t number_of(const std::string& text, const std::string& option,
                                 std::uint64_t min, std::uint64_t max);
  void parse_or_throw(std::span<char* const> arguments);

  std::string name_;
  CLI::App app_;
  std::deque<std::string> texts_;  // texts of numbers, which are checked last
  std::vector<std::function<void()>> checks_;
};

// Prints the error as "NAME: what"; its exit code.
int report_error(const std::string& program, const std::exception& error);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// The command line of a testbench or measuring program: its options, --help, and what becomes of
// anything else.
//
// Help: purpose, arguments and options with their defaults, examples. Lines have 100 columns at
//   most if purposes, meanings and examples keep to it: a meaning begins in column 30, further
//   lines of it after '\n'.
// Errors: parse() prints what was found and what is allowed.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;     // <CLI/CLI.hpp>, which takes a second and more to compile
class Option;  // the same
}  // namespace CLI

namespace fredsim {

class ProgramOptions {
 public:
  // `examples`: command lines as typed at the top of a checkout, one per line.
  ProgramOptions(std::string name, const std::string& purpose, const std::string& examples);
  ~ProgramOptions();
  ProgramOptions(const ProgramOptions&) = delete;
  ProgramOptions& operator=(const ProgramOptions&) = delete;

  const std::string& name() const { return name_; }
  CLI::App& app() { return *app_; }
  // With a value `value` ("FILE.fst"). `text` keeps what it has where the option is not there.
  CLI::Option* add(const std::string& option, std::string& text, const std::string& value,
                   const std::string& meaning);
  // A whole number, `least` or more.
  template <typename Number>
  CLI::Option* add(const std::string& option, Number& number, std::uint64_t min,
                   const std::string& meaning) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
    return add_number(option, meaning, min, kMax,
                      [&number](std::uint64_t value) { number = static_cast<Number>(value); });
  }
  CLI::Option* add_flag(const std::string& option, bool& flag, const std::string& meaning);

  // The exit code, where the program is to end: 0 after --help, 2 after a message. `arguments`
  // without the program's name.
  std::optional<int> parse(std::span<char* const> arguments);

 private:
  CLI::Option* add_number(const std::string& option, const std::string& meaning, std::uint64_t min,
                          std::uint64_t max, std::function<void(std::uint64_t)> take);
  void parse_or_throw(std::span<char* const> arguments);

  std::string name_;
  std::unique_ptr<CLI::App> app_;
  std::deque<std::string> texts_;  // texts of numbers, which are checked last
  std::vector<std::function<void()>> checks_;
};

// Prints the error as "NAME: what"; its exit code.
int report_error(const std::string& program, const std::exception& error);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Command line of a testbench or measuring program: its options, --help, and messages for other
// words.
//
// Help: purpose, arguments and options with their defaults, examples. Lines have 100 columns at
//   most if purposes, meanings and examples do: a meaning begins in column 30, and so do its
//   further lines after '\n'.
// Errors: parse() prints the found value and the allowed values.
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
class Option;  // <CLI/CLI.hpp>, too
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
  // Adds an option with a value named `value` ("FILE.fst"). `text` is unchanged if the option is
  // absent.
  CLI::Option* add(const std::string& option, std::string& text, const std::string& value,
                   const std::string& meaning);
  // Adds a whole number, `least` or more.
  template <typename Number>
  CLI::Option* add(const std::string& option, Number& number, std::uint64_t min,
                   const std::string& meaning) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
    return add_number(option, meaning, min, kMax,
                      [&number](std::uint64_t value) { number = static_cast<Number>(value); });
  }
  CLI::Option* add_flag(const std::string& option, bool& flag, const std::string& meaning);

  // Parses the arguments, given without the program's name. Returns the exit code if the program
  // must end: 0 after --help, 2 after a message.
  std::optional<int> parse(std::span<char* const> arguments);

 private:
  CLI::Option* add_number(const std::string& option, const std::string& meaning, std::uint64_t min,
                          std::uint64_t max, std::function<void(std::uint64_t)> take);
  void parse_or_throw(std::span<char* const> arguments);

  std::string name_;
  std::unique_ptr<CLI::App> app_;
  std::deque<std::string> texts_;  // texts of numbers, checked last
  std::vector<std::function<void()>> checks_;
};

// Prints the error as "NAME: what" and returns its exit code.
int report_error(const std::string& program, const std::exception& error);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Readers of bytes that users give: a fuzzer or a test may call each with anything.
//
// Purpose: an input is accepted, or refused by a message as the contract of exit codes has it (base/error.h). All else is a fault: another
//   exception, a message that does not name the file, what a sanitizer finds, a time-out.
// Errors: std::logic_error where a message is not as it shall be; what the readers throw beside Error goes through.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim::fuzz {

struct Target {
  std::string_view name;
  std::string_view reads;
  bool (*accepts)(std::string_view input);
  std::vector<std::string> (*seeds)();  // inputs that it accepts
  friend std::ostream& operator<<(std::ostream& out, const Target& target) {
    return out << target.name;
  }
};

std::span<const Target> targets();

}  // namespace fredsim::fuzz

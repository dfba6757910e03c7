// SPDX-License-Identifier: Apache-2.0
// Readers of bytes from users: a fuzzer or a test may call each with anything.
//
// Purpose: an input is accepted, or refused by a message as the contract of exit codes requires
//   (base/error.h). Everything else is a fault: another exception, a message that does not name the
//   file, a sanitizer report, a time-out.
// Errors: std::logic_error if a message violates the contract; exceptions of the readers other than
//   Error pass through.
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
std::span<const Target> workload_targets();  // part of them

}  // namespace fredsim::fuzz

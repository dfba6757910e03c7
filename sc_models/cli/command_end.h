// SPDX-License-Identifier: Apache-2.0
// End of a command, whatever it is that ends it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fredsim {

inline constexpr const char* kStdoutFailed = "standard output: cannot be written";

struct CommandEnd {
  ExitCode code = ExitCode::kDone;
  std::string text;      // empty: nothing went wrong
  bool by_rank = false;  // only since another one ended
};

// Before anything else, in a process that runs a command: a file over the size limit, and an
// exception that cannot be caught, end it in order, and SystemC leaves standard output to the
// results.
void begin_process();

CommandEnd end_of(const std::function<void()>& command);

// A message as it is printed: quoted input may be long, and may hold what a terminal would obey.
// `words`: those of the command line.
std::string printed_message(const std::string& message, std::span<const std::string_view> words);

}  // namespace fredsim

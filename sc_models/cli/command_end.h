// SPDX-License-Identifier: Apache-2.0
// End of a command: its exit code and message, for every way in which it can end.
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
  std::string text;      // empty: no error
  bool by_rank = false;  // ended only because another rank ended
};

// Prepares a process that runs a command; called first. A file over the size limit and an
// uncatchable exception end the command in order, and SystemC leaves standard output to the
// results.
void begin_process();

CommandEnd end_of(const std::function<void()>& command);

// Message as printed: long quoted input is shortened, and control characters for terminals are
// replaced. `words`: words of the command line.
std::string printed_message(const std::string& message, std::span<const std::string_view> words);

}  // namespace fredsim

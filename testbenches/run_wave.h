// The --wave FILE.fst of a testbench's main(): one short, fixed piece of work in a waveform file.
//
// Prints what `record` says that the file holds. Returns the exit code: 0, 1 when the work failed, 2 for arguments
// that are not allowed or a file that cannot be written.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fredsim::tb {

// `record`: does the work, writes the file whose path it is given, returns what is in it, one line. `arguments`:
// after --wave.
template <class Record>
int run_wave(std::string_view program, const Record& record,
             std::span<const char* const> arguments) {
  if (arguments.size() != 1) {
    fmt::print(stderr, "{}: --wave: found {} arguments; allowed: one, FILE.fst\n", program,
               arguments.size());
    return 2;
  }
  try {
    fmt::print("{}: {}\n", arguments[0], record(std::string(arguments[0])));
    return 0;
  } catch (const BadInput& error) {
    fmt::print(stderr, "{}: --wave: {}\n", program, error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: --wave: {}\n", program, error.what());
    return 1;
  }
}

}  // namespace fredsim::tb

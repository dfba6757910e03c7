// SPDX-License-Identifier: Apache-2.0
// The --wave FILE.fst of a testbench's main(): one short, fixed piece of work in a waveform file.
//
// Prints what `record` says that the file holds. Returns the exit code: 0, 1 when the work failed, 2 for a file
// that cannot be written.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fredsim::tb {

// `record`: does the work, writes the file whose path it is given, returns what is in it, one line.
template <class Record>
int run_wave(std::string_view program, const Record& record, const std::string& file) {
  try {
    fmt::print("{}: {}\n", file, record(file));
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

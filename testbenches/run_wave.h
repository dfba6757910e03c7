// SPDX-License-Identifier: Apache-2.0
// Option --wave FILE.fst of a testbench's main(): one short, fixed piece of work in a waveform
// file.
//
// Prints the description of the file returned by `record`. Returns the exit code: 0, 1 when the
// work failed, 2 for a file that cannot be written.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fredsim::tb {

// Callback `record`: does the work, writes the file at the given path, returns a description of it,
// one line.
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

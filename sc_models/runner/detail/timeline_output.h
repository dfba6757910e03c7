// SPDX-License-Identifier: Apache-2.0
// Writes a timeline (results/timeline.h) to the file of --timeline, as protobuf where its name says
// so, else as JSON, and prints a line about the events that did not fit.
//
// `shares`: how the events of a file are divided, "" for none. `hint`: how to show more events.
// Errors: errors of OutputFile::write().
#pragma once

#include <string_view>

#include "report/output_file.h"
#include "results/timeline.h"

namespace fredsim {

void write_timeline(const OutputFile& file, const Timeline& timeline, std::string_view shares,
                    std::string_view hint);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// A timeline (results/timeline.h) in the file that --timeline names, and a line about the events
// that have no place in it.
//
// `shares`: in which a file's events are divided, "" for none. `hint`: by what more of them are
// shown.
// Errors: those of OutputFile::write().
#pragma once

#include <string_view>

#include "report/output_file.h"
#include "results/timeline.h"

namespace fredsim {

void write_timeline(const OutputFile& file, const Timeline& timeline, std::string_view shares,
                    std::string_view hint);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// --work FILE.yaml and --matrix FILE: what does not fit on a command line.
//
// A work file is a YAML list of collectives that run at the same time unless it says otherwise, each a map of
//   collective, algorithm, root, priority, size: as the options of the same names
//   groups: all, or a list of groups, each a list of worker ranks (--placement; without it
//     NPUs) and I/O controllers, as --group has them: [[0, 1], [2, 3]], [[io0, all]]
//   start: when it may send first, from the beginning of the run: 200 ns, or cycles: 300
//   name: by which others come after it
//   after: a name, {name: NAME, rank: own or all}, or a list of these. An NPU begins when its own part in those is complete
//     (own, as without it), or, where it has none there, when all of it is; with all, when all of it is everywhere. A part is
//     complete when its results have come and its last packet has been handed to the NIC.
//   delay: time that passes before it, after what it comes after is complete, or else from the beginning of the run
//   repeat: so many of it, each after the one before (own) and after the delay; what comes after it comes after the last
// A matrix file has N rows of N sizes in bytes, from rank i to rank j: JSON [[0, 10], [20, 0]], or
//   CSV with commas or blanks between them.
// Errors: BadInput with file, line and key where there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/work_options.h"

namespace fredsim {

// The text of a file of up to 64 MiB; `option` is what names it in a message.
std::string read_yaml_text(const std::string& path, const char* option);

std::vector<WorkItem> read_work_file(const std::string& path);
std::vector<std::uint64_t> read_matrix(const std::string& path);  // row by row

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// --work FILE.yaml and --matrix FILE: what does not fit on a command line.
//
// A work file is a YAML list of collectives that run at the same time unless it says otherwise;
//   rows of work_file_keys() say their keys.
// A matrix file has N rows of N sizes in bytes, from rank i to rank j: JSON [[0, 10], [20, 0]], or
//   CSV with commas or blanks between them.
// Errors: BadInput with file, line and key where there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_key.h"
#include "runner/work_options.h"

namespace fredsim {

const FileKeys& work_file_keys();
std::vector<WorkItem> read_work_file(const std::string& path);
std::vector<std::uint64_t> read_matrix(const std::string& path);  // row by row

}  // namespace fredsim

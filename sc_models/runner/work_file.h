// SPDX-License-Identifier: Apache-2.0
// Reads --work FILE.yaml and --matrix FILE: input that is too large for a command line.
//
// A work file is a YAML list of collectives that run concurrently unless the file orders them; the
//   rows of work_file_keys() define the keys.
// A matrix file has N rows of N sizes in bytes, from rank i to rank j: JSON [[0, 10], [20, 0]], or
//   CSV with commas or blanks between the sizes.
// Errors: BadInput with file, line and key if known.
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

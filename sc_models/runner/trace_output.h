// SPDX-License-Identifier: Apache-2.0
// Writes execution traces: PREFIX.RANK.et of every rank and PREFIX.groups.json, for --trace and
// --comm-groups.
//
// PREFIX.ranks.json names shared files and their ranks (workload_files/rank_manifest.h).
// Either all files are written, replacing older files of these names, or none, and the older files
// stay.
// Errors: BadInput naming the option, the file and the reason; BadInput for an older file PREFIX.RANK.et of a
//   rank beyond the last one, or an older manifest, since it would be read as part of the trace.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/output_file.h"
#include "workload/trace_export.h"

namespace fredsim {

std::string trace_file(const std::string& prefix, std::size_t rank);
std::string groups_file(const std::string& prefix);

class TraceOutput {
 public:
  // Checks at once that the files can be written.
  TraceOutput(const std::string& prefix, std::size_t traces, const std::string& option,
              bool has_manifest = false);
  // `traces` files, and the manifest where it has one.
  void write(const TraceTexts& texts) const;

 private:
  std::vector<OutputFile> files_;  // traces, groups, manifest
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// The files of --export-et: PREFIX.RANK.et of every rank and PREFIX.groups.json, for --trace and
// --comm-groups.
//
// All are written, in place of older ones of these names, or none, and the older ones stay.
// Errors: BadInput naming the file and why; a file of a rank beyond these, PREFIX.RANK.et, that is
//   there from before, since it would be read as one of them.
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
  // Tries at once whether they can be written.
  TraceOutput(const std::string& prefix, std::size_t ranks);
  void write(const TraceTexts& texts) const;  // traces of `ranks` ranks

 private:
  std::vector<OutputFile> files_;  // files of ranks, then of the groups
};

}  // namespace fredsim

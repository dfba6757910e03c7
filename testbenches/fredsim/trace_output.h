// The files of --export-et: PREFIX.RANK.et of every rank and PREFIX.groups.json, for --trace and --comm-groups.
//
// Each is written whole or not at all, in place of an older one of that name; where one cannot be written, those that were
//   written before it are removed.
// Errors: BadInput naming the file and why; a file of a rank beyond these, PREFIX.RANK.et, that is there from before, since
//   it would be read as one of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "observe/output_file.h"
#include "workload/trace_export.h"

namespace fredsim {

std::string trace_file(const std::string& prefix, std::size_t rank);
std::string groups_file(const std::string& prefix);

class TraceOutput {
 public:
  // Tries at once whether they can be written.
  TraceOutput(std::string prefix, std::size_t ranks);
  void write(const TraceTexts& texts) const;  // of so many ranks

 private:
  std::vector<std::string> paths_;  // of ranks, then of the groups
  std::vector<OutputFile> files_;
};

}  // namespace fredsim

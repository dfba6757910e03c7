// The files of --export-et: PREFIX.RANK.et of every rank and PREFIX.groups.json, for --trace and --comm-groups.
//
// Each is written whole or not at all, in place of an older one of that name; where one cannot be written, those that were
//   written before it are removed.
// Errors: BadInput naming the file and why; a file of a rank beyond these, PREFIX.RANK.et, that is there from before, since
//   it would be read as one of them.
#pragma once

#include <string>

#include "workload/trace_export.h"

namespace fredsim {

std::string trace_file(const std::string& prefix, std::size_t rank);
std::string groups_file(const std::string& prefix);

void write_traces(const std::string& prefix, const TraceTexts& texts);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Files of a job's traces: PREFIX.RANK.ENDING, from rank 0 on.
//
// Endings: et, json, jsonl, each also with .gz; the ranks of a job have one ending. A word of a
//   command is a prefix, or the file of one rank, whose ending then counts. PREFIX.ranks.json, where
//   it is, says which ranks share a file (workload_files/rank_manifest.h).
// Errors: BadInput: no file of rank 0; a rank without a file although a later one has one; files of
//   rank 0 with several endings, of which the word names none.
#pragma once

#include <string>
#include <vector>

namespace fredsim {

struct TraceName {
  std::string prefix{};
  std::string ending{};  // ".et"; empty: any
};

TraceName trace_name(const std::string& word);
std::vector<std::string> trace_files(const TraceName& name);  // index: rank
// Files that a run may read, without errors: from rank 0 on, up to the first that is not there,
// included.
std::vector<std::string> possible_trace_files(const TraceName& name);

}  // namespace fredsim

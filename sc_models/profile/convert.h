// SPDX-License-Identifier: Apache-2.0
// Converts profiles of PyTorch, one per rank, to execution traces and their process groups.
//
// Ranks: by distributedInfo.rank where every profile has one, else in the order of the files. A
//   path with %d stands for the files with 0, 1, 2, … in its place.
// Groups: by name. PyTorch numbers groups in each process; a name that means other ranks elsewhere
//   is followed by @ and the first of its ranks.
// Copies: ranks that were not traced run the traces of others (detail/rank_copies.h); they share
//   files, and names of groups.
// Errors: BadInput with file and key: two files of one rank; other steps, other numbers of hosts
//   than profiles; other sizes of the job; a group in which a rank has other calls than another,
//   where all ranks are given; under 95 % of a profile's operations found in its host's trace; a rank of a
//   group outside of the job; errors of kineto.h, host_trace.h and profile_graph.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/host_trace.h"
#include "profile/profile_graph.h"
#include "profile/recorded_check.h"

namespace fredsim {

struct ConvertedRank {
  int rank = 0;
  std::string path{};
  std::uint64_t events = 0, unknown_events = 0;
  std::optional<HostJoin> join{};
  RecordedCheck check{};
  ProfileGraph graph{};  // its nodes have their groups
};

// Ranks beyond the given profiles.
struct RankCopies {
  int ranks = 0;                                       // of the job; 0: as the profile says
  int like = -1;                                       // rank that stands for all; -1: none
  std::vector<std::pair<std::string, int>> resized{};  // group, its ranks
  bool any() const { return ranks > 0 || like >= 0 || !resized.empty(); }
};

struct ConvertedProfiles {
  std::vector<ConvertedRank> ranks{};  // ascending
  std::vector<int> trace_of{};         // by rank of the job: place in `ranks`; empty: each its own
  int world = 0;                       // ranks of the job
  std::map<std::string, std::vector<int>> groups{};
};

std::vector<std::string> profile_paths(const std::vector<std::string>& given);

ConvertedProfiles convert_profiles(const std::vector<std::string>& profiles,
                                   const std::vector<std::string>& hosts,
                                   const ProfileOptions& options, const RankCopies& copies = {});

// A rank's trace as a file's text.
std::string trace_text(const ProfileGraph& graph);
// {"NAME": [ranks], …}
std::string groups_text(const ConvertedProfiles& converted);

}  // namespace fredsim

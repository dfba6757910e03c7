// SPDX-License-Identifier: Apache-2.0
// A job for observers of a run (engine/detail/run_observers.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "npu/collective_job.h"

namespace fredsim {

struct ObservedJob {
  CollectiveJob* job = nullptr;
  std::string name{};  // name of an operation, if there are several; empty: the only one
  std::vector<int>
      parts{};  // index: part of its plan; part of the result that counts it; empty: the same
  std::vector<int> copies{};  // index: tree; number of equal trees that it stands for; empty: one
                              // each

  int part(int of_plan) const { return parts.empty() ? of_plan : parts[of_plan]; }
  std::uint64_t count(int tree) const {
    return copies.empty() ? 1 : static_cast<std::uint64_t>(copies[tree]);
  }
  // "tree 3", "forward 2: tree 3".
  std::string tree_name(int tree) const;
  // "tree 3 #17", "forward 2: tree 3 #17"; on the control VC, for acknowledgements, "tree 3 up to
  // #16".
  std::string packet_name(int tree, std::uint32_t index, int vc) const;
};

// Jobs in flight, each with an observer's data, by the numbers of their trees.
template <class Known>
class ObservedJobs {
 public:
  struct Entry {
    ObservedJob of;
    Known known{};
  };
  struct Place {
    Entry* entry = nullptr;  // null: no job has the tree
    int tree = 0;            // index in its plan
  };

  Entry& add(const ObservedJob& job) {
    return jobs_.insert_or_assign(job.job->first_tree(), Entry{job, {}}).first->second;
  }
  Place find(int tree) {
    auto at = jobs_.upper_bound(tree);
    if (at == jobs_.begin()) return {};
    --at;
    const int local = tree - at->first;
    if (local >= static_cast<int>(at->second.of.job->plan().trees.size())) return {};
    return {&at->second, local};
  }
  Entry* find(const CollectiveJob& job) {
    const auto at = jobs_.find(job.first_tree());
    return at != jobs_.end() && at->second.of.job == &job ? &at->second : nullptr;
  }
  void remove(const CollectiveJob& job) { jobs_.erase(job.first_tree()); }
  void clear() { jobs_.clear(); }
  std::map<int, Entry>& all() { return jobs_; }

 private:
  std::map<int, Entry> jobs_;  // key: first tree
};

}  // namespace fredsim

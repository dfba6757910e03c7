// SPDX-License-Identifier: Apache-2.0
// Operations of execution traces that do not say their shapes: which nodes of different ranks are
// one, a collective or a message (trace_graph.h). Those that do: trace_joint.h.
//
// The k-th node of a process group, or of a source, destination and tag, at each of its ranks is of
//   the k-th operation there. The first rank that comes to one makes it; the others have to agree
//   with that rank.
// Memory: operations to which a rank has not come, and a count per rank and group.
// Errors: BadInput, naming file, node and field: those of trace_groups.h; ranks that do not agree
//   in type, size, root or priority of a collective, or of whom one lacks it; a root outside the
//   group; no bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/detail/trace_groups.h"
#include "workload/task_graph.h"
#include "workload_files/trace_node.h"

namespace fredsim {

class TraceMeetings {
 public:
  // Makes an operation, the `number`-th of a group, that of a node; gives its number.
  using Make = std::function<int(OperationShape shape, const TraceNode& node, int group,
                                 std::uint64_t number)>;

  // `members`: by rank of the traces (base/member.h). `algorithm`: of all collectives. `names`:
  // those of groups of operations, as TaskGraph::groups, are appended to it. Paths, groups and
  // names outlive it.
  TraceMeetings(const std::vector<std::string>& paths, const TraceGroups& groups,
                std::vector<int> members, std::string algorithm, std::vector<std::string>& names,
                Make make);

  void begin();  // from the first node of every rank on; groups keep their numbers
  // A rank's communication: the task's operation, rank and category. False: there is nobody else in
  // the group.
  bool join(int rank, const TraceNode& node, Task& task);
  void check() const;  // all nodes have been

 private:
  using Group = std::vector<int>;  // ranks of the traces
  // Messages of a source, destination and tag, or collectives of a process group: its name, and its
  // ranks, since of those along involved_dim many have one name.
  struct Key {
    std::string name;
    Group group;
    std::uint32_t tag = 0;
    bool is_collective = false;
    bool operator<(const Key& other) const;
    std::string text() const;
  };
  // An operation, as the first rank that came to it says.
  struct Met {
    int operation = 0;
    int rank = 0;
    TraceNode node;
    Group group;
    std::vector<bool> came;  // by place in the group
    std::size_t left = 0;    // members that have not come
  };
  struct Meetings {
    std::uint64_t made = 0;
    std::map<std::uint64_t, Met> open;  // by number: those to which a rank has not come
  };

  std::string place(int rank, const TraceNode& node, std::string_view field) const;
  int number_of(const Key& key);
  CollectiveSpec spec_of(int rank, const TraceNode& node, const Group& group) const;
  Met first_met(int rank, const TraceNode& node, const Group& group, int number_of_group,
                std::uint64_t number) const;
  void check_agreement(const Met& met, int rank, const TraceNode& node) const;
  [[noreturn]] void refuse_absent(const Met& met) const;

  const std::vector<std::string>& paths_;
  const TraceGroups& groups_;
  std::vector<int> members_;
  std::string algorithm_;
  std::vector<std::string>& names_;
  Make make_;
  std::vector<std::map<Key, std::uint64_t>> next_;  // by rank: number in operations_[key]
  std::map<Key, Meetings> operations_;
  std::map<Key, int> group_numbers_;  // in names_
};

}  // namespace fredsim

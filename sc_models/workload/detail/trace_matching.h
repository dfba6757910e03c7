// SPDX-License-Identifier: Apache-2.0
// Matching of trace nodes without shapes: which nodes of different ranks are one operation, a
// collective or a message (trace_graph.h). Nodes with shapes: trace_joint.h.
//
// The k-th node of a process group, or of a source, destination and tag, at each of its ranks
//   belongs to the k-th operation there. The first rank to reach an operation defines it; the other
//   ranks must agree with that rank.
// Memory: operations that some rank has not reached, and a count per rank and group.
// Errors: BadInput, naming file, node and field: errors of trace_groups.h; ranks that disagree in
//   type, size, root or priority of a collective, or a rank that lacks it; a root outside the
//   group; no bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/detail/trace_groups.h"
#include "workload/task_graph.h"
#include "workload/trace_rules.h"
#include "workload_files/trace_node.h"

namespace fredsim {

// Collective of a node of a trace.
std::optional<Collective> collective_to_run(TraceCollective collective);
// Category of a communication, by its priority.
TimeCategory trace_category(const TraceNode& node);

class TraceMatching {
 public:
  // Makes the operation of a node, the `number`-th of a group; returns its number.
  using Make = std::function<int(OperationShape shape, const TraceNode& node, int group,
                                 std::uint64_t number)>;

  // `members`: by rank of the traces (base/member.h). `rules`: algorithms of collectives. `names`:
  // names of groups of operations are appended to it, as TaskGraph::groups. Paths, groups, rules
  // and names outlive the object.
  TraceMatching(const std::vector<std::string>& paths, const TraceGroups& groups,
                std::vector<int> members, const TraceRules& rules, std::vector<std::string>& names,
                Make make);

  // Reads the splits of all-to-alls ahead of join(): all nodes of each rank, in the same order.
  // Their sizes are then known to the first rank that joins.
  void note_splits(int rank, const TraceNode& node);
  void begin();  // restarts at the first node of every rank; groups keep their numbers
  // Sets operation, rank and category of the task of a communication. False: the group has no other
  // rank.
  bool join(int rank, const TraceNode& node, Task& task);
  void check() const;  // after the last node of every rank

 private:
  using Group = std::vector<int>;  // ranks of the traces
  // Key of messages of a source, destination and tag, or of collectives of a process group: its
  // name and its ranks, since several groups along involved_dim share one name.
  struct Key {
    std::string name;
    Group group;
    std::uint32_t tag = 0;
    bool is_collective = false;
    bool operator<(const Key& other) const;
    std::string text() const;
  };
  // An operation, as defined by the first rank that reached it.
  struct Match {
    int operation = 0;
    int rank = 0;
    TraceNode node;
    Group group;
    std::vector<bool> came;  // members that came, by place in the group
    std::size_t left = 0;    // members that have not reached it
  };
  struct Series {
    std::uint64_t made = 0;
    std::map<std::uint64_t, Match> open;  // operations that some rank has not reached, by number
  };

  using Matrix = std::vector<std::uint64_t>;  // CollectiveSpec::matrix

  std::string place(int rank, const TraceNode& node, std::string_view field) const;
  Key key_of(int rank, const TraceNode& node) const;
  int number_of(const Key& key);
  // Sizes of the `number`-th operation of a key; null: equal ones.
  const Matrix* matrix_of(const Key& key, std::uint64_t number) const;
  CollectiveSpec spec_of(int rank, const TraceNode& node, const Group& group,
                         const Matrix* matrix) const;
  Match first_match(int rank, const TraceNode& node, const Key& key, std::uint64_t number);
  void check_agreement(const Match& match, int rank, const TraceNode& node, bool is_unequal) const;
  [[noreturn]] void refuse_absent(const Match& match) const;

  const std::vector<std::string>& paths_;
  const TraceGroups& groups_;
  std::vector<int> members_;
  const TraceRules& rules_;
  std::vector<std::string>& names_;
  Make make_;
  std::vector<std::map<Key, std::uint64_t>> next_;  // by rank: number in operations_[key]
  std::map<Key, Series> operations_;
  std::map<Key, int> group_numbers_;  // in names_
  // Read ahead: numbers by rank; all-to-alls by key and number.
  struct Sizes {
    Matrix matrix;
    bool is_unequal = false;  // a rank has splits
  };
  std::vector<std::map<Key, std::uint64_t>> noted_;
  std::map<Key, std::map<std::uint64_t, Sizes>> matrices_;
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/waiting_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/member.h"

namespace fredsim {
namespace {

constexpr int kMax = 20;

struct Place {
  int rank = 0, task = 0;
  bool operator==(const Place&) const = default;
};

class Waiting {
 public:
  Waiting(const TaskGraph& graph, const std::function<bool(int, int)>& is_done)
      : graph_(graph), is_done_(is_done) {}

  std::string text() const {
    std::string text;
    int lines = 0;
    for (int r = 0; r < std::ssize(graph_.ranks); ++r) {
      const std::optional<Place> at = first_open(r);
      if (!at) continue;
      if (++lines > kMax) {
        text += "\n  …";
        break;
      }
      text += fmt::format("\n  {} at {}", name_of(r), place_text(*at));
      if (task(*at).computes()) continue;
      std::string names;
      for (const Place& other : absent(*at))
        names += (names.empty() ? "" : ", ") + name_of(other.rank);
      text += names.empty() ? ", which all have come to"
                            : fmt::format(", to which have not come: {}", names);
    }
    return text + circle_text();
  }

 private:
  const std::vector<Task>& tasks(int rank) const { return graph_.ranks[rank].tasks; }
  const Task& task(const Place& at) const { return tasks(at.rank)[at.task]; }
  bool is_of_trace() const { return !graph_.groups.empty(); }

  std::string name_of(int rank) const {
    if (is_of_trace()) return fmt::format("rank {}", rank);
    const int member = graph_.ranks[rank].member;
    return is_io_member(member) ? member_name(member) : fmt::format("NPU {}", member);
  }

  std::string place_text(const Place& at) const {
    const Task& t = task(at);
    const std::string& label = graph_.labels[t.label];
    if (t.node == Task::kNoNode) return fmt::format("'{}' of iteration {}", label, t.iteration + 1);
    std::string text =
        fmt::format("node {}{}", t.node, label.empty() ? "" : fmt::format(" ({})", label));
    if (t.computes()) return text;
    const GraphOperation& operation = graph_.operations[t.operation];
    if (operation.group < 0) return text;
    return text +
           fmt::format(", number {} of {}", operation.number + 1, graph_.groups[operation.group]);
  }

  bool is_open(int rank, int before) const { return !is_done_(rank, before); }

  // The first task of a rank that is not done and waits for none of its own.
  std::optional<Place> first_open(int rank) const {
    for (int t = 0; t < std::ssize(tasks(rank)); ++t)
      if (is_open(rank, t)) return Place{rank, t};  // dependencies come before it
    return std::nullopt;
  }

  // Root cause: the last task of the chain of dependencies.
  Place root_of(Place at) const {
    while (true) {
      const std::vector<int>& after = task(at).after;
      const auto before = std::ranges::find_if(after, [&](int t) { return is_open(at.rank, t); });
      if (before != after.end()) {
        at.task = *before;
        continue;
      }
      if (!graph_.in_order || !task(at).computes()) return at;
      int first = 0;  // computations take turns
      while (!is_open(at.rank, first) || !tasks(at.rank)[first].computes()) ++first;
      if (first == at.task) return at;
      at.task = first;
    }
  }

  // Tasks of members that have not reached the operation; for a message the task of the sender,
  // which waits for no other rank.
  std::vector<Place> absent(const Place& at) const {
    std::vector<Place> found;
    const int operation = task(at).operation;
    for (int r = 0; r < std::ssize(graph_.ranks); ++r) {
      const auto is_open_task = [&](int before) { return is_open(r, before); };
      const auto there = std::ranges::find_if(tasks(r), [&](const Task& other) {
        return other.operation == operation && std::ranges::any_of(other.after, is_open_task);
      });
      if (there != tasks(r).end()) found.push_back({r, static_cast<int>(there - tasks(r).begin())});
    }
    return found;
  }

  // Circular wait: from a rank to the first rank that has not reached its operation, until a rank
  // repeats.
  std::string circle_text() const {
    std::vector<Place> path;
    for (int r = 0; r < std::ssize(graph_.ranks) && path.empty(); ++r)
      if (const std::optional<Place> at = first_open(r)) path.push_back(*at);
    if (path.empty()) return "";
    while (true) {
      if (task(path.back()).computes()) return "";
      const std::vector<Place> others = absent(path.back());
      if (others.empty()) return "";
      const Place next = root_of(others.front());
      const auto again = std::ranges::find(path, next);
      if (again == path.end()) {
        path.push_back(next);
        continue;
      }
      std::string text = "\nA circle:";
      int lines = 0;
      for (auto at = again; at != path.end(); ++at) {
        const Place& other = at + 1 == path.end() ? *again : *(at + 1);
        if (++lines > kMax) return text + "\n  …";
        text += fmt::format("\n  {} waits in {} for {}, which waits in {}", name_of(at->rank),
                            place_text(*at), name_of(other.rank), place_text(other));
      }
      return text;
    }
  }

  const TaskGraph& graph_;
  const std::function<bool(int, int)>& is_done_;
};

}  // namespace

std::string waiting_text(const TaskGraph& graph, const std::function<bool(int, int)>& is_done) {
  return Waiting(graph, is_done).text();
}

}  // namespace fredsim

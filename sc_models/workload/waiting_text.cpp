#include "workload/waiting_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/member.h"

namespace fredsim {
namespace {

constexpr int kMost = 20;

std::string name_of(int member) {
  return is_io_member(member) ? member_name(member) : fmt::format("NPU {}", member);
}

// Members of the operation that have not come to it.
std::string absent(const TaskGraph& graph, const Task& waiting,
                   const std::function<bool(int, int)>& is_done) {
  std::string names;
  for (int r = 0; r < std::ssize(graph.ranks); ++r) {
    const std::vector<Task>& tasks = graph.ranks[r].tasks;
    const auto there = std::ranges::find_if(tasks, [&](const Task& task) {
      return task.operation == waiting.operation && task.part == waiting.part;
    });
    if (there == tasks.end()) continue;
    const auto is_open = [&](int before) { return !is_done(r, before); };
    if (std::ranges::any_of(there->after, is_open))
      names += (names.empty() ? "" : ", ") + name_of(graph.ranks[r].member);
  }
  return names;
}

}  // namespace

std::string waiting_text(const TaskGraph& graph, const std::function<bool(int, int)>& is_done) {
  std::string text;
  int lines = 0;
  for (int r = 0; r < std::ssize(graph.ranks); ++r) {
    const TaskRank& rank = graph.ranks[r];
    const auto first = std::ranges::find_if(rank.tasks, [&](const Task& task) {
      const int t = static_cast<int>(&task - rank.tasks.data());
      return !is_done(r, t) &&
             std::ranges::all_of(task.after, [&](int before) { return is_done(r, before); });
    });
    if (first == rank.tasks.end()) continue;
    if (++lines > kMost) return text + "\n  …";
    text += fmt::format("\n  {} at '{}' of iteration {}", name_of(rank.member),
                        graph.labels[first->label], first->iteration + 1);
    if (first->computes()) continue;
    const std::string names = absent(graph, *first, is_done);
    text += names.empty() ? ", which all have come to"
                          : fmt::format(", to which have not come: {}", names);
  }
  return text;
}

}  // namespace fredsim

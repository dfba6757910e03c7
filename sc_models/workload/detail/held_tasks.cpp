// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/held_tasks.h"

#include <algorithm>
#include <utility>

#include "plan/collective_spec.h"
#include "workload/detail/waiting_text.h"

namespace fredsim {
namespace {

HeldTasks::Kind kind_of_shape(const OperationShape& shape) {
  HeldTasks::Kind kind;
  for (const CollectiveSpec& spec : shape.work) kind.ranks += static_cast<int>(spec.group.size());
  kind.is_message = shape.work.size() == 1 && shape.work.front().collective == Collective::kUnicast;
  kind.passes_on = std::ranges::all_of(shape.work, [](const CollectiveSpec& spec) {
    return spec.collective == Collective::kUnicast || spec.collective == Collective::kMulticast;
  });
  return kind;
}

}  // namespace

void HeldTask::take_cause(const HeldTask& before, int number) {
  const auto of_before = std::pair(before.record.end, before.order);
  if (cause >= 0 && of_before < std::pair(ready, cause_order)) return;
  ready = before.record.end;
  cause = number;
  cause_order = before.order;
  path = before.path;
  waited = before.waited;
}

HeldTasks::HeldTasks(TaskSource& source, bool keeps_records)
    : source_(source), keeps_records_(keeps_records), ranks_(source.members().size()) {
  for (const OperationShape& shape : source.shapes()) kinds_.push_back(kind_of_shape(shape));
  for (int r = 0; r < ranks(); ++r) read_until(r, source.look_ahead(r));
}

int HeldTasks::end(int rank) const {
  return ranks_[rank].first + static_cast<int>(ranks_[rank].tasks.size());
}

HeldTask& HeldTasks::task(int rank, int number) {
  Rank& of = ranks_[rank];
  return of.tasks[static_cast<std::size_t>(number - of.first)];
}

bool HeldTasks::all_done() const {
  return std::ranges::all_of(
      ranks_, [](const Rank& rank) { return std::ranges::all_of(rank.tasks, &HeldTask::done); });
}

// ---- tasks that come and go

void HeldTasks::read_until(int rank, std::uint64_t end) {
  Rank& of = ranks_[rank];
  while (!of.at_end && static_cast<std::uint64_t>(of.first) + of.tasks.size() < end) {
    HeldTask next;
    if (!source_.next(rank, next.task)) {
      of.at_end = true;
      break;
    }
    add(rank, std::move(next));
  }
  max_ = std::max(max_, of.tasks.size());
}

void HeldTasks::add(int rank, HeldTask next) {
  Rank& of = ranks_[rank];
  const int number = end(rank);
  for (const int before : next.task.after) {
    if (before < of.first) continue;  // retired: complete and over
    HeldTask& earlier = task(rank, before);
    if (earlier.done) {
      next.take_cause(earlier, before);
    } else {
      earlier.later.push_back(number);
      ++next.waits;
    }
  }
  used_.set(static_cast<std::size_t>(next.task.category));
  if (!next.task.computes()) {
    HeldOperation& operation = operation_of(next.task.operation);
    operation.places[next.task.part][next.task.rank] = {rank, number};
  } else if (source_.in_order()) {
    of.computations.push_back(number);
  }
  if (keeps_records_) of.records.emplace_back();
  of.tasks.push_back(std::move(next));
}

void HeldTasks::retire(int rank, std::uint64_t now) {
  Rank& of = ranks_[rank];
  const int before = of.first;
  while (!of.tasks.empty() && of.tasks.front().done && of.tasks.front().record.end <= now) {
    of.tasks.pop_front();
    ++of.first;
  }
  if (of.first != before) source_.forget(rank, static_cast<std::uint64_t>(of.first));
}

int HeldTasks::take_computation(int rank) {
  Rank& of = ranks_[rank];
  if (of.computations.empty()) return -1;
  const int t = of.computations.front();
  if (task(rank, t).waits > 0) return -1;
  of.computations.pop_front();
  return t;
}

// ---- operations

HeldOperation& HeldTasks::operation_of(int number) {
  const auto [at, is_new] = operations_.try_emplace(number);
  HeldOperation& operation = at->second;
  if (!is_new) return operation;
  operation.what = source_.operation(number);
  for (const CollectiveSpec& spec : source_.shapes()[operation.what.shape].work) {
    operation.places.emplace_back(spec.group.size());
    operation.left.emplace_back(spec.group.size(), operation.what.times);
  }
  operation.tasks_left = kind_of(operation).ranks;
  return operation;
}

HeldOperation* HeldTasks::find_operation(int number) {
  const auto at = operations_.find(number);
  return at == operations_.end() ? nullptr : &at->second;
}

void HeldTasks::forget_operation(int number) {
  operations_.erase(number);
  source_.forget_operation(number);
}

const HeldTasks::Kind& HeldTasks::kind_of(const HeldOperation& operation) const {
  return kinds_[static_cast<std::size_t>(operation.what.shape)];
}

// ---- records, and what is left

void HeldTasks::keep_record(int rank, int number) {
  if (keeps_records_) ranks_[rank].records[number] = task(rank, number).record;
}

void HeldTasks::mark_not_ended(std::uint64_t now) {
  if (!keeps_records_) return;
  for (Rank& rank : ranks_) {
    for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
      const HeldTask& task = rank.tasks[i];
      if (!task.done || task.record.end > now)
        rank.records[static_cast<std::size_t>(rank.first) + i].end = kNotEnded;
    }
  }
}

TaskRecords HeldTasks::take_records() {
  TaskRecords records;
  for (Rank& rank : ranks_) records.push_back(std::move(rank.records));
  return records;
}

std::string HeldTasks::text_of_those_left() {
  constexpr std::uint64_t kMaxRead = 1 << 16;  // limit of the search for ranks that have not come
  TaskGraph graph;
  graph.in_order = source_.in_order();
  for (int r = 0; r < ranks(); ++r)
    read_until(r, static_cast<std::uint64_t>(ranks_[r].first) + kMaxRead);
  std::map<int, int> numbers;  // numbers of operations
  for (int r = 0; r < ranks(); ++r) {
    TaskRank& rank = graph.ranks.emplace_back(TaskRank{source_.members()[r], {}});
    std::map<int, int> places;
    for (int t = ranks_[r].first; t < end(r); ++t) {
      const HeldTask& held = task(r, t);
      if (held.done) continue;
      Task left = held.task;
      left.after.clear();
      for (const int before : held.task.after)
        if (const auto at = places.find(before); at != places.end())
          left.after.push_back(at->second);
      if (!left.computes()) {
        const auto [at, is_new] = numbers.try_emplace(left.operation, graph.operations.size());
        if (is_new) graph.operations.push_back(operations_.at(left.operation).what);
        left.operation = at->second;
      }
      places[t] = static_cast<int>(rank.tasks.size());
      rank.tasks.push_back(std::move(left));
    }
  }
  source_.name(graph);
  return waiting_text(graph, [](int, int) { return false; });
}

}  // namespace fredsim

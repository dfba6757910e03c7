// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/host_collectives.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace fredsim {
namespace {

using Ps = Kineto::Ps;

class CollectivePlacer {
 public:
  explicit CollectivePlacer(Kineto& profile) : profile_(profile) {
    for (Kineto::CpuOp& op : profile_.cpu) {
      const std::string& name = profile_.names[static_cast<std::size_t>(op.name)];
      if (is_host_collective(name)) {
        collectives_.push_back(&op);
        continue;
      }
      (name.starts_with("c10d::") ? calls_ : others_).push_back(&op);
      ends_[op.thread].push_back(op.end);
    }
    for (auto& [thread, ends] : ends_) std::ranges::sort(ends);
  }

  void place() {
    if (collectives_.empty()) return;
    for (Kineto::CpuOp* const op : collectives_) place(*op);
    const auto sort = [](auto& list) {
      std::ranges::stable_sort(list, {}, [](const Kineto::Event& event) {
        return std::tuple(event.begin, event.number);
      });
    };
    sort(profile_.runtime), sort(profile_.gpu), sort(profile_.syncs);
  }

 private:
  int thread_that_calls(const Kineto::CpuOp& op) const {
    auto next = std::ranges::upper_bound(calls_, op.begin, {},
                                         [](const Kineto::CpuOp* call) { return call->begin; });
    while (next != calls_.begin())
      if ((*--next)->end >= op.begin) return (*next)->thread;
    return op.thread;
  }
  int common_stream() {
    if (!common_) {
      common_ = static_cast<int>(profile_.threads.size());
      profile_.threads.emplace_back("collectives");
    }
    return *common_;
  }
  // Last end of an operation of the thread within a collective, or its begin; none: the thread is
  // busy at its end.
  std::optional<Ps> idle_since(int thread, Ps begin, Ps end) const {
    auto next = std::ranges::lower_bound(others_, begin, {},
                                         [](const Kineto::CpuOp* op) { return op->begin; });
    for (; next != others_.end() && (*next)->begin < end; ++next)
      if ((*next)->thread == thread && (*next)->end > end) return std::nullopt;
    const auto found = ends_.find(thread);
    if (found == ends_.end()) return begin;
    const auto later = std::ranges::upper_bound(found->second, end);
    return later == found->second.begin() ? begin : std::max(begin, *std::prev(later));
  }
  int name_of_wait() {
    if (!wait_) {
      wait_ = static_cast<int>(profile_.names.size());
      profile_.names.emplace_back("StreamSynchronize");
    }
    return *wait_;
  }
  void place(Kineto::CpuOp& op) {
    const int caller = thread_that_calls(op);
    const int stream = caller == op.thread ? common_stream() : op.thread;
    op.thread = caller;
    op.is_annotation = false;
    Kineto::Event event = op;
    event.thread = stream;
    Kineto::GpuOp carried{event};
    carried.correlation = --correlation_;
    profile_.gpu.push_back(carried);
    event.thread = caller;
    event.end = event.begin;
    profile_.runtime.push_back({event, correlation_});
    const std::optional<Ps> idle = idle_since(caller, op.begin, op.end);
    if (!idle) return;
    event.name = name_of_wait();
    event.begin = *idle;
    event.end = op.end;
    profile_.runtime.push_back({event, --correlation_});
    event.thread = stream;
    Kineto::Sync sync{event};
    sync.correlation = correlation_;
    profile_.syncs.push_back(sync);
  }

  Kineto& profile_;
  std::vector<Kineto::CpuOp*> collectives_;
  std::vector<const Kineto::CpuOp*> calls_, others_;  // ascending by begin
  std::map<int, std::vector<Ps>> ends_;               // of both, by thread, ascending
  std::optional<int> common_, wait_;
  std::uint64_t correlation_ = Kineto::kNone;  // downwards: no profile has such numbers
};

}  // namespace

bool is_host_collective(std::string_view name) {
  return name.starts_with("gloo:") || name.starts_with("mpi:");
}

void place_host_collectives(Kineto& profile) { CollectivePlacer(profile).place(); }

}  // namespace fredsim

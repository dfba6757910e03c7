// SPDX-License-Identifier: Apache-2.0
#include "workload_files/trace_feeder.h"

#include <algorithm>
#include <utility>

namespace fredsim {

TraceFeeder::TraceFeeder(std::string path, std::size_t window, TraceDependencies dependencies,
                         const StreamOrder* order)
    : reader_(std::move(path), dependencies),
      window_(std::max<std::size_t>(window, 1)),
      order_(order) {}

std::optional<TraceNode> TraceFeeder::next() {
  while (held() < window_ && read_one()) continue;
  while (ready_.empty() && in_flight_ == 0 && read_one()) continue;
  if (ready_.empty()) return std::nullopt;
  ++in_flight_;
  return std::move(ready_.extract(ready_.begin()).mapped());
}

bool TraceFeeder::read_one() {
  if (at_end_) return false;
  Waiting next;
  if (!reader_.next(next.node)) {
    at_end_ = true;
    return false;
  }
  if (order_ != nullptr)
    if (const auto before = order_->find(next.node.id); before != order_->end())
      next.node.after.insert(std::ranges::lower_bound(next.node.after, before->second),
                             before->second);
  const std::uint64_t place = read_++;
  for (const std::uint64_t id : next.node.after) {
    if (complete_.has(id)) continue;
    for_[id].push_back(place);
    ++next.lacks;
  }
  if (next.lacks == 0) {
    ready_.emplace(place, std::move(next.node));
  } else {
    waiting_.emplace(place, std::move(next));
  }
  return true;
}

void TraceFeeder::complete(std::uint64_t id) {
  --in_flight_;
  complete_.add(id);
  const auto followers = for_.extract(id);
  if (followers.empty()) return;
  for (const std::uint64_t place : followers.mapped()) {
    const auto at = waiting_.find(place);
    if (--at->second.lacks > 0) continue;
    ready_.emplace(place, std::move(at->second.node));
    waiting_.erase(at);
  }
}

bool TraceFeeder::is_done() {
  while (held() == 0 && read_one()) continue;
  return held() == 0;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "flow/repeat_memo.h"

#include <algorithm>

namespace fredsim {

std::size_t RepeatSnapshot::bytes() const {
  std::size_t bytes = sizeof *this + at.left.size() * sizeof(at.left.front());
  for (const FairRates::State::OfLink& link : simulation.rates.links)
    bytes += sizeof link + link.state.users.size() * sizeof link.state.users.front();
  bytes += simulation.rates.classes.size() * sizeof(FairRates::State::OfClass);
  bytes += simulation.rates.capacities.size() * sizeof(double);
  bytes += moving.size() * (sizeof(Moving) + 2 * sizeof simulation.progress.front());
  for (const Operation& operation : operations) {
    bytes += sizeof(FlowOperation);
    bytes += operation.copy->trees.size() * sizeof(FlowOperation::OfTree);
    for (const auto& ranks : operation.copy->ranks)
      bytes += 3 * ranks.size() * sizeof ranks.front();
  }
  return bytes + ends.size() * sizeof(End);
}

RepeatMemo::Entry RepeatMemo::find(const StateDigest& state) const {
  const auto known = entries_.find(state);
  if (known == entries_.end()) return {};
  auto trajectory = known->second.trajectory.lock();
  if (trajectory == current_) return {};
  return {std::move(trajectory), known->second.number, known->second.at};
}

void RepeatMemo::add(const StateDigest* entry, RepeatPoint at,
                     std::shared_ptr<const RepeatSnapshot> snapshot) {
  if (current_ == nullptr) {
    current_ = std::make_shared<Trajectory>();
    trajectories_.push_back(current_);
  }
  const std::uint64_t number = current_->states++;
  if (entry != nullptr) {
    KnownEntry& known = entries_[*entry];
    const auto trajectory = known.trajectory.lock();
    // An entry that leads on is kept: a trajectory that was cut short replaces none.
    if (trajectory == nullptr || trajectory->snapshots.empty() ||
        trajectory->snapshots.back().first <= known.number)
      known = {current_, number, std::move(at)};
  }
  if (snapshot == nullptr) return;
  bytes_ += snapshot->bytes();
  current_->snapshots.emplace_back(number, std::move(snapshot));
  if (current_->snapshots.size() > kSnapshots) thin_out(*current_);
  if (bytes_ > kMaxBytes) drop_oldest();
}

void RepeatMemo::thin_out(Trajectory& trajectory) {
  trajectory.spacing *= 2;
  std::erase_if(trajectory.snapshots, [&](const auto& kept) {
    if (kept.first % trajectory.spacing == 0) return false;
    bytes_ -= kept.second->bytes();
    return true;
  });
}

// Drops the older half, and the entries into it.
void RepeatMemo::drop_oldest() {
  for (std::size_t i = (trajectories_.size() + 1) / 2; i > 0; --i) {
    for (const auto& [number, snapshot] : trajectories_.front()->snapshots)
      bytes_ -= snapshot->bytes();
    if (trajectories_.front() == current_) current_ = nullptr;
    trajectories_.pop_front();
  }
  std::erase_if(entries_, [](const auto& known) { return known.second.trajectory.expired(); });
}

}  // namespace fredsim

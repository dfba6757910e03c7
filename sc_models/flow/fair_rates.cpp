// SPDX-License-Identifier: Apache-2.0
#include "flow/fair_rates.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace fredsim {
namespace {

constexpr double kTolerance = 1e-11;  // in proportion
// Computations of a priority, after which all that shares links is computed at once.
constexpr int kMaxRounds = 24;
constexpr double kNone = -1;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool is_above(double a, double b) { return a > b + kTolerance * b; }

}  // namespace

FairRates::FairRates(std::vector<double> capacities) : links_(capacities.size()) {
  for (std::size_t l = 0; l < capacities.size(); ++l) links_[l].capacity = capacities[l];
}

FairRates::FlowClass FairRates::add(const Demand& demand) {
  assert(!demand.uses.empty() && std::ranges::is_sorted(demand.uses) && demand.share > 0);
  const auto [at, is_new] = numbers_.try_emplace(demand, 0);
  if (is_new) {
    if (free_.empty()) {
      free_.push_back(static_cast<FlowClass>(classes_.size()));
      classes_.emplace_back();
      demands_.emplace_back();
    }
    at->second = free_.back();
    free_.pop_back();
    for (const LinkUse& use : demand.uses)
      links_[use.link].users.push_back({at->second, use.crossings});
    classes_[at->second] = {.priority = demand.priority};
    demands_[at->second] = {.demand = demand};
    ++priorities_[demand.priority];
  }
  ++demands_[at->second].count;
  mark(at->second);
  return at->second;
}

void FairRates::remove(FlowClass flows) {
  assert(demands_[flows].count > 0);
  --demands_[flows].count;
  mark(flows);
}

void FairRates::mark(FlowClass flows) {
  if (!std::exchange(classes_[flows].has_changed, true)) changed_.push_back(flows);
  classes_[flows].weight =
      demands_[flows].demand.share * static_cast<double>(demands_[flows].count);
}

void FairRates::open(FlowClass flows) {
  if (!std::exchange(classes_[flows].is_open, true)) open_.push_back(flows);
}

// Flows of a priority that have no bottleneck any more where a link carries less.
void FairRates::open_held_by(int link, int priority) {
  for (const User& user : links_[link].users) {
    const Class& held = classes_[user.flows];
    if (held.bottleneck == link && held.priority == priority) open(user.flows);
  }
}

std::span<const FairRates::FlowClass> FairRates::update() {
  std::ranges::sort(changed_);
  updated_.clear();
  changed_links_.clear();
  for (const FlowClass flows : changed_)
    for (const LinkUse& use : demands_[flows].demand.uses) {
      LinkState& link = links_[use.link];
      if (!std::exchange(link.is_listed, true)) changed_links_.push_back(use.link);
    }
  drop_empty();
  for (const auto& [priority, classes] : priorities_)
    if (!changed_links_.empty()) update(priority);
  for (const int link : changed_links_) links_[link].is_listed = false;
  for (const FlowClass flows : std::exchange(changed_, {})) classes_[flows].has_changed = false;
  return updated_;
}

// Classes that have no flows any more.
void FairRates::drop_empty() {
  for (const int link : changed_links_)
    std::erase_if(links_[link].users,
                  [&](const User& user) { return demands_[user.flows].count == 0; });
  for (const FlowClass flows : changed_) {
    CountedDemand& gone = demands_[flows];
    if (gone.count > 0) continue;
    if (--priorities_[gone.demand.priority] == 0) priorities_.erase(gone.demand.priority);
    numbers_.erase(gone.demand);
    gone = {};
    classes_[flows] = {};
    free_.push_back(flows);
  }
  std::erase_if(changed_, [&](FlowClass flows) { return demands_[flows].count == 0; });
}

// The rates of a priority, from links whose flows have changed or carry another load of earlier priorities.
void FairRates::update(int priority) {
  for (const FlowClass flows : changed_)
    if (classes_[flows].priority == priority) open(flows);
  for (const int number : changed_links_) {
    const LinkState& link = links_[number];
    open_held_by(number, priority);
    if (!is_above(used(link, priority), link.capacity)) continue;
    for (const User& user : link.users)
      if (classes_[user.flows].priority == priority) open(user.flows);
  }
  for (int round = 1; !open_.empty(); ++round) {
    if (round == kMaxRounds) open_all_around();
    const std::vector<int> links = open_links();
    for (const int number : links) {
      LinkState& link = links_[number];
      link.left = std::max(0.0, link.capacity - used(link, priority));
    }
    compute(links);
    if (!open_unfair(links, priority)) {
      for (const int number : links)
        if (!std::exchange(links_[number].is_listed, true)) changed_links_.push_back(number);
      break;
    }
  }
  for (const FlowClass flows : open_) classes_[flows].is_open = false;
  updated_.insert(updated_.end(), open_.begin(), open_.end());
  open_.clear();
}

// All of its priority that shares links with what is open, or with others that do.
void FairRates::open_all_around() {
  const int priority = classes_[open_.front()].priority;
  for (std::size_t o = 0; o < open_.size(); ++o) {  // NOLINT(modernize-loop-convert): it grows
    for (const LinkUse& use : demands_[open_[o]].demand.uses) {
      for (const User& user : links_[use.link].users)
        if (classes_[user.flows].priority == priority) open(user.flows);
    }
  }
}

// Links of what is open, with their weights; rates that are to be computed are none.
std::vector<int> FairRates::open_links() {
  std::vector<int> links;
  for (const FlowClass flows : open_) {
    Class& opened = classes_[flows];
    opened.level = kNone;
    for (const LinkUse& use : demands_[flows].demand.uses) {
      LinkState& link = links_[use.link];
      if (link.open++ == 0) {
        links.push_back(use.link);
        link.weight = 0;
        link.lowest = kInfinite;
        link.highest = 0;
      }
      link.weight += opened.weight * use.crossings;
    }
  }
  return links;
}

// Load of a link by flows up to a priority that have a rate.
double FairRates::used(const LinkState& link, int last_priority) const {
  double sum = 0;
  for (const User& user : link.users) {
    const Class& flows = classes_[user.flows];
    if (flows.priority <= last_priority && flows.level != kNone)
      sum += user.crossings * flows.weight * flows.level;
  }
  return sum;
}

// Rates of what is open on what is left of its links.
void FairRates::compute(std::span<const int> links) {
  // The level at which a link is full rises while flows that do not reach it get their rates; so the first in the queue whose level is
  // still what it was when it was put there is the lowest of all.
  using Entry = std::pair<double, int>;
  std::vector<Entry> entries;
  entries.reserve(links.size());
  for (const int link : links) entries.emplace_back(level(links_[link]), link);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue(std::greater<>{},
                                                                       std::move(entries));
  while (!queue.empty()) {
    const auto [known, number] = queue.top();
    queue.pop();
    const LinkState& link = links_[number];
    if (link.open == 0) continue;
    const double full_at = level(link);
    if (full_at > known) {
      queue.emplace(full_at, number);
    } else {
      stop_at(number, full_at);
    }
  }
}

// The flows of a link that is full at a level.
void FairRates::stop_at(int number, double at) {
  for (const User& user : links_[number].users) {
    Class& stopped = classes_[user.flows];
    if (stopped.level != kNone) continue;
    stopped.level = at;
    stopped.bottleneck = number;
    for (const LinkUse& use : demands_[user.flows].demand.uses) {
      LinkState& link = links_[use.link];
      const double weight = stopped.weight * use.crossings;
      --link.open;
      link.left -= weight * at;
      if (link.left < kTolerance * link.capacity) link.left = 0;
      link.weight = link.open == 0 ? 0 : link.weight - weight;
      link.highest = std::max(link.highest, at);
    }
  }
  links_[number].lowest = std::min(links_[number].lowest, at);
}

// Opens flows whose rates are not fair beside those that were computed; false: there are none.
bool FairRates::open_unfair(std::span<const int> links, int priority) {
  const std::size_t before = open_.size();
  for (const int number : links) {
    const LinkState& link = links_[number];
    const bool is_full = link.left <= kTolerance * link.capacity;
    for (const User& user : link.users) {
      const Class& other = classes_[user.flows];
      if (other.is_open || other.priority != priority) continue;
      const bool loses_bottleneck =
          other.bottleneck == number && (!is_full || is_above(link.highest, other.level));
      if (loses_bottleneck || is_above(other.level, link.lowest)) open(user.flows);
    }
  }
  return open_.size() > before;
}

}  // namespace fredsim

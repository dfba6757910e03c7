// SPDX-License-Identifier: Apache-2.0
#include "flow/fair_rates.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <limits>
#include <utility>

namespace fredsim {
namespace {

constexpr double kTolerance = 1e-11;  // in proportion
// Maximum number of rounds of a priority, after which all flows that share links are computed at
// once.
constexpr int kMaxRounds = 24;
constexpr double kNone = -1;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool is_above(double a, double b) { return a > b + kTolerance * b; }

}  // namespace

std::size_t FairRates::DemandHash::operator()(const Demand& demand) const {
  std::uint64_t hash = static_cast<std::uint64_t>(demand.priority);
  const auto mix = [&hash](std::uint64_t value) {
    hash = std::rotl((hash ^ value) * 0x9e3779b97f4a7c15, 29);
  };
  mix(std::bit_cast<std::uint64_t>(demand.share));
  mix(std::bit_cast<std::uint64_t>(demand.limit));
  for (const LinkUse& use : demand.uses)
    mix(static_cast<std::uint64_t>(use.link) ^ std::bit_cast<std::uint64_t>(use.crossings));
  return hash;
}

FairRates::FairRates(std::vector<double> capacities, std::vector<double> limits)
    : capacities_(std::move(capacities)),
      limits_(std::move(limits)),
      is_listed_(capacities_.size()),
      open_link_(capacities_.size()) {}

FairRates::FlowClass FairRates::number_of(std::pair<Numbers::iterator, bool> found_or_new) {
  const auto& [at, is_new] = found_or_new;
  if (!is_new) return at->second;
  const Demand& demand = at->first;
  assert(!demand.uses.empty() && std::ranges::is_sorted(demand.uses) && demand.share > 0);
  if (free_.empty()) {
    free_.push_back(static_cast<FlowClass>(classes_.size()));
    classes_.emplace_back();
    demands_.emplace_back();
  }
  at->second = free_.back();
  free_.pop_back();
  Layer& layer = layers_[demand.priority];
  layer.links.resize(capacities_.size());
  demands_[at->second] = &demand;
  classes_[at->second] = {.uses = demand.uses,
                          .share = demand.share,
                          .limit = demand.limit / demand.share,
                          .layer = &layer};
  return at->second;
}

FairRates::FlowClass FairRates::add(const Demand& demand) {
  const FlowClass flows = number_of(numbers_.try_emplace(demand));
  add(flows);
  return flows;
}

void FairRates::add(FlowClass flows) {
  ++classes_[flows].count;
  mark(flows);
}

FairRates::FlowClass FairRates::keep(Demand demand) {
  const FlowClass flows = number_of(numbers_.try_emplace(std::move(demand)));
  classes_[flows].is_kept = true;
  return flows;
}

void FairRates::remove(FlowClass flows) {
  assert(classes_[flows].count > 0);
  --classes_[flows].count;
  mark(flows);
}

void FairRates::set_capacity(int link, double capacity) {
  if (capacities_[link] == capacity) return;
  capacities_[link] = capacity;
  list_changed_link(link);
}

void FairRates::mark(FlowClass flows) {
  if (!std::exchange(classes_[flows].has_changed, true)) changed_.push_back(flows);
}

void FairRates::list_changed_link(int link) {
  if (is_listed_[link]) return;
  is_listed_[link] = true;
  changed_links_.push_back(link);
}

std::span<const FairRates::FlowClass> FairRates::update() {
  updated_.clear();
  drop_unchanged();
  std::ranges::sort(changed_);
  join_and_leave();
  for (auto& [priority, layer] : layers_)
    if (!changed_links_.empty()) update(layer);
  for (const int link : changed_links_) is_listed_[link] = false;
  changed_links_.clear();
  end_changes();
  return updated_;
}

void FairRates::add_state(StateDigest& digest) const {
  const auto add = [&digest](double value) { digest.add(std::bit_cast<std::uint64_t>(value)); };
  std::ranges::for_each(capacities_, add);
  for (const Class& of : classes_) {
    digest.add(of.count << 1U | (of.is_kept ? 1U : 0U));
    if (of.count == 0) continue;
    add(of.level);
    add(of.weight);
    digest.add(static_cast<std::uint64_t>(of.bottleneck));
  }
  for (const auto& [priority, layer] : layers_) {
    for (const LinkState& link : layer.links) {
      digest.add(static_cast<std::uint64_t>(link.changes) << 32U | link.users.size());
      if (link.users.empty() && link.load == 0) continue;
      for (const User& user : link.users) digest.add(static_cast<std::uint64_t>(user.flows));
      add(link.load);
      add(link.bound);
      add(link.held_level);
      digest.add(static_cast<std::uint64_t>(link.held) << 1U | (link.has_gone ? 1U : 0U));
    }
  }
}

FairRates::State FairRates::state() const {
  State state{.capacities = capacities_};
  for (FlowClass flows = 0; flows < std::ssize(classes_); ++flows) {
    const Class& of = classes_[flows];
    if (of.count > 0)
      state.classes.push_back({flows, of.level, of.weight, of.count, of.bottleneck});
  }
  for (const auto& [priority, layer] : layers_) {
    for (int number = 0; number < std::ssize(layer.links); ++number) {
      const LinkState& link = layer.links[number];
      if (!link.users.empty() || link.load != 0 || link.changes > 0)
        state.links.push_back({priority, number, link});
    }
  }
  return state;
}

void FairRates::restore(const State& state) {
  assert(changed_.empty() && changed_links_.empty());
  capacities_ = state.capacities;
  for (Class& of : classes_) {
    of.level = of.weight = 0;
    of.count = of.count_before = 0;
    of.bottleneck = -1;
  }
  for (const State::OfClass& known : state.classes) {
    Class& of = classes_[known.flows];
    of.level = known.level;
    of.weight = known.weight;
    of.count = of.count_before = known.count;
    of.bottleneck = known.bottleneck;
  }
  for (auto& [priority, layer] : layers_) std::ranges::fill(layer.links, LinkState{});
  for (const State::OfLink& known : state.links)
    layers_.at(known.priority).links[known.link] = known.state;
}

void FairRates::drop_unchanged() {
  std::erase_if(changed_, [&](FlowClass flows) {
    Class& same = classes_[flows];
    if (same.count != same.count_before || (same.count == 0 && !same.is_kept)) return false;
    same.has_changed = false;
    return true;
  });
}

void FairRates::join_and_leave() {
  for (const FlowClass flows : changed_) {
    Class& changed = classes_[flows];
    if (changed.count == changed.count_before) continue;
    for (const LinkUse& use : changed.uses) {
      list_changed_link(use.link);
      LinkState& link = changed.layer->links[use.link];
      if (changed.count_before == 0) link.users.push_back({flows, use.crossings});
      if (changed.count > 0) continue;
      link.has_gone = true;
      link.load -= use.crossings * changed.weight * changed.level;
      ++link.changes;
    }
    if (changed.count > 0) continue;
    if (changed.bottleneck >= 0) --changed.layer->links[changed.bottleneck].held;
    changed.level = changed.weight = 0;
    changed.bottleneck = -1;
  }
}

void FairRates::erase_gone(LinkState& link) {
  if (!std::exchange(link.has_gone, false)) return;
  std::erase_if(link.users, [&](const User& user) { return classes_[user.flows].count == 0; });
  if (link.users.empty()) link.load = link.bound = 0;
}

void FairRates::end_changes() {
  for (const FlowClass flows : changed_) {
    Class& changed = classes_[flows];
    changed.has_changed = false;
    changed.count_before = changed.count;
    if (changed.count > 0 || changed.is_kept) continue;
    numbers_.erase(*demands_[flows]);
    changed = {};
    free_.push_back(flows);
  }
  changed_.clear();
}

// Capacity that earlier priorities leave on a link, up to the priority's limit.
double FairRates::available(const Layer& layer, int link) const {
  double left = capacities_[link];
  for (const auto& [priority, earlier] : layers_) {
    if (&earlier == &layer) break;
    left -= earlier.links[link].load;
  }
  if (static_cast<std::size_t>(link) < limits_.size()) left = std::min(left, limits_[link]);
  return std::max(0.0, left);
}

void FairRates::open(FlowClass flows) {
  Class& opened = classes_[flows];
  if (std::exchange(opened.is_open, true)) return;
  open_.push_back(flows);
  if (opened.bottleneck >= 0) --opened.layer->links[opened.bottleneck].held;
  const double rate = opened.weight * opened.level;
  opened.weight = opened.share * static_cast<double>(opened.count);
  for (const LinkUse& use : opened.uses) {
    LinkState& link = opened.layer->links[use.link];
    link.load -= use.crossings * rate;
    ++link.changes;
    OpenLink& open_link = open_link_[use.link];
    if (open_link.classes.empty()) open_links_.push_back(use.link);
    open_link.classes.push_back(flows);
    open_link.weight_of_all += use.crossings * opened.weight;
  }
}

// Opens the flows whose bottleneck is this link, since its load has changed.
void FairRates::open_held_by(Layer& layer, int number) {
  const LinkState& link = layer.links[number];
  if (link.held == 0) return;
  for (const User& user : link.users) {
    const Class& held = classes_[user.flows];
    if (held.bottleneck == number && !held.is_open) open(user.flows);
  }
}

// Opens the flows of a link above a level, at which the link may limit them.
void FairRates::open_above(Layer& layer, int number, double level) {
  LinkState& link = layer.links[number];
  if (!is_above(link.bound, level)) return;
  for (const User& user : link.users)
    if (is_above(classes_[user.flows].level, level)) open(user.flows);
  link.bound = level;
}

// Opens all flows of a priority that share links, directly or transitively, with open flows.
void FairRates::open_all_around(Layer& layer) {
  for (std::size_t o = 0; o < open_.size(); ++o) {  // NOLINT(modernize-loop-convert): it grows
    for (const LinkUse& use : classes_[open_[o]].uses)
      for (const User& user : layer.links[use.link].users) open(user.flows);
  }
}

// Updates the rates of a priority, starting from links whose flows, or whose load of earlier
// priorities, have changed.
void FairRates::update(Layer& layer) {
  for (const int number : changed_links_) erase_gone(layer.links[number]);
  for (const FlowClass flows : changed_)
    if (classes_[flows].layer == &layer && classes_[flows].count > 0) open(flows);
  for (const int number : changed_links_) {
    open_held_by(layer, number);
    const LinkState& link = layer.links[number];
    if (link.load <= 0 || !is_above(link.load, available(layer, number))) continue;
    for (const User& user : link.users) open(user.flows);
  }
  for (int round = 1; !open_.empty(); ++round) {
    if (round == kMaxRounds) open_all_around(layer);
    compute(layer);
    if (!open_unfair(layer)) break;
  }
  close(layer);
}

// Computes rates of the open flows from the remaining capacity of their links.
void FairRates::compute(const Layer& layer) {
  // A link's fill level rises while flows that stop below it get their rates. So the first queue
  // entry whose level has not changed since it was queued is the minimum.
  queue_.clear();
  for (const FlowClass flows : open_) {
    classes_[flows].level = kNone;
    if (classes_[flows].limit < kInfinite) queue_.emplace_back(classes_[flows].limit, -1 - flows);
  }
  for (const int number : open_links_) {
    OpenLink& link = open_link_[number];
    const LinkState& state = layer.links[number];
    link.open = link.classes.size();
    link.weight = link.weight_of_all;
    const double load = link.open == state.users.size() ? 0 : state.load;
    link.left = std::max(0.0, available(layer, number) - load);
    link.lowest = kInfinite;
    link.highest = 0;
    queue_.emplace_back(level(link), number);
  }
  std::ranges::make_heap(queue_, std::greater<>{});
  while (!queue_.empty()) {
    std::ranges::pop_heap(queue_, std::greater<>{});
    const auto [known, number] = queue_.back();
    if (number < 0) {
      if (classes_[-1 - number].level == kNone) stop(-1 - number, known, -1);
      queue_.pop_back();
      continue;
    }
    const OpenLink& link = open_link_[number];
    if (link.open > 0) {
      const double full_at = level(link);
      if (full_at > known) {
        queue_.back().first = full_at;
        std::ranges::push_heap(queue_, std::greater<>{});
        continue;
      }
      stop_at(number, full_at);
    }
    queue_.pop_back();
  }
}

// Stops the open flows of a link that is full at a level.
void FairRates::stop_at(int number, double at) {
  for (const FlowClass flows : open_link_[number].classes)
    if (classes_[flows].level == kNone) stop(flows, at, number);
  open_link_[number].lowest = at;
}

void FairRates::stop(FlowClass flows, double at, int bottleneck) {
  Class& stopped = classes_[flows];
  stopped.level = at;
  stopped.bottleneck = bottleneck;
  for (const LinkUse& use : stopped.uses) {
    OpenLink& link = open_link_[use.link];
    const double weight = stopped.weight * use.crossings;
    --link.open;
    link.left -= weight * at;
    if (link.left < kTolerance * capacities_[use.link]) link.left = 0;
    link.weight = link.open == 0 ? 0 : link.weight - weight;
    link.highest = std::max(link.highest, at);
  }
}

// Opens flows whose rates are unfair relative to the computed rates; false: there are none.
bool FairRates::open_unfair(Layer& layer) {
  const std::size_t before = open_.size();
  const std::size_t links = open_links_.size();
  for (std::size_t l = 0; l < links; ++l) {
    const int number = open_links_[l];
    const OpenLink& link = open_link_[number];
    const LinkState& state = layer.links[number];
    const bool is_full = link.left <= kTolerance * capacities_[number];
    if (!is_full || is_above(link.highest, state.held_level)) open_held_by(layer, number);
    open_above(layer, number, link.lowest);
  }
  return open_.size() > before;
}

// Closes the open flows: their rates are fair.
void FairRates::close(Layer& layer) {
  for (const FlowClass flows : open_) {
    Class& closed = classes_[flows];
    closed.is_open = false;
    if (closed.bottleneck >= 0) {
      LinkState& bottleneck = layer.links[closed.bottleneck];
      if (bottleneck.held++ == 0) bottleneck.held_level = closed.level;
    }
    for (const LinkUse& use : closed.uses)
      layer.links[use.link].load += use.crossings * closed.weight * closed.level;
  }
  for (const int number : open_links_) {
    OpenLink& open_link = open_link_[number];
    LinkState& link = layer.links[number];
    link.bound = link.held > 0 ? link.held_level : std::max(link.bound, open_link.highest);
    // Recomputes the sum before rounding errors accumulate.
    if (link.changes > link.users.size() || open_link.classes.size() == link.users.size()) {
      link.changes = 0;
      link.load = 0;
      for (const User& user : link.users) {
        const Class& flows = classes_[user.flows];
        link.load += user.crossings * flows.weight * flows.level;
      }
    }
    open_link.classes.clear();
    open_link.weight_of_all = 0;
    list_changed_link(number);
  }
  open_links_.clear();
  updated_.insert(updated_.end(), open_.begin(), open_.end());
  open_.clear();
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "engine/row_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "collective/phase_room.h"

namespace fredsim {

RowStore::RowStore(const Topology& topology, int limit)
    : topology_(topology), slots_(topology.nodes.size()) {
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (topology.nodes[id].is_endpoint()) continue;
    int rows = phase_room(topology, id);
    if (limit > 0) rows = std::min(rows, limit);
    slots_[id].resize(static_cast<std::size_t>(rows));
    fewest_ = std::min(fewest_, rows);
  }
}

namespace {

StateDigest identity_of(const PhaseRows& rows) {
  StateDigest identity(0);
  for (const auto& [node, row] : rows) {
    identity.add(static_cast<std::uint64_t>(node) << 32 | row.size());
    identity.add_all(row);
  }
  return identity;
}

}  // namespace

StoredPhase* RowStore::find(const PhaseRows& rows) {
  const auto found = std::ranges::find(phases_, rows, &StoredPhase::rows);
  return found != phases_.end() ? &*found : nullptr;
}

bool RowStore::is_held() const {
  return std::ranges::any_of(phases_, [](const StoredPhase& p) { return p.holders > 0; });
}

// Only the order of the times of use matters.
void RowStore::add_state(StateDigest& digest) const {
  std::vector<const StoredPhase*> phases;
  for (const StoredPhase& phase : phases_) phases.push_back(&phase);
  std::ranges::sort(
      phases, {}, [](const StoredPhase* phase) { return std::pair(phase->used, phase->identity); });
  std::uint64_t before = 0;
  for (const StoredPhase* phase : phases) {
    digest.add(phase->identity);
    digest.add(static_cast<std::uint64_t>(phase->index) << 32 |
               static_cast<std::uint32_t>(phase->holders) << 2 | (phase->loaded ? 2U : 0U) |
               (phase->used == before ? 1U : 0U));
    before = phase->used;
  }
}

// Least recently used index, free ones first, except `taken`, which is by node and index.
RowStore::Choice RowStore::choose(const PhaseRows& rows,
                                  const std::vector<std::vector<bool>>& taken) const {
  std::size_t indices = 255;
  for (const auto& [node, row] : rows) indices = std::min(indices, slots_[node].size());
  Choice best;
  std::uint64_t best_used = ~std::uint64_t{0};
  for (std::size_t index = 0; index < indices; ++index) {
    Choice here{static_cast<int>(index), {}};
    std::uint64_t used = 0;
    bool possible = true;
    for (const auto& [node, row] : rows) {
      StoredPhase* const there = slots_[node][index];
      possible = possible && !taken[node][index] && (there == nullptr || there->holders == 0);
      if (!possible || there == nullptr) continue;
      used = std::max(used, there->used);
      if (std::ranges::find(here.evicted, there) == here.evicted.end())
        here.evicted.push_back(there);
    }
    if (!possible || used >= best_used) continue;
    best = std::move(here);
    best_used = used;
  }
  return best;
}

void RowStore::evict(const std::vector<Choice>& choices, Acquired& result) {
  std::set<StoredPhase*> evicted;
  for (const Choice& choice : choices) evicted.insert(choice.evicted.begin(), choice.evicted.end());
  for (StoredPhase* const old : evicted) {
    for (const auto& [node, row] : old->rows) slot(node, old->index) = nullptr;
    phases_.remove_if([old](const StoredPhase& phase) { return &phase == old; });
    ++result.evictions;
  }
}

bool RowStore::acquire(std::span<const PhaseRows> phases, Acquired& result, bool may_evict) {
  std::vector<std::vector<bool>> taken(slots_.size());
  for (std::size_t node = 0; node < slots_.size(); ++node) taken[node].resize(slots_[node].size());
  const auto take = [&](const PhaseRows& rows, int index) {
    for (const auto& [node, row] : rows) taken[node][index] = true;
  };
  std::vector<StoredPhase*> known;
  for (const PhaseRows& rows : phases) {
    known.push_back(find(rows));
    if (known.back() != nullptr) take(rows, known.back()->index);
  }
  std::vector<Choice> choices(phases.size());
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (known[p] != nullptr) continue;
    choices[p] = choose(phases[p], taken);
    if (choices[p].index < 0 || (!may_evict && !choices[p].evicted.empty())) return false;
    take(phases[p], choices[p].index);
  }
  ++events_;
  evict(choices, result);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (known[p] != nullptr) {
      ++result.hits;
    } else {
      known[p] =
          &phases_.emplace_back(StoredPhase{phases[p], identity_of(phases[p]), choices[p].index});
      for (const auto& [node, row] : phases[p]) slot(node, choices[p].index) = known[p];
      result.to_load.push_back(known[p]);
    }
    ++known[p]->holders;
    known[p]->used = events_;
  }
  result.phases = std::move(known);
  return true;
}

void RowStore::release(std::span<StoredPhase* const> phases) {
  ++events_;
  for (StoredPhase* const phase : phases) {
    --phase->holders;
    phase->used = events_;
  }
}

void RowStore::refuse(std::span<const PhaseRows> phases) const {
  std::vector<PhaseSwitches> switches(phases.size());
  for (std::size_t p = 0; p < phases.size(); ++p)
    for (const auto& [node, row] : phases[p]) switches[p].insert(node);
  refuse_phases(topology_, switches, [this](NodeId node) { return slots_[node].size(); });
}

}  // namespace fredsim

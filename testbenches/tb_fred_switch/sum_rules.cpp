// SPDX-License-Identifier: Apache-2.0
#include "sum_rules.h"

#include <algorithm>
#include <bit>

namespace fredsim::tb {
namespace {

// From the contracts: a flit may get an adder two edges after it fired, and two that wait hold
// their flow back; a sum is at the staging five edges after its last operand was looked for.
constexpr long kFireToAdder = 2;
constexpr int kHeldFrom = 2;
constexpr long kLastToStaging = 5;

}  // namespace

bool SumRules::adds(std::uint32_t inputs) const {
  return adders_ != 0 && std::popcount(inputs) > 1;
}

int SumRules::waiting(int flow) const {
  return static_cast<int>(std::ranges::count_if(flits_, [&](const Flit& flit) {
    return flit.flow == flow && !flit.last && flit.fired + kFireToAdder <= edge_;
  }));
}

bool SumRules::drained() const {
  return std::ranges::none_of(flits_, [&](const Flit& flit) { return being_added(flit); });
}

void SumRules::show(SwitchView& view) const {
  view.held = pending_ ? ~0U : 0;
  view.closed = view.in_flight = 0;
  if (phase_ < 0) return;
  view.in_flight_vc = phases_[static_cast<std::size_t>(phase_)].vc;
  for (std::size_t f = 0; f < flows().size(); ++f) {
    if (waiting(static_cast<int>(f)) >= kHeldFrom) view.held |= flows()[f].inputs;
  }
  for (const Flit& flit : flits_) {
    if (being_added(flit)) view.in_flight |= flit.ports.outputs;
    if (flit.last == edge_) view.closed |= flit.ports.outputs;
  }
}

void SumRules::give_adders() {
  auto free =
      adders_ - std::ranges::count_if(flits_, [&](const Flit& flit) { return flit.last > edge_; });
  std::vector<int> first, second;
  for (int f = 0; f < static_cast<int>(flows().size()); ++f) {
    if (waiting(f) != 0) (served_.contains(f) ? second : first).push_back(f);
  }
  const bool round_ends = free >= static_cast<long>(first.size());
  const bool nobody = first.empty() && second.empty();
  if (round_ends && !nobody && free > 0) served_.clear();
  const auto give = [&](const std::vector<int>& flows_in_turn) {
    for (const int f : flows_in_turn) {
      if (free == 0) return;
      --free;
      const auto flit = std::ranges::find_if(
          flits_, [&](const Flit& waits) { return waits.flow == f && !waits.last; });
      flit->last = edge_ + std::popcount(flit->ports.inputs) - 1;
      if (!round_ends || &flows_in_turn == &second) served_.insert(f);
    }
  };
  give(first);
  give(second);
}

std::vector<SumRules::Done> SumRules::advance(const std::vector<Fired>& fired,
                                              std::optional<int> change) {
  if (change) pending_ = change;
  const bool take = pending_ && drained();
  if (phase_ >= 0) give_adders();
  std::vector<Done> done;
  std::erase_if(flits_, [&](const Flit& flit) {
    const bool arrives = flit.last && *flit.last + kLastToStaging == edge_;
    if (arrives) done.push_back({flit.ports.outputs, flit.flit});
    return arrives;
  });
  for (const Fired& entry : fired) {
    const auto flow = std::ranges::find(flows(), entry.inputs, &Flow::inputs);
    flits_.push_back({static_cast<int>(flow - flows().begin()), *flow, entry.flit, edge_, {}});
  }
  if (take) {
    phase_ = *pending_;
    pending_.reset();
    taken_ = edge_;
  }
  ++edge_;
  return done;
}

}  // namespace fredsim::tb

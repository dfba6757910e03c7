// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_candidates.h"

#include <bit>

namespace fredsim {

PhasedCandidates::PhasedCandidates(int ports) : ports_(ports) {}

void PhasedCandidates::reset() {
  clear();
  pointer_ = {};
  next_vc_ = 0;
}

void PhasedCandidates::clear() {
  read_ = {};
  candidates_ = 0;
}

PhasedCandidates::HolFlit PhasedCandidates::choose(const PortsByVc& waiting) const {
  for (int i = 0; i < kNumVcs; ++i) {
    const int vc = (next_vc_ + i) % kNumVcs;
    if (waiting[vc] == 0 || (candidates_ >> vc & 1U) != 0) continue;
    const Ports after = waiting[vc] >> pointer_[vc] << pointer_[vc];
    return {std::countr_zero(after != 0 ? after : waiting[vc]), vc};
  }
  return {};
}

void PhasedCandidates::advance(const Row& ready, const Read& next) {
  if (ready != nullptr && (candidates_ >> read_.vc & 1U) == 0) {
    candidates_ |= 1U << read_.vc;
    phase_[read_.vc] = read_.phase;
    rows_[read_.vc] = ready;
  }
  if (next.valid) {
    pointer_[next.vc] = next.port + 1 == ports_ ? 0 : next.port + 1;
    next_vc_ = (next.vc + 1) % kNumVcs;
  }
  read_ = next;
}

}  // namespace fredsim

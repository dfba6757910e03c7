// SPDX-License-Identifier: Apache-2.0
// The control unit of a PhasedTwin: choice of phases, slots, changes
// (rtl/phased/phased_control.sv).
#include <algorithm>

#include "switch/phased/phased_twin.h"

namespace fredsim {
namespace {

bool shares(const PhasedRow& one, const PhasedRow& other) {
  for (std::size_t i = 0; i < one.use.size(); ++i) {
    if ((one.use[i] & other.use[i]) != 0) return true;
  }
  return false;
}

}  // namespace

// Decides for a candidate, or changes to the one decided for.
PhasedTwin::Control PhasedTwin::decide() const {
  Control control;
  control.change = decided_ && (open_slots() & replaced_) == 0;
  if (candidates_.none() || decided_ || since_load_ < lock_after_load()) return control;
  for (const int vc : shape_.vc_order) {
    if (!candidates_.has(vc)) continue;
    find_place(vc, control);
    bool able = true;
    for (int s = 0; s < slot_count(); ++s) {
      able = able && ((control.replaced >> s & 1U) == 0 || gives_way(s, vc));
    }
    if (!able) continue;
    control.decided = vc;
    return control;
  }
  return control;
}

bool PhasedTwin::gives_way(int slot, int vc) const {
  const Slot& now = slots_[slot];
  const bool silent = now.silent == yield_ && (open_slots() >> slot & 1U) == 0;
  return !now.active || silent || rank_[vc] < rank_[now.vc] ||
         (vc == now.vc && now.busy == quantum_);
}

void PhasedTwin::find_place(int vc, Control& control) const {
  control.replaced = 1;
  control.target = 0;
  if (!two_) return;
  Slots in_way = 0;
  for (int s = 0; s < slot_count(); ++s) {
    if (slots_[s].active && shares(*candidates_.row(vc), *slots_[s].row)) in_way |= 1U << s;
  }
  if (in_way != 0) {
    control.target = in_way == 2 ? 1 : 0;
    control.replaced = in_way;
    return;
  }
  control.target = slots_[0].active && (!slots_[1].active || !gives_way(0, vc)) ? 1 : 0;
  control.replaced = 1U << control.target;
}

// Combined row of two phases in use: they have no bit in common.
PhasedTwin::Row PhasedTwin::rows_together(const Row& one, const Row& other) {
  constexpr std::size_t kKept = 4096;
  if (together_.size() > kKept) together_.clear();
  Row& both = together_[std::minmax(one, other)];
  if (both == nullptr) {
    std::vector<std::uint32_t> words = one->words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other->words[i];
    both = std::make_shared<const PhasedRow>(network_.decode(words));
  }
  return both;
}

PhasedTwin::Slots PhasedTwin::open_slots() const {
  if (open_ == 0 || !two_) return open_ == 0 ? 0 : 1;
  Slots slots = 0;
  for (const PhasedRow::Flow& flow : now_->flows) {
    if ((open_ >> (flow.code - 1) & 1U) != 0) slots |= 1U << slot_of(flow);
  }
  return slots;
}

// Advances the registers of the control unit.
void PhasedTwin::advance_control(const Control& control, const Fired& fired, Slots rewritten) {
  if (since_load_ != rest_after_load()) ++since_load_;
  Slots fires = 0;
  for (int s = 0; s < slot_count(); ++s) {
    Slot& slot = slots_[s];
    const Ports mine = s == 0 ? ~second_in_ : second_in_;
    if ((fired.inputs & mine) != 0) {
      fires |= 1U << s;
      slot.silent = 0;
      if (slot.busy != quantum_) ++slot.busy;
    } else if (slot.silent != yield_ && (held_back_ & mine) == 0) {
      ++slot.silent;
    }
  }
  Slots ends = rewritten == 0 ? 0 : rewritten & ~fires & ~open_slots();
  if (control.change) {
    ends = (ends | replaced_) & ~(1U << target_);
    change_phase();
  } else if (control.decided >= 0) {
    decided_ = true;
    next_phase_ = candidates_.phase(control.decided);
    next_ = candidates_.row(control.decided);
    replaced_ = control.replaced;
    target_ = control.target;
  }
  if (ends == 0) return;
  for (int s = 0; s < slot_count(); ++s) {
    if ((ends >> s & 1U) != 0) slots_[s].active = false;
  }
  find_matches();
}

void PhasedTwin::change_phase() {
  ++phase_changes_;
  const bool second_stays = slots_[1].active && (replaced_ >> 1 & 1U) == 0;
  slots_[target_] = {.active = true, .vc = next_->vc, .phase = next_phase_, .row = next_};
  now_ = two_ ? std::move(changed_) : std::move(next_);
  if (two_) {
    const bool second = target_ == 1 || second_stays;
    second_in_ = second ? slots_[1].row->use[0] : 0;
    second_out_ = second ? slots_[1].row->use[1] : 0;
  }
  changed_ = next_ = nullptr;
  decided_ = false;
  since_load_ = 0;
  candidates_.clear();
  find_matches();
}

}  // namespace fredsim

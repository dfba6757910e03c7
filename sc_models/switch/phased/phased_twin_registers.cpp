// SPDX-License-Identifier: Apache-2.0
// The registers of a PhasedTwin: reads see the state before an edge's work, writes change it after.
#include "switch/phased/phased_twin.h"
#include "switch/register_map.h"

namespace fredsim {

bool PhasedTwin::writes_row(const RegisterRequest& request, int phase) const {
  const int place = request.address - reg::kPhaseStore;
  return request.write && place >= 0 && place < phases_ * row_words_ && place / row_words_ == phase;
}

void PhasedTwin::access(const RegisterRequest& request) {
  const int credit = request.address - reg::kCredit;
  const bool is_credit = credit >= 0 && credit < kNumVcs * ports_;
  const int place = request.address - reg::kPhaseStore;
  const bool is_store = place >= 0;
  const bool in_store = is_store && place < phases_ * row_words_;
  const bool is_route = routes_->has(request.address);
  if (request.write) {
    if (is_route) routes_->write(request.address, request.wdata);
    if (is_credit) {
      outputs_.set_credits(credit / kNumVcs, credit % kNumVcs,
                           static_cast<std::uint16_t>(request.wdata));
    }
    if (in_store) {
      store_[place] = request.wdata;
      rows_[place / row_words_] = nullptr;
      together_.clear();
    }
    return;
  }
  if (is_route) {
    rdata_ = routes_->read(request.address);
  } else if (is_store) {
    rdata_ = in_store ? store_[place] : 0;
  } else if (request.address >= reg::kFlitsIn) {
    const std::uint64_t value = counter(request.address);
    rdata_ = static_cast<std::uint32_t>((request.address & 1U) != 0 ? value >> 32 : value);
  } else if (is_credit) {
    rdata_ = outputs_.credits(credit / kNumVcs, credit % kNumVcs);
  } else {
    switch (request.address) {
      case reg::kId:
        rdata_ = network_.id;
        break;
      case reg::kShape:
        rdata_ = network_.shape;
        break;
      case reg::kError:
        rdata_ = error_;
        break;
      default:
        rdata_ = 0;
    }
  }
}

std::uint64_t PhasedTwin::counter(std::uint16_t address) const {
  address &= 0xFFFE;
  switch (address) {
    case reg::kReductions:
      return counted_.reductions;
    case reg::kPhaseChanges:
      return phase_changes_;
    case reg::kStallJoin:
      return counted_.join;
    case reg::kStallCredit:
      return counted_.credit;
    case reg::kStallPhase:
      return counted_.phase;
    case reg::kStallArbiter:
      return counted_.arbiter;
    case reg::kStallLink:
      return outputs_.stall_link();
    default:
      break;
  }
  if (address >= reg::kFlitsIn && address < reg::kFlitsIn + 2 * ports_) {
    return flits_in_[(address - reg::kFlitsIn) / 2];
  }
  if (address >= reg::kFlitsOut && address < reg::kFlitsOut + 2 * ports_) {
    return outputs_.flits((address - reg::kFlitsOut) / 2);
  }
  return 0;
}

bool PhasedTwin::peek_counters(SwitchCounters& into) const {
  into.flits_in = flits_in_;
  into.flits_out.resize(flits_in_.size());
  for (int p = 0; p < ports_; ++p) into.flits_out[p] = outputs_.flits(p);
  into.reductions = counted_.reductions;
  into.phase_changes = phase_changes_;
  into.stall_join = counted_.join;
  into.stall_credit = counted_.credit;
  into.stall_phase = counted_.phase;
  into.stall_arbiter = counted_.arbiter;
  into.stall_link = outputs_.stall_link();
  return true;
}

bool PhasedTwin::peek_phase(SwitchPhase& into) const {
  const bool second = slots_[1].active && !slots_[0].active;
  const Slot& slot = slots_[second ? 1 : 0];
  into = {.active = slot.active,
          .loading = decided_ && open_ == 0,
          .busy = slots_[0].silent != yield_ || slots_[1].silent != yield_ || open_ != 0,
          .phase = static_cast<std::uint8_t>(slot.phase),
          .vc = static_cast<std::uint8_t>(slot.vc),
          .next = static_cast<std::uint8_t>(next_phase_)};
  return true;
}

bool PhasedTwin::peek_hol(int port, int vc, FlitHeader& into) const {
  if ((valid_[vc] >> port & 1U) == 0) return false;
  into = unpack_header(hol(port, vc));
  return true;
}

}  // namespace fredsim

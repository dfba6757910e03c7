// The registers of a FredTwin: reads see the state before an edge's work, writes change it after.
#include <bit>

#include "switch/fred/fred_twin.h"
#include "switch/register_map.h"

namespace fredsim {

void FredTwin::access(const RegisterRequest& request) {
  const int credit = request.address - reg::kCredit;
  const bool is_credit = credit >= 0 && credit < 4 * ports_;
  const int place = request.address - reg::kPhaseStore;
  const bool is_store = place >= 0;
  const bool in_store = is_store && place < phases_ * row_words_;
  const int destination = request.address - reg::kRoute;
  const bool is_route = destination >= 0 && destination < reg::kMaxRoutes;
  if (request.write) {
    if (is_route) routes_[destination] = static_cast<std::uint8_t>(request.wdata & 63U);
    if (is_credit) {
      OutVc& out = out_[credit / 4][credit % 4];
      out.credits = static_cast<std::uint16_t>(request.wdata);
      const Ports bit = 1U << credit / 4;
      Ports& has_credit = has_credit_[credit % 4];
      has_credit = out.credits != 0 ? has_credit | bit : has_credit & ~bit;
    }
    if (in_store) {
      store_[place] = request.wdata;
      rows_[place / row_words_] = nullptr;
    }
    return;
  }
  if (is_store) {
    rdata_ = in_store ? store_[place] : 0;
  } else if (is_route) {
    rdata_ = routes_[destination];
  } else if (request.address >= reg::kFlitsIn) {
    const std::uint64_t value = counter(request.address);
    rdata_ = static_cast<std::uint32_t>((request.address & 1U) != 0 ? value >> 32 : value);
  } else if (is_credit) {
    rdata_ = out_[credit / 4][credit % 4].credits;
  } else {
    switch (request.address) {
      case reg::kId:
        rdata_ = reg::kFredId;
        break;
      case reg::kShape:
        rdata_ = static_cast<std::uint32_t>(ports_ | shape_.fred.middle << 8);
        break;
      case reg::kError:
        rdata_ = error_;
        break;
      default:
        rdata_ = 0;
    }
  }
}

std::uint64_t FredTwin::counter(std::uint16_t address) const {
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
      return stall_link_ - static_cast<std::uint64_t>(std::popcount(stalled_links_));
    default:
      break;
  }
  if (address >= reg::kFlitsIn && address < reg::kFlitsIn + 2 * ports_) {
    return flits_in_[(address - reg::kFlitsIn) / 2];
  }
  if (address >= reg::kFlitsOut && address < reg::kFlitsOut + 2 * ports_) {
    return flits_out((address - reg::kFlitsOut) / 2);
  }
  return 0;
}

bool FredTwin::peek_counters(SwitchCounters& into) const {
  into.flits_in = flits_in_;
  into.flits_out.resize(flits_out_.size());
  for (int p = 0; p < ports_; ++p) into.flits_out[p] = flits_out(p);
  into.reductions = counted_.reductions;
  into.phase_changes = phase_changes_;
  into.stall_join = counted_.join;
  into.stall_credit = counted_.credit;
  into.stall_phase = counted_.phase;
  into.stall_arbiter = counted_.arbiter;
  into.stall_link = counter(reg::kStallLink);
  return true;
}

bool FredTwin::peek_phase(SwitchPhase& into) const {
  into = {.active = active_,
          .loading = decided_ && open_ == 0,
          .busy = silent_ != yield_ || open_ != 0,
          .phase = static_cast<std::uint8_t>(phase_),
          .vc = static_cast<std::uint8_t>(vc_),
          .next = static_cast<std::uint8_t>(next_phase_)};
  return true;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "allocator_reference.h"

namespace tb {
namespace {

bool straight_on(int input, int output) { return input < 4 && output == (input + 2) % 4; }

bool has_credit(const Situation& now, int input, int vc) {
  const HolFlit& hol = now.hol_flits[input][vc];
  const bool flit_is_enough = hol.begun || (now.ring[hol.to] && straight_on(input, hol.to));
  return flit_is_enough ? now.room_flit[hol.to][vc] : now.room_packet[hol.to][vc];
}

}  // namespace

Decision AllocatorReference::step(const Situation& now) {
  Decision decision;
  decision.popped.fill(-1);
  for (auto& of : decision.granted) of.fill(-1);

  // Requests, and the reason where there is none.
  for (int p = 0; p < kPorts; ++p) {
    for (int v = 0; v < kVcs; ++v) {
      const HolFlit& hol = now.hol_flits[p][v];
      if (!hol.here) continue;
      if (!has_credit(now, p, v)) {
        decision.no_credit[p][v] = true;
      } else if (!hol.begun && open_[hol.to][v]) {
        decision.contends[p][v] = true;
      } else if (!now.ready[hol.to]) {
        decision.link_stall[hol.to] = true;
      } else {
        decision.contends[p][v] = true;
        decision.requests[p][v] = true;
      }
    }
  }

  // Grants: winners by turns, one VC per output; the VC of the declined grant is the last.
  ByHolFlit<int> winner{};
  for (int o = 0; o < kPorts; ++o) {
    for (int v = 0; v < kVcs; ++v) {
      winner[o][v] = -1;
      for (int step = kPorts - 1; step >= 0; --step) {
        const int p = (turn_[o][v] + step) % kPorts;
        if (decision.requests[p][v] && now.hol_flits[p][v].to == o) winner[o][v] = p;
      }
    }
    int chosen = -1;
    for (const bool last : {false, true})
      for (const int v : kOrder)
        if (chosen < 0 && winner[o][v] >= 0 && declined_[o][v] == last) chosen = v;
    declined_[o] = {};
    if (chosen < 0) continue;
    decision.granted[o][chosen] = winner[o][chosen];
    declined_[o][chosen] = true;  // unless accepted, below
    if (!open_[o][chosen]) turn_[o][chosen] = (winner[o][chosen] + 1) % kPorts;
  }

  // Every input accepts one.
  for (int p = 0; p < kPorts; ++p) {
    for (const int v : kOrder) {
      const HolFlit& hol = now.hol_flits[p][v];
      if (decision.popped[p] >= 0 || !hol.here || decision.granted[hol.to][v] != p) continue;
      decision.popped[p] = v;
      decision.launch[hol.to][v] = true;
      declined_[hol.to][v] = false;
      open_[hol.to][v] = !hol.tail;
    }
  }
  return decision;
}

}  // namespace tb

// SPDX-License-Identifier: Apache-2.0
// The rules of mesh_allocator, from the contract at the head of rtl/mesh/mesh_allocator.sv:
// request, grant, accept.
#pragma once

#include <array>

namespace tb {

constexpr int kPorts = 5, kVcs = 4;
template <class T>
using ByHolFlit = std::array<std::array<T, kVcs>, kPorts>;  // [input][VC], or [output][VC]
template <class T>
using ByPort = std::array<T, kPorts>;

// Virtual channels by priority: PP, control, DP, MP. Not the default one, which tb_mesh_router has.
constexpr std::array<int, kVcs> kOrder{1, 3, 2, 0};

struct HolFlit {
  bool here = false;
  int to = 0;
  bool begun = false;
  bool tail = false;
};

struct Situation {
  ByHolFlit<HolFlit> hol_flits{};
  ByHolFlit<bool> room_flit{}, room_packet{};  // by output
  ByPort<bool> ready{}, ring{};
};

struct Decision {
  ByPort<int> popped{};        // VC of the flit that leaves an input; none: -1
  ByHolFlit<bool> launch{};    // by output
  ByHolFlit<int> granted{};    // by output: the input that is granted, accepted or not; none: -1
  ByHolFlit<bool> requests{};  // by input: passes credit, packet and link
  ByHolFlit<bool> no_credit{}, contends{};
  ByPort<bool> link_stall{};
};

class AllocatorReference {
 public:
  // One cycle and the edge that ends it.
  Decision step(const Situation& now);
  void reset() { *this = {}; }

 private:
  ByHolFlit<bool> open_{};      // by output
  ByHolFlit<int> turn_{};       // by output
  ByHolFlit<bool> declined_{};  // by output: granted at the edge before, not accepted
};

}  // namespace tb

// SPDX-License-Identifier: Apache-2.0
// The registers of a MeshTwin: reads see the state before an edge's work, writes change it after.
#include <algorithm>
#include <utility>

#include "rtl/mesh_pkg.h"
#include "switch/mesh/mesh_twin.h"
#include "switch/register_map.h"

namespace fredsim {

// Stalls of the last two edges are not in the registers yet.
MeshTwin::Stalls MeshTwin::counted_stalls() const {
  return {stalls_.credit - late_[0].credit - late_[1].credit,
          stalls_.arbiter - late_[0].arbiter - late_[1].arbiter,
          stalls_.link - late_[0].link - late_[1].link};
}

std::uint32_t MeshTwin::read(std::uint16_t address) const {
  if (address == reg::kId) return mesh_pkg::MESH_ID;
  if (address == reg::kShape) return static_cast<std::uint32_t>(locals_ | ios_ << 8);
  if (address == reg::kPosition) return static_cast<std::uint32_t>(x_ | y_ << 8);
  if (address == reg::kTorus) return static_cast<std::uint32_t>(columns_ | rows_ << 8);
  if (address == reg::kNoLink) return no_link_;
  if (address == reg::kError) return error_;
  const int credit = address - reg::kCredit;
  if (credit >= 0 && credit < 4 * ports_) {
    const auto port = static_cast<std::size_t>(credit / 4);
    const auto vc = static_cast<std::size_t>(credit % 4);
    return credits_[at(vc, port)] +
           (spent_[vc] >> port & 1U);  // a flit that has just left is not counted yet
  }
  const std::uint64_t value = counter(address & 0xFFFE);
  return static_cast<std::uint32_t>(address % 2 == 0 ? value : value >> 32);
}

std::uint64_t MeshTwin::counter(std::uint16_t address) const {
  const int in = (address - reg::kFlitsIn) / 2;
  const int out = (address - reg::kFlitsOut) / 2;
  if (address >= reg::kFlitsIn && in < ports_) return flits_in(in);
  if (address >= reg::kFlitsOut && out < ports_) return flits_out(out);
  switch (address) {
    case reg::kStallCredit:
      return counted_stalls().credit;
    case reg::kStallArbiter:
      return counted_stalls().arbiter;
    case reg::kStallLink:
      return counted_stalls().link;
    default:
      return 0;
  }
}

std::uint64_t MeshTwin::flits_in(int port) const {
  std::uint64_t sum = 0;
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    sum += queues_[at(v, static_cast<std::size_t>(port))].flits;
  }
  return sum;
}

std::uint64_t MeshTwin::flits_out(int port) const {
  std::uint64_t sum = 0;
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    sum += outputs_[at(v, static_cast<std::size_t>(port))].flits;
  }
  for (const Leaving& leaving : leaving_) sum -= leaving.ports >> port & 1U;
  return sum - (out_valid_ >> port & 1U);
}

void MeshTwin::write(std::uint16_t address, std::uint32_t value) {
  if (address == reg::kPosition) {
    x_ = static_cast<int>(value & (kMeshSide - 1U));
    y_ = static_cast<int>(value >> 8 & (kMeshSide - 1U));
    set_place();
    return;
  }
  if (address == reg::kTorus) {
    columns_ = static_cast<int>(value & (2U * kMeshSide - 1));
    rows_ = static_cast<int>(value >> 8 & (2U * kMeshSide - 1));
    set_place();
    return;
  }
  if (address == reg::kNoLink) {
    no_link_ = value & ((1U << mesh_pkg::MASK_W) - 1);
    set_place();
    return;
  }
  const int credit = address - reg::kCredit;
  if (credit < 0 || credit >= 4 * ports_) return;
  const auto port = static_cast<std::size_t>(credit / 4);
  const auto vc = static_cast<std::size_t>(credit % 4);
  credits_[at(vc, port)] = static_cast<std::uint16_t>(value);
  spent_[vc] &= ~(1U << port);
  if (vc == kControl) return;  // its packets have one flit
  outputs_[at(vc, port)].need =
      static_cast<std::uint8_t>(std::clamp(value & 0xFFFFU, std::uint32_t{1}, packet_flits_));
}

bool MeshTwin::peek_counters(SwitchCounters& into) const {
  const auto ports = static_cast<std::size_t>(ports_);
  const Stalls stalls = counted_stalls();
  into = {.flits_in = std::move(into.flits_in),
          .flits_out = std::move(into.flits_out),
          .stall_credit = stalls.credit,
          .stall_arbiter = stalls.arbiter,
          .stall_link = stalls.link};
  into.flits_in.resize(ports);
  into.flits_out.resize(ports);
  for (int p = 0; p < ports_; ++p) {
    into.flits_in[p] = flits_in(p);
    into.flits_out[p] = flits_out(p);
  }
  return true;
}

}  // namespace fredsim

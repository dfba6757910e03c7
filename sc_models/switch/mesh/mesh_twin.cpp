// SPDX-License-Identifier: Apache-2.0
#include "switch/mesh/mesh_twin.h"

#include <algorithm>
#include <bit>

#include "base/port_mask.h"
#include "routing/mesh_routing.h"
#include "switch/mesh/mesh_group.h"
#include "switch/mesh/mesh_twin_edge.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

using mesh_twin::bit;
using mesh_twin::kNoRoute;

constexpr std::uint8_t kOnward = 0xFF;  // table entry: the next table decides

}  // namespace

MeshTwin::MeshTwin(const MeshShape& shape)
    : words_(flit_words(shape.lanes)),
      ports_(shape.ports()),
      locals_(shape.local_ports),
      ios_(shape.io_ports),
      packet_flits_(static_cast<std::uint32_t>(shape.packet_flits)),
      order_(shape.vc_order) {
  for (int v = 0; v < kNumVcs; ++v) {
    const auto depth = static_cast<std::uint32_t>(shape.buffers.depth(v));
    rings_of_[v] = {.depth = depth, .last = std::max(std::bit_ceil(depth + 2), kFirstPlaces) - 1};
  }
  const std::uint32_t places = lay_out_rings();
  flits_ = std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t{places} *
                                                           static_cast<std::size_t>(words_));
  sides_ = std::make_unique_for_overwrite<std::uint8_t[]>(places);
  to_endpoint_.fill(kNoRoute);
  for (int e = 1; e <= ios_; ++e) {
    to_endpoint_[e] = static_cast<std::uint8_t>(kFirstLocal + locals_ + e - 1);
  }
  reset();
}

// Puts every buffer at the beginning of its ring; returns the number of places.
std::uint32_t MeshTwin::lay_out_rings() {
  std::uint32_t places = 0;
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    const std::uint32_t ring = rings_of_[v].last + 1;
    places = (places + ring - 1) & ~(ring - 1);
    for (std::size_t p = 0; p < static_cast<std::size_t>(ports_); ++p) {
      queues_[at(v, p)] = {.hol = places};
      places += ring;
    }
  }
  return places;
}

void MeshTwin::reset() {
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    const std::uint32_t depth = rings_of_[v].depth;
    const std::uint32_t need = v == kControl ? 1 : std::min(packet_flits_, depth);
    for (std::size_t p = 0; p < kMaxPorts; ++p) {
      credits_[at(v, p)] = static_cast<std::uint16_t>(depth);
      outputs_[at(v, p)] = {.need = static_cast<std::uint8_t>(need)};
    }
  }
  lay_out_rings();
  wanted_ = arrived_ = spent_ = declined_ = {};
  asking_ = arriving_ = buffered_ = dropped_ = out_valid_ = 0;
  stalls_ = {};
  late_ = {};
  leaving_[0].ports = leaving_[1].ports = 0;
  overflow_ = stuck_ = no_route_ = late_any_ = declined_any_ = false;
  error_ = rdata_ = 0;
  x_ = y_ = columns_ = rows_ = 0;
  no_link_ = 0;
  set_place();
}

std::unique_ptr<SwitchGroup> MeshTwin::make_group(std::size_t nodes, std::size_t ports) const {
  return std::make_unique<MeshGroup>(nodes, ports);
}

// ---- packets as trains

int MeshTwin::route(int in, std::uint16_t destination) const {
  const std::uint8_t out = output_of(in, destination);
  return (out & kNoRoute) != 0 ? -1 : out;
}
int MeshTwin::packet_room(int vc, int out) const {
  return outputs_[at(static_cast<std::size_t>(vc), static_cast<std::size_t>(out))].need;
}
int MeshTwin::room(int vc, int out) const {
  return credits_[at(static_cast<std::size_t>(vc), static_cast<std::size_t>(out))];
}

// ---- one clock edge

void MeshTwin::step(SwitchPins& pins) {
  if (words_ == flit_words(1)) {
    step_words<flit_words(1)>(pins);
  } else {
    step_words<0>(pins);
  }
}

SwitchCore::Stepped MeshTwin::step_and_report(SwitchPins& pins) {
  MeshTwin::step(pins);
  return {.idle = MeshTwin::idle(), .error = error_};
}

// Sink of a twin that steps alone: departing flits wait for the output register, and credits go to
// the pins.
struct MeshTwin::PinSink {
  MeshTwin& twin;
  SwitchPins& pins;
  void leave(std::size_t vc, int in, int out, std::uint32_t from) {
    Leaving& leaving = twin.leaving_[twin.leaving_now_];
    leaving.places[out] = from;
    leaving.ports |= bit(out);
    twin.spent_[vc] |= bit(out);
    pins.in_credit[vc] |= bit(in);
  }
  static bool ages_stalls(const MeshTwin& twin) { return twin.late_any_; }
  static void count_stalls(MeshTwin& twin, const Stalls& stalls) { twin.count_stalls(stalls); }
};

template <int kWords>
void MeshTwin::step_words(SwitchPins& pins) {
  const int words = kWords != 0 ? kWords : words_;
  // Reads see the state before the edge.
  if (pins.reg.valid && !pins.reg.write) [[unlikely]]
    rdata_ = read(pins.reg.address);
  if (overflow_ | stuck_) [[unlikely]]
    advance_errors();

  come_out<kWords>(pins);
  pins.in_credit = {};
  spent_ = {};
  if ((asking_ != 0) | late_any_) {
    PinSink sink{*this, pins};
    leave(pins.out_ready, sink);
  }
  if (on_any_vc(pins.out_credit) != 0) take_credits(pins);
  leaving_now_ ^= 1U;

  if (arriving_ != 0) store_all();
  if (pins.reg.valid && pins.reg.write) [[unlikely]]
    write(pins.reg.address, pins.reg.wdata);
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    const std::uint32_t* const flit = &pins.in_flit[p * words];
    const bool is_taken = sample<kWords>(
        p, flit, [&](std::size_t vc) { return (pins.in_credit[vc] >> p & 1U) != 0; });
    arriving_ |= bit(is_taken ? vc_of(flit) : kNumVcs);
  }
  pins.reg_rdata = rdata_;
}

// Drives the flits that left two edges ago onto the output pins.
template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::come_out(SwitchPins& pins) {
  const int words = kWords != 0 ? kWords : words_;
  Leaving& out = leaving_[leaving_now_];
  pins.out_valid = out_valid_ = out.ports;
  for (std::uint32_t left = out.ports; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    mesh_twin::copy_flit<kWords>(&pins.out_flit[p * words], words_at<kWords>(out.places[p]), words);
  }
  out.ports = 0;  // its places are used by this edge's departures
}

[[gnu::always_inline]] inline void MeshTwin::store_all() {
  for (; arriving_ != 0; arriving_ &= arriving_ - 1) {
    const auto v = static_cast<std::size_t>(std::countr_zero(arriving_));
    if (v == kNumVcs) {  // no VC: flits without room
      overflow_ = true;
      dropped_ = 0;
      continue;
    }
    for_each_port(arrived_[v], [&](int port) { store(v, port); });
    arrived_[v] = 0;
  }
}

// Adds returned credits, then subtracts this edge's departures; a counter saturates at its maximum.
[[gnu::always_inline]] inline void MeshTwin::take_credits(const SwitchPins& pins) {
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    for (std::uint32_t left = pins.out_credit[v]; left != 0; left &= left - 1) {
      const int port = std::countr_zero(left);
      std::uint16_t& credits = credits_[at(v, static_cast<std::size_t>(port))];
      if (credits + (spent_[v] >> port & 1U) != mesh_twin::kMaxCredits) ++credits;
    }
  }
}

void MeshTwin::count_stalls(const Stalls& now) {
  late_[1] = late_[0];
  late_[0] = now;
  late_any_ = late_[0].any() || late_[1].any();
  stalls_ += now;
}

void MeshTwin::note_stalls(const Stalls& now, std::uint64_t edge) {
  late_[1] = late_edge_ + 1 == edge ? late_[0] : Stalls{};
  late_[0] = now;
  late_edge_ = edge;
  stalls_ += now;
}

void MeshTwin::age_stalls(std::uint64_t end) {
  const std::uint64_t age = end - 1 - late_edge_;
  if (age != 0) late_ = {Stalls{}, age == 1 ? late_[0] : Stalls{}};
  late_any_ = late_[0].any() || late_[1].any();
}

// Sets the errors found by the edge before; a blocked packet start shows one edge later.
void MeshTwin::advance_errors() {
  if (error_ == reg::kErrorNone && (overflow_ || no_route_)) {
    error_ = overflow_ ? reg::kErrorOverflow : reg::kErrorRoute;
  }
  overflow_ = false;
  no_route_ = stuck_;
}

void MeshTwin::set_place() {
  const MeshRings rings{columns_, rows_};
  for (int i = 0; i < kMeshSide; ++i) {
    by_column_[i] =
        i == x_ ? kOnward : static_cast<std::uint8_t>(mesh_direction(x_, 0, i, 0, rings));
    by_row_[i] = i == y_ ? kOnward : static_cast<std::uint8_t>(mesh_direction(0, y_, 0, i, rings));
  }
  for (int in = 0; in < ports_; ++in)
    to_npu_[in] = static_cast<std::uint8_t>(mesh_npu_port(in, locals_, no_link_));
  rings_ =
      (columns_ != 0 ? bit(kEast) | bit(kWest) : 0) | (rows_ != 0 ? bit(kNorth) | bit(kSouth) : 0);
}

}  // namespace fredsim

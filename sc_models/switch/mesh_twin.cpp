#include "switch/mesh_twin.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

// A route is an output port, or has this bit set: there is none.
constexpr std::uint8_t kNoRoute = 0x20;
constexpr std::uint8_t kOnward = 0xFF;  // in the tables: the next table knows
constexpr std::uint32_t kTailBit = 1U << 17;
constexpr std::array<int, kNumVcs> kPriority{kControl, kMp, kPp, kDp};

constexpr std::uint32_t bit(int index) { return 1U << index; }

template <int kWords>
void copy_flit(std::uint32_t* to, const std::uint32_t* from, int words) {
  std::memcpy(to, from, static_cast<std::size_t>(kWords != 0 ? kWords : words) * sizeof *to);
}

}  // namespace

MeshTwin::MeshTwin(const SwitchShape& shape, std::string name)
    : locals_(shape.local_ports),
      ios_(shape.io_ports),
      ports_(shape.ports()),
      words_(flit_words(shape.lanes)) {
  const auto require = [&](bool fits, const char* what, int found) {
    if (!fits) throw BadInput(fmt::format("{}: a mesh router has {}, not {}", name, what, found));
  };
  if (shape.kind != NodeKind::kMeshRouter) throw BadInput(name + ": not a mesh router");
  require(locals_ >= 1, "1 or more local ports", locals_);
  require(ios_ >= 0 && ios_ <= 15, "0 to 15 I/O ports", ios_);
  require(ports_ <= kMaxPorts, "at most 32 ports", ports_);
  require(shape.lanes >= 1 && shape.lanes <= kFlitLanes, "1 to 256 lanes", shape.lanes);
  std::uint32_t slots = 0;
  for (int v = 0; v < kNumVcs; ++v) {
    depth_[v] = shape.buffers.depth(v);
    require(depth_[v] >= 1 && depth_[v] <= 0xFFFF, "buffers of 1 to 65535 flits", depth_[v]);
    for (int p = 0; p < ports_; ++p) {
      queues_[v][p].base = slots;
      slots += static_cast<std::uint32_t>(depth_[v]);
    }
  }
  flits_.resize(std::size_t{slots} * static_cast<std::size_t>(words_));
  routes_.resize(slots);
  for (int in = 0; in < ports_; ++in) {
    by_endpoint_[in].fill(kNoRoute);
    const int local = (in < kFirstLocal ? in : in - kFirstLocal) % locals_;
    by_endpoint_[in][0] = static_cast<std::uint8_t>(kFirstLocal + local);
    for (int e = 1; e <= ios_; ++e) {
      by_endpoint_[in][e] = static_cast<std::uint8_t>(kFirstLocal + locals_ + e - 1);
    }
  }
  reset();
}

void MeshTwin::reset() {
  for (int v = 0; v < kNumVcs; ++v) {
    const int need = v == kControl ? 1 : std::min(kPacketFlits, depth_[v]);
    outputs_[v].fill({static_cast<std::uint32_t>(depth_[v]), static_cast<std::uint8_t>(need), 0});
    for (Queue& queue : queues_[v]) queue = {queue.base, 0, 0, 0};
  }
  standing_ = stuck_ = begun_ = open_ = {};
  flits_in_ = flits_out_ = {};
  stalls_ = late_ = {};
  out_valid_ = 0;
  overflow_ = no_route_ = busy_ = false;
  error_ = rdata_ = 0;
  set_position(0, 0);
}

// ------------------------------------------------------------------------------------- one clock
// edge

void MeshTwin::step(SwitchPins& pins) {
  if (words_ == flit_words(1)) {
    step_words<flit_words(1)>(pins);
  } else {
    step_words<0>(pins);
  }
}

template <int kWords>
void MeshTwin::step_words(SwitchPins& pins) {
  // Reads see the state before the edge.
  if (pins.reg.valid && !pins.reg.write) [[unlikely]]
    rdata_ = read(pins.reg.address);
  if (overflow_ || no_route_) [[unlikely]]
    advance_errors();
  no_route_ = (stuck_[0] | stuck_[1] | stuck_[2] | stuck_[3]) != 0;

  std::uint32_t carries = 0;  // beyond 16 bits: such a credit is good for this edge only
  for (int v = 0; v < kNumVcs; ++v) {
    for (std::uint32_t left = pins.out_credit[v]; left != 0; left &= left - 1) {
      carries |= ++outputs_[v][std::countr_zero(left)].credits;
    }
  }

  late_ = {};
  pins.out_valid = 0;
  pins.in_credit = {};
  std::uint32_t taken = 0;
  std::uint32_t links = 0;
  for (const int v : kPriority) {
    if (standing_[v] != 0) pins.in_credit[v] = allocate<kWords>(v, pins, taken, links);
  }
  out_valid_ = pins.out_valid;
  late_.arbiter -= static_cast<std::uint64_t>(std::popcount(taken));
  late_.link = static_cast<std::uint64_t>(std::popcount(links));
  stalls_.credit += late_.credit;
  stalls_.arbiter += late_.arbiter;
  stalls_.link += late_.link;

  const int words = kWords != 0 ? kWords : words_;
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    accept<kWords>(p, &pins.in_flit[p * words], pins);
  }

  if (carries >> 16 != 0) [[unlikely]] {
    for (auto& outputs : outputs_) {
      for (Output& output : outputs) output.credits &= 0xFFFF;
    }
  }
  if (pins.reg.valid && pins.reg.write) [[unlikely]]
    write(pins.reg.address, pins.reg.wdata);
  pins.reg_rdata = rdata_;
  busy_ = (out_valid_ | standing_[0] | standing_[1] | standing_[2] | standing_[3] | stuck_[0] |
           stuck_[1] | stuck_[2] | stuck_[3]) != 0;
}

// Lets fronts of one VC go; the input ports that did. `taken`: input ports given away so far in
// this cycle; `links`: output ports for which a front waits for the link only.
template <int kWords>
std::uint32_t MeshTwin::allocate(int vc, SwitchPins& pins, std::uint32_t& taken,
                                 std::uint32_t& links) {
  const int words = kWords != 0 ? kWords : words_;
  std::array<std::uint8_t, kMaxPorts> winner;
  std::uint32_t granted = 0;
  std::uint32_t lacking = 0;
  std::uint32_t others = 0;  // fronts that are neither lacking credits nor waiting for the link
  const std::uint32_t out_taken = pins.out_valid;
  for (std::uint32_t left = standing_[vc]; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    const bool begun = (begun_[vc] >> p & 1U) != 0;
    const int out = queues_[vc][p].out;
    const Output& output = outputs_[vc][out];
    if (output.credits < (begun ? 1U : output.need)) {
      ++lacking;
      continue;
    }
    const bool able = begun || (open_[vc] >> out & 1U) == 0;
    const bool ready = (pins.out_ready >> out & 1U) != 0;
    if (able && !ready) {
      links |= bit(out);
      continue;
    }
    ++others;
    if (!able || (taken >> p & 1U) != 0 || (out_taken >> out & 1U) != 0) continue;
    if ((granted >> out & 1U) == 0) {
      granted |= bit(out);
      winner[out] = static_cast<std::uint8_t>(p);
    } else if (winner[out] < output.next && p >= output.next) {
      winner[out] = static_cast<std::uint8_t>(p);
    }
  }
  std::uint32_t leaving = 0;
  for (std::uint32_t left = granted; left != 0; left &= left - 1) {
    const int out = std::countr_zero(left);
    const int in = winner[out];
    leaving |= bit(in);
    launch<kWords>(vc, in, out, &pins.out_flit[out * words]);
  }
  pins.out_valid |= granted;
  taken |= leaving;
  late_.credit += lacking;
  late_.arbiter += others;
  return leaving;
}

template <int kWords>
void MeshTwin::launch(int vc, int in, int out, std::uint32_t* to) {
  const int words = kWords != 0 ? kWords : words_;
  Queue& queue = queues_[vc][in];
  Output& output = outputs_[vc][out];
  const std::uint32_t* flit = &flits_[(queue.base + queue.first) * static_cast<std::size_t>(words)];
  copy_flit<kWords>(to, flit, words);
  const bool tail = (flit[2] & kTailBit) != 0;
  if ((begun_[vc] >> in & 1U) == 0) {
    output.next = static_cast<std::uint8_t>(in + 1 == ports_ ? 0 : in + 1);
  }
  if (tail) {
    begun_[vc] &= ~bit(in);
    open_[vc] &= ~bit(out);
  } else {
    begun_[vc] |= bit(in);
    open_[vc] |= bit(out);
  }
  --output.credits;
  ++flits_out_[out];
  if (--queue.count == 0) {
    queue.first = 0;
    standing_[vc] &= ~bit(in);
    return;
  }
  queue.first = static_cast<std::uint16_t>(queue.first + 1 == depth_[vc] ? 0 : queue.first + 1);
  if (!tail) return;
  queue.out = routes_[queue.base + queue.first];
  if ((queue.out & kNoRoute) != 0) [[unlikely]] {
    standing_[vc] &= ~bit(in);
    stuck_[vc] |= bit(in);
  }
}

template <int kWords>
void MeshTwin::accept(int port, const std::uint32_t* flit, SwitchPins& pins) {
  const int words = kWords != 0 ? kWords : words_;
  const int vc = static_cast<int>(flit[2] >> 8 & 3U);
  Queue& queue = queues_[vc][port];
  ++flits_in_[port];
  const int before = queue.count + static_cast<int>(pins.in_credit[vc] >> port & 1U);
  if (before == depth_[vc]) [[unlikely]] {
    overflow_ = true;
    return;
  }
  const std::uint8_t way = route(port, static_cast<std::uint16_t>(flit[1]));
  int slot = queue.first + queue.count;
  if (slot >= depth_[vc]) slot -= depth_[vc];
  const std::size_t index = queue.base + static_cast<std::size_t>(slot);
  copy_flit<kWords>(&flits_[index * static_cast<std::size_t>(words)], flit, words);
  routes_[index] = way;
  if (queue.count++ != 0) return;
  if ((begun_[vc] >> port & 1U) != 0) {
    standing_[vc] |= bit(port);
    return;
  }
  queue.out = way;
  ((way & kNoRoute) == 0 ? standing_ : stuck_)[vc] |= bit(port);
}

void MeshTwin::advance_errors() {
  if (error_ == reg::kErrorNone) error_ = overflow_ ? reg::kErrorOverflow : reg::kErrorRoute;
  overflow_ = false;
}

// ------------------------------------------------------------------------------------- routes

// mesh_pkg::route_xy.
std::uint8_t MeshTwin::route(int in, std::uint16_t dst) const {
  std::uint8_t way = by_endpoint_[in][dst >> 12];
  const std::uint8_t along_y = by_row_[dst >> 6 & 63];
  const std::uint8_t along_x = by_column_[dst & 63];
  if (along_y != kOnward) way = along_y;
  if (along_x != kOnward) way = along_x;
  return way == in && in < kFirstLocal ? kNoRoute : way;
}

void MeshTwin::set_position(int x, int y) {
  x_ = x;
  y_ = y;
  for (int i = 0; i < 64; ++i) {
    by_column_[i] = i == x ? kOnward : static_cast<std::uint8_t>(i > x ? kEast : kWest);
    by_row_[i] = i == y ? kOnward : static_cast<std::uint8_t>(i > y ? kSouth : kNorth);
  }
}

// ------------------------------------------------------------------------------------- registers

std::uint32_t MeshTwin::read(std::uint16_t address) const {
  if (address == reg::kId) return reg::kMeshId;
  if (address == reg::kShape) return static_cast<std::uint32_t>(locals_ | ios_ << 8);
  if (address == reg::kPosition) return static_cast<std::uint32_t>(x_ | y_ << 8);
  if (address == reg::kError) return error_;
  const int credit = address - reg::kCredit;
  if (credit >= 0 && credit < 4 * ports_) return outputs_[credit % 4][credit / 4].credits;
  const std::uint64_t value = counter(address & 0xFFFE);
  return static_cast<std::uint32_t>(address % 2 == 0 ? value : value >> 32);
}

std::uint64_t MeshTwin::counter(std::uint16_t address) const {
  const int in = (address - reg::kFlitsIn) / 2;
  const int out = (address - reg::kFlitsOut) / 2;
  if (address >= reg::kFlitsIn && in < ports_) return flits_in_[in];
  if (address >= reg::kFlitsOut && out < ports_) return flits_out(out);
  switch (address) {
    case reg::kStallCredit:
      return stalls_.credit - late_.credit;
    case reg::kStallArbiter:
      return stalls_.arbiter - late_.arbiter;
    case reg::kStallLink:
      return stalls_.link - late_.link;
    default:
      return 0;
  }
}

void MeshTwin::write(std::uint16_t address, std::uint32_t value) {
  if (address == reg::kPosition) {
    set_position(static_cast<int>(value & 63U), static_cast<int>(value >> 8 & 63U));
    return;
  }
  const int credit = address - reg::kCredit;
  if (credit < 0 || credit >= 4 * ports_) return;
  Output& output = outputs_[credit % 4][credit / 4];
  output.credits = value & 0xFFFF;
  if (credit % 4 == kControl) return;  // its packets are one flit
  output.need = static_cast<std::uint8_t>(
      std::clamp(output.credits, std::uint32_t{1}, std::uint32_t{kPacketFlits}));
}

bool MeshTwin::peek_counters(SwitchCounters& into) const {
  const auto ports = static_cast<std::size_t>(ports_);
  into = {.flits_in = std::move(into.flits_in),
          .flits_out = std::move(into.flits_out),
          .stall_credit = stalls_.credit - late_.credit,
          .stall_arbiter = stalls_.arbiter - late_.arbiter,
          .stall_link = stalls_.link - late_.link};
  into.flits_in.assign(flits_in_.begin(), flits_in_.begin() + ports_);
  into.flits_out.resize(ports);
  for (int p = 0; p < ports_; ++p) into.flits_out[p] = flits_out(p);
  return true;
}

}  // namespace fredsim

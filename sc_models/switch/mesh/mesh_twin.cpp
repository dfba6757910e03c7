#include "switch/mesh/mesh_twin.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/vc_priority.h"
#include "routing/mesh_routing.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

// A route is an output port, or has this bit set: there is none.
constexpr std::uint8_t kNoRoute = 0x20;
constexpr std::uint8_t kOnward = 0xFF;  // in the tables: the next table knows

// Virtual channels in the order of their priority: control, MP, PP, DP.
constexpr int vc_of_priority(int place) { return (place + kControl) % kNumVcs; }
static_assert(vc_of_priority(0) == kVcPriority[0] && vc_of_priority(1) == kVcPriority[1] &&
              vc_of_priority(2) == kVcPriority[2] && vc_of_priority(3) == kVcPriority[3]);

// Credits of eight ports in one vector register, and for every mask of eight ports a one each.
constexpr int kGroup = 8;
using Group [[gnu::vector_size(16)]] = std::uint16_t;
using GroupLanes = std::array<std::uint16_t, kGroup>;
alignas(64) constexpr auto kOnes = [] {
  std::array<GroupLanes, 1U << kGroup> ones{};
  for (std::size_t mask = 0; mask < ones.size(); ++mask) {
    for (std::size_t port = 0; port < kGroup; ++port) {
      ones[mask][port] = static_cast<std::uint16_t>(mask >> port & 1U);
    }
  }
  return ones;
}();

constexpr std::uint32_t bit(int index) { return 1U << index; }

template <int kWords>
void copy_flit(std::uint32_t* to, const std::uint32_t* from, int words) {
  std::memcpy(to, from, static_cast<std::size_t>(kWords != 0 ? kWords : words) * sizeof *to);
}

}  // namespace

MeshTwin::MeshTwin(const MeshShape& shape)
    : words_(flit_words(shape.lanes)),
      ports_(shape.ports()),
      locals_(shape.local_ports),
      ios_(shape.io_ports),
      packet_flits_(static_cast<std::uint32_t>(shape.packet_flits)) {
  std::uint32_t slots = 0;
  for (int v = 0; v < kNumVcs; ++v) {
    const int depth = shape.buffers.depth(v);
    Channel& channel = channels_[v];
    channel.depth = static_cast<std::uint32_t>(depth);
    channel.base = slots;
    slots += static_cast<std::uint32_t>(depth * ports_);
  }
  flits_.resize(std::size_t{slots} * static_cast<std::size_t>(words_));
  routes_.resize(slots);
  for (int in = 0; in < ports_; ++in) {
    const int local = (in < kFirstLocal ? in : in - kFirstLocal) % locals_;
    to_npu_[in] = static_cast<std::uint8_t>(kFirstLocal + local);
  }
  to_endpoint_.fill(kNoRoute);
  for (int e = 1; e <= ios_; ++e) {
    to_endpoint_[e] = static_cast<std::uint8_t>(kFirstLocal + locals_ + e - 1);
  }
  reset();
}

void MeshTwin::reset() {
  for (int v = 0; v < kNumVcs; ++v) {
    Channel& c = channels_[v];
    c.credits.fill(static_cast<std::uint16_t>(c.depth));
    const std::uint32_t need = v == kControl ? 1 : std::min(packet_flits_, c.depth);
    c.outputs.fill({.need = static_cast<std::uint8_t>(need)});
    c.queues = {};
  }
  wanted_ = {};
  stalls_ = late_ = {};
  out_valid_ = 0;
  overflow_ = stuck_ = no_route_ = late_any_ = false;
  buffered_ = 0;
  error_ = rdata_ = 0;
  x_ = y_ = columns_ = rows_ = 0;
  set_place();
}

// ---- one clock edge

void MeshTwin::step(SwitchPins& pins) {
  if (words_ == flit_words(1)) {
    step_words<flit_words(1)>(pins);
  } else {
    step_words<0>(pins);
  }
}

struct MeshTwin::Edge {
  std::uint32_t in_taken = 0;   // input ports given away so far
  std::uint32_t out_taken = 0;  // output ports
  std::uint32_t links = 0;      // output ports for which a front waits for the link only
  int lacking = 0;              // fronts that lack credits
  int waiting = 0;              // fronts that stay for another reason than credits or the link
};

template <int kWords>
void MeshTwin::step_words(SwitchPins& pins) {
  // Reads see the state before the edge.
  if (pins.reg.valid && !pins.reg.write) [[unlikely]]
    rdata_ = read(pins.reg.address);
  if (overflow_ | stuck_) [[unlikely]]
    advance_errors();

  Edge edge;
  pins.in_credit = {};
  const auto has_work = [&](int place) {
    const int v = vc_of_priority(place);
    return (wanted_[v] | pins.out_credit[v]) != 0 ? bit(place) : 0;
  };
  std::uint32_t active = has_work(0) | has_work(1) | has_work(2) | has_work(3);  // by priority
  for (; active != 0; active &= active - 1) {
    const int v = vc_of_priority(std::countr_zero(active));
    const std::uint32_t arriving = pins.out_credit[v];
    const std::uint32_t in_before = edge.in_taken;
    const std::uint32_t out_before = edge.out_taken;
    allocate<kWords>(v, pins, edge);
    pins.in_credit[v] = edge.in_taken ^ in_before;
    spend(channels_[v], arriving, edge.out_taken ^ out_before);
  }
  pins.out_valid = out_valid_ = edge.out_taken;
  if ((edge.links | static_cast<std::uint32_t>(edge.lacking | edge.waiting)) != 0 || late_any_) {
    count_stalls(edge);
  }

  const int words = kWords != 0 ? kWords : words_;
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    accept<kWords>(p, &pins.in_flit[p * words], pins);
  }

  if (pins.reg.valid && pins.reg.write) [[unlikely]]
    write(pins.reg.address, pins.reg.wdata);
  pins.reg_rdata = rdata_;
}

// Lets fronts of one VC go, output by output: at most one of those that want it. `arriving`:
// credits of this edge.
template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::allocate(int vc, SwitchPins& pins, Edge& edge) {
  Channel& channel = channels_[vc];
  const std::uint32_t arriving = pins.out_credit[vc];
  const int words = kWords != 0 ? kWords : words_;
  std::uint32_t launched = 0;  // input ports, whose next fronts are there from the next edge on
  for (std::uint32_t left = wanted_[vc]; left != 0; left &= left - 1) {
    const int out = std::countr_zero(left);
    const Output& output = channel.outputs[out];
    const std::uint32_t credits = channel.credits[out] + (arriving >> out & 1U);
    std::uint32_t asking = output.wanting & ~launched;
    std::uint32_t need = output.need;
    if ((rings_ >> out & 1U) != 0) [[unlikely]] {
      // Who enters the ring needs one flit more than a packet, who goes straight on a flit.
      const std::uint32_t begun = output.open != 0 ? bit(output.open - 1) : 0;
      const std::uint32_t entering = asking & ~begun & ~bit(out ^ 2);
      if (credits <= need) {
        edge.lacking += std::popcount(entering);
        asking ^= entering;
        if (asking == 0) continue;
      }
      need = 1;
    }
    if (output.open != 0) {  // the others wait for its tail
      const std::uint32_t starts = asking & ~bit(output.open - 1);
      if (starts != 0) (credits < need ? edge.lacking : edge.waiting) += std::popcount(starts);
      asking ^= starts;
      need = 1;
      if (asking == 0) continue;
    }
    if (credits < need) {
      edge.lacking += std::popcount(asking);
      continue;
    }
    if ((pins.out_ready >> out & 1U) == 0) {
      edge.links |= bit(out);
      continue;
    }
    const std::uint32_t able = (edge.out_taken >> out & 1U) != 0 ? 0 : asking & ~edge.in_taken;
    if (able == 0) {
      edge.waiting += std::popcount(asking);
      continue;
    }
    const std::uint32_t in_turn = able >> output.next << output.next;
    const int in = std::countr_zero(in_turn != 0 ? in_turn : able);
    const std::uint32_t losing = asking & ~bit(in);
    if (losing != 0) edge.waiting += std::popcount(losing);
    launched |= bit(in);
    edge.in_taken |= bit(in);
    edge.out_taken |= bit(out);
    launch<kWords>(vc, in, out, &pins.out_flit[out * words]);
  }
}

template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::launch(int vc, int in, int out, std::uint32_t* to) {
  const int words = kWords != 0 ? kWords : words_;
  Channel& channel = channels_[vc];
  Queue& queue = channel.queues[in];
  Output& output = channel.outputs[out];
  const std::uint32_t* flit =
      &flits_[slot(channel, in, queue.first) * static_cast<std::size_t>(words)];
  copy_flit<kWords>(to, flit, words);
  const bool tail = (flit[2] & kTailBit) != 0;
  if (!queue.begun) output.next = static_cast<std::uint8_t>(in + 1 == ports_ ? 0 : in + 1);
  if (queue.begun == tail) {  // a packet of one flit leaves no trace
    queue.begun = !tail;
    output.open = static_cast<std::uint8_t>(tail ? 0 : in + 1);
  }
  ++output.flits;
  --buffered_;
  if (--queue.count != 0) {
    queue.first = queue.first + 1U == channel.depth ? 0 : queue.first + 1;
    if (!tail) return;
  } else {
    queue.first = queue.free = 0;
  }
  output.wanting &= ~bit(in);
  if (output.wanting == 0) wanted_[vc] &= ~bit(out);
  if (queue.count != 0) set_front(vc, in, routes_[slot(channel, in, queue.first)]);
}

// A front has come up that wants to go by `out`.
[[gnu::always_inline]] inline void MeshTwin::set_front(int vc, int in, int out) {
  if ((out & kNoRoute) != 0) [[unlikely]] {
    stuck_ = true;  // it stays for ever
    return;
  }
  Channel& channel = channels_[vc];
  channel.queues[in].out = static_cast<std::uint8_t>(out);
  channel.outputs[out].wanting |= bit(in);
  wanted_[vc] |= bit(out);
}

template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::accept(int port, const std::uint32_t* flit,
                                                    const SwitchPins& pins) {
  const int words = kWords != 0 ? kWords : words_;
  const int vc = vc_of(flit);
  Channel& channel = channels_[vc];
  Queue& queue = channel.queues[port];
  ++queue.flits;
  if (queue.count + 1U >= channel.depth &&
      queue.count + (pins.in_credit[vc] >> port & 1U) == channel.depth) [[unlikely]] {
    overflow_ = true;  // it was full before the edge
    return;
  }
  const std::size_t free = slot(channel, port, queue.free);
  copy_flit<kWords>(&flits_[free * static_cast<std::size_t>(words)], flit, words);
  const std::uint8_t way = route(port, static_cast<std::uint16_t>(flit[1]));
  ++buffered_;
  if (queue.count++ == 0) {
    set_front(vc, port, queue.begun ? queue.out : way);
  } else {
    routes_[free] = way;
  }
  queue.free = queue.free + 1U == channel.depth ? 0 : queue.free + 1;
}

// Credits that came and went, for all outputs alike: no branch per credit, a few vector operations.
[[gnu::always_inline]] inline void MeshTwin::spend(Channel& channel, std::uint32_t arriving,
                                                   std::uint32_t launched) const {
  for (int first = 0; first < ports_; first += kGroup) {
    const auto ones = [&](std::uint32_t mask) {
      Group group;
      std::memcpy(&group, &kOnes[mask >> first & 0xFFU], sizeof group);
      return group;
    };
    Group credits;
    std::memcpy(&credits, &channel.credits[first], sizeof credits);
    credits += ones(arriving) - ones(launched);
    std::memcpy(&channel.credits[first], &credits, sizeof credits);
  }
}

void MeshTwin::count_stalls(const Edge& edge) {
  late_ = {static_cast<std::uint64_t>(edge.lacking), static_cast<std::uint64_t>(edge.waiting),
           static_cast<std::uint64_t>(std::popcount(edge.links))};
  late_any_ = (late_.credit | late_.arbiter | late_.link) != 0;
  stalls_.credit += late_.credit;
  stalls_.arbiter += late_.arbiter;
  stalls_.link += late_.link;
}

// Tells what the edge before found; a blocked packet start shows one edge later.
void MeshTwin::advance_errors() {
  if (error_ == reg::kErrorNone && (overflow_ || no_route_)) {
    error_ = overflow_ ? reg::kErrorOverflow : reg::kErrorRoute;
  }
  overflow_ = false;
  no_route_ = stuck_;
}

// ------------------------------------------------------------------------------------- routes

// mesh_pkg::route_xy.
[[gnu::always_inline]] inline std::uint8_t MeshTwin::route(int in, std::uint16_t dst) const {
  // Without branches, which nobody could predict: a table's entry is all ones where the next
  // decides.
  const std::uint32_t x = by_column_[dst & 63];
  const std::uint32_t y = by_row_[dst >> 6 & 63];
  const std::uint32_t at_column = 0U - (x >> 7);
  const std::uint32_t at_row = 0U - (y >> 7);
  const std::uint32_t endpoint = dst >> 12 == 0 ? to_npu_[in] : to_endpoint_[dst >> 12];
  const std::uint32_t way = (x & ~at_column) | (at_column & ((y & ~at_row) | (at_row & endpoint)));
  return way == static_cast<std::uint32_t>(in) && in < kFirstLocal ? kNoRoute
                                                                   : static_cast<std::uint8_t>(way);
}

void MeshTwin::set_place() {
  const MeshRings rings{columns_, rows_};
  for (int i = 0; i < 64; ++i) {
    by_column_[i] =
        i == x_ ? kOnward : static_cast<std::uint8_t>(mesh_direction(x_, 0, i, 0, rings));
    by_row_[i] = i == y_ ? kOnward : static_cast<std::uint8_t>(mesh_direction(0, y_, 0, i, rings));
  }
  rings_ =
      (columns_ != 0 ? bit(kEast) | bit(kWest) : 0) | (rows_ != 0 ? bit(kNorth) | bit(kSouth) : 0);
}

// ------------------------------------------------------------------------------------- registers

std::uint32_t MeshTwin::read(std::uint16_t address) const {
  if (address == reg::kId) return reg::kMeshId;
  if (address == reg::kShape) return static_cast<std::uint32_t>(locals_ | ios_ << 8);
  if (address == reg::kPosition) return static_cast<std::uint32_t>(x_ | y_ << 8);
  if (address == reg::kTorus) return static_cast<std::uint32_t>(columns_ | rows_ << 8);
  if (address == reg::kError) return error_;
  const int credit = address - reg::kCredit;
  if (credit >= 0 && credit < 4 * ports_) return channels_[credit % 4].credits[credit / 4];
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
      return stalls_.credit - late_.credit;
    case reg::kStallArbiter:
      return stalls_.arbiter - late_.arbiter;
    case reg::kStallLink:
      return stalls_.link - late_.link;
    default:
      return 0;
  }
}

std::uint64_t MeshTwin::flits_in(int port) const {
  std::uint64_t sum = 0;
  for (const Channel& channel : channels_) sum += channel.queues[port].flits;
  return sum;
}

std::uint64_t MeshTwin::flits_out(int port) const {
  std::uint64_t sum = 0;
  for (const Channel& channel : channels_) sum += channel.outputs[port].flits;
  return sum - (out_valid_ >> port & 1U);
}

void MeshTwin::write(std::uint16_t address, std::uint32_t value) {
  if (address == reg::kPosition) {
    x_ = static_cast<int>(value & 63U);
    y_ = static_cast<int>(value >> 8 & 63U);
    set_place();
    return;
  }
  if (address == reg::kTorus) {
    columns_ = static_cast<int>(value & 127U);
    rows_ = static_cast<int>(value >> 8 & 127U);
    set_place();
    return;
  }
  const int credit = address - reg::kCredit;
  if (credit < 0 || credit >= 4 * ports_) return;
  Channel& channel = channels_[credit % 4];
  channel.credits[credit / 4] = static_cast<std::uint16_t>(value);
  if (credit % 4 == kControl) return;  // its packets are one flit
  channel.outputs[credit / 4].need =
      static_cast<std::uint8_t>(std::clamp(value & 0xFFFFU, std::uint32_t{1}, packet_flits_));
}

bool MeshTwin::peek_counters(SwitchCounters& into) const {
  const auto ports = static_cast<std::size_t>(ports_);
  into = {.flits_in = std::move(into.flits_in),
          .flits_out = std::move(into.flits_out),
          .stall_credit = stalls_.credit - late_.credit,
          .stall_arbiter = stalls_.arbiter - late_.arbiter,
          .stall_link = stalls_.link - late_.link};
  into.flits_in.resize(ports);
  into.flits_out.resize(ports);
  for (int p = 0; p < ports_; ++p) {
    into.flits_in[p] = flits_in(p);
    into.flits_out[p] = flits_out(p);
  }
  return true;
}

}  // namespace fredsim

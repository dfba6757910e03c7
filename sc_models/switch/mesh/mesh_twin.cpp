#include "switch/mesh/mesh_twin.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "routing/mesh_routing.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

// A route is an output port, or has this bit set: there is none.
constexpr std::uint8_t kNoRoute = 0x20;
constexpr std::uint8_t kOnward = 0xFF;  // in the tables: the next table knows

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
      packet_flits_(static_cast<std::uint32_t>(shape.packet_flits)),
      order_(shape.vc_order) {
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
  leaving_flits_.resize(leaving_.size() * static_cast<std::size_t>(ports_ * words_));
  for (int in = 0; in < ports_; ++in) {
    to_npu_[in] = static_cast<std::uint8_t>(mesh_npu_port(in, locals_));
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
    c.spent = c.declined = 0;
    const std::uint32_t need = v == kControl ? 1 : std::min(packet_flits_, c.depth);
    c.outputs.fill({.need = static_cast<std::uint8_t>(need)});
    c.queues = {};
  }
  wanted_ = {};
  stalls_ = {};
  late_ = {};
  pins_valid_ = out_valid_ = 0;
  leaving_ = {};
  overflow_ = stuck_ = no_route_ = late_any_ = declined_any_ = false;
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
  std::array<std::uint32_t, kNumVcs> any{};      // output ports that have a winner
  std::array<std::uint32_t, kNumVcs> granted{};  // output ports that grant it
  std::uint32_t links = 0;  // output ports for which a front waits for the link only
  std::uint32_t vcs = 0;    // VCs with winners
  int last = 0;             // of these
  bool one = false;         // there is no other
  int no_credit = 0;        // fronts without enough credits
  int waiting = 0;          // fronts that stay for another reason than credits or the link
};

template <int kWords>
void MeshTwin::step_words(SwitchPins& pins) {
  const int words = kWords != 0 ? kWords : words_;
  // Reads see the state before the edge.
  if (pins.reg.valid && !pins.reg.write) [[unlikely]]
    rdata_ = read(pins.reg.address);
  if (overflow_ | stuck_) [[unlikely]]
    advance_errors();

  // The flits that left two edges ago come out of the crossbar.
  Leaving& out = leaving_[leaving_now_];
  pins.out_valid = out_valid_ = out.ports;
  for (std::uint32_t left = out.ports; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    copy_flit<kWords>(&pins.out_flit[p * words], leaving_flit(leaving_now_, p), words);
  }
  out.ports = 0;  // its room is for those that leave now

  Edge edge;
  pins.in_credit = {};
  if ((wanted_[0] | wanted_[1] | wanted_[2] | wanted_[3]) != 0) {
    for (int v = 0; v < kNumVcs; ++v) {
      if (wanted_[v] == 0) continue;
      arbitrate(v, pins.out_ready, edge);
      if (edge.any[v] == 0) continue;
      edge.one = edge.vcs == 0;
      edge.vcs |= bit(v);
      edge.last = v;
    }
    if (edge.one && !declined_any_) {
      launch_all<kWords>(edge, pins);
    } else if ((edge.vcs != 0) | declined_any_) {
      grant(edge);
      accept<kWords>(edge, pins);
    }
  }
  for (int v = 0; v < kNumVcs; ++v) {
    Channel& channel = channels_[v];
    if ((pins.out_credit[v] | channel.launched) != 0) spend(channel, pins.out_credit[v]);
    channel.spent = std::exchange(channel.launched, 0);
  }
  if ((edge.links | static_cast<std::uint32_t>(edge.no_credit | edge.waiting)) != 0 || late_any_) {
    count_stalls(edge);
  }
  leaving_now_ ^= 1U;

  for (std::uint32_t left = pins_valid_; left != 0; left &= left - 1) {
    store(std::countr_zero(left));
  }
  if (pins.reg.valid && pins.reg.write) [[unlikely]]
    write(pins.reg.address, pins.reg.wdata);
  pins_valid_ = pins.in_valid;
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    sample<kWords>(p, &pins.in_flit[p * words], pins);
  }
  pins.reg_rdata = rdata_;
}

// Requests of one VC, and their winners, output by output.
[[gnu::always_inline]] inline void MeshTwin::arbitrate(int vc, std::uint32_t ready, Edge& edge) {
  Channel& channel = channels_[vc];
  for (std::uint32_t left = wanted_[vc]; left != 0; left &= left - 1) {
    const int out = std::countr_zero(left);
    Output& output = channel.outputs[out];
    const std::uint32_t credits = channel.credits[out];
    std::uint32_t asking = output.wanting;
    std::uint32_t need = output.need;
    if ((rings_ >> out & 1U) != 0) [[unlikely]] {
      // Who enters the ring needs one flit more than a packet, who goes straight on a flit.
      const std::uint32_t begun = output.open != 0 ? bit(output.open - 1) : 0;
      const std::uint32_t entering = asking & ~begun & ~bit(out ^ 2);
      if (credits <= need) {
        edge.no_credit += std::popcount(entering);
        asking ^= entering;
        if (asking == 0) continue;
      }
      need = 1;
    }
    if (output.open != 0) {  // the others wait for its tail
      const std::uint32_t starts = asking & ~bit(output.open - 1);
      if (starts != 0) (credits < need ? edge.no_credit : edge.waiting) += std::popcount(starts);
      asking ^= starts;
      need = 1;
      if (asking == 0) continue;
    }
    if (credits < need) {
      edge.no_credit += std::popcount(asking);
      continue;
    }
    if ((ready >> out & 1U) == 0) {
      edge.links |= bit(out);
      continue;
    }
    edge.waiting += std::popcount(asking);  // one less for each that leaves
    const std::uint32_t in_turn = asking >> output.next << output.next;
    output.winner = static_cast<std::uint8_t>(std::countr_zero(in_turn != 0 ? in_turn : asking));
    edge.any[vc] |= bit(out);
  }
}

// Which VC every output grants: by priority, but one that was declined at the edge before goes last.
[[gnu::always_inline]] inline void MeshTwin::grant(Edge& edge) {
  std::uint32_t taken = 0;
  for (const int v : order_) {
    const std::uint32_t fresh = edge.any[v] & ~channels_[v].declined;
    edge.granted[v] = fresh & ~taken;
    taken |= fresh;
  }
  declined_any_ = false;
  for (const int v : order_) {
    channels_[v].declined = 0;
    edge.granted[v] |= edge.any[v] & ~taken;
    taken |= edge.any[v];
  }
}

// Every input takes the flit of highest priority that an output grants it, and that one leaves.
template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::accept(Edge& edge, SwitchPins& pins) {
  std::uint32_t taken = 0;
  for (const int v : order_) {
    Channel& channel = channels_[v];
    for (std::uint32_t left = edge.granted[v]; left != 0; left &= left - 1) {
      const int out = std::countr_zero(left);
      Output& output = channel.outputs[out];
      const int in = output.winner;
      if (output.open == 0) output.next = static_cast<std::uint8_t>(in + 1 == ports_ ? 0 : in + 1);
      if ((taken >> in & 1U) != 0) {
        channel.declined |= bit(out);
        declined_any_ = true;
        continue;
      }
      taken |= bit(in);
      pins.in_credit[v] |= bit(in);
      --edge.waiting;
      launch<kWords>(v, in, out);
    }
  }
}

// All winners of the only VC that has any leave: each is the front of a buffer of its own, so that no input is granted
// twice.
template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::launch_all(Edge& edge, SwitchPins& pins) {
  const int vc = edge.last;
  Channel& channel = channels_[vc];
  for (std::uint32_t left = edge.any[vc]; left != 0; left &= left - 1) {
    const int out = std::countr_zero(left);
    Output& output = channel.outputs[out];
    const int in = output.winner;
    if (output.open == 0) output.next = static_cast<std::uint8_t>(in + 1 == ports_ ? 0 : in + 1);
    pins.in_credit[vc] |= bit(in);
    --edge.waiting;
    launch<kWords>(vc, in, out);
  }
}

template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::launch(int vc, int in, int out) {
  const int words = kWords != 0 ? kWords : words_;
  Channel& channel = channels_[vc];
  Queue& queue = channel.queues[in];
  Output& output = channel.outputs[out];
  const std::uint32_t* flit =
      &flits_[slot(channel, in, queue.first) * static_cast<std::size_t>(words)];
  copy_flit<kWords>(leaving_flit(leaving_now_, out), flit, words);
  leaving_[leaving_now_].ports |= bit(out);
  channel.launched |= bit(out);
  const bool tail = (flit[2] & kTailBit) != 0;
  if (queue.begun == tail) {  // a packet of one flit leaves no trace
    queue.begun = !tail;
    output.open = static_cast<std::uint8_t>(tail ? 0 : in + 1);
  }
  ++output.flits;
  --buffered_;
  queue.first = queue.first + 1U == channel.depth ? 0 : queue.first + 1;
  if (--queue.count != 0) {
    if (!tail) return;
  } else if (queue.first == queue.free) {  // nor is a flit in the pin register
    queue.first = queue.free = 0;
  }
  output.wanting &= ~bit(in);
  if (output.wanting == 0) wanted_[vc] &= ~bit(out);
  if (queue.count != 0) set_front(vc, in, routes_[slot(channel, in, queue.first)]);
}

// A flit is at the front of its buffer that starts a packet, or is the first of the others to come.
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

// From the pin register into the buffer.
[[gnu::always_inline]] inline void MeshTwin::store(int port) {
  const Pin& pin = pins_[port];
  if (pin.dropped) [[unlikely]] {
    overflow_ = true;
    return;
  }
  Queue& queue = channels_[pin.vc].queues[port];
  ++buffered_;
  if (queue.count++ == 0) set_front(pin.vc, port, queue.begun ? queue.out : pin.out);
}

// Into the pin register. Its words and its route go where the buffer will have them.
template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::sample(int port, const std::uint32_t* flit,
                                                    const SwitchPins& pins) {
  const int words = kWords != 0 ? kWords : words_;
  const int vc = vc_of(flit);
  const std::uint32_t popped = pins.in_credit[vc];
  Channel& channel = channels_[vc];
  Queue& queue = channel.queues[port];
  Pin& pin = pins_[port];
  ++queue.flits;
  pin.vc = static_cast<std::uint8_t>(vc);
  // No slot at the edge that would store it: one that was popped at this edge is being read then.
  pin.dropped = queue.count + (popped >> port & 1U) == channel.depth;
  if (pin.dropped) [[unlikely]]
    return;
  const std::size_t free = slot(channel, port, queue.free);
  copy_flit<kWords>(&flits_[free * static_cast<std::size_t>(words)], flit, words);
  routes_[free] = pin.out = route(port, static_cast<std::uint16_t>(flit[1]));
  queue.free = queue.free + 1U == channel.depth ? 0 : queue.free + 1;
}

// Credits that came and went, for all outputs alike: no branch per credit, a few vector operations. They stay
// at their highest number.
[[gnu::always_inline]] inline void MeshTwin::spend(Channel& channel, std::uint32_t arriving) const {
  for (int first = 0; first < ports_; first += kGroup) {
    const auto ones = [&](std::uint32_t mask) {
      Group group;
      std::memcpy(&group, &kOnes[mask >> first & 0xFFU], sizeof group);
      return group;
    };
    Group credits;
    std::memcpy(&credits, &channel.credits[first], sizeof credits);
    const Group more = ones(arriving);
    credits += more;
    credits -= more & static_cast<Group>(credits == 0);
    credits -= ones(channel.launched);
    std::memcpy(&channel.credits[first], &credits, sizeof credits);
  }
}

void MeshTwin::count_stalls(const Edge& edge) {
  late_[1] = late_[0];
  late_[0] = {static_cast<std::uint64_t>(edge.no_credit), static_cast<std::uint64_t>(edge.waiting),
              static_cast<std::uint64_t>(std::popcount(edge.links))};
  late_any_ = false;
  for (const Stalls& late : late_) late_any_ |= (late.credit | late.arbiter | late.link) != 0;
  stalls_.credit += late_[0].credit;
  stalls_.arbiter += late_[0].arbiter;
  stalls_.link += late_[0].link;
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
  const std::uint32_t x = by_column_[mesh_column(dst)];
  const std::uint32_t y = by_row_[mesh_row(dst)];
  const std::uint32_t at_column = 0U - (x >> 7);
  const std::uint32_t at_row = 0U - (y >> 7);
  const int number = mesh_endpoint(dst);
  const std::uint32_t endpoint = number == 0 ? to_npu_[in] : to_endpoint_[number];
  const std::uint32_t port = (x & ~at_column) | (at_column & ((y & ~at_row) | (at_row & endpoint)));
  return port == static_cast<std::uint32_t>(in) && in < kFirstLocal
             ? kNoRoute
             : static_cast<std::uint8_t>(port);
}

void MeshTwin::set_place() {
  const MeshRings rings{columns_, rows_};
  for (int i = 0; i < kMeshSide; ++i) {
    by_column_[i] =
        i == x_ ? kOnward : static_cast<std::uint8_t>(mesh_direction(x_, 0, i, 0, rings));
    by_row_[i] = i == y_ ? kOnward : static_cast<std::uint8_t>(mesh_direction(0, y_, 0, i, rings));
  }
  rings_ =
      (columns_ != 0 ? bit(kEast) | bit(kWest) : 0) | (rows_ != 0 ? bit(kNorth) | bit(kSouth) : 0);
}

}  // namespace fredsim

#include "switch/mesh/mesh_twin.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/port_mask.h"
#include "routing/mesh_routing.h"
#include "switch/register_map.h"

namespace fredsim {
namespace {

// A route is an output port, or has this bit set: there is none.
constexpr std::uint8_t kNoRoute = 0x20;
constexpr std::uint8_t kOnward = 0xFF;  // in the tables: the next table knows
constexpr std::uint32_t kMostCredits = 0xFFFF;

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
  for (int v = 0; v < kNumVcs; ++v) {
    const auto depth = static_cast<std::uint32_t>(shape.buffers.depth(v));
    rings_of_[v] = {.depth = depth, .last = std::max(std::bit_ceil(depth + 2), kFirstPlaces) - 1};
  }
  const std::uint32_t places = lay_out_rings();
  flits_ = std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t{places} *
                                                           static_cast<std::size_t>(words_));
  routes_ = std::make_unique_for_overwrite<std::uint8_t[]>(places);
  for (int in = 0; in < ports_; ++in) {
    to_npu_[in] = static_cast<std::uint8_t>(mesh_npu_port(in, locals_));
  }
  to_endpoint_.fill(kNoRoute);
  for (int e = 1; e <= ios_; ++e) {
    to_endpoint_[e] = static_cast<std::uint8_t>(kFirstLocal + locals_ + e - 1);
  }
  reset();
}

// Puts every buffer at the begin of its ring; how many places there are.
std::uint32_t MeshTwin::lay_out_rings() {
  std::uint32_t places = 0;
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    const std::uint32_t ring = rings_of_[v].last + 1;
    places = (places + ring - 1) & ~(ring - 1);
    for (std::size_t p = 0; p < static_cast<std::size_t>(ports_); ++p) {
      queues_[at(v, p)] = {.front = places};
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

SwitchCore::Stepped MeshTwin::step_and_tell(SwitchPins& pins) {
  MeshTwin::step(pins);
  return {.idle = MeshTwin::idle(), .rests = rests(), .error = error_};
}

struct MeshTwin::Edge {
  std::uint32_t links = 0;  // output ports for which a front waits for the link only
  int no_credit = 0;        // fronts without enough credits
  int waiting = 0;          // fronts that stay for another reason than credits or the link
  int renewals = 0;
  // Of these, VC and input port of a buffer that has another packet at its front, or the same at another output.
  std::array<std::uint8_t, kMaxPorts> renewed;
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
    Edge edge;
    if ((asking_ & (asking_ - 1)) != 0 || declined_any_) {
      leave_on_all<kWords>(pins, edge);
    } else if (asking_ != 0) {
      leave_on<kWords>(static_cast<std::size_t>(std::countr_zero(asking_)), pins, edge);
    }
    renew_fronts(edge);
    if ((edge.links | static_cast<std::uint32_t>(edge.no_credit | edge.waiting)) != 0 ||
        late_any_) {
      count_stalls(edge);
    }
  }
  if (on_any_vc(pins.out_credit) != 0) take_credits(pins);
  leaving_now_ ^= 1U;

  if (arriving_ != 0) store_all();
  if (pins.reg.valid && pins.reg.write) [[unlikely]]
    write(pins.reg.address, pins.reg.wdata);
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    sample<kWords>(p, &pins.in_flit[p * words], pins);
  }
  pins.reg_rdata = rdata_;
}

// The flits that left two edges ago come out of the crossbar.
template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::come_out(SwitchPins& pins) {
  const int words = kWords != 0 ? kWords : words_;
  Leaving& out = leaving_[leaving_now_];
  pins.out_valid = out_valid_ = out.ports;
  for (std::uint32_t left = out.ports; left != 0; left &= left - 1) {
    const int p = std::countr_zero(left);
    copy_flit<kWords>(&pins.out_flit[p * words], words_at<kWords>(out.places[p]), words);
  }
  out.ports = 0;  // its room is for those that leave now
}

// The winner of the requests for one output on one VC, an input port, or none: -1.
[[gnu::always_inline]] inline int MeshTwin::arbitrate(std::size_t vc, int out, std::uint32_t ready,
                                                      Edge& edge) {
  const Output& output = outputs_[at(vc, static_cast<std::size_t>(out))];
  const std::uint32_t credits = credits_[at(vc, static_cast<std::size_t>(out))];
  std::uint32_t asking = output.wanting;
  std::uint32_t need = output.need;
  if ((rings_ >> out & 1U) != 0) [[unlikely]] {
    // Who enters the ring needs one flit more than a packet, who goes straight on a flit.
    const std::uint32_t begun = output.open != 0 ? bit(output.open - 1) : 0;
    const std::uint32_t entering = asking & ~begun & ~bit(out ^ 2);
    if (credits <= need) {
      edge.no_credit += std::popcount(entering);
      asking ^= entering;
      if (asking == 0) return -1;
    }
    need = 1;
  }
  if (output.open != 0) {  // the others wait for its tail
    const std::uint32_t starts = asking & ~bit(output.open - 1);
    if (starts != 0) (credits < need ? edge.no_credit : edge.waiting) += std::popcount(starts);
    asking ^= starts;
    need = 1;
    if (asking == 0) return -1;
  }
  if (credits < need) {
    edge.no_credit += std::popcount(asking);
    return -1;
  }
  if ((ready >> out & 1U) == 0) {
    edge.links |= bit(out);
    return -1;
  }
  if ((asking & (asking - 1)) == 0) {
    ++edge.waiting;  // one less for each that leaves
    return std::countr_zero(asking);
  }
  edge.waiting += std::popcount(asking);
  const std::uint32_t in_turn = asking >> output.next << output.next;
  return std::countr_zero(in_turn != 0 ? in_turn : asking);
}

// The only VC with fronts: each is that of a buffer of its own, so that no input is granted twice, and every winner
// leaves.
template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::leave_on(std::size_t vc, SwitchPins& pins,
                                                      Edge& edge) {
  std::uint32_t inputs = 0;
  for (std::uint32_t left = wanted_[vc]; left != 0; left &= left - 1) {
    const int out = std::countr_zero(left);
    const int in = arbitrate(vc, out, pins.out_ready, edge);
    if (in < 0) continue;
    inputs |= bit(in);
    launch<kWords>(vc, in, out, edge);
  }
  pins.in_credit[vc] = inputs;
}

// Several VCs. Every input takes the flit of highest priority that an output grants it, and that one leaves.
template <int kWords>
void MeshTwin::leave_on_all(SwitchPins& pins, Edge& edge) {
  ByVc any{};  // output ports that have a winner
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    for (std::uint32_t left = wanted_[v]; left != 0; left &= left - 1) {
      const int out = std::countr_zero(left);
      const int in = arbitrate(v, out, pins.out_ready, edge);
      if (in < 0) continue;
      outputs_[at(v, static_cast<std::size_t>(out))].winner = static_cast<std::uint8_t>(in);
      any[v] |= bit(out);
    }
  }
  const ByVc granted = grant(any);
  std::uint32_t taken = 0;
  for (const std::size_t v : order_) {
    for (std::uint32_t left = granted[v]; left != 0; left &= left - 1) {
      const int out = std::countr_zero(left);
      Output& output = outputs_[at(v, static_cast<std::size_t>(out))];
      const int in = output.winner;
      if ((taken >> in & 1U) != 0) {
        turn(output, in);
        declined_[v] |= bit(out);
        declined_any_ = true;
        continue;
      }
      taken |= bit(in);
      pins.in_credit[v] |= bit(in);
      launch<kWords>(v, in, out, edge);
    }
  }
}

// Which VC every output grants, of those that have a winner there: by priority, but one that was declined at the edge
// before goes last.
[[gnu::always_inline]] inline MeshTwin::ByVc MeshTwin::grant(const ByVc& any) {
  ByVc granted{};
  std::uint32_t taken = 0;
  for (const int v : order_) {
    const std::uint32_t fresh = any[v] & ~declined_[v];
    granted[v] = fresh & ~taken;
    taken |= fresh;
  }
  declined_any_ = false;
  declined_ = {};
  for (const int v : order_) {
    granted[v] |= any[v] & ~taken;
    taken |= any[v];
  }
  return granted;
}

// The round-robin pointer of an output moves on with the first flit of a packet that it grants.
[[gnu::always_inline]] inline void MeshTwin::turn(Output& output, int in) const {
  if (output.open == 0) output.next = static_cast<std::uint8_t>(in + 1 == ports_ ? 0 : in + 1);
}

template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::launch(std::size_t vc, int in, int out, Edge& edge) {
  const std::size_t queue_number = at(vc, static_cast<std::size_t>(in));
  const std::size_t output_number = at(vc, static_cast<std::size_t>(out));
  Queue& queue = queues_[queue_number];
  Output& output = outputs_[output_number];
  turn(output, in);
  --edge.waiting;
  const std::uint32_t from = queue.front;
  Leaving& leaving = leaving_[leaving_now_];
  leaving.places[out] = from;
  leaving.ports |= bit(out);
  spent_[vc] |= bit(out);
  --credits_[output_number];
  const bool tail = (words_at<kWords>(from)[2] & kTailBit) != 0;
  if (queue.begun == tail) {  // a packet of one flit leaves no trace
    queue.begun = !tail;
    output.open = static_cast<std::uint8_t>(tail ? 0 : in + 1);
  }
  ++output.flits;
  --buffered_;
  --queue.count;
  const Ring& ring = rings_of_[vc];
  queue.front = ring.wrap(from, queue.count != 0 ? from + 1 : (from + 1) % kFirstPlaces);
  const bool has_front =
      queue.count != (arrived_[vc] >> in & 1U);  // that in the pin register is none
  if (has_front && !tail) return;
  output.wanting &= ~bit(in);
  if (output.wanting == 0) {
    wanted_[vc] &= ~bit(out);
    if (wanted_[vc] == 0) asking_ &= ~bit(static_cast<int>(vc));
  }
  if (has_front) edge.renewed[edge.renewals++] = static_cast<std::uint8_t>(queue_number);
}

// After all that leave at this edge have been chosen.
[[gnu::always_inline]] inline void MeshTwin::renew_fronts(const Edge& edge) {
  for (int i = 0; i < edge.renewals; ++i) {
    const std::size_t vc = edge.renewed[i] / kMaxPorts;
    const int in = edge.renewed[i] % kMaxPorts;
    set_front(vc, in, routes_[queues_[edge.renewed[i]].front]);
  }
}

// A flit is at the front of its buffer that starts a packet, or is the first of the others to come.
[[gnu::always_inline]] inline void MeshTwin::set_front(std::size_t vc, int in, std::uint8_t out) {
  if ((out & kNoRoute) != 0) [[unlikely]] {
    stuck_ = true;  // it stays for ever
    return;
  }
  queues_[at(vc, static_cast<std::size_t>(in))].out = out;
  outputs_[at(vc, out)].wanting |= bit(in);
  wanted_[vc] |= bit(out);
  asking_ |= bit(static_cast<int>(vc));
}

// From the pin registers into the buffers.
[[gnu::always_inline]] inline void MeshTwin::store_all() {
  for (; arriving_ != 0; arriving_ &= arriving_ - 1) {
    const auto v = static_cast<std::size_t>(std::countr_zero(arriving_));
    if (v == kNumVcs) {  // no VC: flits without room
      overflow_ = true;
      dropped_ = 0;
      continue;
    }
    for (std::uint32_t left = arrived_[v]; left != 0; left &= left - 1) {
      const int port = std::countr_zero(left);
      const Queue& queue = queues_[at(v, static_cast<std::size_t>(port))];
      if (queue.count != 1) continue;
      set_front(v, port, queue.begun ? queue.out : routes_[queue.front]);
    }
    arrived_[v] = 0;
  }
}

// Into the pin register. Its words and its route go where the buffer will have them.
template <int kWords>
[[gnu::always_inline]] inline void MeshTwin::sample(int port, const std::uint32_t* flit,
                                                    const SwitchPins& pins) {
  const int words = kWords != 0 ? kWords : words_;
  const auto vc = static_cast<std::size_t>(vc_of(flit));
  const Ring& ring = rings_of_[vc];
  Queue& queue = queues_[at(vc, static_cast<std::size_t>(port))];
  ++queue.flits;
  // No slot at the edge that would store it: one that was popped at this edge is being read then.
  if (queue.count + (pins.in_credit[vc] >> port & 1U) == ring.depth) [[unlikely]] {
    dropped_ |= bit(port);
    arriving_ |= bit(kNumVcs);
    return;
  }
  const std::uint32_t free = ring.wrap(queue.front, queue.front + queue.count);
  ++queue.count;
  ++buffered_;
  arrived_[vc] |= bit(port);
  arriving_ |= bit(static_cast<int>(vc));
  copy_flit<kWords>(words_at<kWords>(free), flit, words);
  routes_[free] = route(port, static_cast<std::uint16_t>(flit[1]));
}

// Credits stay at their highest number; what left at this edge is taken off after those that come are added.
[[gnu::always_inline]] inline void MeshTwin::take_credits(const SwitchPins& pins) {
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    for (std::uint32_t left = pins.out_credit[v]; left != 0; left &= left - 1) {
      const int port = std::countr_zero(left);
      std::uint16_t& credits = credits_[at(v, static_cast<std::size_t>(port))];
      if (credits + (spent_[v] >> port & 1U) != kMostCredits) ++credits;
    }
  }
}

// ---- edges that are left out

[[gnu::always_inline]] inline std::uint8_t MeshTwin::rests() const {
  const std::uint32_t has_to_step = asking_ | leaving_[leaving_now_].ports | dropped_ |
                                    static_cast<std::uint32_t>(late_any_ | overflow_ | stuck_);
  if (has_to_step != 0) return 0;
  return (buffered_ | leaving_[leaving_now_ ^ 1U].ports) != 0 ? 1 : kUntilInput;
}

void MeshTwin::make_up(SwitchPins& pins, std::uint64_t edges) {
  pins.out_valid = out_valid_ = 0;
  pins.in_credit = {};
  spent_ = {};
  leaving_now_ ^= edges & 1U;
  store_all();
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

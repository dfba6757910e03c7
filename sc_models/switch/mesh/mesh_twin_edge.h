// SPDX-License-Identifier: Apache-2.0
// Steps of a clock edge of a MeshTwin: shared by mesh_twin.cpp, which steps one, and
// mesh_group.cpp, which steps many.
#pragma once

#include <bit>
#include <cstring>
#include <utility>

#include "base/port_mask.h"
#include "switch/mesh/mesh_twin.h"

namespace fredsim {

namespace mesh_twin {

// Bit of a route without an output port.
inline constexpr std::uint8_t kNoRoute = 0x20;
// Sideband of a stored flit: the route of a packet start, and this bit if it is a tail.
inline constexpr std::uint8_t kTailSide = 0x80;
constexpr std::uint8_t route_of(std::uint8_t side) { return side & (kTailSide - 1U); }
inline constexpr std::uint32_t kMaxCredits = 0xFFFF;

constexpr std::uint32_t bit(int index) { return 1U << index; }

template <int kWords>
void copy_flit(std::uint32_t* to, const std::uint32_t* from, int words) {
  std::memcpy(to, from, static_cast<std::size_t>(kWords != 0 ? kWords : words) * sizeof *to);
}

}  // namespace mesh_twin

struct MeshTwin::Edge {
  std::uint32_t links = 0;  // output ports for which a head-of-line flit waits for the link only
  int no_credit = 0;        // head-of-line flits without enough credits
  int waiting = 0;          // head-of-line flits that stay for another reason than credits or the
                            // link
  int renewals = 0;
  // VC and input port of each renewal: a buffer with a new head-of-line packet, or its packet at
  // another output.
  std::array<std::uint8_t, kMaxPorts> renewed;
};

// Winner of the requests for one output on one VC: an input port, or -1 for none.
[[gnu::always_inline]] inline int MeshTwin::arbitrate(std::size_t vc, int out, std::uint32_t ready,
                                                      Edge& edge) {
  const Output& output = outputs_[at(vc, static_cast<std::size_t>(out))];
  const std::uint32_t credits = credits_[at(vc, static_cast<std::size_t>(out))];
  std::uint32_t asking = output.wanting;
  std::uint32_t need = output.need;
  if ((rings_ >> out & 1U) != 0) [[unlikely]] {
    // A packet that enters the ring needs room for one flit more than a packet; a packet that goes
    // straight on needs room for one flit.
    const std::uint32_t begun = output.open != 0 ? mesh_twin::bit(output.open - 1) : 0;
    const std::uint32_t entering = asking & ~begun & ~mesh_twin::bit(out ^ 2);
    if (credits <= need) {
      edge.no_credit += ports_in(entering);
      asking ^= entering;
      if (asking == 0) return -1;
    }
    need = 1;
  }
  if (output.open != 0) {  // other requests wait for its tail
    const std::uint32_t starts = asking & ~mesh_twin::bit(output.open - 1);
    if (starts != 0) (credits < need ? edge.no_credit : edge.waiting) += ports_in(starts);
    asking ^= starts;
    need = 1;
    if (asking == 0) return -1;
  }
  if (credits < need) {
    edge.no_credit += ports_in(asking);
    return -1;
  }
  if ((ready >> out & 1U) == 0) {
    edge.links |= mesh_twin::bit(out);
    return -1;
  }
  if ((asking & (asking - 1)) == 0) {
    ++edge.waiting;  // minus one for each departing flit
    return std::countr_zero(asking);
  }
  edge.waiting += ports_in(asking);
  const std::uint32_t in_turn = asking >> output.next << output.next;
  return std::countr_zero(in_turn != 0 ? in_turn : asking);
}

// Case of a single VC with head-of-line flits: each flit has a buffer of its own, so that no input
// is granted twice, and every winner leaves.
template <typename Sink>
[[gnu::always_inline]] inline void MeshTwin::leave_on(std::size_t vc, std::uint32_t ready,
                                                      Sink& sink, Edge& edge) {
  for (std::uint32_t left = wanted_[vc]; left != 0; left &= left - 1) {
    const int out = std::countr_zero(left);
    const int in = arbitrate(vc, out, ready, edge);
    if (in >= 0) launch(vc, in, out, sink, edge);
  }
}

// Case of several VCs: every output grants its highest one, and every input takes the granted flit
// of highest priority, which leaves. A launch does not change the requests of another VC. A VC that
// was declined at the edge before comes last at its output.
template <typename Sink>
void MeshTwin::leave_on_all(std::uint32_t ready, Sink& sink, Edge& edge) {
  ByVc last{};  // output ports that grant another VC
  if (declined_any_) [[unlikely]]
    last = take_declined(ready);
  std::uint32_t granted = 0, taken = 0;  // output and input ports
  for (const std::size_t v : order_) {
    for (std::uint32_t left = wanted_[v]; left != 0; left &= left - 1) {
      const int out = std::countr_zero(left);
      const int in = arbitrate(v, out, ready, edge);
      if (in < 0 || ((granted | last[v]) >> out & 1U) != 0) continue;
      granted |= mesh_twin::bit(out);
      if ((taken >> in & 1U) != 0) {
        turn(outputs_[at(v, static_cast<std::size_t>(out))], in);
        declined_[v] |= mesh_twin::bit(out);
        declined_any_ = true;
        continue;
      }
      taken |= mesh_twin::bit(in);
      launch(v, in, out, sink, edge);
    }
  }
}

// Clears the notes of the edge before. Returns, by VC, the output ports that declined it and have a
// winner of a VC that they did not decline.
inline MeshTwin::ByVc MeshTwin::take_declined(std::uint32_t ready) {
  Edge not_counted;
  const std::uint32_t declining = on_any_vc(declined_);
  std::uint32_t others = 0;
  for (std::size_t v = 0; v < kNumVcs; ++v) {
    for_each_port(wanted_[v] & declining & ~declined_[v], [&](int out) {
      if (arbitrate(v, out, ready, not_counted) >= 0) others |= mesh_twin::bit(out);
    });
  }
  declined_any_ = false;
  ByVc last = std::exchange(declined_, {});
  for (std::uint32_t& outputs : last) outputs &= others;
  return last;
}

// Advances the round-robin pointer of an output with the first flit of a packet that it grants.
[[gnu::always_inline]] inline void MeshTwin::turn(Output& output, int in) const {
  if (output.open == 0) output.next = static_cast<std::uint8_t>(in + 1 == ports_ ? 0 : in + 1);
}

template <typename Sink>
[[gnu::always_inline]] inline void MeshTwin::launch(std::size_t vc, int in, int out, Sink& sink,
                                                    Edge& edge) {
  const std::size_t queue_number = at(vc, static_cast<std::size_t>(in));
  const std::size_t output_number = at(vc, static_cast<std::size_t>(out));
  Queue& queue = queues_[queue_number];
  Output& output = outputs_[output_number];
  turn(output, in);
  --edge.waiting;
  const std::uint32_t from = queue.hol;
  sink.leave(vc, in, out, from);
  --credits_[output_number];
  const bool tail = (sides_[from] & mesh_twin::kTailSide) != 0;
  if (queue.begun == tail) {  // a packet of one flit changes no state
    queue.begun = !tail;
    output.open = static_cast<std::uint8_t>(tail ? 0 : in + 1);
  }
  ++output.flits;
  --buffered_;
  --queue.count;
  const Ring& ring = rings_of_[vc];
  queue.hol = ring.wrap(from, queue.count != 0 ? from + 1 : (from + 1) % kFirstPlaces);
  const bool has_hol =
      queue.count != (arrived_[vc] >> in & 1U);  // a flit in the pin register does not count
  if (has_hol && !tail) return;
  output.wanting &= ~mesh_twin::bit(in);
  if (output.wanting == 0) {
    wanted_[vc] &= ~mesh_twin::bit(out);
    if (wanted_[vc] == 0) asking_ &= ~mesh_twin::bit(static_cast<int>(vc));
  }
  if (has_hol) edge.renewed[edge.renewals++] = static_cast<std::uint8_t>(queue_number);
}

// Departures at this edge, `sink.leave(VC, input, output, place)` for each, and stalls:
// sink.count_stalls() at edges that have some, or where sink.ages_stalls().
template <typename Sink>
[[gnu::always_inline]] inline void MeshTwin::leave(std::uint32_t ready, Sink& sink) {
  Edge edge;
  if ((asking_ & (asking_ - 1)) != 0 || declined_any_) {
    leave_on_all(ready, sink, edge);
  } else if (asking_ != 0) {
    leave_on(static_cast<std::size_t>(std::countr_zero(asking_)), ready, sink, edge);
  }
  renew_hol_flits(edge);
  const bool stalls = (edge.links | static_cast<std::uint32_t>(edge.no_credit | edge.waiting)) != 0;
  if (stalls || sink.ages_stalls(*this)) {
    sink.count_stalls(*this, {static_cast<std::uint64_t>(edge.no_credit),
                              static_cast<std::uint64_t>(edge.waiting),
                              static_cast<std::uint64_t>(ports_in(edge.links))});
  }
}

// Called once all departures of this edge are chosen.
[[gnu::always_inline]] inline void MeshTwin::renew_hol_flits(const Edge& edge) {
  for (int i = 0; i < edge.renewals; ++i) {
    const std::size_t vc = edge.renewed[i] / kMaxPorts;
    const int in = edge.renewed[i] % kMaxPorts;
    set_hol(vc, in, mesh_twin::route_of(sides_[queues_[edge.renewed[i]].hol]));
  }
}

// Sets the route of a head-of-line flit that starts a packet, or of the packet's next flits.
[[gnu::always_inline]] inline void MeshTwin::set_hol(std::size_t vc, int in, std::uint8_t out) {
  if ((out & mesh_twin::kNoRoute) != 0) [[unlikely]] {
    stuck_ = true;  // its flit can never leave
    return;
  }
  queues_[at(vc, static_cast<std::size_t>(in))].out = out;
  outputs_[at(vc, out)].wanting |= mesh_twin::bit(in);
  wanted_[vc] |= mesh_twin::bit(out);
  asking_ |= mesh_twin::bit(static_cast<int>(vc));
}

// Stores a flit of the pin register in the buffer.
[[gnu::always_inline]] inline void MeshTwin::store(std::size_t vc, int port) {
  const Queue& queue = queues_[at(vc, static_cast<std::size_t>(port))];
  if (queue.count != 1) return;
  set_hol(vc, port, queue.begun ? queue.out : mesh_twin::route_of(sides_[queue.hol]));
}

// Samples a flit into the pin register; false if the edge that would store it has no slot. Its
// words and its route are written to their place in the buffer. was_popped(VC): whether a flit of
// this buffer leaves at this edge, and is being read.
template <int kWords, typename WasPopped>
[[gnu::always_inline]] inline bool MeshTwin::sample(int port, const std::uint32_t* flit,
                                                    const WasPopped& was_popped) {
  const auto vc = static_cast<std::size_t>(vc_of(flit));
  const Ring& ring = rings_of_[vc];
  Queue& queue = queues_[at(vc, static_cast<std::size_t>(port))];
  ++queue.flits;
  if (queue.count + 1U >= ring.depth && queue.count + (was_popped(vc) ? 1U : 0U) == ring.depth)
      [[unlikely]] {
    dropped_ |= mesh_twin::bit(port);
    return false;
  }
  const std::uint32_t free = ring.wrap(queue.hol, queue.hol + queue.count);
  // The flit after a tail, which is in the buffer or has left.
  const bool is_start = queue.count != 0
                            ? (sides_[ring.wrap(queue.hol, free - 1)] & mesh_twin::kTailSide) != 0
                            : !queue.begun;
  ++queue.count;
  ++buffered_;
  arrived_[vc] |= mesh_twin::bit(port);
  mesh_twin::copy_flit<kWords>(words_at<kWords>(free), flit, words_);
  sides_[free] = static_cast<std::uint8_t>(
      (is_start ? output_of(port, static_cast<std::uint16_t>(flit[1])) : 0U) |
      ((flit[2] & kTailBit) != 0 ? mesh_twin::kTailSide : 0U));
  return true;
}

// Computes the route as rtl/common/route_select.sv.
[[gnu::always_inline]] inline std::uint8_t MeshTwin::output_of(int in, std::uint16_t dst) const {
  // Branch-free, since no predictor could guess the branches: a table's entry is all ones where the
  // next table decides.
  const std::uint32_t x = by_column_[mesh_column(dst)];
  const std::uint32_t y = by_row_[mesh_row(dst)];
  const std::uint32_t at_column = 0U - (x >> 7);
  const std::uint32_t at_row = 0U - (y >> 7);
  const int number = mesh_endpoint(dst);
  const std::uint32_t endpoint = number == 0 ? to_npu_[in] : to_endpoint_[number];
  const std::uint32_t port = (x & ~at_column) | (at_column & ((y & ~at_row) | (at_row & endpoint)));
  return port == static_cast<std::uint32_t>(in) && in < kFirstLocal
             ? mesh_twin::kNoRoute
             : static_cast<std::uint8_t>(port);
}

}  // namespace fredsim

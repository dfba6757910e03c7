// SPDX-License-Identifier: Apache-2.0
// The `tlm` implementation of a mesh router: a C++ twin of rtl/mesh/mesh_router.sv, equal to it in
// every output, register and counter at every edge.
//
// The rules of an edge, arbitration included, are the contracts of rtl/mesh/mesh_router.sv and
//   rtl/mesh/mesh_allocator.sv; this file describes only the twin's data structures.
// Shapes: all that the RTL takes, at run time: 1 or more local and 0 to 15 I/O ports, 32 ports in
//   all, 1 to 256 lanes, buffers of 1 to 65535 flits per VC; packets of PACKET_FLITS.
// Cost: a step looks at head-of-line, arriving and departing flits, and at returned credits; it
//   allocates nothing. A flit's words are copied twice: into its buffer, and from there to the
//   output pins. In between its place in the buffer represents it.
// Buffers: rings of a power of two of places, at least two more than flits: a flit in flight to the
//   output pins is still in its place. An emptied buffer restarts in its first four places, so that
//   a lightly loaded router stays within few cache lines.
// Groups (SwitchCore): of any mesh twins, mesh_group.h.
// Trains: packets move as trains (switch/cut_through.h).
// State: plain values without cycle numbers.
// Errors: none; the shape is one that SwitchKind::check() has let pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "switch/cut_through.h"
#include "switch/mesh/mesh_peek.h"
#include "switch/mesh/mesh_shape.h"
#include "switch/switch_core.h"
#include "topology/mesh_address.h"

namespace fredsim {

class MeshTwin final : public SwitchCore, private CutThrough {
 public:
  explicit MeshTwin(const MeshShape& shape);

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override {
    return (buffered_ | dropped_ | out_valid_ | leaving_[0].ports | leaving_[1].ports) == 0;
  }
  Stepped step_and_report(SwitchPins& pins) override;
  std::unique_ptr<SwitchGroup> make_group(std::size_t nodes, std::size_t ports) const override;
  std::uint32_t error() const override { return error_; }
  std::string_view model() const override { return "tlm"; }
  int launch_edges() const override { return MeshPeek::kLaunchEdges; }
  const CutThrough* cut_through() const override { return error_ == 0 ? this : nullptr; }
  bool peek_counters(SwitchCounters& into) const override;
  bool add_state(StateDigest& digest) const override;
  void add_to_counters(const SwitchCounters& more) override;

 private:
  friend class MeshGroup;  // owns the state while the twin is a member

  static constexpr int kMaxPorts = 32;
  static constexpr std::uint32_t kFirstPlaces = 4;  // an emptied buffer restarts in these places
  using ByVc = std::array<std::uint32_t, kNumVcs>;
  // Array by VC and port.
  template <typename T>
  using ByQueue = std::array<T, std::size_t{kNumVcs} * kMaxPorts>;
  static std::size_t at(std::size_t vc, std::size_t port) { return vc * kMaxPorts + port; }

  struct Output {               // state of one (VC, output port)
    std::uint64_t flits = 0;    // flits that left
    std::uint32_t wanting = 0;  // input ports whose head-of-line flits want it
    std::uint8_t next = 0;      // round-robin pointer
    std::uint8_t need = 0;      // credits that a packet start waits for
    std::uint8_t open = 0;      // 1 + input port whose packet is open on it; 0: none
  };
  struct Queue {              // the buffer of one (VC, input port), and its pin register
    std::uint64_t flits = 0;  // flits that came
    std::uint32_t hol = 0;    // place of the head-of-line flit; the ring has the next ones
    std::uint16_t count = 0;  // flits, one in the pin register included
    std::uint8_t out = 0;     // output port of the head-of-line flit, also of one that is yet to
                              // come
    bool begun = false;       // the packet at the head of the buffer has begun to leave
  };
  struct Ring {               // geometry of every buffer of a VC
    std::uint32_t depth = 0;  // capacity in flits
    std::uint32_t last = 0;   // mask of a place in it; it begins at a multiple of last + 1
    std::uint32_t wrap(std::uint32_t hol, std::uint32_t place) const {
      return (hol & ~last) | (place & last);
    }
  };
  struct Stalls {
    std::uint64_t credit = 0, arbiter = 0, link = 0;
    bool any() const { return (credit | arbiter | link) != 0; }
    Stalls& operator+=(const Stalls& more) {
      credit += more.credit;
      arbiter += more.arbiter;
      link += more.link;
      return *this;
    }
  };
  struct Leaving {            // flits between buffer and output register
    std::uint32_t ports = 0;  // output ports
    std::array<std::uint32_t, kMaxPorts> places;
  };
  struct Edge;  // values that the parts of a step pass to each other
  struct PinSink;

  std::uint32_t lay_out_rings();
  template <int kWords>  // words of a flit; 0: words_
  void step_words(SwitchPins& pins);
  template <int kWords>
  void come_out(SwitchPins& pins);
  int arbitrate(std::size_t vc, int out, std::uint32_t ready, Edge& edge);
  template <typename Sink>
  void leave(std::uint32_t ready, Sink& sink);
  template <typename Sink>
  void leave_on(std::size_t vc, std::uint32_t ready, Sink& sink, Edge& edge);
  template <typename Sink>
  void leave_on_all(std::uint32_t ready, Sink& sink, Edge& edge);
  ByVc take_declined(std::uint32_t ready);
  void turn(Output& output, int in) const;
  template <typename Sink>
  void launch(std::size_t vc, int in, int out, Sink& sink, Edge& edge);
  void renew_hol_flits(const Edge& edge);
  void store_all();
  void store(std::size_t vc, int port);
  template <int kWords, typename WasPopped>
  bool sample(int port, const std::uint32_t* flit, const WasPopped& was_popped);
  void set_hol(std::size_t vc, int in, std::uint8_t out);
  void count_stalls(const Stalls& now);
  // Variants of a group, which knows the edges: stalls at `edge`; the last stalls before edge `end`.
  void note_stalls(const Stalls& now, std::uint64_t edge);
  void age_stalls(std::uint64_t end);
  Stalls counted_stalls() const;
  template <int kWords>
  std::uint32_t* words_at(std::uint32_t place) const {
    return &flits_[std::size_t{place} * static_cast<std::size_t>(kWords != 0 ? kWords : words_)];
  }
  void take_credits(const SwitchPins& pins);
  void advance_errors();
  std::uint8_t output_of(int in, std::uint16_t dst) const;
  int route(int in, std::uint16_t destination) const override;
  int packet_room(int vc, int out) const override;
  int room(int vc, int out) const override;
  int onward_input(int out) const override { return (rings_ >> out & 1U) != 0 ? out ^ 2 : -1; }
  std::uint32_t read(std::uint16_t address) const;
  std::uint64_t counter(std::uint16_t address) const;
  std::uint64_t flits_in(int port) const;
  std::uint64_t flits_out(int port) const;
  void write(std::uint16_t address, std::uint32_t value);
  void set_place();

  int words_;
  int ports_, locals_, ios_;
  std::uint32_t packet_flits_;
  VcOrder order_;
  std::uint32_t asking_;  // VCs that have a head-of-line flit
  ByVc wanted_;           // output ports that a head-of-line flit wants
  std::uint32_t
      arriving_;   // VCs that have a flit in a pin register; bit kNumVcs: dropped_ is not zero
  ByVc arrived_;   // input ports with a flit in the pin register
  ByVc spent_;     // output ports: a flit left at the last edge
  ByVc declined_;  // output ports: the grant was declined at the last edge
  std::uint32_t buffered_;  // flits in buffers and pin registers
  std::uint32_t dropped_;   // input ports with a flit in the pin register that has no room
  // Flits that left at the last edge, and at the one before.
  std::array<Leaving, 2> leaving_;
  unsigned leaving_now_ = 0;  // index of the flits that come out at the next edge
  // Counter registers see a departure one edge after the flit is at the pins, and a stall two edges
  // after it happened; Output::flits and stalls_ have both at once.
  std::uint32_t out_valid_;
  std::uint32_t error_, rdata_;
  bool late_any_;          // late_ is not zero
  bool declined_any_;      // declined_ is not zero
  bool overflow_;          // a flit was lost at the edge before
  bool stuck_, no_route_;  // a head-of-line flit has no route: after the edge before, after the one
                           // before that
  Stalls stalls_;
  std::array<Stalls, 2> late_;   // stalls of the last edge, and of the one before
  std::uint64_t late_edge_ = 0;  // in a group: the edge that late_ has as the last

  std::uint32_t rings_;    // output ports that lead into a ring
  int columns_, rows_;     // sides of the rings, 0: none
  std::uint32_t no_link_;  // local ports without a link
  // Position, and output ports by destination column, row, input port (to the NPU) and endpoint.
  int x_, y_;
  std::array<std::uint8_t, kMaxPorts> to_npu_;
  std::array<std::uint8_t, kMeshEndpoints> to_endpoint_;  // 0: not used
  std::array<std::uint8_t, kMeshSide> by_column_, by_row_;

  std::array<Ring, kNumVcs> rings_of_;
  // Layout: data that a flit touches is adjacent, as the routers of a mesh take turns and a router
  // that is stepped finds little of its own left in the nearest cache.
  ByQueue<std::uint16_t> credits_;  // index: output port
  ByQueue<Output> outputs_;
  ByQueue<Queue> queues_;
  // Words of the flit at each place, and its sideband (mesh_twin_edge.h). Not written before
  // they are needed, so large buffers with little use cost no memory.
  std::unique_ptr<std::uint32_t[]> flits_;
  std::unique_ptr<std::uint8_t[]> sides_;
};

}  // namespace fredsim

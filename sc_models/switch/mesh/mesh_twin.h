// The `tlm` implementation of a mesh router: a C++ twin of rtl/mesh/mesh_router.sv, equal to it in every output,
// register and counter at every edge.
//
// What happens at an edge and who wins is the contract in rtl/mesh/mesh_router.sv and rtl/mesh/mesh_allocator.sv; here
//   is only how the twin keeps it.
// Shapes: whatever the RTL takes, at run time: 1 or more local and 0 to 15 I/O ports, 32 ports in
//   all, 1 to 256 lanes, buffers of 1 to 65535 flits per VC; packets of PACKET_FLITS.
// Cost: a step looks at the flits that stand at the front of a buffer, arrive or leave, and at
//   credits that come; it allocates nothing. A flit's words are copied three times: into its buffer, on its way to the
//   crossbar, and to the output pins.
// State: plain values without cycle numbers. An emptied buffer starts again at its first row, so
//   that a lightly loaded router stays within few cache lines.
// Errors: none; the shape is one that SwitchKind::check() has let pass.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "switch/mesh/mesh_peek.h"
#include "switch/mesh/mesh_shape.h"
#include "switch/switch_core.h"
#include "topology/mesh_address.h"

namespace fredsim {

class MeshTwin final : public SwitchCore {
 public:
  explicit MeshTwin(const MeshShape& shape);

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override {
    return (buffered_ | pins_valid_ | out_valid_ | leaving_[0].ports | leaving_[1].ports) == 0;
  }
  std::uint32_t error() const override { return error_; }
  std::string_view model() const override { return "tlm"; }
  int launch_edges() const override { return MeshPeek::kLaunchEdges; }
  bool peek_counters(SwitchCounters& into) const override;
  bool add_state(StateDigest& digest) const override;
  void add_to_counters(const SwitchCounters& more) override;

 private:
  static constexpr int kMaxPorts = 32;
  // What a flit touches lies close together: the routers of a mesh take turns, and a router that is
  // stepped finds little of its own left in the nearest cache.
  struct Output {               // of one (VC, output port)
    std::uint64_t flits = 0;    // that left
    std::uint32_t wanting = 0;  // input ports whose fronts want it
    std::uint8_t next = 0;      // round-robin pointer
    std::uint8_t need = 0;      // credits that a packet start waits for
    std::uint8_t open = 0;      // 1 + input port whose packet is open on it; 0: none
    std::uint8_t winner = 0;    // input port, while an edge is worked out
  };
  struct Queue {              // the buffer of one (VC, input port)
    std::uint64_t flits = 0;  // that came
    // Rows of flits_: of the front and the next free one; 0 and 0 when empty.
    std::uint16_t first = 0, free = 0;
    std::uint16_t count = 0;
    std::uint8_t out = 0;  // output port of the front, also of one that is yet to come
    bool begun = false;    // the packet at the front has begun to leave
  };
  struct alignas(64) Channel {                     // one VC
    std::uint32_t depth = 0;                       // of its buffers
    std::uint32_t base = 0;                        // slots: base + row * ports + port, row < depth
    std::array<std::uint16_t, kMaxPorts> credits;  // per output port, less what has left
    // Output ports: a flit leaves at this edge, left at the one before; its grant was declined at the one before.
    std::uint32_t launched = 0, spent = 0, declined = 0;
    std::array<Output, kMaxPorts> outputs;
    std::array<Queue, kMaxPorts> queues;  // per input port
  };
  struct Stalls {
    std::uint64_t credit = 0, arbiter = 0, link = 0;
  };
  struct Pin {                     // what is known of a flit in a pin register
    std::uint8_t vc = 0, out = 0;  // out: route()
    bool dropped = false;
  };
  struct Leaving {            // flits between buffer and output register
    std::uint32_t ports = 0;  // output ports
  };
  struct Edge;  // what the parts of a step hand to each other

  template <int kWords>  // words of a flit; 0: words_
  void step_words(SwitchPins& pins);
  void arbitrate(int vc, std::uint32_t ready, Edge& edge);
  void grant(Edge& edge);
  template <int kWords>
  void accept(Edge& edge, SwitchPins& pins);
  template <int kWords>
  void launch_all(Edge& edge, SwitchPins& pins);
  template <int kWords>
  void launch(int vc, int in, int out);
  void store(int port);
  template <int kWords>
  void sample(int port, const std::uint32_t* flit, const SwitchPins& pins);
  void set_front(int vc, int in, int out);
  void count_stalls(const Edge& edge);
  Stalls counted_stalls() const;
  std::uint32_t* leaving_flit(unsigned which, int out) {
    return &leaving_flits_[(which * static_cast<unsigned>(ports_) + static_cast<unsigned>(out)) *
                           static_cast<std::size_t>(words_)];
  }
  std::size_t slot(const Channel& channel, int port, std::uint32_t row) const {
    return channel.base + row * static_cast<std::uint32_t>(ports_) +
           static_cast<std::uint32_t>(port);
  }
  void spend(Channel& channel, std::uint32_t arriving) const;
  void advance_errors();
  std::uint8_t route(int in, std::uint16_t dst) const;
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
  std::array<std::uint32_t, kNumVcs> wanted_;  // per VC: output ports that a front wants
  std::uint32_t buffered_;                     // flits in all buffers
  std::uint32_t pins_valid_;                   // input ports with a flit in the pin register
  std::array<Pin, kMaxPorts> pins_;
  std::array<Leaving, 2> leaving_;  // flits that left at the last edge, and at the one before
  unsigned leaving_now_ = 0;        // those that come out at the next edge
  // Counter registers see what left one edge after it is at the pins, and what stood still two edges
  // after it happened; Output::flits and stalls_ have it at once.
  std::uint32_t out_valid_;
  std::uint32_t error_, rdata_;
  bool late_any_;          // late_ is not zero
  bool declined_any_;      // a Channel::declined is not zero
  bool overflow_;          // at the edge before
  bool stuck_, no_route_;  // a front has no route: after the edge before, after the one before that
  Stalls stalls_;
  std::array<Stalls, 2> late_;  // of the last edge, of the one before

  std::uint32_t rings_;  // output ports that lead into a ring
  int columns_, rows_;   // sides of the rings, 0: none
  // The position, and output ports by destination column, row, input port (to the NPU) and endpoint.
  int x_, y_;
  std::array<std::uint8_t, kMaxPorts> to_npu_;
  std::array<std::uint8_t, kMeshEndpoints> to_endpoint_;  // 0: not used
  std::array<std::uint8_t, kMeshSide> by_column_, by_row_;

  std::array<Channel, kNumVcs> channels_;
  // Flits of all buffers, and for each the route it would take as a packet start (route()). The
  // first rows, of all ports of a VC, are those that a lightly loaded router uses.
  std::vector<std::uint32_t> flits_;
  std::vector<std::uint32_t> leaving_flits_;
  std::vector<std::uint8_t> routes_;
};

}  // namespace fredsim

// The `tlm` body of a mesh router: a C++ twin of rtl/mesh_router.sv, equal to it in every output,
// register and counter at every edge (DESIGN §3, §7).
//
// What happens at an edge, in which order and who wins is the contract in rtl/mesh_crossbar.sv and
//   rtl/mesh_router.sv; here is only how the twin keeps it.
// Shapes: whatever the RTL takes, at run time: 1 or more local and 0 to 15 I/O ports, 32 ports in
//   all, 1 to 256 lanes, buffers of 1 to 65535 flits per VC; packets of kPacketFlits.
// Cost: a step looks at the flits that stand at the front of a buffer, arrive or leave, and at
//   credits that come; it allocates nothing. A flit's words are copied twice: into its buffer and
//   to the output pins.
// State: plain values without cycle numbers. An emptied buffer starts again at its first slot, so
//   that a lightly loaded router stays within few cache lines.
// Errors: BadInput from the constructor for a shape that the RTL does not take.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "switch/switch_core.h"

namespace fredsim {

class MeshTwin final : public SwitchCore {
 public:
  MeshTwin(const SwitchShape& shape, std::string name);

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override { return (buffered_ | out_valid_) == 0; }
  std::uint32_t error() const override { return error_; }
  std::string_view model() const override { return "tlm"; }
  bool peek_counters(SwitchCounters& into) const override;

 private:
  static constexpr int kMaxPorts = 32;
  struct Queue {              // the buffer of one (VC, input port)
    std::uint32_t first = 0;  // slot of the front
    std::uint32_t free = 0;   // next free slot; its first one, as `first`, when empty
    std::uint32_t count = 0;
    std::uint8_t out = 0;  // output port of the front, also of one that is yet to come
  };
  struct Channel {            // one VC
    std::uint32_t depth = 0;  // of its buffers
    std::uint32_t base = 0;   // slots: (base + port) + ports * n, n < depth
    std::uint32_t end = 0;    // beyond its last slot
    std::uint32_t open = 0;   // output ports on which a packet is open
    std::uint32_t begun = 0;  // input ports whose packet at the front has begun to leave
    // Per output port: the input ports whose fronts want it, round-robin pointer, credits, and how
    // many of them a packet start waits for.
    std::array<std::uint32_t, kMaxPorts> wanting;
    std::array<std::uint8_t, kMaxPorts> next;
    std::array<std::uint16_t, kMaxPorts> credits;
    std::array<std::uint8_t, kMaxPorts> need;
    std::array<Queue, kMaxPorts> queues;  // per input port
  };
  struct Stalls {
    std::uint64_t credit = 0, arbiter = 0, link = 0;
  };
  struct Edge;  // what the parts of a step hand to each other

  template <int kWords>  // words of a flit; 0: words_
  void step_words(SwitchPins& pins);
  template <int kWords>
  void allocate(int vc, SwitchPins& pins, Edge& edge);
  template <int kWords>
  bool launch(int vc, int in, int out, std::uint32_t* to);
  template <int kWords>
  void accept(int port, const std::uint32_t* flit, const SwitchPins& pins);
  void set_front(int vc, int in, int out);
  void count_stalls(const Edge& edge);
  void spend(Channel& channel, std::uint32_t arriving, std::uint32_t launched) const;
  void advance_errors();
  std::uint8_t route(int in, std::uint16_t dst) const;
  std::uint32_t read(std::uint16_t address) const;
  std::uint64_t counter(std::uint16_t address) const;
  std::uint64_t flits_out(int port) const { return flits_out_[port] - (out_valid_ >> port & 1U); }
  void write(std::uint16_t address, std::uint32_t value);
  void set_position(int x, int y);

  int locals_, ios_, ports_;
  int words_;

  std::array<std::uint32_t, kNumVcs> wanted_;  // per VC: output ports that a front wants
  std::array<Channel, kNumVcs> channels_;
  // Flits of all buffers, and for each the route it would take as a packet start (route()). The
  // first slots of all ports of a VC are neighbours: those that a lightly loaded router uses.
  std::vector<std::uint32_t> flits_;
  std::vector<std::uint8_t> routes_;

  std::array<std::uint64_t, kMaxPorts> flits_in_, flits_out_;
  Stalls stalls_;
  // Counter registers see these events one edge after they happened; stalls_ and flits_out_ have
  // them.
  std::uint32_t out_valid_;
  Stalls late_;
  bool late_any_;          // late_ is not zero
  bool overflow_;          // at the edge before
  bool stuck_, no_route_;  // a front has no route: after the edge before, after the one before that
  std::uint32_t buffered_;  // flits in all buffers

  std::uint32_t error_, rdata_;
  // The position, and the way to go by destination column, row, and input port and endpoint.
  int x_, y_;
  std::array<std::uint8_t, 64> by_column_, by_row_;
  std::array<std::array<std::uint8_t, 16>, kMaxPorts> by_endpoint_;
};

}  // namespace fredsim

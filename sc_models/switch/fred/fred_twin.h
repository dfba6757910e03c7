// The `tlm` implementation of a fred_switch: a C++ twin that gives the same outputs in the same cycle as the RTL
// (rtl/fred/fred_switch.sv) for every size, buffer depth, format and configuration.
//
// How: state is masks over the ports, one bit per port, so that a cycle costs only the ports at which
//   something happens. A flit that fires is added up at once and written to its place in the output
//   staging; it is counted there when the interconnect's pipeline would have delivered it. Online unicasts:
//   fred_online.h.
// Contract: switch_core.h. Outside it, as outside the RTL's (which asserts): a phase whose µSwitch bits
//   contradict its flow table, packets longer than PACKET_FLITS or of several flits on the control VC.
// State: plain values without cycle numbers. step() allocates only when a row is used for the first
//   time after it was written.
// Errors: the error register, as the RTL's. The shape is one that SwitchKind::check() has let pass.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "switch/fred/fred_online.h"
#include "switch/fred/fred_row.h"
#include "switch/fred/fred_shape.h"
#include "switch/switch_core.h"

namespace fredsim {

class FredTwin final : public SwitchCore {
 public:
  explicit FredTwin(const FredShape& shape);

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override;
  std::uint32_t error() const override { return error_; }
  std::string_view model() const override { return "tlm"; }
  bool peek_counters(SwitchCounters& into) const override;
  bool peek_phase(SwitchPhase& into) const override;

 private:
  using Ports = FredOnline::Ports;
  using PortsByVc = FredOnline::PortsByVc;
  using Row = std::shared_ptr<const FredRow>;

  struct InVc {  // one input FIFO
    std::uint16_t base = 0, depth = 0;
    std::uint16_t head = 0, free = 0, count = 0;  // slots from base
    std::uint8_t phase = 0;                       // of the front
  };
  struct OutVc {  // one staging FIFO
    std::uint16_t base = 0;
    std::uint16_t head = 0, free = 0, count = 0;  // slots from base; count: delivered, not launched
    std::uint16_t places = 0;                     // not reserved
    std::uint16_t credits = 0;                    // of the receiver
  };
  struct Decision {
    bool change = false;
    int vc = 0;
    int phase = 0;
  };
  struct Fired {  // by the active phase
    Ports inputs = 0, outputs = 0;
  };

  template <int kWords>  // words of a flit; 0: words_
  void step_words(SwitchPins& pins);
  Decision decide();
  bool candidate_ready(const FredRow& row, int vc, int port, int phase, Ports others);
  template <int kWords>
  Fired fire(bool change);
  bool joins_agree(Ports popped) const;
  template <int kWords>
  void send(Ports popped);
  template <int kWords>
  PortsByVc send_online(std::span<const FredOnline::Move> moves);
  Ports held() const;
  template <int kWords>
  void launch(SwitchPins& pins);
  template <int kWords>
  void accept(SwitchPins& pins, const PortsByVc& popped);
  void deliver(const PortsByVc& arriving);
  void advance_control(const Decision& decision, bool fired);
  void access(const RegisterRequest& request);
  std::uint64_t counter(std::uint16_t address) const;
  std::uint64_t flits_out(int port) const { return flits_out_[port] - (launched_ >> port & 1U); }
  const Row& row(int phase);
  Ports others(int vc) const {
    return (vc == vc_ ? valid_[vc] & ~match_ : valid_[vc]) & ~online_fronts_[vc];
  }
  void show_front(int port, int vc);
  void find_matches();
  void match_front(int port);
  void set_room(int port, int vc) {
    const bool room = out_[port][vc].places >= (vc == kControl ? 1 : packet_flits_);
    room_[vc] = room ? room_[vc] | 1U << port : room_[vc] & ~(1U << port);
  }
  std::uint32_t* in_slot(int port, int slot) {
    return &in_flits_[static_cast<std::size_t>(port * in_slots_ + slot) * words_];
  }
  const std::uint32_t* front(int port, int vc) const {
    const InVc& in = in_[port][vc];
    return &in_flits_[static_cast<std::size_t>(port * in_slots_ + in.base + in.head) * words_];
  }
  std::uint32_t* out_slot(int port, int slot) {
    return &out_flits_[static_cast<std::size_t>(port * kNumVcs * out_depth_ + slot) * words_];
  }

  FredShape shape_;
  int ports_;
  std::size_t words_;
  int in_slots_, out_depth_;
  int row_words_, phases_, stages_;
  int packet_flits_, yield_, quantum_;

  std::vector<std::array<InVc, kNumVcs>> in_;
  std::vector<std::array<OutVc, kNumVcs>> out_;
  std::vector<std::uint32_t> in_flits_, out_flits_;
  PortsByVc valid_{};                       // inputs with a front
  PortsByVc online_fronts_{};               // those of them that are online unicasts
  std::vector<std::uint16_t> destination_;  // of the fronts, 4p + v
  FredOnline online_;
  PortsByVc some_{};        // outputs with a flit to launch
  PortsByVc has_credit_{};  // outputs with credits
  PortsByVc room_{};        // outputs with room for a packet
  Ports match_ = 0;         // inputs whose front of the active VC is of the active phase
  int reserved_ = 0;        // places taken at all outputs

  // What reaches the staging FIFOs at the edges to come, a ring of as many as there are stages.
  std::vector<PortsByVc> pipeline_;
  std::size_t pipe_ = 0;

  std::vector<std::uint32_t> store_;
  std::vector<Row> rows_;  // decoded when first used
  bool active_ = false;
  bool loading_ = false;
  int vc_ = 0;
  int phase_ = 0;
  int next_phase_ = 0;
  Row now_, next_;          // of the active phase, of the one being loaded
  std::uint32_t open_ = 0;  // flows of now_, by place in it, that are inside a packet
  int lock_ = 0;
  int silent_ = 0;
  int busy_ = 0;
  std::array<std::uint8_t, kNumVcs> pointer_{};

  std::vector<std::uint64_t> flits_in_, flits_out_;
  std::uint64_t reductions_ = 0, phase_changes_ = 0;
  std::uint64_t stall_join_ = 0, stall_credit_ = 0, stall_phase_ = 0, stall_arbiter_ = 0,
                stall_link_ = 0;
  // The counter registers see these one edge after they happened; flits_out_ and stall_link_ have them.
  Ports launched_ = 0;
  Ports stalled_links_ = 0;
  bool overflow_ = false, next_overflow_ = false;
  bool join_error_ = false, phase_error_ = false, route_error_ = false;  // of this edge
  Ports credits_out_ = 0;  // inputs with a credit on the pins
  std::uint32_t error_ = 0;
  std::uint32_t rdata_ = 0;
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// A Verilated online_top of any size behind one interface: phased_matcher with fred_online_paths
// behind it.
//
// Use: per clock edge set the inputs, evaluate(), read the outputs of the cycle, edge().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "switch/fred/fred_online_paths.h"
#include "switch/phased/phased_matcher.h"
#include "verilated.h"

namespace tb {

using fredsim::FredPaths;
using fredsim::PhasedMatcher;
using Ports = PhasedMatcher::Ports;
using PortsByVc = PhasedMatcher::PortsByVc;

class Dut {
 public:
  struct Outputs {
    Ports pop = 0, reserve = 0;
    std::uint64_t pop_vc = 0, reserve_vc = 0;  // 2 bits per port
    PortsByVc locked{};
    std::vector<std::uint32_t> route;  // per input: {path, output, 1}, or 0
    int stall_credit = 0, stall_arbiter = 0;
    bool idle = false;
  };

  virtual ~Dut() = default;
  Dut(const Dut&) = delete;
  Dut& operator=(const Dut&) = delete;

  virtual void set_reset(bool active) = 0;
  virtual void set_hol_flits(const PhasedMatcher::HolFlits& hol_flits) = 0;
  virtual void set_phase(const PhasedMatcher::Phase& phase) = 0;
  // Paths of the phase at the edge before.
  virtual void set_paths(const FredPaths& in, const FredPaths& out) = 0;
  virtual Outputs evaluate() = 0;
  virtual void edge() = 0;

 protected:
  Dut() = default;
};

template <class Model>
class VerilatedDut : public Dut {
 public:
  explicit VerilatedDut(VerilatedContext& context) : model_(&context, "dut") {}
  ~VerilatedDut() override { model_.final(); }

  void set_reset(bool active) override { model_.rst_ni = active ? 0 : 1; }
  void set_hol_flits(const PhasedMatcher::HolFlits& hol_flits) override {
    for (int vc = 0; vc < fredsim::kNumVcs; ++vc) {
      model_.request_i[vc] = hol_flits.request[vc];
      model_.tail_i[vc] = hol_flits.tail[vc];
      model_.room_i[vc] = hol_flits.room[vc];
    }
    for (std::size_t hol = 0; hol < hol_flits.output.size(); ++hol) {
      for (std::size_t bit = 0; bit < 5; ++bit) {
        const std::size_t at = 5 * hol + bit;
        const std::uint32_t mask = 1U << (at % 32);
        const bool one = (hol_flits.output[hol] >> bit & 1U) != 0;
        model_.out_i[at / 32] = one ? model_.out_i[at / 32] | mask : model_.out_i[at / 32] & ~mask;
      }
    }
  }
  void set_phase(const PhasedMatcher::Phase& phase) override {
    model_.phase_held_i = phase.held;
    model_.phase_vc_i = static_cast<CData>(phase.vc);
    model_.phase_pop_i = phase.popped;
    model_.phase_reserve_i = phase.reserved;
  }
  void set_paths(const FredPaths& in, const FredPaths& out) override {
    for (std::size_t word = 0; word < 8; ++word) {
      std::uint32_t a = 0, b = 0;
      for (std::size_t byte = 0; byte < 4; ++byte) {
        a |= std::uint32_t{in[4 * word + byte]} << (8 * byte);
        b |= std::uint32_t{out[4 * word + byte]} << (8 * byte);
      }
      model_.in_path_i[word] = a;
      model_.out_path_i[word] = b;
    }
  }
  Outputs evaluate() override {
    model_.clk_i = 0;
    model_.eval();
    Outputs outputs{.pop = model_.pop_o,
                    .reserve = model_.reserve_o,
                    .pop_vc = model_.pop_vc_o,
                    .reserve_vc = model_.reserve_vc_o,
                    .locked = {},
                    .route = std::vector<std::uint32_t>(32),
                    .stall_credit = model_.stall_credit_o,
                    .stall_arbiter = model_.stall_arbiter_o,
                    .idle = model_.idle_o != 0};
    for (int vc = 0; vc < fredsim::kNumVcs; ++vc) outputs.locked[vc] = model_.locked_o[vc];
    for (std::size_t p = 0; p < outputs.route.size(); ++p) {
      for (std::size_t bit = 0; bit < 14; ++bit) {
        const std::size_t at = 14 * p + bit;
        outputs.route[p] |= (model_.route_o[at / 32] >> (at % 32) & 1U) << bit;
      }
    }
    return outputs;
  }
  void edge() override {
    model_.clk_i = 1;
    model_.eval();
  }

 private:
  Model model_;
};

struct Size {
  fredsim::FredSwitchShape shape;
  std::unique_ptr<Dut> (*make)(VerilatedContext& context);
};

const std::vector<Size>& built_sizes();  // generated from the list in CMakeLists.txt

}  // namespace tb

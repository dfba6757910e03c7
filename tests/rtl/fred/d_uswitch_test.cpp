// SPDX-License-Identifier: Apache-2.0
// fred_d_uswitch, an output of which is registered, and fred_port_select, which is not, against
// their contracts: the flit of the highest input that may leave by an output does.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "Vmodule_d_uswitch/Vmodule_d_uswitch.h"
#include "Vmodule_port_select/Vmodule_port_select.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

constexpr int kInputs = 3, kLevel = 1, kFlitW = 128, kCodeW = 2, kCycles = 50'000;
using Inputs = std::array<std::optional<Flit>, kInputs>;

// Colliding flits included, which only an invalid configuration permits.
template <class Model>
Inputs put_random_flits(Model& model, Random& random) {
  Inputs in;
  model.in_valid_i = 0;
  for (int j = 0; j < kInputs; ++j) {
    Flit flit;
    for (auto& word : flit.words) word = static_cast<std::uint32_t>(random.next());
    for (int w = 0; w < kFlitW / 32; ++w)
      put_bits(model.in_flit_i, kFlitW * j + 32 * w, 32, flit.words[static_cast<std::size_t>(w)]);
    if (random.below(2) == 0) continue;
    put_bits(model.in_valid_i, j, 1, 1);
    in[static_cast<std::size_t>(j)] = flit;
  }
  return in;
}

// `code`: 0 nothing, j + 1 input j. An online unicast goes by the bit of its output port.
std::optional<Flit> leaves_by(unsigned side, unsigned code, const Inputs& in) {
  std::optional<Flit> flit;
  for (unsigned j = 0; j < kInputs; ++j) {
    if (!in[j]) continue;
    const bool online = in[j]->field(fred_pkg::ONLINE_BIT, 1) != 0;
    if (online ? in[j]->field(fred_pkg::OUT_LSB + kLevel, 1) == side : code == j + 1) flit = in[j];
  }
  return flit;
}

TEST(DMicroSwitch, GivesEachOutputTheFlitOfItsCodeAndUnicastsOfItsSide) {
  VerilatedContext context;
  Vmodule_d_uswitch model(&context, "dut");
  Random random(1);
  model.step_i = 1;
  model.load_i = model.in_valid_i = 0;
  reset(model);
  std::array<unsigned, 2> codes{};
  std::array<std::optional<Flit>, 2> out;
  std::array<int, 2> flits{};
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    const Inputs in = put_random_flits(model, random);
    model.step_i = random.below(4) != 0;
    model.load_i = random.below(20) == 0;
    model.config_i = static_cast<CData>(random.below(16));
    for (unsigned side = 0; side < 2; ++side) {
      if (model.step_i != 0) out[side] = leaves_by(side, codes[side], in);
      // Flits that are sampled at the edge of the load still use the old configuration.
      if (model.load_i != 0)
        codes[side] = static_cast<unsigned>(
            get_bits(model.config_i, kCodeW * static_cast<int>(side), kCodeW));
    }
    edge(model);
    for (unsigned side = 0; side < 2; ++side) {
      ASSERT_EQ(get_bits(model.out_valid_o, static_cast<int>(side), 1) != 0, out[side].has_value())
          << "output " << side << ", cycle " << cycle;
      if (!out[side]) continue;
      ++flits[side];
      for (int w = 0; w < kFlitW / 32; ++w) {
        ASSERT_EQ(get_bits(model.out_flit_o, kFlitW * static_cast<int>(side) + 32 * w, 32),
                  out[side]->words[static_cast<std::size_t>(w)])
            << "output " << side << ", cycle " << cycle;
      }
    }
  }
  for (const int count : flits) EXPECT_GT(count, kCycles / 10);
  model.final();
}

TEST(PortSelect, FollowsItsInputsInTheSameCycle) {
  constexpr unsigned kSide = 1;
  VerilatedContext context;
  Vmodule_port_select model(&context, "dut");
  Random random(2);
  model.load_i = model.in_valid_i = 0;
  reset(model);
  unsigned code = 0;
  int flits = 0;
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    const Inputs in = put_random_flits(model, random);
    model.load_i = random.below(20) == 0;
    model.config_i = static_cast<CData>(random.below(kInputs + 1));
    model.rst_ni = random.below(500) != 0;
    if (model.rst_ni == 0) model.load_i = 1;  // like the parent
    settle(model);
    const std::optional<Flit> out = leaves_by(kSide, code, in);
    ASSERT_EQ(model.out_valid_o != 0, out.has_value()) << "cycle " << cycle;
    if (out) {
      ASSERT_EQ(get_flit(model.out_flit_o), *out) << "cycle " << cycle;
      ++flits;
    }
    if (model.load_i != 0) code = model.config_i;
    if (model.rst_ni == 0) code = 0;
    edge(model);
  }
  EXPECT_GT(flits, kCycles / 10);
  model.final();
}

}  // namespace
}  // namespace fredsim

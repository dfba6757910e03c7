// SPDX-License-Identifier: Apache-2.0
// A whole fred_interconnect with clock gates (FREDSIM_CLOCK_GATES) beside one without, pin by pin
// at every edge, under random flits and configurations.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "Vmodule_interconnect/Vmodule_interconnect.h"
#include "Vmodule_interconnect_gated/Vmodule_interconnect_gated.h"
#include "base/random.h"

namespace fredsim {
namespace {

constexpr int kEdges = 20000;
constexpr unsigned kPorts = 4, kStages = 3, kFlitWords = 4;

template <class Model>
void rise(Model& model) {
  model.clk_i = 0;
  model.eval();  // inputs are there before the edge: latches are open while the clock is low
  model.clk_i = 1;
  model.eval();
}

template <class Model>
void fall(Model& model) {
  model.clk_i = 0;
  model.eval();
}

TEST(ClockGates, TheInterconnectIsTheSame) {
  VerilatedContext context;
  Vmodule_interconnect plain(&context, "plain");
  Vmodule_interconnect_gated gated(&context, "gated");
  Random random(1);
  unsigned flits = 0, held = 0, since_load = 0;
  for (int edge = 0; edge < kEdges; ++edge) {
    const bool reset = edge < 2 || random.below(2000) == 0;
    const bool load = !reset && since_load >= kStages && random.below(10) == 0;
    since_load = load ? 0 : since_load + 1;
    const bool busy = random.below(100) < 70;
    const auto valid = static_cast<CData>(busy && !reset ? random.below(1U << kPorts) : 0);
    if (load) plain.config_i = static_cast<IData>(random.next());
    for (unsigned word = 0; word < kPorts * kFlitWords; ++word) {
      plain.in_flit_i[word] = static_cast<std::uint32_t>(random.next());
    }
    plain.rst_ni = !reset;
    plain.load_i = load;
    plain.in_valid_i = valid;
    gated.rst_ni = plain.rst_ni;
    gated.load_i = plain.load_i;
    gated.in_valid_i = plain.in_valid_i;
    gated.config_i = plain.config_i;
    gated.in_flit_i = plain.in_flit_i;
    rise(plain);
    rise(gated);
    ASSERT_EQ(gated.out_valid_o, plain.out_valid_o) << "edge " << edge;
    ASSERT_EQ(gated.busy_o, plain.busy_o) << "edge " << edge;
    for (unsigned port = 0; port < kPorts; ++port) {
      for (unsigned word = 0; word < kFlitWords; ++word) {
        const unsigned place = port * kFlitWords + word;
        ASSERT_EQ(gated.out_flit_o[place], plain.out_flit_o[place])
            << "edge " << edge << ", port " << port;
      }
    }
    flits += static_cast<unsigned>(std::popcount(plain.out_valid_o));
    held += plain.out_valid_o == 0 ? 1U : 0U;
    fall(plain);
    fall(gated);
  }
  EXPECT_GT(flits, 1000U);
  EXPECT_GT(held, 1000U);
  plain.final();
  gated.final();
}

}  // namespace
}  // namespace fredsim

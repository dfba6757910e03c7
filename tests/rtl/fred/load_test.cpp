// SPDX-License-Identifier: Apache-2.0
// Configurations of a fred_interconnect: one counts for the flits of the edge after its load. Flit
// registers: empty after a reset.
#include <gtest/gtest.h>

#include <string>

#include "Vmodule_flit_stage/Vmodule_flit_stage.h"
#include "Vmodule_interconnect/Vmodule_interconnect.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

constexpr int kPorts = 4, kFlitWords = 4;

// An interconnect that had a configuration, and at edge `loaded_at` gets another one.
class Loaded {
 public:
  Loaded(std::uint64_t seed, int loaded_at) : random_(seed), loaded_at_(loaded_at) {
    model_.load_i = model_.in_valid_i = 0;
    reset(model_);
    load(static_cast<std::uint32_t>(random_.next()));
    next_ = static_cast<std::uint32_t>(random_.next());
  }
  ~Loaded() { model_.final(); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  // Flits come from edge `first` on.
  void step(int at, int first) {
    if (at == loaded_at_) return load(next_);
    model_.in_valid_i = static_cast<CData>(at >= first ? random_.below(1U << kPorts) : 0);
    if (at >= first) randomise(model_.in_flit_i, 32 * kFlitWords * kPorts, random_);
    edge(model_);
  }
  unsigned valid() const { return model_.out_valid_o; }
  Flit flit(int port) const {
    Flit flit;
    for (int w = 0; w < kFlitWords; ++w)
      flit.words[static_cast<std::size_t>(w)] = model_.out_flit_o[port * kFlitWords + w];
    return flit;
  }

 private:
  void load(std::uint32_t config) {
    model_.in_valid_i = 0;
    model_.config_i = config;
    model_.load_i = 1;
    edge(model_);
    model_.load_i = 0;
  }

  VerilatedContext context_;
  Vmodule_interconnect model_{&context_, "dut"};
  Random random_;
  int loaded_at_;
  std::uint32_t next_ = 0;
};

TEST(Interconnect, AConfigurationCountsFromTheEdgeAfterItsLoad) {
  constexpr int kLast = 15, kFirst = kLast + 1;
  int flits = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Loaded early(seed, 5), late(seed, kLast);
    for (int at = 0; at < 40; ++at) {
      early.step(at, kFirst);
      late.step(at, kFirst);
      const std::string where = "seed " + std::to_string(seed) + ", edge " + std::to_string(at);
      ASSERT_EQ(late.valid(), early.valid()) << where;
      for (int port = 0; port < kPorts; ++port) {
        if (!bit(early.valid(), port)) continue;
        ASSERT_EQ(late.flit(port), early.flit(port)) << where << ", port " << port;
        ++flits;
      }
    }
  }
  EXPECT_GT(flits, 1000);
}

TEST(FlitStage, HasNoFlitAfterAReset) {
  VerilatedContext context;
  Vmodule_flit_stage model(&context, "dut");
  model.step_i = 1;
  model.in_valid_i = 7;
  model.rst_ni = 1;
  edge(model);
  ASSERT_EQ(model.out_valid_o, 7);
  model.rst_ni = 0;
  edge(model);
  EXPECT_EQ(model.out_valid_o, 0);
  model.rst_ni = 1;
  model.step_i = 0;
  edge(model);
  EXPECT_EQ(model.out_valid_o, 0);
  model.final();
}

}  // namespace
}  // namespace fredsim

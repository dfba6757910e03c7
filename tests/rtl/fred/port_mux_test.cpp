// SPDX-License-Identifier: Apache-2.0
// fred_port_mux and fred_port_demux alone, against their contracts; and flits that collide in them
// and in fred_r_uswitch. (Networks of them: testbenches/tb_fred_interconnect.)
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "Vmodule_port_demux/Vmodule_port_demux.h"
#include "Vmodule_port_mux/Vmodule_port_mux.h"
#include "Vmodule_port_mux_widest/Vmodule_port_mux_widest.h"
#include "Vmodule_r_uswitch/Vmodule_r_uswitch.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

constexpr int kMiddle = 3, kLevel = 1, kFlitW = 128;
constexpr int kPathLsb = fred_pkg::PATH_LSB + 2 * kLevel;
constexpr unsigned kSide = 1;

Flit random_flit(Random& random) {
  Flit flit;
  for (auto& word : flit.words) word = static_cast<std::uint32_t>(random.next());
  return flit;
}
bool is_online(const Flit& flit) { return flit.field(fred_pkg::ONLINE_BIT, 1) != 0; }

// Clock enable and configuration, equal for both: with step_i low the outputs hold, for any inputs;
// a configuration applies from the edge after the one that loads it.
template <class Model>
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random_(seed), text_("seed " + std::to_string(seed)) {
    model_.step_i = 1;
    model_.load_i = 0;
    model_.in_valid_i = 0;
    reset(model_);
    model_.step_i = 1;
    edge(model_);
  }
  ~Bench() { model_.final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

 protected:
  void drive_settings(unsigned inputs = kMiddle) {
    model_.step_i = random_.below(4) != 0;
    model_.load_i = random_.below(20) == 0;
    model_.config_i = static_cast<CData>(random_.below(inputs + 1));
    in_effect_ = config_;
    if (model_.load_i != 0) config_ = model_.config_i;
  }
  bool step() const { return model_.step_i != 0; }

  VerilatedContext context_;
  Model model_{&context_, "dut"};
  Random random_;
  std::string text_;
  unsigned config_ = 0, in_effect_ = 0;
};

template <class Model, int kInputs>
class MuxBench : public Bench<Model> {
 public:
  using Bench<Model>::Bench;
  void run(int cycles) {
    std::optional<Flit> out;
    int flits = 0;
    for (int cycle = 0; cycle < cycles; ++cycle) {
      std::array<Flit, kInputs> in;
      std::optional<Flit> taken;
      model_.in_valid_i = 0;
      for (int j = 0; j < kInputs; ++j) {
        in[j] = random_flit(random_);
        for (int w = 0; w < 4; ++w)
          put_bits(model_.in_flit_i, kFlitW * j + 32 * w, 32, in[j].words[w]);
        if (random_.below(2) == 0) continue;
        const bool goes_on = is_online(in[j]) ? in[j].field(fred_pkg::OUT_LSB + kLevel, 1) == kSide
                                              : config_ == static_cast<unsigned>(j) + 1;
        if (goes_on && taken) continue;  // the parent lets one come
        put_bits(model_.in_valid_i, j, 1, 1);
        if (goes_on) taken = in[j];
      }
      this->drive_settings(kInputs);
      if (this->step()) out = taken;
      edge(model_);
      ASSERT_EQ(model_.out_valid_o != 0, out.has_value()) << "cycle " << cycle << ", " << text_;
      if (out) {
        ASSERT_EQ(get_flit(model_.out_flit_o), *out) << "cycle " << cycle << ", " << text_;
        ++flits;
      }
    }
    EXPECT_GT(flits, cycles / 10);
  }

 private:
  using Bench<Model>::config_;
  using Bench<Model>::model_;
  using Bench<Model>::random_;
  using Bench<Model>::text_;
};

class DemuxBench : public Bench<Vmodule_port_demux> {
 public:
  using Bench::Bench;
  void run(int cycles) {
    unsigned out = 0;
    int flits = 0;
    Flit last;
    for (int cycle = 0; cycle < cycles; ++cycle) {
      const Flit in = random_flit(random_);
      put_flit(model_.in_flit_i, in);
      model_.in_valid_i = random_.below(2) == 0;
      drive_settings();
      // 0 none, j + 1 output j
      const auto code =
          is_online(in) ? static_cast<unsigned>(in.field(kPathLsb, 2)) + 1 : in_effect_;
      if (step()) {
        out = model_.in_valid_i != 0 && code != 0 && code <= kMiddle ? 1U << (code - 1) : 0;
        last = in;
      }
      edge(model_);
      ASSERT_EQ(model_.out_valid_o, out) << "cycle " << cycle << ", " << text_;
      if (out != 0) {
        ASSERT_EQ(get_flit(model_.out_flit_o), last) << "cycle " << cycle << ", " << text_;
        ++flits;
      }
    }
    EXPECT_GT(flits, cycles / 10);
  }
};

TEST(PortMux, HearsTheInputOfItsConfigurationAndUnicastsOfItsSide) {
  MuxBench<Vmodule_port_mux, kMiddle>(1).run(50'000);
  MuxBench<Vmodule_port_mux_widest, 4>(3).run(50'000);
}

TEST(PortDemux, SendsWhereConfigurationOrPathSay) { DemuxBench(2).run(50'000); }

// Colliding flits, as under an invalid configuration: the one that the contract names passes.
TEST(PortMux, LetsTheFlitOfTheHighestInputPass) {
  for (unsigned online = 0; online < 8; ++online) {
    VerilatedContext context;
    Vmodule_port_mux model(&context, "dut");
    Random random(online + 1);
    model.step_i = 1;
    model.load_i = model.in_valid_i = 0;
    reset(model);
    model.load_i = 1;
    model.config_i = 2;
    edge(model);
    model.load_i = 0;
    std::array<Flit, kMiddle> flits;
    int passes = (online & 2U) == 0 ? 1 : -1;  // input of the configuration, unless a unicast
    for (int j = 0; j < kMiddle; ++j) {
      flits[j] = random_flit(random);
      put_bits(flits[j].words, fred_pkg::ONLINE_BIT, 1, online >> j & 1U);
      put_bits(flits[j].words, fred_pkg::OUT_LSB + kLevel, 1, kSide);
      for (int w = 0; w < kFlitW / 32; ++w)
        put_bits(model.in_flit_i, kFlitW * j + 32 * w, 32, flits[j].words[w]);
      if ((online >> j & 1U) != 0) passes = std::max(passes, j);
    }
    model.in_valid_i = 7;
    edge(model);
    ASSERT_EQ(model.out_valid_o, 1) << online;
    EXPECT_EQ(get_flit(model.out_flit_o), flits[passes]) << online;
    model.final();
  }
}

// Two inputs of an R-µSwitch, each without a flit, with one of the phase, or with a unicast for
// output 0; that output is configured for nothing, an input or the sum: who leaves by it.
TEST(RMicroSwitch, UnicastsGoFirstAndASumNeedsBothInputs) {
  enum Kind { kNone, kPhase, kUnicast };
  for (const Kind a : {kNone, kPhase, kUnicast}) {
    for (const Kind b : {kNone, kPhase, kUnicast}) {
      for (unsigned code = 0; code < 4; ++code) {
        SCOPED_TRACE(testing::Message() << a << b << " code " << code);
        VerilatedContext context;
        Vmodule_r_uswitch model(&context, "dut");
        model.step_i = 1;
        model.load_i = model.in_valid_i = 0;
        for (int w = 0; w < 8; ++w) model.in_flit_i[w] = 0;
        reset(model);
        model.load_i = 1;
        model.config_i = static_cast<CData>(code);
        edge(model);
        model.load_i = 0;
        for (int j = 0; j < 2; ++j) {
          put_bits(model.in_flit_i, kFlitW * j, 32, j == 0 ? 10 : 20);  // tags
          put_bits(model.in_flit_i, kFlitW * j + fred_pkg::ONLINE_BIT, 1,
                   (j == 0 ? a : b) == kUnicast ? 1 : 0);
        }
        model.in_valid_i = static_cast<CData>((a != kNone ? 1 : 0) | (b != kNone ? 2 : 0));
        edge(model);
        std::uint64_t leaves = 0;  // its tag
        if (code == fred_pkg::USEL_IN0 && a == kPhase) leaves = 10;
        if (code == fred_pkg::USEL_IN1 && b == kPhase) leaves = 20;
        if (code == fred_pkg::USEL_SUM && a == kPhase && b == kPhase) leaves = 10;
        if (a == kUnicast) leaves = 10;
        if (b == kUnicast) leaves = 20;
        EXPECT_EQ(bit(model.out_valid_o, 0), leaves != 0);
        if (leaves != 0) {
          EXPECT_EQ(get_bits(model.out_flit_o, 0, 32), leaves);
        }
        model.final();
      }
    }
  }
}

}  // namespace
}  // namespace fredsim

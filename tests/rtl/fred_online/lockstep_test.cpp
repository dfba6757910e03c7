// SPDX-License-Identifier: Apache-2.0
// phased_matcher and fred_online_paths beside their C++ models, every output at every edge, with
// random traffic, phases, stalls and resets; and rules that owe nothing to either: matcher_rules.h,
// crossing.h.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "base/port_mask.h"
#include "crossing.h"
#include "dut.h"
#include "matcher_rules.h"
#include "random_phase.h"

namespace tb {
namespace {

using fredsim::FredSwitchShape;
using fredsim::kControl;
using fredsim::kNumVcs;

constexpr int kCycles = 3000;
constexpr int kRouteDelay = 3;  // edges from the decision to the one that route_o is for

std::size_t at(int port, int vc) { return static_cast<std::size_t>(kNumVcs * port + vc); }

// Traffic of a run; chances in 256ths.
struct Traffic {
  const char* name;
  int hol;      // chance of a VC without a head-of-line flit to get one
  int outputs;  // destinations are below this; 0: all
  int room;     // chance of an output to have room
  int phase;    // chance of a flow to fire
  int flows;    // max flows; -1: one per port
  bool all_vcs = true;
};

constexpr Traffic kTraffics[] = {
    {"full", 256, 0, 256, 0, 0},
    {"full, one VC", 256, 0, 256, 0, 0, false},
    {"hot spots, gaps, little room", 128, 2, 100, 128, 3},
    {"beside a phase that fires always", 256, 0, 256, 256, -1},
    {"beside a phase that fires at times", 200, 0, 200, 128, -1},
    {"seldom", 10, 0, 256, 30, 4},
};

class OnlineRun {
 public:
  OnlineRun(const Size& size, const Traffic& traffic, std::uint64_t seed)
      : shape_(size.shape),
        traffic_(traffic),
        random_(seed),
        dut_(size.make(context_)),
        matcher_(shape_.ports, fredsim::fred_apart_levels(shape_)),
        rules_(shape_),
        output_(at(shape_.ports, 0)),
        left_(output_.size()) {
    dut_->set_reset(true);
    drive();
    dut_->evaluate();
    dut_->edge();
    dut_->set_reset(false);
  }

  void cycle() {
    drive();
    const Dut::Outputs outputs = dut_->evaluate();
    compare_registers(outputs);
    const auto moves = matcher_.step(hol_flits_, phase_);
    compare_moves(outputs, moves);
    ASSERT_EQ(rules_.edge(hol_flits_, phase_, moves), "") << where();
    keep_edge(moves);
    dut_->edge();
    for (const auto& move : moves) --left_[at(move.input, move.vc)];
    ++cycle_;
  }
  // No head-of-line flits and no phase: all flits in flight leave.
  void drain() {
    for (int n = 0; n < 6; ++n) {
      hol_flits_.request = {};
      quiet_ = true;
      cycle();
    }
    EXPECT_TRUE(dut_->evaluate().idle) << where();
    EXPECT_TRUE(matcher_.idle()) << where();
    quiet_ = false;
  }

  std::uint64_t moved() const { return moved_; }  // flits

 private:
  struct Edge {
    std::vector<FlowPath> fired;
    std::vector<PhasedMatcher::Move> moves;
    FredPaths in{}, out{};
    int credit = 0, arbiter = 0;  // stalls
  };

  bool chance(int of_256) { return random_.below(256) < static_cast<std::uint64_t>(of_256); }
  std::string where() const {
    return std::string(traffic_.name) + ", Fred_" + std::to_string(shape_.middle) + "(" +
           std::to_string(shape_.ports) + "), cycle " + std::to_string(cycle_);
  }

  void drive() {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      hol_flits_.room[vc] = hol_flits_.request[vc] = hol_flits_.tail[vc] = 0;
      for (int p = 0; p < shape_.ports; ++p) {
        if (chance(traffic_.room)) hol_flits_.room[vc] |= 1U << p;
        if (quiet_) continue;
        drive_hol(p, vc);
      }
    }
    hol_flits_.output = output_;
    if (cycle_ % 64 == 0) {
      const int max = traffic_.flows < 0 ? shape_.ports : traffic_.flows;
      flows_ = random_phase(shape_, max, random_);
      phase_.vc = static_cast<int>(random_.below(kNumVcs));
    }
    phase_.popped = phase_.reserved = phase_.held = 0;
    fired_.clear();
    for (const FlowPath& flow : flows_) {
      if (chance(64)) phase_.held |= flow.outputs;
      if (quiet_ || !chance(traffic_.phase)) continue;
      phase_.popped |= flow.inputs;
      phase_.reserved |= flow.outputs;
      fired_.push_back(flow);
    }
    dut_->set_hol_flits(hol_flits_);
    dut_->set_phase(phase_);
    // The paths belong to the previous edge.
    const Edge& before = edges_[static_cast<std::size_t>(cycle_ + kRouteDelay) % (kRouteDelay + 1)];
    dut_->set_paths(before.in, before.out);
  }
  void drive_hol(int p, int vc) {
    const std::size_t hol = at(p, vc);
    if (left_[hol] == 0) {  // a new packet
      left_[hol] = vc == kControl ? 1 : 1 + static_cast<int>(random_.below(8));
      const int below =
          traffic_.outputs > 0 ? std::min(traffic_.outputs, shape_.ports) : shape_.ports;
      output_[hol] = static_cast<std::uint8_t>(random_.below(static_cast<std::uint64_t>(below)));
      there_[vc] &= ~(1U << p);
    }
    if (!traffic_.all_vcs && vc != 0) return;
    if ((there_[vc] >> p & 1U) == 0 && chance(traffic_.hol)) there_[vc] |= 1U << p;
    if ((there_[vc] >> p & 1U) != 0) hol_flits_.request[vc] |= 1U << p;
    if (left_[hol] == 1) hol_flits_.tail[vc] |= 1U << p;
  }

  void compare_registers(const Dut::Outputs& outputs) {
    ASSERT_EQ(outputs.locked, matcher_.locked()) << where();
    ASSERT_EQ(outputs.stall_credit, matcher_.stall_credit()) << where();
    ASSERT_EQ(outputs.stall_arbiter, matcher_.stall_arbiter()) << where();
    if (cycle_ < kRouteDelay) return;
    // Stalls of the last edge but one; paths of the one before that.
    const Edge& stalled = edges_[static_cast<std::size_t>(cycle_ - 2) % (kRouteDelay + 1)];
    ASSERT_EQ(outputs.stall_credit, stalled.credit) << where();
    ASSERT_EQ(outputs.stall_arbiter, stalled.arbiter) << where();
    compare_ways(outputs,
                 edges_[static_cast<std::size_t>(cycle_ - kRouteDelay) % (kRouteDelay + 1)]);
  }
  void compare_ways(const Dut::Outputs& outputs, const Edge& edge) {
    Ports inputs = 0, used = 0;
    for (const FlowPath& flow : edge.fired) {
      inputs |= flow.inputs;
      used |= flow.outputs;
    }
    const FredPaths paths = online_paths(shape_, edge.moves, {inputs, used, edge.in, edge.out});
    std::vector<std::uint32_t> want(outputs.route.size());
    std::vector<FlowPath> flows = edge.fired;
    for (const auto& move : edge.moves) {
      want[move.input] =
          std::uint32_t{paths[move.input]} << 6 | static_cast<std::uint32_t>(move.output) << 1 | 1U;
      flows.push_back({1U << move.input, 1U << move.output,
                       static_cast<std::uint8_t>(outputs.route[move.input] >> 6)});
    }
    ASSERT_EQ(outputs.route, want) << where();
    ASSERT_EQ(crossing(shape_, flows), "") << where();
  }
  void compare_moves(const Dut::Outputs& outputs, std::span<const PhasedMatcher::Move> moves) {
    Ports pop = 0, reserve = 0;
    for (const auto& move : moves) {
      pop |= 1U << move.input;
      reserve |= 1U << move.output;
      ASSERT_EQ(outputs.pop_vc >> (2 * move.input) & 3U, static_cast<unsigned>(move.vc)) << where();
      ASSERT_EQ(outputs.reserve_vc >> (2 * move.output) & 3U, static_cast<unsigned>(move.vc))
          << where();
    }
    ASSERT_EQ(outputs.pop, pop) << where();
    ASSERT_EQ(outputs.reserve, reserve) << where();
    moved_ += moves.size();
  }
  void keep_edge(std::span<const PhasedMatcher::Move> moves) {
    Edge& edge = edges_[static_cast<std::size_t>(cycle_) % (kRouteDelay + 1)];
    edge.fired = fired_;
    edge.moves.assign(moves.begin(), moves.end());
    port_paths(fired_, random_, edge.in, edge.out);
    edge.credit = rules_.stall_credit();
    edge.arbiter = rules_.stall_arbiter();
  }

  FredSwitchShape shape_;
  Traffic traffic_;
  fredsim::Random random_;
  VerilatedContext context_;
  std::unique_ptr<Dut> dut_;
  PhasedMatcher matcher_;
  MatcherRules rules_;

  PhasedMatcher::HolFlits hol_flits_;
  PhasedMatcher::Phase phase_;
  std::vector<std::uint8_t> output_;  // by head-of-line flit
  std::vector<int> left_;             // flits of its packet, its own included
  PortsByVc there_{};                 // inputs that show their flit
  std::vector<FlowPath> flows_, fired_;
  std::array<Edge, kRouteDelay + 1> edges_;
  bool quiet_ = false;
  int cycle_ = 0;
  std::uint64_t moved_ = 0;
};

class Lockstep : public testing::TestWithParam<std::size_t> {};

TEST_P(Lockstep, EveryOutputAtEveryEdge) {
  const Size& size = built_sizes()[GetParam()];
  std::uint64_t seed = 1;
  for (const Traffic& traffic : kTraffics) {
    OnlineRun run(size, traffic, ++seed);
    for (int part = 0; part < 3; ++part) {
      for (int n = 0; n < kCycles / 3; ++n) {
        run.cycle();
        if (testing::Test::HasFatalFailure()) return;
      }
      run.drain();
      if (testing::Test::HasFatalFailure()) return;
    }
    // With two sub-networks nothing moves beside a phase that always fires.
    if (size.shape.middle > 2 || traffic.phase < 256) {
      EXPECT_GT(run.moved(), 0U) << traffic.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Lockstep, testing::Range<std::size_t>(0, built_sizes().size()),
                         [](const testing::TestParamInfo<std::size_t>& size) {
                           const auto& shape = built_sizes()[size.param].shape;
                           return "P" + std::to_string(shape.ports) + "M" +
                                  std::to_string(shape.middle);
                         });

}  // namespace
}  // namespace tb

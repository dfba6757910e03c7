// SPDX-License-Identifier: Apache-2.0
// The rule that gives online unicasts their paths, against the wiring: every matching, beside every
// phase, at small sizes; random ones at all sizes.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "base/port_mask.h"
#include "crossing.h"
#include "random_phase.h"
#include "switch/fred/fred_online_paths.h"

namespace tb {
namespace {

using fredsim::FredPaths;
using fredsim::FredSwitchShape;
using fredsim::PhasedMatcher;
using Moves = std::vector<PhasedMatcher::Move>;

// Flits of one edge: flits of the phase, and online flits with the paths that the rule gives them.
std::string check(const FredSwitchShape& shape, const std::vector<FlowPath>& phase,
                  const Moves& moves, const FredPaths& in, const FredPaths& out) {
  std::uint32_t inputs = 0, outputs = 0;
  for (const FlowPath& flow : phase) {
    inputs |= flow.inputs;
    outputs |= flow.outputs;
  }
  const FredPaths paths = online_paths(shape, moves, {inputs, outputs, in, out});
  std::vector<FlowPath> flows = phase;
  for (const auto& move : moves)
    flows.push_back({1U << move.input, 1U << move.output, paths[move.input]});
  return crossing(shape, flows);
}

// Every matching of the given inputs to the given outputs, not only the largest.
void for_each_matching(std::uint32_t inputs, std::uint32_t outputs, Moves& moves,
                       const std::function<void()>& f) {
  if (inputs == 0) {
    f();
    return;
  }
  const int p = std::countr_zero(inputs);
  for_each_matching(inputs & (inputs - 1), outputs, moves, f);
  fredsim::for_each_port(outputs, [&](int o) {
    moves.push_back({p, o, 0});
    for_each_matching(inputs & (inputs - 1), outputs & ~(1U << o), moves, f);
    moves.pop_back();
  });
}

// Every set of up to `most` flows with every routing.
void for_each_phase(const FredSwitchShape& shape, int max, std::vector<FlowPath>& flows,
                    const std::function<void()>& f) {
  f();
  if (max == 0) return;
  std::uint32_t free_in = ~0U >> (32 - shape.ports), free_out = free_in;
  for (const FlowPath& flow : flows) {
    free_in &= ~flow.inputs;
    free_out &= ~flow.outputs;
  }
  // Flows are distinguished by their lowest inputs, in ascending order.
  const std::uint32_t above = flows.empty() ? ~0U : ~1U << std::countr_zero(flows.back().inputs);
  const int levels = fredsim::fred_levels(shape.ports);
  for (std::uint32_t in = free_in; in != 0; in = (in - 1) & free_in) {
    if ((in & (~in + 1) & above) == 0) continue;
    for (std::uint32_t out = free_out; out != 0; out = (out - 1) & free_out) {
      for (unsigned path = 0; path < 1U << (2 * levels); ++path) {
        flows.push_back({in, out, static_cast<std::uint8_t>(path)});
        if (crossing(shape, flows).empty()) for_each_phase(shape, max - 1, flows, f);
        flows.pop_back();
      }
    }
  }
}

void check_all(const FredSwitchShape& shape, int max_flows) {
  std::uint64_t cases = 0;
  std::vector<FlowPath> phase;
  Moves moves;
  fredsim::Random random(1);
  FredPaths in, out;
  for_each_phase(shape, max_flows, phase, [&] {
    port_paths(phase, random, in, out);
    std::uint32_t inputs = ~0U >> (32 - shape.ports), outputs = inputs;
    for (const FlowPath& flow : phase) {
      inputs &= ~flow.inputs;
      outputs &= ~flow.outputs;
    }
    for_each_matching(inputs, outputs, moves, [&] {
      ++cases;
      const std::string wrong = check(shape, phase, moves, in, out);
      if (!wrong.empty()) FAIL() << wrong << ", case " << cases;
    });
  });
  std::printf("Fred_%d(%d), up to %d flows: %llu cases\n", shape.middle, shape.ports, max_flows,
              static_cast<unsigned long long>(cases));
}

TEST(OnlinePaths, EveryMatchingBesideEveryPhaseOf3And4Ports) {
  for (const int middle : {3, 4}) {
    check_all({3, middle}, 3);
    check_all({4, middle}, 4);
  }
}

TEST(OnlinePaths, EveryMatchingBesideUpToTwoFlowsOf5Ports) { check_all({5, 3}, 2); }

TEST(OnlinePaths, EveryMatchingBesideOneFlowOf6Ports) { check_all({6, 3}, 1); }

TEST(OnlinePaths, EveryMatchingAloneOf7Ports) { check_all({7, 3}, 0); }

TEST(OnlinePaths, RandomPhasesAndMatchingsOfAllSizes) {
  fredsim::Random random(2);
  for (int ports = 2; ports <= 32; ++ports) {
    for (const int middle : {3, 4}) {
      const FredSwitchShape shape{ports, middle};
      for (int n = 0; n < 2000; ++n) {
        const std::vector<FlowPath> phase = random_phase(
            shape, static_cast<int>(random.below(static_cast<std::uint64_t>(ports))), random);
        FredPaths in, out;
        port_paths(phase, random, in, out);
        std::uint32_t inputs = ~0U >> (32 - ports), outputs = inputs;
        for (const FlowPath& flow : phase) {
          inputs &= ~flow.inputs;
          outputs &= ~flow.outputs;
        }
        if (n % 2 == 1) inputs &= static_cast<std::uint32_t>(random.next());  // not all of them
        Moves moves;
        fredsim::for_each_port(inputs, [&](int p) {
          if (outputs == 0) return;
          std::uint32_t rest = outputs;
          for (auto skip = random.below(static_cast<std::uint64_t>(std::popcount(outputs)));
               skip > 0; --skip)
            rest &= rest - 1;
          moves.push_back({p, std::countr_zero(rest), 0});
          outputs &= ~(rest & (~rest + 1));
        });
        ASSERT_EQ(check(shape, phase, moves, in, out), "") << ports << " ports, case " << n;
      }
    }
  }
}

// Two middle sub-networks: no phase, and the flits that the matcher lets go.
TEST(OnlinePaths, RandomMatchesWithTwoSubNetworks) {
  const FredPaths none{};
  fredsim::Random random(3);
  for (int ports = 2; ports <= 32; ++ports) {
    const FredSwitchShape shape{ports, 2};
    PhasedMatcher matcher(ports, fredsim::fred_apart_levels(shape));
    std::vector<std::uint8_t> output(static_cast<std::size_t>(fredsim::kNumVcs * ports));
    for (int n = 0; n < 2000; ++n) {
      for (auto& out : output)
        out = static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(ports)));
      PhasedMatcher::HolFlits hol_flits;
      hol_flits.output = output;
      hol_flits.room.fill(~0U);
      hol_flits.tail.fill(~0U);
      for (auto& request : hol_flits.request)
        request = static_cast<std::uint32_t>(random.next()) & ~0U >> (32 - ports);
      const auto moved = matcher.step(hol_flits, {});
      const Moves moves(moved.begin(), moved.end());
      ASSERT_EQ(check(shape, {}, moves, none, none), "") << ports << " ports, case " << n;
    }
  }
}

}  // namespace
}  // namespace tb

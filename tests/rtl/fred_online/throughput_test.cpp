// SPDX-License-Identifier: Apache-2.0
// Share of the ports' rate that phased_matcher lets through when it is alone in the switch, beside
// a matcher of one round per VC, which for the head-of-line flits there are finds as much as any
// that serves VCs by priority; and how long a head-of-line flit may wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "base/port_mask.h"
#include "base/random.h"
#include "base/vc_order.h"
#include "routing/fred_routing.h"
#include "switch/phased/phased_matcher.h"

namespace tb {
namespace {

using fredsim::kNumVcs;
using fredsim::PhasedMatcher;
using Ports = PhasedMatcher::Ports;

std::size_t at(int port, int vc) { return static_cast<std::size_t>(kNumVcs * port + vc); }

// Queues that never run dry.
class Sources {
 public:
  Sources(int ports, Ports vcs, std::function<int(int)> destination, int flits = 8)
      : ports_(ports),
        vcs_(vcs),
        flits_(flits),
        destination_(std::move(destination)),
        output_(at(ports, 0)),
        left_(output_.size(), flits),
        packets_(output_.size()) {
    for (int p = 0; p < ports; ++p) {
      for (int vc = 0; vc < kNumVcs; ++vc)
        output_[at(p, vc)] = static_cast<std::uint8_t>(destination_(p));
    }
  }
  PhasedMatcher::HolFlits hol_flits() const {
    PhasedMatcher::HolFlits hol_flits;
    hol_flits.output = output_;
    for (int vc = 0; vc < kNumVcs; ++vc) {
      hol_flits.room[vc] = ~0U;
      for (int p = 0; p < ports_; ++p) {
        if ((vcs_ >> vc & 1U) != 0) hol_flits.request[vc] |= 1U << p;
        if (left_[at(p, vc)] == 1) hol_flits.tail[vc] |= 1U << p;
      }
    }
    return hol_flits;
  }
  void moved(const PhasedMatcher::Move& move) {
    const std::size_t hol = at(move.input, move.vc);
    if (--left_[hol] > 0) return;
    left_[hol] = flits_;
    ++packets_[hol];
    output_[hol] = static_cast<std::uint8_t>(destination_(move.input));
  }
  bool starts(int port, int vc) const { return left_[at(port, vc)] == flits_; }
  int output(int port, int vc) const { return output_[at(port, vc)]; }
  std::uint64_t packets(int port, int vc) const { return packets_[at(port, vc)]; }

 private:
  int ports_;
  Ports vcs_;
  int flits_;
  std::function<int(int)> destination_;
  std::vector<std::uint8_t> output_;
  std::vector<int> left_;
  std::vector<std::uint64_t> packets_;
};

// VC by VC, every free output grants one of the free inputs that ask, by round robin.
class RoundPerVc {
 public:
  explicit RoundPerVc(int ports) : ports_(ports), next_(at(ports, 0)), owner_(next_.size(), -1) {}
  std::vector<PhasedMatcher::Move> step(const PhasedMatcher::HolFlits& hol_flits) {
    std::vector<PhasedMatcher::Move> moves;
    Ports in_busy = 0, out_busy = 0;
    for (const int vc : fredsim::kDefaultVcOrder) {
      const Ports in_before = in_busy, out_before = out_busy;
      for (int n = 0; n < ports_ * ports_; ++n) {
        const int o = n / ports_;
        const int p = (next_[at(o, vc)] + n % ports_) % ports_;
        const int owner = owner_[at(o, vc)];
        if ((hol_flits.request[vc] >> p & 1U) == 0 || hol_flits.output[at(p, vc)] != o ||
            (owner >= 0 && owner != p))
          continue;
        if (((in_before >> p | out_busy >> o) & 1U) != 0 || (out_before >> o & 1U) != 0) continue;
        in_busy |= 1U << p;
        out_busy |= 1U << o;
        moves.push_back({p, o, vc});
      }
    }
    for (const auto& move : moves) {
      int& owner = owner_[at(move.output, move.vc)];
      if (owner < 0) next_[at(move.output, move.vc)] = (move.input + 1) % ports_;
      owner = (hol_flits.tail[move.vc] >> move.input & 1U) != 0 ? -1 : move.input;
    }
    return moves;
  }

 private:
  int ports_;
  std::vector<int> next_, owner_;
};

// Flits per port and cycle.
template <class Step>
double rate(int ports, Sources& sources, Step&& step) {
  constexpr int kWarm = 1000, kCycles = 20000;
  std::size_t flits = 0;
  for (int cycle = 0; cycle < kWarm + kCycles; ++cycle) {
    const auto hol_flits = sources.hol_flits();
    const auto moves = step(hol_flits);
    if (cycle >= kWarm) flits += moves.size();
    for (const auto& move : moves) sources.moved(move);
  }
  return static_cast<double>(flits) / kCycles / ports;
}

std::function<int(int)> uniform(int ports, fredsim::Random& random) {
  return [ports, &random](int) {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(ports)));
  };
}

double matcher_rate(int ports, int middle, Ports vcs, const std::function<int(int)>& destination) {
  PhasedMatcher matcher(ports, fredsim::fred_apart_levels({ports, middle}));
  Sources sources(ports, vcs, destination);
  return rate(ports, sources, [&](const PhasedMatcher::HolFlits& hol_flits) {
    return matcher.step(hol_flits, {});
  });
}

double uniform_rate(int ports, int middle, Ports vcs) {
  fredsim::Random random(3);
  return matcher_rate(ports, middle, vcs, uniform(ports, random));
}

double round_per_vc_rate(int ports, Ports vcs) {
  fredsim::Random random(3);
  RoundPerVc matcher(ports);
  Sources sources(ports, vcs, uniform(ports, random));
  return rate(ports, sources,
              [&](const PhasedMatcher::HolFlits& hol_flits) { return matcher.step(hol_flits); });
}

TEST(MatcherThroughput, UniformOnOneVcIsThatOfAnyMatcher) {
  for (const int ports : {2, 3, 4, 6, 8, 11, 12, 20, 32}) {
    const double ours = uniform_rate(ports, 3, 1), best = round_per_vc_rate(ports, 1);
    std::printf("%d ports, one VC: %.3f, a round per VC %.3f\n", ports, ours, best);
    EXPECT_NEAR(ours, best, 0.005) << ports;
  }
}

TEST(MatcherThroughput, UniformOnThreeVcsIsCloseToARoundPerVc) {
  for (const int ports : {2, 3, 4, 6, 8, 11, 12, 20, 32}) {
    const double ours = uniform_rate(ports, 3, 7), best = round_per_vc_rate(ports, 7);
    std::printf("%d ports, three VCs: %.3f, a round per VC %.3f\n", ports, ours, best);
    EXPECT_GT(ours, 0.92 * best) << ports;
  }
}

TEST(MatcherThroughput, PermutationsMoveAtEveryEdge) {
  for (const int ports : {2, 3, 4, 7, 12, 32}) {
    for (int shift = 0; shift < ports; ++shift) {
      for (const Ports vcs : {1U, 8U, 7U}) {
        EXPECT_EQ(matcher_rate(ports, 3, vcs, [&](int p) { return (p + shift) % ports; }), 1.0)
            << ports << " " << shift;
      }
    }
  }
}

// One of two flits that would collide waits.
TEST(MatcherThroughput, TwoSubNetworksLetMostFlitsPass) {
  fredsim::Random random(5);
  const std::map<int, double> uniform_at_least{{2, 0.75}, {3, 0.6},   {4, 0.55}, {6, 0.47},
                                               {8, 0.42}, {12, 0.37}, {32, 0.27}};
  for (const auto& [ports, min] : uniform_at_least) {
    const double ours = uniform_rate(ports, 2, 1);
    constexpr int kPermutations = 20;
    double mean = 0;
    for (int n = 0; n < kPermutations; ++n) {
      std::vector<int> to(static_cast<std::size_t>(ports));
      std::iota(to.begin(), to.end(), 0);
      for (int i = ports - 1; i > 0; --i)
        std::swap(to[i], to[random.below(static_cast<std::uint64_t>(i) + 1)]);
      mean += matcher_rate(ports, 2, 1, [&](int p) { return to[p]; }) / kPermutations;
    }
    std::printf("%d ports, two sub-networks: uniform %.3f, permutations %.3f\n", ports, ours, mean);
    EXPECT_GT(ours, min) << ports;
    EXPECT_GT(mean, ours) << ports;
    EXPECT_EQ(matcher_rate(ports, 2, 1, [](int p) { return p; }), 1.0) << ports;
  }
}

// Packets on the VC and output of a packet that start between its first request and its own start.
TEST(MatcherFairness, APacketWaitsForAtMostOneOfEveryOtherInput) {
  for (const int ports : {2, 3, 5, 12, 32}) {
    for (const int flits : {1, 8}) {
      fredsim::Random random(4);
      PhasedMatcher matcher(ports, 0);
      // Few outputs, so that all are requested.
      const auto destination = [&](int) { return static_cast<int>(random.below(2)); };
      Sources sources(ports, 1, destination, flits);
      std::vector<int> waited(static_cast<std::size_t>(ports));
      int longest = 0;
      for (int cycle = 0; cycle < 20000; ++cycle) {
        const auto hol_flits = sources.hol_flits();
        for (const auto& move : matcher.step(hol_flits, {})) {
          if (sources.starts(move.input, 0)) {
            for (int p = 0; p < ports; ++p) {
              if (p != move.input && sources.starts(p, 0) && sources.output(p, 0) == move.output)
                longest = std::max(longest, ++waited[p]);
            }
            waited[move.input] = 0;
          }
          sources.moved(move);
        }
      }
      EXPECT_EQ(longest, ports - 1) << ports << " " << flits;
    }
  }
}

// An input that the phase uses at every edge, and that has the turn, or the higher VC, at the
// output.
TEST(MatcherFairness, AnInputTakenByThePhaseKeepsNobodyElseFromItsOutput) {
  for (const int vc : {0, 1}) {  // VCs of input 1
    PhasedMatcher matcher(4, 0);
    std::array<std::uint8_t, 16> output{};
    output.fill(2);
    PhasedMatcher::HolFlits hol_flits;
    hol_flits.output = output;
    hol_flits.room.fill(~0U);
    hol_flits.request[0] |= 1;
    hol_flits.request[vc] |= 2;
    hol_flits.tail.fill(~0U);
    int moves = 0;
    constexpr int kCycles = 700;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      for (const auto& move : matcher.step(hol_flits, {.popped = 1, .reserved = 1})) {
        EXPECT_EQ(move.input, 1);
        ++moves;
      }
    }
    EXPECT_GE(moves, kCycles * 3 / 11) << vc;
  }
}

// The phase leaves it every second, every third … edge: it gets some of them.
TEST(MatcherFairness, AnInputGetsEdgesThatThePhaseLeavesIt) {
  for (int period = 2; period < 60; ++period) {
    for (const bool mostly : {false, true}) {
      PhasedMatcher matcher(4, 0);
      std::array<std::uint8_t, 16> output{};
      output.fill(2);
      PhasedMatcher::HolFlits hol_flits;
      hol_flits.output = output;
      hol_flits.room.fill(~0U);
      hol_flits.request[0] = 1;
      hol_flits.request[1] = 2;
      hol_flits.tail.fill(~0U);
      int moves = 0, free = 0;
      for (int cycle = 0; cycle < 6000; ++cycle) {
        const bool taken = (cycle % period == 0) != mostly;
        free += taken ? 0 : 1;
        const Ports popped = taken ? 1 : 0;
        for (const auto& move : matcher.step(hol_flits, {.popped = popped, .reserved = popped}))
          moves += move.input == 0 ? 1 : 0;
      }
      EXPECT_GE(moves, free / 4) << period << " " << mostly;
    }
  }
}

}  // namespace
}  // namespace tb

// SPDX-License-Identifier: Apache-2.0
// Rows of the phase store as a twin decodes them, against rows whose fields are put together bit by
// bit (rtl/phased/phased_pkg.sv), and against an interpreter of the µSwitches that was written from
// their layout.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "routing/fred_routing.h"
#include "routing/phase_row.h"
#include "rtl/phased_pkg.h"
#include "support/fred_interpreter.h"
#include "switch/fred/fred_row.h"
#include "switch/phased/phased_candidates.h"
#include "switch/phased/phased_row.h"

namespace fredsim {
namespace {

using test::Expression;

class RowBits {
 public:
  void put(unsigned value, int width) {
    for (int b = 0; b < width; ++b) bits_.push_back((value >> b & 1U) != 0);
  }
  std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> words(bits_.size() / 32 + 2);
    for (std::size_t b = 0; b < bits_.size(); ++b)
      words[b / 32] |= static_cast<std::uint32_t>(bits_[b]) << b % 32;
    return words;
  }
  int size() const { return static_cast<int>(bits_.size()); }

 private:
  std::vector<bool> bits_;
};

// clog2(P + 1)
int code_width(int ports) { return std::bit_width(static_cast<unsigned>(ports)); }

struct RandomRow {
  RandomRow(int ports, Random& random) : in(static_cast<std::size_t>(ports)), out(in.size()) {
    valid = random.below(4) != 0;
    vc = static_cast<int>(random.below(4));
    const int width = code_width(ports);
    // Few codes, so that several ports share one, or all codes, including invalid ones.
    const std::uint64_t codes = random.below(2) == 0
                                    ? std::min<std::uint64_t>(3, std::uint64_t{1} << width)
                                    : std::uint64_t{1} << width;
    for (auto* side : {&in, &out})
      for (unsigned& code : *side) code = static_cast<unsigned>(random.below(codes));
    bits.put(valid ? 1 : 0, 1);
    bits.put(static_cast<unsigned>(vc), 2);
    for (const auto* side : {&in, &out})
      for (const unsigned code : *side) bits.put(code, width);
  }
  static std::uint32_t ports_of(const std::vector<unsigned>& side, unsigned code) {
    std::uint32_t ports = 0;
    for (std::size_t p = 0; p < side.size(); ++p) ports |= side[p] == code ? 1U << p : 0;
    return ports;
  }
  bool valid = false;
  int vc = 0;
  std::vector<unsigned> in, out;
  RowBits bits;
};

TEST(PhasedRow, HasTheFlowsOfItsFields) {
  Random random(11);
  std::size_t flows = 0;
  for (int i = 0; i < 2000; ++i) {
    const int ports = 2 + static_cast<int>(random.below(31));
    SCOPED_TRACE(fmt::format("row {}, {} ports", i, ports));
    const RandomRow made(ports, random);
    const PhasedRow row = decode_flows(ports, made.bits.words());
    EXPECT_EQ(row.valid, made.valid);
    EXPECT_EQ(row.vc, made.vc);
    std::uint32_t inputs = 0;
    auto flow = row.flows.begin();
    for (unsigned code = 1; code <= static_cast<unsigned>(ports); ++code) {
      const std::uint32_t in = RandomRow::ports_of(made.in, code);
      inputs |= in;
      if (in == 0) continue;
      ASSERT_NE(flow, row.flows.end());
      EXPECT_EQ(flow->code, static_cast<int>(code));
      EXPECT_EQ(flow->inputs, in);
      EXPECT_EQ(flow->outputs, RandomRow::ports_of(made.out, code));
      EXPECT_EQ(flow->adds, std::popcount(in) - 1);
      ++flow;
    }
    EXPECT_EQ(flow, row.flows.end());
    EXPECT_EQ(row.inputs, inputs);
    for (int p = 0; p < ports; ++p) {
      const auto lowest = std::ranges::find(made.in, made.in[static_cast<std::size_t>(p)]);
      EXPECT_EQ(row.partner[static_cast<std::size_t>(p)], lowest - made.in.begin());
    }
    EXPECT_TRUE(row.sums.empty());
    flows += row.flows.size();
  }
  EXPECT_GT(flows, 4000U);
}

TEST(PhasedRow, GivesEveryOutputOfAFlowItsSum) {
  Random random(12);
  for (int i = 0; i < 500; ++i) {
    const int ports = 2 + static_cast<int>(random.below(31));
    SCOPED_TRACE(fmt::format("row {}, {} ports", i, ports));
    const RandomRow made(ports, random);
    const PhasedRow row = decode_sums(ports, made.bits.words(), sequential_sum);
    std::uint32_t served = 0;
    for (const PhasedRow::Sum& sum : row.sums) {
      EXPECT_EQ(sum.postfix, sequential_sum(sum.leaves).postfix);
      EXPECT_EQ(sum.first, std::countr_zero(sum.leaves));
      EXPECT_EQ(served & sum.outputs, 0U) << "an output of two sums";
      served |= sum.outputs;
      const auto flow = std::ranges::find(row.flows, sum.leaves, &PhasedRow::Flow::inputs);
      ASSERT_NE(flow, row.flows.end());
      EXPECT_EQ(sum.outputs, flow->outputs);
    }
    std::uint32_t outputs = 0;
    for (const PhasedRow::Flow& flow : row.flows) outputs |= flow.outputs;
    EXPECT_EQ(served, outputs);
  }
}

TEST(PhasedRow, UsesPortsCodesAndFieldsOfTheConfiguration) {
  Random random(13);
  for (int i = 0; i < 500; ++i) {
    const int ports = 2 + static_cast<int>(random.below(31));
    const int field_bits = 1 + static_cast<int>(random.below(3));
    const int fields = static_cast<int>(random.below(100));
    SCOPED_TRACE(fmt::format("row {}, {} ports, {} fields of {}", i, ports, fields, field_bits));
    RandomRow made(ports, random);
    std::vector<std::uint32_t> want(4);
    for (int p = 0; p < ports; ++p) {
      want[0] |= made.in[p] != 0 ? 1U << p : 0;
      want[1] |= made.out[p] != 0 ? 1U << p : 0;
      for (const unsigned code : {made.in[p], made.out[p]})
        if (code != 0) want[code < 32 ? 2 : 3] |= 1U << code % 32;
    }
    for (int f = 0; f < fields; ++f) {
      const auto value =
          random.below(3) == 0 ? static_cast<unsigned>(random.below(1U << field_bits)) : 0;
      made.bits.put(value, field_bits);
      if (f % 32 == 0) want.push_back(0);
      want.back() |= value != 0 ? 1U << f % 32 : 0;
    }
    EXPECT_EQ(use_of_row(ports, made.bits.words(), made.bits.size(), field_bits), want);
  }
}

// ---- Fred_m(P)

// Flows without a common port, some ports left over.
std::vector<Flow> random_flows(int ports, std::uint64_t max, Random& random) {
  std::vector<Flow> flows(1 + random.below(max));
  for (int p = 0; p < ports; ++p) {
    const std::uint64_t in = random.below(flows.size() + 1), out = random.below(flows.size() + 1);
    if (in < flows.size()) flows[in].inputs |= 1U << p;
    if (out < flows.size()) flows[out].outputs |= 1U << p;
  }
  std::erase_if(flows, [](const Flow& flow) { return flow.inputs == 0 || flow.outputs == 0; });
  return flows;
}

struct RoutedRow {
  std::vector<Flow> flows;
  std::vector<bool> bits;
  std::vector<std::uint32_t> words;
};
std::optional<RoutedRow> routed_row(const FredSwitchShape& shape, std::uint64_t max,
                                    Random& random) {
  RoutedRow made;
  made.flows = random_flows(shape.ports, max, random);
  if (made.flows.empty()) return std::nullopt;
  try {
    made.bits = route_flows(shape, made.flows).bits;
  } catch (const FlowConflict&) {
    return std::nullopt;
  }
  made.words = phase_row(shape.ports, kDp, made.flows, made.bits);
  return made;
}

std::vector<Expression> by_output(int ports, const PhasedRow& row) {
  std::vector<Expression> outputs(static_cast<std::size_t>(ports));
  for (const PhasedRow::Sum& sum : row.sums)
    for (int p = 0; p < ports; ++p)
      if ((sum.outputs >> p & 1U) != 0) outputs[p] = sum.postfix;
  return outputs;
}

std::set<int> leaves_of(const Expression& expression) {
  std::set<int> leaves;
  for (const int n : expression)
    if (n >= 0) leaves.insert(n);
  return leaves;
}

constexpr FredSwitchShape kShapes[] = {{2, 2}, {3, 2},  {5, 2},  {12, 2}, {3, 3},  {4, 3},
                                       {7, 3}, {12, 3}, {32, 3}, {5, 4},  {17, 4}, {32, 4}};

TEST(FredRow, OfFlowsThatAreRoutedCarriesTheirSums) {
  Random random(21);
  for (const FredSwitchShape& shape : kShapes) {
    int routed = 0;
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(fmt::format("Fred_{}({}), set {}", shape.middle, shape.ports, i));
      const auto made = routed_row(shape, 4, random);
      if (!made) continue;
      ++routed;
      const PhasedRow row = decode_row(shape, made->words);
      EXPECT_TRUE(row.valid);
      EXPECT_EQ(row.vc, kDp);
      EXPECT_TRUE(row.contradictory.empty());
      std::uint32_t inputs = 0;
      for (const Flow& flow : made->flows) inputs |= flow.inputs;
      EXPECT_EQ(row.inputs, inputs);
      EXPECT_EQ(by_output(shape.ports, row), test::interpret(shape, made->bits, inputs));
    }
    EXPECT_GT(routed, 15) << "Fred_" << shape.middle << "(" << shape.ports << ")";
  }
}

// With two sub-networks there is nothing but the outputs to contradict; with more, wires of
// unicasts beside a flow.
TEST(FredRow, ThatGivesAnOutputAnotherSumIsContradictory) {
  Random random(22);
  int wrong = 0, right = 0;
  for (const FredSwitchShape& shape : kShapes) {
    for (int i = 0; i < 60; ++i) {
      auto made = routed_row(shape, 3, random);
      if (!made) continue;
      for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
        const std::size_t at = random.below(made->bits.size());
        made->bits[at] = !made->bits[at];
      }
      const auto words = phase_row(shape.ports, kMp, made->flows, made->bits);
      const PhasedRow row = decode_row(shape, words);
      const std::vector<Expression> outputs = by_output(shape.ports, row);
      bool agrees = true;
      for (int p = 0; p < shape.ports; ++p) {
        std::set<int> want;
        for (const Flow& flow : made->flows)
          for (int q = 0; q < shape.ports && (flow.outputs >> p & 1U) != 0; ++q)
            if ((flow.inputs >> q & 1U) != 0) want.insert(q);
        agrees = agrees && leaves_of(outputs[p]) == want;
      }
      SCOPED_TRACE(fmt::format("Fred_{}({}), row {}", shape.middle, shape.ports, i));
      ++(agrees ? right : wrong);
      if (!agrees || shape.middle == 2) {
        EXPECT_EQ(!row.contradictory.empty(), !agrees);
      }
      if (!row.contradictory.empty()) {
        EXPECT_EQ(row.contradictory, words);
      }
      // Every configuration that the interpreter accepts has the same meaning for the twin.
      try {
        EXPECT_EQ(outputs, test::interpret(shape, made->bits, row.inputs));
      } catch (const std::runtime_error&) {
        continue;
      }
    }
  }
  EXPECT_GT(wrong, 200);
  EXPECT_GT(right, 30);
}

TEST(FredRow, AFlowWithoutOutputsOrAnOutputWithoutAFlowIsContradictory) {
  const FredSwitchShape shape{4, 3};
  const std::vector<Flow> flows{{0b0011, 0b0100}, {0b1000, 0b0001}};
  const std::vector<bool> bits = route_flows(shape, flows).bits;
  EXPECT_TRUE(decode_row(shape, phase_row(4, kPp, flows, bits)).contradictory.empty());
  for (const std::vector<Flow>& others : {std::vector<Flow>{flows[0], {0b1000, 0}},
                                          {flows[0]},
                                          {flows[1]},
                                          {flows[0], {0b1000, 0b0011}},
                                          {{0b0001, 0b0100}, flows[1]}}) {
    const PhasedRow row = decode_row(shape, phase_row(4, kPp, others, bits));
    // An input without a flow never comes.
    const bool silent = others.size() == 1;
    EXPECT_EQ(row.contradictory.empty(), silent) << others.size();
  }
}

// Checks carry(): the effect of a row on flits of some of its inputs, and on unicasts beside them.
TEST(FredRow, CarriesFlitsOfThePhaseAndUnicastsBesideThem) {
  Random random(23);
  int beside = 0;
  for (const FredSwitchShape& shape : kShapes) {
    if (shape.middle == 2) continue;  // there the matcher keeps unicasts off the phase
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(fmt::format("Fred_{}({}), row {}", shape.middle, shape.ports, i));
      const auto made = routed_row(shape, 3, random);
      if (!made) continue;
      PhasedRow row = decode_row(shape, made->words);
      ASSERT_TRUE(row.contradictory.empty());
      row.contradictory = made->words;
      // Whole flows, not all of them.
      std::uint32_t inputs = 0, outputs = 0;
      for (const Flow& flow : made->flows) {
        if (random.below(4) == 0) continue;
        inputs |= flow.inputs;
        outputs |= flow.outputs;
      }
      std::vector<PhasedUnicast> unicasts;
      std::uint32_t from = 0, to = 0;
      for (int n = 0; n < shape.ports; ++n) {
        const int in = static_cast<int>(random.below(static_cast<std::uint64_t>(shape.ports)));
        const int out = static_cast<int>(random.below(static_cast<std::uint64_t>(shape.ports)));
        if (((inputs | from) >> in & 1U) != 0 || ((outputs | to) >> out & 1U) != 0) continue;
        from |= 1U << in;
        to |= 1U << out;
        unicasts.push_back({in, out});
      }
      beside += inputs != 0 && !unicasts.empty() ? 1 : 0;
      const std::vector<PhasedCarried> carried = carry(shape, row, inputs, outputs, unicasts);
      const std::vector<Expression> alone = by_output(shape.ports, row);
      ASSERT_EQ(std::ssize(carried), shape.ports);
      for (int o = 0; o < shape.ports; ++o) {
        EXPECT_EQ(carried[o].online, (to >> o & 1U) != 0) << "output " << o;
        EXPECT_EQ(carried[o].postfix, (outputs >> o & 1U) != 0 ? alone[o] : Expression{})
            << "output " << o;
      }
    }
  }
  EXPECT_GT(beside, 100);
}

// ---- the search for candidates

struct CandidateChoice {
  int port = -1, vc = 0;
};

// VCs in turn, skipping VCs with a candidate; in each the ports in turn.
CandidateChoice next_of(const std::vector<int>& vcs, const std::vector<std::vector<int>>& ports,
                        const PhasedCandidates::PortsByVc& waiting, std::uint32_t have) {
  for (const int vc : vcs) {
    if ((have >> vc & 1U) != 0) continue;
    for (const int port : ports[vc])
      if ((waiting[vc] >> port & 1U) != 0) return {port, vc};
  }
  return {};
}

void move_behind(std::vector<int>& turns, int one) {
  std::ranges::rotate(turns, std::ranges::find(turns, one) + 1);
}

TEST(PhasedCandidates, LooksHolFlitsUpInTurnAndKeepsTheFirstThatIsReady) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int ports = 2 + static_cast<int>(random.below(31));
    PhasedCandidates candidates(ports);
    std::vector<int> vcs{0, 1, 2, 3};
    std::vector<int> in_turn(static_cast<std::size_t>(ports));
    for (int p = 0; p < ports; ++p) in_turn[p] = p;
    std::vector<std::vector<int>> turns(kNumVcs, in_turn);
    std::uint32_t have = 0;
    std::array<PhasedCandidates::Row, kNumVcs> rows;
    std::array<int, kNumVcs> phases{};
    PhasedCandidates::Read read;
    int kept = 0;
    for (int edge = 0; edge < 3000; ++edge) {
      ASSERT_EQ(candidates.none(), have == 0);
      ASSERT_EQ(candidates.read().valid, read.valid);
      for (int vc = 0; vc < kNumVcs; ++vc) {
        ASSERT_EQ(candidates.has(vc), (have >> vc & 1U) != 0);
        if (!candidates.has(vc)) continue;
        ASSERT_EQ(candidates.phase(vc), phases[vc]);
        ASSERT_EQ(candidates.row(vc), rows[vc]);
      }
      PhasedCandidates::PortsByVc waiting{};
      for (auto& of_vc : waiting)
        of_vc = static_cast<std::uint32_t>(random.next() & random.next()) & (~0U >> (32 - ports));
      const CandidateChoice want = next_of(vcs, turns, waiting, have);
      const PhasedCandidates::HolFlit hol = candidates.choose(waiting);
      ASSERT_EQ(hol.port, want.port) << "edge " << edge;
      if (want.port >= 0) {
        ASSERT_EQ(hol.vc, want.vc);
      }
      // The control unit may have no time to read, and the row read need not be ready.
      const bool reads = hol.port >= 0 && random.below(4) != 0;
      const PhasedCandidates::Row ready =
          read.valid && random.below(3) == 0 ? std::make_shared<PhasedRow>() : nullptr;
      const PhasedCandidates::Read next =
          reads
              ? PhasedCandidates::Read{true, hol.port, hol.vc, static_cast<int>(random.below(255))}
              : PhasedCandidates::Read{};
      candidates.advance(ready, next);
      if (ready != nullptr && (have >> read.vc & 1U) == 0) {
        have |= 1U << read.vc;
        rows[read.vc] = ready;
        phases[read.vc] = read.phase;
        ++kept;
      }
      if (next.valid) {
        move_behind(turns[next.vc], next.port);
        move_behind(vcs, next.vc);
      }
      read = next;
      if (random.below(12) != 0) continue;
      candidates.clear();
      have = 0;
      read = {};
    }
    EXPECT_GT(kept, 200);
    candidates.reset();
    StateDigest now(0), fresh(0);
    candidates.add_state(now);
    PhasedCandidates(ports).add_state(fresh);
    EXPECT_EQ(now, fresh);
  }
}

}  // namespace
}  // namespace fredsim

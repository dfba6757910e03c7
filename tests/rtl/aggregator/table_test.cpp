// SPDX-License-Identifier: Apache-2.0
// aggregator_table alone: its outputs after a row was taken, pending changes, and a reset that
// clears all flows.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "../bench.h"
#include "Vadders_table_p4/Vadders_table_p4.h"
#include "base/random.h"
#include "rtl/noc_pkg.h"
#include "rtl/phased_pkg.h"

namespace fredsim {
namespace {

constexpr int kPorts = 4, kFlowBits = std::bit_width(unsigned{kPorts});

struct Row {
  std::vector<unsigned> in = std::vector<unsigned>(kPorts), out = in;  // code by port
  unsigned vc = 0;
  unsigned inputs(unsigned code) const { return ports_of(in, code); }
  unsigned outputs(unsigned code) const { return ports_of(out, code); }
  bool adds(unsigned code) const { return std::popcount(inputs(code)) > 1; }

 private:
  static unsigned ports_of(const std::vector<unsigned>& codes, unsigned code) {
    unsigned mask = 0;
    for (std::size_t p = 0; p < codes.size(); ++p) mask |= codes[p] == code ? 1U << p : 0U;
    return mask;
  }
};

Row random_row(Random& random) {
  Row row;
  for (auto* side : {&row.in, &row.out})
    for (auto& code : *side) code = static_cast<unsigned>(random.below(kPorts + 1));
  row.vc = static_cast<unsigned>(random.below(noc_pkg::NUM_VCS));
  return row;
}

class AggregatorTable : public testing::Test {
 protected:
  AggregatorTable() {
    bench_->change_i = 0;
    bench_->drained_i = 1;
    bench_.reset();
  }
  void put(const Row& row) {
    const int flows = phased_pkg::ROW_FLOWS_LSB;
    set_bits(bench_->row_i, phased_pkg::ROW_VC_LSB, noc_pkg::VC_W, row.vc);
    for (int p = 0; p < kPorts; ++p) {
      const auto place = static_cast<std::size_t>(p);
      set_bits(bench_->row_i, flows + p * kFlowBits, kFlowBits, row.in[place]);
      set_bits(bench_->row_i, flows + (kPorts + p) * kFlowBits, kFlowBits, row.out[place]);
    }
  }
  // One edge at which the row is offered; `drained` at it.
  void change(const Row& row, bool drained) {
    put(row);
    bench_->change_i = 1;
    bench_->drained_i = drained;
    bench_.edge();
    bench_->change_i = 0;
  }
  void expect_sums(const Row& row, const std::string& where) {
    unsigned in = 0, out = 0;
    for (unsigned code = 1; code <= kPorts; ++code) {
      const int lsb = kPorts * static_cast<int>(code - 1);
      const unsigned inputs = row.adds(code) ? row.inputs(code) : 0;
      const unsigned outputs = row.adds(code) ? row.outputs(code) : 0;
      EXPECT_EQ(bits(bench_->inputs_o, lsb, kPorts), inputs) << where;
      EXPECT_EQ(bits(bench_->outputs_o, lsb, kPorts), outputs) << where;
      EXPECT_EQ(bits(bench_->first_o, lsb, kPorts), inputs & (~inputs + 1)) << where;
      EXPECT_EQ(bit(bench_->pair_o, static_cast<int>(code) - 1), std::popcount(inputs) == 2)
          << where;
      in |= inputs;
      out |= outputs;
    }
    EXPECT_EQ(bench_->sum_in_o, in) << where;
    EXPECT_EQ(bench_->sum_out_o, out) << where;
    EXPECT_EQ(bench_->vc_o, row.vc) << where;
  }
  void expect_paths(const Row& row, const std::string& where) {
    unsigned operands = 0;
    for (unsigned code = 1; code <= kPorts; ++code) {
      if (row.adds(code)) operands |= row.inputs(code);
    }
    for (int o = 0; o < kPorts; ++o) {
      const unsigned code = row.out[static_cast<std::size_t>(o)];
      const bool direct = code != 0 && !row.adds(code);
      EXPECT_EQ(bits(bench_->direct_o, kPorts * o, kPorts), direct ? row.inputs(code) : 0)
          << "output " << o << ", " << where;
    }
    EXPECT_EQ(bench_->operand_o, operands) << where;
  }
  Bench<Vadders_table_p4> bench_;
};

TEST_F(AggregatorTable, TakesRowsOnceTheSumsAreDrained) {
  Random random(1);
  Row before;  // none
  for (int n = 0; n < 2000; ++n) {
    const std::string where = "change " + std::to_string(n);
    Row row = random_row(random);
    const int waits = static_cast<int>(random.below(3));
    change(row, waits == 0);
    for (int edge = 0; edge < waits; ++edge) {
      EXPECT_EQ(bench_->pending_o, 1) << where;
      EXPECT_EQ(bench_->idle_o, 0) << where;
      expect_sums(before, where);
      expect_paths(before, where);
      if (random.below(3) == 0) {  // another one replaces it
        row = random_row(random);
        change(row, edge + 1 == waits);
      } else {
        bench_->drained_i = edge + 1 == waits;
        bench_.edge();
      }
    }
    bench_->drained_i = static_cast<CData>(random.below(2));
    for (int edge = 0; edge < 2; ++edge) {
      EXPECT_EQ(bench_->pending_o, 0) << where;
      EXPECT_EQ(bench_->idle_o, 0) << where;
      expect_sums(row, where);
      expect_paths(before, where);
      bench_.edge();
    }
    EXPECT_EQ(bench_->idle_o, 1) << where;
    expect_sums(row, where);
    expect_paths(row, where);
    if (testing::Test::HasFailure()) return;
    before = row;
  }
}

TEST_F(AggregatorTable, HasNoFlowsAfterAReset) {
  Random random(2);
  for (int n = 0; n < 200; ++n) {
    const std::string where = "reset " + std::to_string(n);
    change(random_row(random), true);
    const auto edges = random.below(4);
    for (std::uint64_t edge = 0; edge < edges; ++edge) bench_.edge();
    if (random.below(2) == 0) change(random_row(random), false);  // leave the change pending
    bench_->rst_ni = 0;
    bench_.edge();
    bench_->rst_ni = 1;
    bench_->drained_i = 1;
    for (int edge = 0; edge < 4; ++edge) {
      EXPECT_EQ(bench_->pending_o, 0) << where;
      EXPECT_EQ(bench_->idle_o, 1) << where;
      expect_sums(Row{}, where);
      expect_paths(Row{}, where);
      bench_.edge();
    }
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// phased_candidates with two phases in use: which of them a candidate may run beside, by every
// port, code of a flow and field of the configuration that two rows have in common, each alone and
// at random.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "Vphased_clash/Vphased_clash.h"
#include "rtl/phased/rows.h"

namespace fredsim {
namespace {

// tests/rtl/phased/CMakeLists.txt
constexpr int kPorts = 4;
constexpr int kFieldBits = 3;
constexpr int kRowBits = 51;
constexpr int kConfigLsb = static_cast<int>(phased_pkg::row_config_lsb(kPorts));
constexpr int kFields = (kRowBits - kConfigLsb) / kFieldBits;
constexpr int kSlots = 2;
constexpr int kCodes = 1 << phased_pkg::flow_w(kPorts);

struct Use {
  bool port = false, code = false, field = false;
  bool any() const { return port || code || field; }
};

std::uint64_t field(const Row& row, int number) {
  return row.config >> kFieldBits * number & ((1U << kFieldBits) - 1);
}

Use common(const Row& a, const Row& b) {
  Use use;
  for (std::size_t p = 0; p < kPorts; ++p)
    use.port = use.port || (a.in[p] != 0 && b.in[p] != 0) || (a.out[p] != 0 && b.out[p] != 0);
  for (unsigned code = 1; code < kCodes; ++code)
    use.code = use.code ||
               ((a.inputs(code) | a.outputs(code)) != 0 && (b.inputs(code) | b.outputs(code)) != 0);
  for (int f = 0; f < kFields; ++f) use.field = use.field || (field(a, f) != 0 && field(b, f) != 0);
  return use;
}

class Clashes {
 public:
  Clashes() {
    model_.search_i = model_.free_i = 1;
    model_.clear_i = 0;
    model_.other_i = 0;
    model_.used_i = 0;
    fredsim::reset(model_);
  }
  ~Clashes() { model_.final(); }
  Clashes(const Clashes&) = delete;
  Clashes& operator=(const Clashes&) = delete;

  // Rows in use that clash with a row, as a candidate at this input port.
  unsigned of(const Row& row, int port, const std::vector<Row>& in_use, unsigned used) {
    model_.clear_i = 1;
    model_.other_i = 0;
    edge(model_);
    model_.clear_i = 0;
    put_bits(model_.other_i, noc_pkg::NUM_VCS * port + row.vc, 1, 1);
    put_bits(model_.hol_phase_i, 32 * port + 8 * row.vc, 8, kPhase);
    edge(model_);
    // The phase is complete when its row is there.
    for (int p = 0; p < kPorts; ++p) {
      put_bits(model_.other_i, noc_pkg::NUM_VCS * p + row.vc, 1, 1);
      put_bits(model_.hol_phase_i, 32 * p + 8 * row.vc, 8, kPhase);
    }
    model_.room_i = 0xffff;
    model_.row_i = bits_of(row);
    model_.used_i = static_cast<CData>(used);
    for (int s = 0; s < kSlots; ++s)
      put_bits(model_.used_rows_i, kRowBits * s, kRowBits,
               bits_of(in_use[static_cast<std::size_t>(s)]));
    edge(model_);
    EXPECT_TRUE(bit(model_.candidate_o, row.vc));
    return static_cast<unsigned>(get_bits(model_.clash_o, kSlots * row.vc, kSlots));
  }

 private:
  static constexpr unsigned kPhase = 7;
  static std::uint64_t bits_of(const Row& row) {
    std::uint64_t bits = row.config << kConfigLsb & ~0ULL >> (64 - kRowBits);
    row.put(bits);
    return bits;
  }
  VerilatedContext context_;
  Vphased_clash model_{&context_, "dut"};
};

Row row_of(int vc, std::vector<unsigned> in, std::vector<unsigned> out, std::uint64_t config) {
  Row row(kPorts);
  row.vc = vc;
  row.in = std::move(in);
  row.out = std::move(out);
  row.config = config;
  return row;
}

// Rows that are written by hand may give the flows of two phases the same code at ports of their
// own: both would be joined.
TEST(Clashes, ACodeOfAFlowAlone) {
  Clashes clashes;
  for (unsigned code = 1; code <= kPorts; ++code) {
    for (unsigned other = 1; other < kCodes; ++other) {
      const Row here = row_of(1, {code, 0, 0, 0}, {0, code, 0, 0}, 0);
      const Row there = row_of(2, {0, other, 0, 0}, {0, 0, other, 0}, 0);
      EXPECT_EQ(clashes.of(here, 0, {there, there}, 3), code == other ? 3U : 0U)
          << code << " " << other;
      EXPECT_EQ(clashes.of(here, 0, {there, there}, 2), code == other ? 2U : 0U)
          << code << " " << other;
    }
  }
}

TEST(Clashes, AFieldOfTheConfigurationAlone) {
  Clashes clashes;
  for (int here = 0; here < kFields; ++here) {
    for (int there = 0; there < kFields; ++there) {
      for (std::uint64_t value = 1; value < 1U << kFieldBits; ++value) {
        const Row candidate = row_of(0, {0, 1, 0, 0}, {1, 0, 0, 0}, value << kFieldBits * here);
        const Row used = row_of(0, {0, 0, 2, 0}, {0, 0, 0, 2}, 1ULL << kFieldBits * there);
        EXPECT_EQ(clashes.of(candidate, 1, {used, used}, 1), here == there ? 1U : 0U)
            << "fields " << here << " and " << there;
      }
    }
  }
}

TEST(Clashes, APortAlone) {
  Clashes clashes;
  for (std::size_t here = 0; here < kPorts; ++here) {
    for (std::size_t there = 0; there < kPorts; ++there) {
      Row candidate = row_of(3, {0, 0, 0, 0}, {0, 0, 0, 0}, 0), used = candidate;
      candidate.in[here] = candidate.out[(here + 1) % kPorts] = 1;
      used.in[there] = 2;
      const auto port = static_cast<int>(here);
      EXPECT_EQ(clashes.of(candidate, port, {used, used}, 3), here == there ? 3U : 0U);
      used.in[there] = 0;
      used.out[there] = 2;
      EXPECT_EQ(clashes.of(candidate, port, {used, used}, 3),
                (here + 1) % kPorts == there ? 3U : 0U);
    }
  }
}

TEST(Clashes, WhateverRowsHaveInCommon) {
  int alone_code = 0, alone_field = 0, none = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Clashes clashes;
    // Few ports, codes and fields each, so that most rows have little in common.
    const auto sparse_row = [&](bool is_candidate) {
      Row row = row_of(static_cast<int>(random.below(4)), {0, 0, 0, 0}, {0, 0, 0, 0}, 0);
      const auto code = 1 + static_cast<unsigned>(random.below(is_candidate ? kPorts : kCodes - 1));
      row.in[random.below(kPorts)] = code;
      row.out[random.below(kPorts)] = code;
      if (random.below(2) == 0)
        row.config = (1 + random.below((1U << kFieldBits) - 1))
                     << static_cast<std::uint64_t>(kFieldBits) * random.below(kFields);
      return row;
    };
    for (int trial = 0; trial < 500; ++trial) {
      const Row candidate = sparse_row(true);
      const std::vector<Row> in_use{sparse_row(false), sparse_row(false)};
      const auto used = static_cast<unsigned>(random.below(4));
      unsigned expected = 0;
      for (unsigned s = 0; s < kSlots; ++s) {
        const Use use = common(candidate, in_use[s]);
        if (bit(used, static_cast<int>(s)) && use.any()) expected |= 1U << s;
        alone_code += use.code && !use.port && !use.field ? 1 : 0;
        alone_field += use.field && !use.port && !use.code ? 1 : 0;
        none += use.any() ? 0 : 1;
      }
      int port = 0;
      while (candidate.in[static_cast<std::size_t>(port)] == 0) ++port;
      ASSERT_EQ(clashes.of(candidate, port, in_use, used), expected) << "trial " << trial;
    }
  }
  EXPECT_GT(alone_code, 100);
  EXPECT_GT(alone_field, 100);
  EXPECT_GT(none, 1000);
}

}  // namespace
}  // namespace fredsim

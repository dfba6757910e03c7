// SPDX-License-Identifier: Apache-2.0
// phased_store by itself: every read, by the registers and by the control unit, against the rows
// that were written.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "Vphased_phase_store/Vphased_phase_store.h"
#include "Vphased_phase_store_narrow/Vphased_phase_store_narrow.h"
#include "Vphased_phase_store_wide/Vphased_phase_store_wide.h"
#include "rtl/fred_pkg.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

// Rows of Fred_2(P). Few rows are used, including both ends of the store, so that they recur.
template <class Model>
class Bench {
 public:
  Bench(int ports, std::uint64_t seed)
      : row_bits_(row_bits(ports, 2)),
        words_(fred_pkg::row_words(ports, 2)),
        phases_(fred_pkg::num_phases(ports, 2)),
        random_(seed),
        text_("seed " + std::to_string(seed)) {
    model_.access_i = model_.write_i = model_.read_i = 0;
    put_bits(model_.bist_i, 0, 32, 0);
    reset_store();
  }
  ~Bench() { model_.final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(int cycles) {
    for (int cycle = 0; cycle < cycles; ++cycle) {
      if (random_.below(700) == 0) reset_store();
      step("cycle " + std::to_string(cycle) + ", " + text_);
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(rows_read_, cycles / 10) << text_;
    EXPECT_GT(words_read_, cycles / 10) << text_;
  }

 private:
  void reset_store() {
    model_.access_i = model_.read_i = 0;
    reset(model_);
    stored_.assign(phases_ * words_, 0);
    row_.reset();
    word_.reset();
  }

  unsigned some_phase() {
    switch (random_.below(8)) {
      case 0:
        return static_cast<unsigned>(random_.below(256));
      case 1:
        return static_cast<unsigned>(phases_ - 2 + random_.below(4)) % 256;
      default:
        return static_cast<unsigned>(random_.below(3));
    }
  }
  unsigned some_address() {
    if (random_.below(16) == 0) return static_cast<unsigned>(random_.below(65536));
    const auto word = random_.below(words_ + 1);
    return static_cast<unsigned>(some_phase() * words_ + word) % 65536;
  }

  void step(const std::string& where) {
    const unsigned address = some_address(), phase = some_phase();
    const bool access = random_.below(2) == 0, write = random_.below(2) == 0;
    const bool read = random_.below(3) != 0;
    const auto data = static_cast<std::uint32_t>(random_.next());
    model_.access_i = access;
    model_.write_i = write;
    model_.addr_i = static_cast<SData>(address);
    model_.wdata_i = data;
    model_.read_i = read;
    model_.phase_i = static_cast<CData>(phase);
    settle(model_);
    ASSERT_EQ(model_.free_o != 0, !access) << where;
    ASSERT_EQ(model_.write_o != 0, access && write && address < phases_ * words_) << where;
    if (model_.write_o != 0) {
      ASSERT_EQ(model_.write_phase_o, address / words_) << where;
    }

    if (access) row_.reset();
    if (access && write && address < stored_.size()) stored_[address] = data;
    if (access && !write) {
      word_ = address < stored_.size() ? stored_[address] : 0;
      ++words_read_;
    }
    if (!access && read) {
      row_.emplace(words_, 0);
      for (std::size_t w = 0; w < words_ && phase < phases_; ++w)
        (*row_)[w] = stored_[phase * words_ + w];
      ++rows_read_;
    }
    edge(model_);

    if (word_) {
      ASSERT_EQ(model_.rdata_o, *word_) << where;
    }
    if (!row_) return;
    for (int lsb = 0; lsb < row_bits_; lsb += 32) {
      const int width = std::min(32, row_bits_ - lsb);
      ASSERT_EQ(get_bits(model_.row_o, lsb, width), get_bits(*row_, lsb, width)) << where;
    }
  }

  int row_bits_;
  std::size_t words_, phases_;
  VerilatedContext context_;
  Model model_{&context_, "dut"};
  Random random_;
  std::string text_;
  std::vector<std::uint32_t> stored_;
  std::optional<std::vector<std::uint32_t>> row_;  // row of the last read, until an access
  std::optional<std::uint32_t> word_;              // word that the registers read last
  int rows_read_ = 0, words_read_ = 0;
};

TEST(PhaseStore, KeepsRowsOfSeveralWords) {
  for (std::uint64_t seed = 1; seed <= 5 && !testing::Test::HasFailure(); ++seed)
    Bench<Vphased_phase_store>(5, seed).run(20'000);
}

// 255 rows of one word: the store has words that are no row's.
TEST(PhaseStore, KeepsRowsOfOneWord) {
  for (std::uint64_t seed = 1; seed <= 5 && !testing::Test::HasFailure(); ++seed)
    Bench<Vphased_phase_store_narrow>(2, seed).run(20'000);
}

// 12 rows, in banks of 16 words.
TEST(PhaseStore, KeepsFewWideRows) {
  for (std::uint64_t seed = 1; seed <= 5 && !testing::Test::HasFailure(); ++seed)
    Bench<Vphased_phase_store_wide>(32, seed).run(20'000);
}

}  // namespace
}  // namespace fredsim

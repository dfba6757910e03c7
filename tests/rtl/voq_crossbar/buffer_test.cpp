// SPDX-License-Identifier: Apache-2.0
// voq_buffer against queues written from its contract: random flits and pops, buffers of several
// depths.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../bench.h"
#include "Vvoq_buffer/Vvoq_buffer.h"
#include "Vvoq_buffer_shallow/Vvoq_buffer_shallow.h"
#include "Vvoq_input_unit/Vvoq_input_unit.h"
#include "base/flit.h"
#include "base/random.h"
#include "rtl/cover_counts.h"
#include "rtl/cover_list.h"

namespace fredsim {
namespace {

template <class Model, int kPorts, int kDataDepth, int kControlDepth>
class BufferBench {
 public:
  explicit BufferBench(std::uint64_t seed) : random_(seed) {
    dut_->in_valid_i = 0;
    dut_->pop_i = 0;
    dut_->bist_i = 0;
    dut_.reset();
  }

  // `busy`: chance in percent that a flit comes; `eager`: that one is popped where one can be.
  void run(int edges, int busy, int eager) {
    for (int i = 0; i < edges; ++i) edge(chance(busy), chance(eager));
  }

 private:
  struct Flit {
    std::uint32_t tag = 0;
    bool tail = false;
  };
  static int depth(int vc) {
    if (vc == kControl) return kControlDepth;
    return kDataDepth;
  }
  bool chance(int percent) { return random_.below(100) < static_cast<std::uint64_t>(percent); }

  void edge(bool comes, bool pops) {
    const int vc = static_cast<int>(random_.below(kNumVcs));
    const int out = static_cast<int>(random_.below(kPorts));
    const Flit flit{++tag_, chance(40)};
    dut_->in_valid_i = comes;
    dut_->in_out_i = static_cast<std::uint8_t>(out);
    set_bits(dut_->in_flit_i, 0, 32, flit.tag);
    set_bits(dut_->in_flit_i, noc_pkg::VC_LSB, noc_pkg::VC_W, static_cast<std::uint64_t>(vc));
    set_bit(dut_->in_flit_i, noc_pkg::TAIL_BIT, flit.tail);
    std::vector<int> hol_flits;
    for (int q = 0; q < kNumVcs * kPorts; ++q) {
      if (!queues_[q].empty()) hol_flits.push_back(q);
    }
    int popped = -1;
    if (pops && !hol_flits.empty()) popped = hol_flits[random_.below(hol_flits.size())];
    using Pops = std::remove_reference_t<decltype(dut_->pop_i)>;
    dut_->pop_i = static_cast<Pops>(popped < 0 ? 0U : 1U << popped);
    const bool full = used_[vc] == depth(vc);
    dut_.edge();

    const int free_now = freed_;
    freed_ = -1;
    std::optional<std::uint32_t> due = leaving_;
    leaving_.reset();
    if (popped >= 0) {
      leaving_ = queues_[popped].front().tag;
      queues_[popped].pop_front();
      freed_ = popped / kPorts;
    }
    if (comes && !full) {
      queues_[kPorts * vc + out].push_back(flit);
      ++used_[vc];
    }
    if (free_now >= 0) --used_[free_now];
    if (due) {
      ASSERT_EQ(bits(dut_->flit_o, 0, 32), *due);
    }
    ASSERT_EQ(dut_->overflow_o, comes && full);
    ASSERT_EQ(dut_->credit_o, freed_ < 0 ? 0 : 1U << freed_);
    bool empty = freed_ < 0;
    for (int q = 0; q < kNumVcs * kPorts; ++q) {
      ASSERT_EQ(bit(dut_->valid_o, q), !queues_[q].empty()) << "queue " << q;
      ASSERT_EQ(bit(dut_->several_o, q), queues_[q].size() > 1) << "queue " << q;
      empty = empty && queues_[q].empty();
      if (queues_[q].empty()) continue;
      ASSERT_EQ(bit(dut_->tail_o, q), queues_[q].front().tail) << "queue " << q;
    }
    ASSERT_EQ(dut_->empty_o, empty);
  }

  Bench<Model> dut_;
  Random random_;
  std::array<std::deque<Flit>, kNumVcs * kPorts> queues_;
  std::array<int, kNumVcs> used_{};  // slots, with one that was popped at the last edge
  int freed_ = -1;                   // VC of that one
  std::optional<std::uint32_t> leaving_;
  std::uint32_t tag_ = 0;
};

template <class TheBench>
void run_all() {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    TheBench bench(seed);
    for (const auto& [busy, eager] :
         {std::pair{100, 100}, {100, 30}, {30, 100}, {70, 60}, {0, 100}}) {
      bench.run(500, busy, eager);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(VoqBuffer, KeepsTheQueuesOfEveryVcAndOutput) { run_all<BufferBench<Vvoq_buffer, 3, 7, 2>>(); }

TEST(VoqBuffer, OfOneSlotWorks) { run_all<BufferBench<Vvoq_buffer_shallow, 2, 1, 1>>(); }

// A flit that names a phase, and one without a route, are reported and dropped.
void send_strays() {
  Bench<Vvoq_input_unit> dut;
  dut->in_valid_i = dut->route_known_i = 0;
  dut->pop_i = 0;
  dut->bist_i = 0;
  dut.reset();
  for (const bool online : {false, true}) {
    set_bits(dut->in_flit_i, noc_pkg::PHASE_LSB, noc_pkg::PHASE_W,
             online ? noc_pkg::PHASE_ONLINE : 3);
    set_bit(dut->in_flit_i, noc_pkg::HEAD_BIT, true);
    set_bit(dut->in_flit_i, noc_pkg::TAIL_BIT, true);
    dut->in_valid_i = 1;
    dut.edge();
    dut->in_valid_i = 0;
    dut.edge();
    EXPECT_EQ(dut->error_phase_o, !online);
    EXPECT_EQ(dut->error_route_o, online);
    EXPECT_EQ(dut->valid_o, 0U);
    dut.edge();
    EXPECT_EQ(dut->error_phase_o + dut->error_route_o, 0);
  }
  dut.edge();
}

TEST(VoqInputUnit, DropsFlitsOfPhasesAndWithoutARoute) { send_strays(); }

TEST(VoqBuffer, ReachesItsCoverPoints) {
  expect_reached(cover_counts_of([] {
                   run_all<BufferBench<Vvoq_buffer, 3, 7, 2>>();
                   run_all<BufferBench<Vvoq_buffer_shallow, 2, 1, 1>>();
                   send_strays();
                 }),
                 "voq_buffer");
}

TEST(VoqBuffer, AssertsThatAHolFlitIsThereToBePopped) {
  Bench<Vvoq_buffer> dut;
  dut->in_valid_i = 0;
  dut->pop_i = 0;
  dut->bist_i = 0;
  dut.reset();
  const std::string broken = dut.broken_by([&] {
    dut->pop_i = 1;
    dut.edge();
  });
  EXPECT_NE(broken.find("pop_takes_a_hol"), std::string::npos) << broken;
}

}  // namespace
}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// reducing_crossbar_datapath alone: flows of rows that a phased_switch changes to, online unicasts
// between them, announced two edges before they enter; all flits that leave, and idle_o.
#include <array>
#include <bit>
#include <deque>
#include <optional>
#include <vector>

#include "../bench.h"
#include "../phased/rows.h"
#include "Vcrossbar_datapath/Vcrossbar_datapath.h"
#include "base/fp.h"
#include "base/random.h"

namespace fredsim {
namespace {

constexpr int kPorts = 3, kFlitW = 128, kStages = 3, kAhead = 2;
constexpr int kPeriod = 8,
              kLoad = 2;  // edges from one change to the next, and from a change to its load

// Inputs and outputs at the edge at which flits enter.
struct Traffic {
  std::array<std::optional<Flit>, kPorts> in, out;
  std::uint32_t moves = 0;  // bit kPorts * input + output
};

class Datapath {
 public:
  explicit Datapath(std::uint64_t seed) : random_(seed) {
    bench_->change_i = bench_->load_i = bench_->enter_valid_i = 0;
    bench_->move_i = 0;
    bench_.reset();
    leaving_.resize(kStages);
    entering_.resize(kAhead);
  }

  void run(int edges) {
    for (int n = 0; n < edges && !testing::Test::HasFatalFailure(); ++n) edge(n);
    EXPECT_GT(sums_, edges / 20);
    EXPECT_GT(unicasts_, edges / 20);
    EXPECT_GT(idle_, edges / 20);
  }

 private:
  // Rows of idle periods have no flows, and nothing moves in them.
  void edge(int n) {
    const int place = n % kPeriod;
    if (place == 0) {
      quiet_period_ = random_.below(4) == 0;
      next_ = quiet_period_ ? Row(kPorts) : random_row(kPorts, 2, random_);
      next_.put(bench_->change_row_i);
    } else {
      randomise(bench_->change_row_i, static_cast<int>(phased_pkg::row_config_lsb(kPorts)),
                random_);
    }
    bench_->change_i = place == 0;
    bench_->load_i = place == kLoad;
    // Traffic of the edge after the next one: of the row in use then.
    if (place + kAhead == kLoad + 1) row_ = next_;
    entering_.push_back(random_traffic());
    bench_->move_i = static_cast<SData>(entering_.back().moves);
    const Traffic now = entering_.front();
    entering_.pop_front();
    bench_->enter_valid_i = 0;
    for (int p = 0; p < kPorts; ++p) {
      const auto& flit = now.in[static_cast<std::size_t>(p)];
      if (!flit) continue;
      set_bit(bench_->enter_valid_i, p, true);
      for (int w = 0; w < kFlitW / 32; ++w)
        put_bits(bench_->enter_flit_i, kFlitW * p + 32 * w, 32,
                 flit->words[static_cast<std::size_t>(w)]);
    }
    leaving_.push_back(now.out);
    const bool in_flight = bench_->move_i != 0 || entering_.front().moves != 0;
    still_ = bench_->enter_valid_i == 0 ? still_ + 1 : 0;
    bench_.edge();
    leaving_.pop_front();
    for (int p = 0; p < kPorts; ++p) {
      const auto& flit = leaving_.front()[static_cast<std::size_t>(p)];
      ASSERT_EQ(bit(bench_->leave_valid_o, p), flit.has_value())
          << "edge " << n << ", output " << p;
      if (!flit) continue;
      for (int w = 0; w < kFlitW / 32; ++w)
        ASSERT_EQ(bits(bench_->leave_flit_o, kFlitW * p + 32 * w, 32),
                  flit->words[static_cast<std::size_t>(w)])
            << "edge " << n << ", output " << p << ", word " << w;
    }
    ASSERT_EQ(bench_->idle_o != 0, !in_flight && still_ >= kStages) << "edge " << n;
    idle_ += bench_->idle_o;
  }

  Flit random_flit() {
    Flit flit;
    for (auto& word : flit.words) word = static_cast<std::uint32_t>(random_.next());
    flit.words.back() &= 0xFFFF;  // the half word that is over
    return flit;
  }

  Traffic random_traffic() {
    Traffic traffic;
    if (quiet_period_) return traffic;
    std::uint32_t outs = 0;
    for (unsigned code = 1; code <= 2; ++code) {
      if (row_.inputs(code) == 0 || random_.below(3) == 0) continue;
      std::optional<Flit> sum;
      for (int p = 0; p < kPorts; ++p) {
        if (!bit(row_.inputs(code), p)) continue;
        const Flit flit = random_flit();
        traffic.in[static_cast<std::size_t>(p)] = flit;
        if (sum) ++sums_;
        sum = sum ? added(*sum, flit) : flit;
      }
      for (int p = 0; p < kPorts; ++p)
        if (bit(row_.outputs(code), p)) traffic.out[static_cast<std::size_t>(p)] = sum;
      outs |= row_.outputs(code);
    }
    for (int p = 0; p < kPorts; ++p) {
      const int to = static_cast<int>(random_.below(2 * kPorts));
      if (traffic.in[static_cast<std::size_t>(p)] || to >= kPorts || bit(outs, to)) continue;
      traffic.in[static_cast<std::size_t>(p)] = random_flit();
      traffic.out[static_cast<std::size_t>(to)] = traffic.in[static_cast<std::size_t>(p)];
      outs |= 1U << to;
      traffic.moves |= 1U << (kPorts * p + to);
      ++unicasts_;
    }
    return traffic;
  }

  // Three ports: inputs 0 and 1 first, then 2, so the order of the inputs.
  static Flit added(Flit left, const Flit& right) {
    left.words[3] = fp_add(FpFormat::kFp16, static_cast<std::uint16_t>(left.words[3]),
                           static_cast<std::uint16_t>(right.words[3]));
    return left;
  }

  Bench<Vcrossbar_datapath> bench_;
  Random random_;
  Row row_{kPorts}, next_{kPorts};
  bool quiet_period_ = true;
  std::deque<Traffic> entering_;  // traffic that enters at this edge and at later ones
  std::deque<std::array<std::optional<Flit>, kPorts>> leaving_;
  int still_ = kStages;  // edges without a flit that enters
  int sums_ = 0, unicasts_ = 0, idle_ = 0;
};

TEST(ReducingCrossbarDatapath, AddsByTheRowInUseAndPassesUnicasts) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Datapath(seed).run(8'000);
  }
}

}  // namespace
}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Sending end of a link alone (links/link.h): pacing, counts of sent flits, and the checks on
// credits, against a reference that only knows when the serialiser is free, in units in which a
// cycle and a flit are whole numbers.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/int128.h"
#include "base/random.h"
#include "fabric/two_endpoints.h"
#include "links/link.h"

namespace fredsim::test {
namespace {

// Time in 1/num of a cycle, of which a flit takes `den`.
class Serialiser {
 public:
  explicit Serialiser(Rational rate) : num_(rate.num), den_(rate.den) {}

  // The link may be asked `early` edges before a flit can begin.
  bool takes_a_flit(std::uint64_t edge, int early) const {
    return free_ < Int128{num_} * (edge + static_cast<std::uint64_t>(early) + 1);
  }
  bool is_idle(std::uint64_t edge) const { return free_ <= Int128{num_} * edge; }
  // Cycles from edge + 1 to the first edge at which all of the flit has been sent.
  std::uint64_t take(std::uint64_t edge) {
    ++flits_;
    free_ = std::max(free_, Int128{num_} * edge) + den_;
    return static_cast<std::uint64_t>((free_ + num_ - 1) / num_) - (edge + 1);
  }
  // Edges that pass for nobody.
  void skip(std::uint64_t edges) { free_ += Int128{num_} * edges; }
  double sent(std::uint64_t edge) const {
    const Int128 left = std::max<Int128>(0, free_ - Int128{num_} * edge);
    return static_cast<double>(flits_) - static_cast<double>(left) / static_cast<double>(den_);
  }

 private:
  std::uint64_t num_, den_;
  std::uint64_t flits_ = 0;
  Int128 free_ = 0;
};

Link link_of(Rational rate, int latency) { return two_endpoints(rate, latency, 4).links.front(); }

Rational random_rate(Random& random) {
  constexpr Rational kSome[] = {
      {125, 128}, {25, 32}, {1, 16}, {2, 33}, {749'999'999'999, 768'000'000'000}};
  if (random.below(2) == 0) return kSome[random.below(5)];
  const std::uint64_t den = 2 + random.below(random.below(2) == 0 ? 40 : 5000);
  return Rational::reduced(1 + random.below(den - 1), den);
}

TEST(LinkTx, PacesAsTheSerialiserSays) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const Rational rate = random_rate(random);
    const int early = static_cast<int>(random.below(LinkTx::kMaxLate + 1));
    const std::uint64_t one_in = 1 + random.below(4), longest_gap = 1 + random.below(60);
    SCOPED_TRACE(fmt::format("seed {}: {}/{}, {} edges early", seed, rate.num, rate.den, early));
    LinkTx link(link_of(rate, 3), 0, {});
    link.set_launch_edges(early);
    link.reset();
    ASSERT_TRUE(link.is_paced());
    EXPECT_EQ(link.beyond(), (rate.den + rate.num - 1) / rate.num - 1);
    Serialiser reference(rate);
    std::uint64_t edge = 0;
    for (int step = 0; step < 300; ++step) {
      ASSERT_EQ(link.is_ready(edge), reference.takes_a_flit(edge, early)) << "edge " << edge;
      ASSERT_EQ(link.is_idle(edge), reference.is_idle(edge)) << "edge " << edge;
      if (link.is_ready(edge) && random.below(one_in) == 0) {
        ASSERT_EQ(link.serialise(edge), reference.take(edge)) << "edge " << edge;
        ASSERT_EQ(link.is_ready_again(), reference.takes_a_flit(edge + 1, early))
            << "edge " << edge;
        link.count_flit(std::array<std::uint32_t, 3>{}.data());
      }
      const std::uint64_t later = edge + random.below(100);
      ASSERT_NEAR(link.count(later).sent, reference.sent(later), 1e-9) << "edge " << later;
      if (random.below(20) == 0) {
        const std::uint64_t left_out = random.below(1000);
        link.skip(left_out);
        reference.skip(left_out);
        edge += left_out;
      }
      edge += random.below(8) == 0 ? 1 + random.below(longest_gap) : 1;
    }
  }
}

TEST(LinkTx, AFlitPerCycleNeedsNoPacing) {
  const LinkTx link(link_of({1, 1}, 3), 7, {});
  EXPECT_FALSE(link.is_paced());
  EXPECT_TRUE(link.is_ready(5));
  EXPECT_EQ(link.beyond(), 0U);
  EXPECT_EQ(link.latency(), 3U);
  EXPECT_EQ(link.number(), 7);
  EXPECT_TRUE(link.exists());
  EXPECT_FALSE(LinkTx().exists());
}

// Credits of every VC by themselves: a flit without room and a credit that is not owed are found at
// once.
TEST(LinkTx, KnowsTheRoomAtTheReceiver) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    VcDepths depths{};
    for (int& depth : depths) depth = 1 + static_cast<int>(random.below(5));
    LinkTx link(link_of({1, 1}, 1), 0, depths);
    VcDepths used{};
    for (int step = 0; step < 200; ++step) {
      const auto vc = static_cast<std::size_t>(random.below(kNumVcs));
      const bool launches = random.below(2) == 0;
      const bool is_right = launches ? used[vc] < depths[vc] : used[vc] > 0;
      ASSERT_EQ(
          launches ? link.take_room(static_cast<int>(vc)) : link.give_room(static_cast<int>(vc)),
          is_right);
      if (!is_right) {
        link.reset();
        used = {};
        continue;
      }
      used[vc] += launches ? 1 : -1;
      ASSERT_EQ(link.outstanding(static_cast<int>(vc)), used[vc]);
      ASSERT_EQ(link.room(static_cast<int>(vc)), depths[vc] - used[vc]);
    }
  }
}

TEST(LinkTx, CountsStayOverAResetUntilTheyAreCleared) {
  LinkTx link(link_of({1, 2}, 1), 0, {});
  link.count_flit(std::array<std::uint32_t, 3>{}.data());
  link.count_missing(100);
  link.add_counts({.flits = 5, .missing_bytes = 7});
  link.reset();
  EXPECT_EQ(link.count(0).flits, 6U);
  EXPECT_EQ(link.count(0).missing_bytes, 107U);
  EXPECT_EQ(link.count(0).sent, 6);
  link.clear_counts();
  EXPECT_EQ(link.count(0).flits, 0U);
  EXPECT_EQ(link.count(0).missing_bytes, 0U);
}

}  // namespace
}  // namespace fredsim::test

// SPDX-License-Identifier: Apache-2.0
// Bursts of a link (links/link.h): whole packets, silence between them, the average exact, late
// flits paid back.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/int128.h"
#include "base/random.h"
#include "fabric/two_endpoints.h"
#include "links/link.h"

namespace fredsim::test {
namespace {

Link burst_link(Rational average, Rational peak, int burst) {
  Link link = two_endpoints(average, 3, 4).links.front();
  link.burst = burst;
  link.peak = peak;
  return link;
}

std::array<std::uint32_t, 8> flit(int vc, bool head, bool tail) {
  std::array<std::uint32_t, 8> words{};
  pack_header({.vc = static_cast<std::uint8_t>(vc), .head = head, .tail = tail}, words.data());
  return words;
}

// Packets of 1 to 8 flits on one virtual channel.
class Packets {
 public:
  explicit Packets(Random& random) : random_(random) {}
  bool is_inside() const { return left_ > 0; }
  void launch(LinkTx& link, std::uint64_t edge) {
    const bool head = left_ == 0;
    if (head) left_ = 1 + static_cast<int>(random_.below(8));
    --left_;
    link.count_in_burst(edge, flit(kDp, head, left_ == 0).data());
    link.serialise(edge);
  }

 private:
  Random& random_;
  int left_ = 0;
};

// A sender that always has flits, launched up to `late` edges after the link said that it was
// ready, as switches do.
TEST(LinkBurst, CarriesTheAverage) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const Rational peak = random.below(2) == 0 ? Rational{25, 32} : Rational{1, 1};
    const Rational average = Rational::reduced(1 + random.below(6), 10 + random.below(300));
    const int burst = 4 + static_cast<int>(random.below(40));
    const auto late = static_cast<int>(random.below(LinkTx::kMaxLate + 1));
    SCOPED_TRACE(fmt::format("seed {}: {}/{} in bursts of {}, {} late", seed, average.num,
                             average.den, burst, late));
    LinkTx link(burst_link(average, peak, burst), 0, {});
    link.set_launch_edges(late);
    Packets packets(random);
    std::array<bool, LinkTx::kMaxLate + 1> ready{};
    std::uint64_t flits = 0;
    constexpr std::uint64_t kEdges = 60'000;
    for (std::uint64_t edge = 0; edge < kEdges; ++edge) {
      std::rotate(ready.begin(), ready.end() - 1, ready.end());
      ready[0] = link.is_ready(edge);
      if (!ready[static_cast<std::size_t>(late)]) continue;
      packets.launch(link, edge);
      ++flits;
      if (late == 0 && packets.is_inside()) {
        std::uint64_t next = edge + 1;
        while (!link.is_ready(next)) ++next;
        ASSERT_LE(next - edge, (peak.den + peak.num - 1) / peak.num + 1) << "a packet is cut";
      }
    }
    // Within the bucket, plus the packet at the end of a burst and late flits, which may keep it
    // open until a token is owed.
    const double sent = static_cast<double>(flits);
    const double carried = average.value() * static_cast<double>(kEdges);
    EXPECT_LE(sent, carried + (late > 0 ? 3 : 2) * burst + 8 + late);
    EXPECT_GE(sent, carried - burst - 8);
  }
}

// An endpoint's packets on two virtual channels, flit by flit in turn: none of them keeps a burst
// open for the next.
TEST(LinkBurst, OverlappingPacketsKeepTheAverage) {
  constexpr int kBurst = 24;
  LinkTx link(burst_link({1, 30}, {1, 1}, kBurst), 0, {});
  std::array<int, 2> sent_of{};
  int flits = 0;
  constexpr int kEdges = 30'000;
  for (std::uint64_t edge = 0; edge < kEdges; ++edge) {
    if (!link.is_ready(edge)) continue;
    // The second channel is half a packet behind.
    const int channel = flits < 4 ? 0 : flits % 2;
    const int at = sent_of[static_cast<std::size_t>(channel)]++ % 8;
    link.count_in_burst(edge, flit(channel == 0 ? kMp : kDp, at == 0, at == 7).data());
    link.serialise(edge);
    ++flits;
  }
  EXPECT_LE(flits, kEdges / 30 + 3 * kBurst + 16);
  EXPECT_GE(flits, kEdges / 30 - kBurst - 16);
}

// Bursts of whole packets separated by silence, each as long as it takes to earn its tokens.
TEST(LinkBurst, IsSilentUntilABurstIsThere) {
  LinkTx link(burst_link({1, 30}, {1, 1}, 24), 0, {});
  std::vector<std::uint64_t> edges;
  for (std::uint64_t edge = 0; edge < 5000; ++edge) {
    if (!link.is_ready(edge)) continue;
    const auto at = edges.size() % 8;
    link.count_in_burst(edge, flit(kDp, at == 0, at == 7).data());
    link.serialise(edge);
    edges.push_back(edge);
  }
  // The bucket holds two bursts, sent at once; then one as often as it fills.
  for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(edges[i], i);
  for (std::size_t i = 72; i < edges.size(); ++i) {
    if (i % 24 == 0)
      EXPECT_EQ(edges[i] - edges[i - 24], 720U) << i;
    else
      EXPECT_EQ(edges[i], edges[i - 1] + 1) << i;
  }
}

TEST(LinkBurst, EdgesThatPassForNobodyChangeNothing) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Link shape = burst_link({1, 6}, {125, 128}, 16);
    LinkTx link(shape, 0, {}), shifted(shape, 0, {});
    Random packets_of(seed), shifted_packets_of(seed);
    Packets packets(packets_of), shifted_packets(shifted_packets_of);
    const std::uint64_t by = 1 + random.below(1'000'000);
    shifted.skip(by);
    for (std::uint64_t edge = 0; edge < 2000; ++edge) {
      ASSERT_EQ(link.is_ready(edge), shifted.is_ready(edge + by));
      ASSERT_EQ(link.is_idle(edge), shifted.is_idle(edge + by));
      ASSERT_EQ(link.tokens(edge), shifted.tokens(edge + by));
      ASSERT_EQ(link.left_of_burst(edge), shifted.left_of_burst(edge + by));
      if (!link.is_ready(edge) || random.below(3) == 0) continue;
      packets.launch(link, edge);
      shifted_packets.launch(shifted, edge + by);
    }
  }
}

// The bucket fills token by token up to the exact edge: equal to a sum, for any refill per cycle
// and cost per flit.
TEST(LinkBurst, TheBucketIsFullWhenTheLastTokenIsThere) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const Rational average = Rational::reduced(1 + random.below(9), 20 + random.below(100));
    const int burst = 2 + static_cast<int>(random.below(10));
    SCOPED_TRACE(
        fmt::format("seed {}: {}/{} in bursts of {}", seed, average.num, average.den, burst));
    LinkTx link(burst_link(average, {1, 1}, burst), 0, {});
    const auto num = static_cast<std::int64_t>(average.num);
    const auto den = static_cast<std::int64_t>(average.den);
    const std::int64_t max = 2 * burst * den;
    std::int64_t tokens = max;
    std::uint64_t edge = 0;
    for (int launches = 0; launches < 20; ++launches) {
      link.count_in_burst(edge, flit(kDp, true, true).data());
      link.serialise(edge);
      tokens -= den;
      // Until it is full, or for some edges.
      for (std::uint64_t wait = 1 + random.below(300); wait > 0; --wait) {
        ++edge;
        tokens = std::min(tokens + num, max);
        ASSERT_EQ(link.tokens(edge), tokens) << "edge " << edge;
        ASSERT_EQ(link.is_idle(edge), tokens == max) << "edge " << edge;
      }
    }
  }
}

TEST(LinkBurst, ARestedLinkIsAsNew) {
  LinkTx link(burst_link({1, 30}, {25, 32}, 24), 0, {});
  EXPECT_TRUE(link.is_paced());
  EXPECT_TRUE(link.is_idle(0));
  for (const bool tail : {false, false, true}) {
    link.count_in_burst(0, flit(kDp, false, tail).data());
    link.serialise(0);
  }
  EXPECT_FALSE(link.is_idle(50));
  EXPECT_FALSE(link.is_idle(89));
  EXPECT_TRUE(link.is_idle(90));
  EXPECT_EQ(link.left_of_burst(89), 21);
  EXPECT_EQ(link.left_of_burst(90), 0);
}

}  // namespace
}  // namespace fredsim::test

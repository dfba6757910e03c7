// SPDX-License-Identifier: Apache-2.0
// mesh_input: flits come and go by chance, the router is moved about; head-of-line flits, routes
// and errors as the contract says.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "Vmesh_input/Vmesh_input.h"
#include "base/random.h"
#include "route_reference.h"
#include "rtl/bench.h"
#include "rtl/noc_pkg.h"

namespace tb {
namespace {

using fredsim::bit;
using fredsim::bits;
using fredsim::set_bits;
namespace noc_pkg = fredsim::noc_pkg;

constexpr int kPorts = 6, kVcs = 4, kFlitWords = 4;
constexpr std::array<std::size_t, kVcs> kDepth{5, 5, 5, 2};  // depth of each VC
using Flit = std::array<std::uint32_t, kFlitWords>;

struct Sent {
  Flit flit{};
  int vc = 0;
  bool tail = false;
  Destination to;
  std::optional<int> port;  // looked up for this flit
};

// A VC of the reference.
struct Channel {
  std::deque<Sent> held;
  std::optional<std::optional<int>> packet;  // route of the packet that has begun to leave
  bool popped = false;                       // at the last edge: its slot is not free yet
  bool sending = false;                      // the sender is inside a packet

  std::optional<int> port() const { return packet ? *packet : held.front().port; }
  bool none() const { return !held.empty() && !port(); }
  bool hol() const { return !held.empty() && port(); }
};

class MeshInput : public testing::TestWithParam<int> {
 protected:
  MeshInput() { reset(); }

  void reset() {
    bench_->in_valid_i = bench_->pop_i = 0;
    bench_->npu_port_i = kFirstLocal;
    bench_->from_i = static_cast<CData>(in_port() < kFirstLocal ? 1U << in_port() : 0U);
    bench_.reset();
    channels_ = {};
    pin_.reset();
    reading_.reset();
  }
  static int in_port() { return GetParam(); }

  Sent some_flit(fredsim::Random& random, const Router& router) {
    const auto below = [&](int n) {
      return static_cast<int>(random.below(static_cast<unsigned>(n)));
    };
    Sent sent;
    for (auto& word : sent.flit) word = static_cast<std::uint32_t>(random.next());
    sent.vc = below(kVcs);
    sent.tail = below(3) == 0;
    // Often this router, an endpoint that it has, another row or column: rarely a route that is
    // none.
    sent.to = {below(3) == 0 ? router.x : below(router.columns),
               below(3) == 0 ? router.y : below(router.rows),
               below(30) == 0 ? 2 + below(14) : below(2)};
    if (below(30) != 0 && (in_port() == kEast || in_port() == kWest)) sent.to.x = router.x;
    if (in_port() < kFirstLocal && below(30) != 0) sent.to.y = router.y;
    set_bits(sent.flit, noc_pkg::DST_LSB, noc_pkg::DST_W, sent.to.address());
    set_bits(sent.flit, noc_pkg::VC_LSB, noc_pkg::VC_W, static_cast<unsigned>(sent.vc));
    set_bits(sent.flit, noc_pkg::HEAD_BIT, 1, channels_[sent.vc].sending ? 0 : 1);
    set_bits(sent.flit, noc_pkg::TAIL_BIT, 1, sent.tail ? 1 : 0);
    return sent;
  }

  // A cycle and the edge that ends it: a flit on the pins, a pop of a VC, the position of the
  // router.
  void step(const std::optional<Sent>& in, std::optional<int> pop, const Router& router) {
    bench_->in_valid_i = in.has_value();
    for (int word = 0; in && word < kFlitWords; ++word)
      bench_->in_flit_i[word] = in->flit[static_cast<std::size_t>(word)];
    bench_->pop_i = pop.has_value();
    bench_->pop_vc_i = static_cast<CData>(pop.value_or(0));
    bench_->x_i = static_cast<CData>(router.x);
    bench_->y_i = static_cast<CData>(router.y);
    bench_->columns_i = static_cast<CData>(router.columns);
    bench_->rows_i = static_cast<CData>(router.rows);
    bench_.edge();

    bool none_before = false;
    for (const Channel& channel : channels_) none_before = none_before || channel.none();
    const std::optional<Flit> read = reading_;
    reading_.reset();
    bool dropped = false;
    std::array<bool, kVcs> full{};
    for (int v = 0; v < kVcs; ++v)
      full[v] = channels_[v].held.size() + (channels_[v].popped ? 1 : 0) == kDepth[v];
    for (Channel& channel : channels_) channel.popped = false;
    if (pop) {
      Channel& channel = channels_[*pop];
      reading_ = channel.held.front().flit;
      const std::optional<int> port = channel.port();
      channel.packet.reset();
      if (!channel.held.front().tail) channel.packet = port;
      channel.held.pop_front();
      channel.popped = true;
    }
    if (pin_) {
      pin_->port = expected_port(router, pin_->to, in_port());
      dropped = full[pin_->vc];
      if (!dropped) channels_[pin_->vc].held.push_back(*pin_);
    }
    pin_ = in;
    if (in) channels_[in->vc].sending = !in->tail;
    drops_ += dropped ? 1 : 0;
    check(pop, read, dropped, none_before);
  }

  fredsim::Bench<Vmesh_input> bench_;
  std::array<Channel, kVcs> channels_{};
  int drops_ = 0, routeless_ = 0;

 private:
  void check(std::optional<int> pop, const std::optional<Flit>& read, bool dropped,
             bool none_before) {
    bool empty = !pop && !pin_;
    for (int v = 0; v < kVcs; ++v) {
      const Channel& channel = channels_[v];
      empty = empty && channel.held.empty();
      ASSERT_EQ(bit(bench_->hol_o, v), channel.hol()) << "VC " << v;
      ASSERT_EQ(bit(bench_->begun_o, v), channel.packet.has_value()) << "VC " << v;
      ASSERT_EQ(bit(bench_->credit_o, v), pop == v) << "VC " << v;
      if (channel.packet) {
        ASSERT_EQ(bits(bench_->to_o, kPorts * v, kPorts), 1U << **channel.packet) << "VC " << v;
      }
      if (!channel.hol()) continue;
      ASSERT_EQ(bits(bench_->to_o, kPorts * v, kPorts), 1U << *channel.port()) << "VC " << v;
      ASSERT_EQ(bit(bench_->tail_o, v), channel.held.front().tail) << "VC " << v;
    }
    ASSERT_EQ(bench_->empty_o, empty);
    ASSERT_EQ(bench_->error_overflow_o, dropped);
    ASSERT_EQ(bench_->error_route_o, none_before);
    routeless_ += none_before ? 1 : 0;
    if (!read) return;
    for (int word = 0; word < kFlitWords; ++word)
      ASSERT_EQ(bench_->flit_o[word], (*read)[static_cast<std::size_t>(word)]);
  }

  std::optional<Sent> pin_;
  std::optional<Flit> reading_;  // popped at the last edge
};

TEST_P(MeshInput, KeepsFlitsWithTheirRoutes) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << " port " << in_port());
    fredsim::Random random(seed);
    const auto below = [&](int n) {
      return static_cast<int>(random.below(static_cast<unsigned>(n)));
    };
    int in_percent = 50, out_percent = 50;
    Router router{.ios = 1};
    for (int cycle = 0; cycle < 8'000; ++cycle) {
      if (cycle % 200 == 0) {
        reset();
        router.columns = 3 + below(62);
        router.rows = 3 + below(62);
      }
      if (cycle % 40 == 0) {
        in_percent = below(101);
        out_percent = below(101);
      }
      router.x = below(
          router.columns);  // moved at every edge: a flit is routed in the cycle after its own
      router.y = below(router.rows);
      std::optional<Sent> in;
      if (below(100) < in_percent) in = some_flit(random, router);
      std::optional<int> pop = below(kVcs);
      if (!channels_[*pop].hol() || below(100) >= out_percent) pop.reset();
      step(in, pop, router);
      if (HasFailure()) FAIL() << "cycle " << cycle;
    }
  }
  EXPECT_GT(drops_, 100);
  EXPECT_GT(routeless_, 100);
}

INSTANTIATE_TEST_SUITE_P(Ports, MeshInput,
                         testing::Values(kNorth, kEast, kSouth, kWest, kFirstLocal,
                                         kFirstLocal + 1));

using MeshInputContract = MeshInput;

TEST_P(MeshInputContract, IsAsserted) {
  const auto pop_vc = [&](int vc) {
    bench_->pop_i = 1;
    bench_->pop_vc_i = static_cast<CData>(vc);
    bench_.edge();
  };
  // A pop of a VC without a flit; of one whose head-of-line flit has no route: I/O port 9 of a
  // router that has one.
  EXPECT_NE(bench_.broken_by([&] { pop_vc(2); }).find("pop_takes_a_hol_with_a_route"),
            std::string::npos);
  reset();
  Sent lost;
  lost.vc = 1;
  lost.tail = true;
  lost.to.endpoint = 9;
  set_bits(lost.flit, noc_pkg::DST_LSB, noc_pkg::DST_W, lost.to.address());
  set_bits(lost.flit, noc_pkg::VC_LSB, noc_pkg::VC_W, 1);
  set_bits(lost.flit, noc_pkg::HEAD_BIT, 2, 3);
  step(lost, {}, {.ios = 1});
  step({}, {}, {.ios = 1});
  EXPECT_TRUE(channels_[1].none());
  EXPECT_EQ(bench_.broken_by([&] { pop_vc(1); }), "pop_takes_a_hol_with_a_route");
  // A flit that is no head where a packet has to begin.
  reset();
  lost.to = {};
  set_bits(lost.flit, noc_pkg::HEAD_BIT, 1, 0);
  EXPECT_EQ(bench_.broken_by([&] { step(lost, {}, {.ios = 1}); }), "head_after_tail");
}

INSTANTIATE_TEST_SUITE_P(Port, MeshInputContract, testing::Values(kFirstLocal));

}  // namespace
}  // namespace tb

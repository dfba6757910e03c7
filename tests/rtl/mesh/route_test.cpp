// SPDX-License-Identifier: Apache-2.0
// route_select, with mesh_pkg's functions: packets that follow it arrive by shortest paths, along x
// first; each step equals the reference.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <queue>
#include <string>
#include <vector>

#include "Vmesh_route/Vmesh_route.h"
#include "base/random.h"
#include "route_reference.h"

namespace tb {
namespace {

// Numbers of local ports and of I/O ports of the routers in route_top.
constexpr std::array<int, 5> kLocals{1, 2, 3, 4, 8}, kIos{0, 1, 2, 3, 15};

struct Fabric {
  int width, height;
  bool ring_x, ring_y;
  std::string name() const {
    return std::to_string(width) + (ring_x ? "o" : "") + " x " + std::to_string(height) +
           (ring_y ? "o" : "");
  }
};

class RouteSelect : public testing::Test {
 protected:
  ~RouteSelect() override { model_.final(); }

  // Output port, none: -1.
  int route(const Router& router, const Destination& to, int in_port) {
    model_.x_i = static_cast<CData>(router.x);
    model_.y_i = static_cast<CData>(router.y);
    model_.columns_i = static_cast<CData>(router.columns);
    model_.rows_i = static_cast<CData>(router.rows);
    model_.dst_i = static_cast<SData>(to.address());
    model_.in_port_i = static_cast<CData>(in_port);
    model_.num_local_i = static_cast<CData>(router.locals);
    model_.num_io_i = static_cast<CData>(router.ios);
    model_.no_link_i = static_cast<SData>(router.no_link);
    model_.eval();
    const int port = model_.known_o ? model_.port_o : -1;
    EXPECT_EQ(port, expected_port(router, to, in_port).value_or(-1))
        << "at " << router.x << "," << router.y << " to " << to.x << "," << to.y << " endpoint "
        << to.endpoint << " from port " << in_port << ", rings " << router.columns << " x "
        << router.rows;
    return port;
  }

  // From a local port of one router to an endpoint of the other: hops, and the port of arrival.
  void walk(const Fabric& fabric, Router at, const Destination& to) {
    int in_port = kFirstLocal + (at.x + at.y) % at.locals;
    const int x_hops = distance(fabric.width, fabric.ring_x, at.x, to.x);
    const int y_hops = distance(fabric.height, fabric.ring_y, at.y, to.y);
    int hop = 0;
    for (;; ++hop) {
      ASSERT_LE(hop, x_hops + y_hops);
      const int out = route(at, to, in_port);
      ASSERT_GE(out, 0);
      if (out >= kFirstLocal) {
        const int first_io = kFirstLocal + at.locals;
        if (to.endpoint != 0) {
          ASSERT_EQ(out, first_io + to.endpoint - 1);
        } else {
          ASSERT_LT(out, first_io);
        }
        break;
      }
      ASSERT_EQ(out == kEast || out == kWest, hop < x_hops) << "hop " << hop;
      at.x += out == kEast ? 1 : out == kWest ? -1 : 0;
      at.y += out == kSouth ? 1 : out == kNorth ? -1 : 0;
      if (fabric.ring_x) at.x = (at.x + fabric.width) % fabric.width;
      if (fabric.ring_y) at.y = (at.y + fabric.height) % fabric.height;
      ASSERT_TRUE(at.x >= 0 && at.x < fabric.width && at.y >= 0 && at.y < fabric.height);
      in_port = (out + 2) % 4;
    }
    ASSERT_EQ(hop, x_hops + y_hops);
    ASSERT_TRUE(at.x == to.x && at.y == to.y);
  }

 private:
  // Computed by search, independent of directions.
  static int distance(int length, bool ring, int from, int to) {
    std::vector<int> far(static_cast<std::size_t>(length), -1);
    const auto far_of = [&](int i) -> int& { return far[static_cast<std::size_t>(i)]; };
    std::queue<int> next;
    far_of(from) = 0;
    for (next.push(from); !next.empty(); next.pop()) {
      const int at = next.front();
      for (int neighbour : {at - 1, at + 1}) {
        if (ring) neighbour = (neighbour + length) % length;
        if (neighbour < 0 || neighbour >= length || far_of(neighbour) >= 0) continue;
        far_of(neighbour) = far_of(at) + 1;
        next.push(neighbour);
      }
    }
    return far_of(to);
  }

  VerilatedContext context_;
  Vmesh_route model_{&context_, "dut"};
};

TEST_F(RouteSelect, EveryPairArrivesByAShortestWayAlongXFirst) {
  const std::vector<Fabric> fabrics{
      {1, 1, false, false},  {2, 2, false, false},  {3, 5, false, false}, {7, 6, false, false},
      {64, 2, false, false}, {2, 64, false, false}, {3, 3, true, true},   {4, 4, true, true},
      {5, 6, true, true},    {8, 3, true, false},   {3, 8, false, true},  {64, 3, true, true},
      {3, 63, true, true}};
  int locals = 0;
  for (const Fabric& fabric : fabrics) {
    SCOPED_TRACE(fabric.name());
    locals = locals % 4 + 1;
    const int ios = locals - 1;
    const int pairs = fabric.width * fabric.height * fabric.width * fabric.height;
    for (int pair = 0; pair < pairs; ++pair) {
      const int src = pair / (fabric.width * fabric.height),
                dst = pair % (fabric.width * fabric.height);
      const Router at{.x = src % fabric.width,
                      .y = src / fabric.width,
                      .columns = fabric.ring_x ? fabric.width : 0,
                      .rows = fabric.ring_y ? fabric.height : 0,
                      .locals = locals,
                      .ios = ios};
      walk(fabric, at, {dst % fabric.width, dst / fabric.width, pair % (ios + 1)});
      if (HasFailure()) return;
    }
  }
}

// From every input port, to endpoints that are not there too: the ports of a turn, U-turns, I/O
// ports.
TEST_F(RouteSelect, AnyPlaceFromAnyPortToAnyEndpoint) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    fredsim::Random random(seed);
    int none = 0;
    for (int n = 0; n < 20'000; ++n) {
      const auto below = [&](int max) {
        return static_cast<int>(random.below(static_cast<unsigned>(max)));
      };
      const auto one_of = [&](const auto& numbers) {
        return numbers[static_cast<std::size_t>(below(static_cast<int>(numbers.size())))];
      };
      const int width = below(2) == 0 ? 0 : 3 + below(62),
                height = below(2) == 0 ? 0 : 3 + below(62);
      const int x = below(width == 0 ? 64 : width), y = below(height == 0 ? 64 : height);
      const int locals = one_of(kLocals), ios = one_of(kIos);
      Destination to{below(width == 0 ? 64 : width), below(height == 0 ? 64 : height), below(16)};
      if (below(3) == 0) to.x = x;
      if (below(3) == 0) to.y = y;
      const Router at{.x = x,
                      .y = y,
                      .columns = width,
                      .rows = height,
                      .locals = locals,
                      .ios = ios,
                      .no_link = static_cast<unsigned>(random.next() & random.next() & 0xFFFFU)};
      none += route(at, to, below(kFirstLocal + locals + ios)) < 0 ? 1 : 0;
      if (HasFailure()) return;
    }
    EXPECT_GT(none, 1000);
  }
}

}  // namespace
}  // namespace tb

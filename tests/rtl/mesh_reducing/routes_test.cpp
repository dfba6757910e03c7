// SPDX-License-Identifier: Apache-2.0
// mesh_reducing_routes: the position's register, and lookups by X-Y routing, from every port to
// anywhere, endpoints that are not there and U-turns too.
#include <gtest/gtest.h>

#include <optional>
#include <type_traits>
#include <vector>

#include "../mesh/route_reference.h"
#include "Vmesh_reducing_routes_l1io0/Vmesh_reducing_routes_l1io0.h"
#include "Vmesh_reducing_routes_l4io2/Vmesh_reducing_routes_l4io2.h"
#include "base/random.h"
#include "rtl/cover_counts.h"
#include "rtl/cover_list.h"
#include "rtl/noc_pkg.h"

namespace tb {
namespace {

// Bits [lsb, lsb + width) of a pin.
template <typename Pin>
unsigned field(const Pin& pin, int lsb, int width) {
  unsigned value = 0;
  for (int b = 0; b < width; ++b) {
    if constexpr (std::is_integral_v<Pin>) {
      value |= static_cast<unsigned>(std::uint64_t{pin} >> (lsb + b) & 1U) << b;
    } else {
      value |= (pin[static_cast<std::size_t>((lsb + b) / 32)] >> ((lsb + b) % 32) & 1U) << b;
    }
  }
  return value;
}

template <typename Pin>
void set_field(Pin& pin, int lsb, int width, unsigned value) {
  for (int b = 0; b < width; ++b) {
    const auto bit = static_cast<unsigned>(lsb + b);
    auto& word = pin[bit / 32];
    word = (word & ~(1U << bit % 32)) | (value >> b & 1U) << bit % 32;
  }
}

template <class Model>
class MeshReducingRoutes : public testing::Test {
 protected:
  MeshReducingRoutes() {
    model_.rst_ni = 0;
    edge();
    model_.rst_ni = 1;
  }
  ~MeshReducingRoutes() override { model_.final(); }

  void edge() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }
  bool access(bool write, unsigned address, unsigned data) {
    model_.reg_valid_i = 1;
    model_.reg_write_i = write ? 1 : 0;
    model_.reg_addr_i = static_cast<SData>(address);
    model_.reg_wdata_i = data;
    model_.eval();
    const bool hit = model_.hit_o != 0;
    edge();
    model_.reg_valid_i = 0;
    return hit;
  }

  VerilatedContext context_;
  Model model_{&context_, "dut"};
};

struct OneLocal : Vmesh_reducing_routes_l1io0 {
  static constexpr int kLocals = 1, kIos = 0;
  using Vmesh_reducing_routes_l1io0::Vmesh_reducing_routes_l1io0;
};
struct FourLocals : Vmesh_reducing_routes_l4io2 {
  static constexpr int kLocals = 4, kIos = 2;
  using Vmesh_reducing_routes_l4io2::Vmesh_reducing_routes_l4io2;
};
using Models = testing::Types<OneLocal, FourLocals>;
TYPED_TEST_SUITE(MeshReducingRoutes, Models);

TYPED_TEST(MeshReducingRoutes, ThePositionReadsBackAndIsZeroAfterAReset) {
  using fredsim::noc_pkg::REG_POSITION;
  EXPECT_TRUE(this->access(false, REG_POSITION, 0));
  EXPECT_EQ(this->model_.rdata_o, 0U);
  EXPECT_TRUE(this->access(true, REG_POSITION, ~0U));
  EXPECT_EQ(this->model_.rdata_o, 0U) << "a write";
  EXPECT_TRUE(this->access(false, REG_POSITION, 0));
  EXPECT_EQ(this->model_.rdata_o, 63U | 63U << 8);
  using fredsim::noc_pkg::REG_NO_LINK;
  EXPECT_TRUE(this->access(false, REG_NO_LINK, 0));
  EXPECT_EQ(this->model_.rdata_o, 0U);
  EXPECT_TRUE(this->access(true, REG_NO_LINK, 0x1FFFE));
  EXPECT_TRUE(this->access(false, REG_NO_LINK, 0));
  EXPECT_EQ(this->model_.rdata_o, 0xFFFEU);
  this->access(false, REG_POSITION, 0);
  for (const unsigned other : {0U, 1U, 3U, 4U, 0x102U, 0x400U, 0x1002U}) {
    EXPECT_FALSE(this->access(true, other, 5)) << other;
    EXPECT_FALSE(this->access(false, other, 0)) << other;
    EXPECT_EQ(this->model_.rdata_o, 63U | 63U << 8) << other;
  }
}

TYPED_TEST(MeshReducingRoutes, LookupsGoAlongXFirstAndStayUntilTheNext) {
  constexpr int kLocals = TypeParam::kLocals, kIos = TypeParam::kIos;
  constexpr int kPorts = kFirstLocal + kLocals + kIos;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    fredsim::Random random(seed);
    const auto below = [&](int max) {
      return static_cast<int>(random.below(static_cast<unsigned>(max)));
    };
    int none = 0;
    for (int place = 0; place < 100; ++place) {
      const Router at{.x = below(64),
                      .y = below(64),
                      .locals = kLocals,
                      .ios = kIos,
                      .no_link = static_cast<unsigned>(below(3) == 0 ? 0 : below(16))};
      this->access(true, fredsim::noc_pkg::REG_NO_LINK, at.no_link);
      this->access(true, fredsim::noc_pkg::REG_POSITION, static_cast<unsigned>(at.x | at.y << 8));
      std::vector<std::optional<int>> expected(kPorts);
      std::vector<bool> asked(kPorts);
      for (int n = 0; n < 50; ++n) {
        const unsigned lookup = static_cast<unsigned>(below(1 << kPorts));
        this->model_.lookup_i =
            static_cast<std::remove_reference_t<decltype(this->model_.lookup_i)>>(lookup);
        for (int p = 0; p < kPorts; ++p) {
          Destination to{below(64), below(64), below(below(2) == 0 ? 2 : 16)};
          if (below(3) == 0) to.x = at.x;
          if (below(3) == 0) to.y = at.y;
          set_field(this->model_.dst_i, 16 * p, 16, to.address());
          if ((lookup >> p & 1U) == 0) continue;
          expected[static_cast<std::size_t>(p)] = expected_port(at, to, p);
          asked[static_cast<std::size_t>(p)] = true;
        }
        this->edge();
        for (int p = 0; p < kPorts; ++p) {
          const auto i = static_cast<std::size_t>(p);
          if (!asked[i]) continue;
          ASSERT_EQ(field(this->model_.known_o, p, 1) != 0, expected[i].has_value()) << p;
          if (expected[i]) {
            ASSERT_EQ(static_cast<int>(field(this->model_.out_o, 5 * p, 5)), *expected[i]) << p;
          }
          none += expected[i] ? 0 : 1;
        }
      }
    }
    EXPECT_GT(none, 1000);
  }
  if (kIos == 0) return;  // the other module counts
  fredsim::CoverCounts counts;
  fredsim::add_cover_counts(this->context_, counts);
  fredsim::expect_reached(counts, "mesh_reducing");
}

}  // namespace
}  // namespace tb

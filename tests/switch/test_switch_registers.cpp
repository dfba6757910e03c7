// SPDX-License-Identifier: Apache-2.0
// Register map of whole switches of every kind against a reference by address, written from
// rtl/common/noc_pkg.sv and rtl/common/mesh_pkg.sv: writable registers read back, read-only and
// unknown addresses stay unchanged. On the RTL, the twin and both in lockstep, without traffic and
// beside traffic whose links stall at random. With routing tables of the default size and larger
// ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "switch/register_map.h"
#include "switch/route_table.h"
#include "switch/switch_factory.h"
#include "switch/switch_kind.h"
#include "topology/mesh_address.h"

namespace fredsim {
namespace {

// "fred", "fred_11": the kind, and bits of a destination in its table.
SwitchShape tested_shape(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string::npos)
    return switch_kind(name).shape(std::vector<NamedValue>{{"P", 4}});
  return switch_kind(name.substr(0, digits - 1))
      .shape(std::vector<NamedValue>{{"P", 4}, {"ROUTE_ADDR_W", std::stoi(name.substr(digits))}});
}

bool is_by_table(const SwitchShape& shape) {
  return shape.kind->unicast_routes() == UnicastRoutes::kByTable;
}

// All registers of a switch but its counters.
class RegisterReference {
 public:
  explicit RegisterReference(const SwitchShape& shape) : shape_(shape) {
    if (shape.kind->num_phases(shape) > 0) {
      const std::vector<Flow> flows{{1, 2}};
      const auto row =
          shape.kind->phase_row(shape, 0, flows, shape.kind->route_flows(shape, flows));
      store_words_ = static_cast<int>(row.size()) * shape.kind->num_phases(shape);
    }
    reset();
  }
  void reset() {
    std::erase_if(values_, [this](const auto& one) { return !is_route(one.first); });
    for (int p = 0; p < shape_.ports(); ++p)
      for (int vc = 0; vc < kNumVcs; ++vc)
        values_[reg::kCredit + kNumVcs * p + vc] =
            static_cast<std::uint32_t>(shape_.value(vc == kControl ? "CTRL_DEPTH" : "VC_DEPTH"));
    values_[reg::kId] = shape_.kind->identity();
    const auto value = [&](const char* name) {
      return shape_.kind->index(name) < 0 ? 0 : shape_.value(name);
    };
    const std::string& kind = shape_.kind->name();
    const int low = kind.starts_with("mesh") ? value("NUM_LOCAL") : value("P");
    const int high = value(kind == "fred" ? "M" : kind == "aggregator" ? "ADDERS" : "NUM_IO");
    values_[reg::kShape] = static_cast<std::uint32_t>(low | high << 8);
  }
  // Bits of a register that can be written; 0: none.
  std::uint32_t mask(int address) const {
    const int credit = address - reg::kCredit;
    if (credit >= 0 && credit < kNumVcs * shape_.ports()) return 0xFFFF;
    if (is_by_table(shape_) && is_route(address)) return 0x3F;
    const int word = address - reg::kPhaseStore;
    if (word >= 0 && word < store_words_) return ~0U;
    if (is_by_table(shape_)) return 0;
    if (address == reg::kPosition) return 0x3F3F;
    if (address == reg::kNoLink) return 0xFFFF;
    return address == reg::kTorus && shape_.kind->keeps_rings_moving() ? 0x7F7F : 0;
  }
  void write(int address, std::uint32_t value) {
    if (const std::uint32_t bits = mask(address); bits != 0) values_[address] = value & bits;
  }
  std::uint32_t read(int address) const {
    const auto found = values_.find(address);
    return found == values_.end() ? 0 : found->second;
  }
  int store_words() const { return store_words_; }
  // The map of rtl/common/noc_pkg.sv: at REG_ROUTE up to 1024 destinations, else at
  // REG_LARGE_ROUTE.
  int routes() const {
    return shape_.kind->index("ROUTE_ADDR_W") < 0 ? 1024 : 1 << shape_.value("ROUTE_ADDR_W");
  }
  int first_route() const { return routes() > 1024 ? 0x8000 : 0x0400; }
  bool is_route(int address) const {
    return address >= first_route() && address < first_route() + routes();
  }
  static bool is_counter(int address) { return address >= reg::kFlitsIn && address < reg::kRoute; }

 private:
  SwitchShape shape_;
  int store_words_ = 0;
  std::map<int, std::uint32_t> values_;
};

// One-flit unicasts on all ports, as credits allow; a flit that leaves has its credit back two
// edges later.
class RegisterTraffic {
 public:
  RegisterTraffic(const SwitchShape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {
    credits_.assign(static_cast<std::size_t>(shape.ports()), shape.value("VC_DEPTH"));
  }
  void before_step(SwitchPins& pins) {
    pins.in_valid = 0;
    for (int p = 0; p < shape_.ports(); ++p) {
      if (credits_[p] == 0 || random_.below(3) == 0) continue;
      --credits_[p];
      pins.in_valid |= 1U << p;
      pack_header(
          {.dst = destination(p), .phase = kPhaseOnline, .vc = kDp, .head = true, .tail = true},
          &pins.in_flit[static_cast<std::size_t>(p * flit_words(shape_.lanes()))]);
    }
    pins.out_ready = static_cast<std::uint32_t>(random_.next() | random_.next());
    pins.out_credit[kDp] = std::exchange(owed_, pins.out_valid);
  }
  void after_step(const SwitchPins& pins) {
    for (int p = 0; p < shape_.ports(); ++p) credits_[p] += pins.in_credit[kDp] >> p & 1U;
    left_ += std::popcount(pins.out_valid);
  }
  int left() const { return left_; }

 private:
  std::uint16_t destination(int port) {
    if (is_by_table(shape_)) {
      const auto steered =
          static_cast<int>(random_.below(2 * static_cast<std::uint64_t>(shape_.ports())));
      return static_cast<std::uint16_t>(
          steered < shape_.ports() ? steered : route_table(shape_).entries - 1 - steered / 2);
    }
    // From links to the router's own NPU, from endpoints to the east.
    return mesh_address(port < kFirstLocal ? 0 : 1, 0, 0);
  }

  SwitchShape shape_;
  Random random_;
  std::vector<int> credits_;
  std::uint32_t owed_ = 0;
  int left_ = 0;
};

class RegisterMap : public testing::TestWithParam<std::tuple<std::string, SwitchModel, bool>> {
 protected:
  RegisterMap() { core_->reset(); }

  std::uint32_t access(bool write, int address, std::uint32_t data = 0) {
    if (traffic_) traffic_->before_step(pins_);
    pins_.reg = {true, write, static_cast<std::uint16_t>(address), data};
    core_->step(pins_);
    pins_.reg = {};
    if (traffic_) traffic_->after_step(pins_);
    return pins_.reg_rdata;
  }
  int some_address(Random& random) const {
    const auto below = [&](int n) {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
    };
    switch (random.below(8)) {
      case 0:
        return below(10);  // identity and neighbouring registers
      case 1:
        return reg::kCredit - 2 + below(kNumVcs * shape_.ports() + 4);
      case 2:
        return reg::kFlitsIn + below(reg::kRoute - reg::kFlitsIn);
      case 3:
        return reference_.first_route() - 1 + below(12);
      case 4:
        return std::min(reference_.first_route() + reference_.routes() - 20 + below(24), 0xFFFF);
      case 5:
        return reg::kPhaseStore - 2 + below(40);
      case 6:
        return std::max(0, reg::kPhaseStore + reference_.store_words() - 4 + below(8));
      default:
        return below(0x10000);
    }
  }
  // Destinations of the traffic: the first of the table, and the last.
  bool is_steering_route(int destination) const {
    return destination < shape_.ports() || (destination >= reference_.routes() - shape_.ports() &&
                                            destination < reference_.routes());
  }
  // Beside traffic nothing is written that it goes by: places, credits, routes of its destinations.
  bool is_steering(int address) const {
    const int route = address - reference_.first_route();
    return address == reg::kPosition || address == reg::kTorus || address == reg::kNoLink ||
           (address >= reg::kCredit && address < reg::kFlitsIn) ||
           (route >= 0 && is_steering_route(route));
  }

  SwitchShape shape_ = tested_shape(std::get<0>(GetParam()));
  std::unique_ptr<SwitchCore> core_ = make_switch(std::get<1>(GetParam()), shape_, "dut");
  RegisterReference reference_{shape_};
  SwitchPins pins_{shape_.ports(), shape_.lanes()};
  std::optional<RegisterTraffic> traffic_;
};

TEST_P(RegisterMap, HoldsWhatWasWrittenAndRefusesTheRest) {
  constexpr std::uint64_t kSeed = 5;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  Random random(kSeed);
  // A routing table is written once first: its contents before that are undefined.
  if (is_by_table(shape_)) {
    for (int d = 0; d < reference_.routes(); ++d) {
      const auto route = static_cast<std::uint32_t>(
          is_steering_route(d) ? d % shape_.ports() + 1 : static_cast<int>(random.below(64)));
      access(true, reference_.first_route() + d, route);
      reference_.write(reference_.first_route() + d, route);
    }
  }
  const bool has_traffic = std::get<2>(GetParam());
  if (has_traffic) traffic_.emplace(shape_, kSeed);
  int written = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    const int address = some_address(random);
    if (random.below(2) == 0 && !(has_traffic && is_steering(address))) {
      const auto value = static_cast<std::uint32_t>(random.next());
      const std::uint32_t before = pins_.reg_rdata;
      ASSERT_EQ(access(true, address, value), before) << "a write changes what was read";
      reference_.write(address, value);
      ++(reference_.mask(address) != 0 ? written : refused);
    } else {
      const std::uint32_t read = access(false, address);
      // Credits and counters move with the traffic.
      const bool moves = address >= reg::kCredit && address < reg::kRoute;
      if (has_traffic && moves) continue;
      ASSERT_EQ(read, reference_.read(address))
          << fmt::format("address {:#06x}, access {}", address, i);
    }
    ASSERT_EQ(core_->error(), reg::kErrorNone);
  }
  // All that can be written in a mesh steers traffic.
  if (!has_traffic || reference_.store_words() > 0 || is_by_table(shape_)) {
    EXPECT_GT(written, 200);
  }
  EXPECT_GT(refused, 400);
  if (has_traffic) {
    EXPECT_GT(traffic_->left(), 2000);
    return;
  }
  EXPECT_TRUE(core_->idle());
  core_->reset();
  reference_.reset();
  for (int i = 0; i < 2000; ++i) {
    const int address = some_address(random);
    ASSERT_EQ(access(false, address), reference_.read(address))
        << fmt::format("address {:#06x} after a reset", address);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RegisterMap,
    testing::Combine(testing::Values("fred", "mesh", "mesh_reducing", "reducing_crossbar",
                                     "aggregator", "voq_crossbar", "fred_11", "voq_crossbar_15"),
                     testing::Values(SwitchModel::kRtl, SwitchModel::kTlm, SwitchModel::kLockstep),
                     testing::Bool()),
    [](const auto& test) {
      return fmt::format("{}_{}{}", std::get<0>(test.param),
                         switch_model_name(std::get<1>(test.param)),
                         std::get<2>(test.param) ? "_beside_traffic" : "");
    });

}  // namespace
}  // namespace fredsim

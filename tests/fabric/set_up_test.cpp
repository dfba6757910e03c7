// SPDX-License-Identifier: Apache-2.0
// A fabric that sets its switches up itself: users' modules on any machine need no call for it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "fabric/control_plane.h"
#include "fabric/fabric.h"
#include "fabric/switch_setup.h"
#include "plan/operand.h"
#include "routing/nic_port.h"
#include "rtl/fred_pkg.h"
#include "stream_endpoint.h"
#include "support/simulation.h"
#include "switch/register_map.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

std::vector<NodeId> endpoints(const Topology& topology) {
  std::vector<NodeId> ends = topology.npus;
  ends.insert(ends.end(), topology.io_controllers.begin(), topology.io_controllers.end());
  return ends;
}

// A module at every endpoint that sends and receives.
struct Ends {
  explicit Ends(Fabric& fabric) : topology(fabric.topology()) {
    for (const NodeId id : endpoints(topology)) {
      auto& end = ends[id];
      end = std::make_unique<StreamEndpoint>(topology.nodes[id].name.c_str(),
                                             topology.nodes[id].address, fabric.lanes());
      end->tx.bind(fabric.nic(id).tx);
      fabric.nic(id).rx.bind(end->rx);
    }
  }
  void send(NodeId from, NodeId to, std::uint64_t bytes, int spread = 0) {
    ends.at(from)->send(bytes, topology.nodes[to].address, nic_port(topology, from, to, spread));
  }
  const Topology& topology;
  std::map<NodeId, std::unique_ptr<StreamEndpoint>> ends;
};

void run_until_empty(Fabric& fabric) {
  fabric.on_cycle([&] { return fabric.core().empty(); });
  sc_core::wait(fabric.attention());
  fabric.on_cycle({});
  fabric.rethrow_failure();
}

class SetUpOf : public testing::TestWithParam<const char*> {};

TEST_P(SetUpOf, UnicastsGetThroughWithoutAnyCall) {
  Simulation simulation;
  const Topology topology = load_config(GetParam()).topology;
  Fabric fabric("fabric", topology, 1, switches_of(SwitchModel::kTlm));
  Ends ends(fabric);
  fabric.start();
  const std::vector<NodeId> all = endpoints(topology);
  const int count = static_cast<int>(all.size());
  const std::vector<int> steps{0, 1, count / 2, count - 1};  // to itself, too
  simulation.run([&] {
    for (int i = 0; i < count; ++i) {
      for (const int step : steps) ends.send(all[i], all[(i + step) % count], 1500, i);
    }
    run_until_empty(fabric);
    fabric.stop();
  });
  for (const NodeId id : all) {
    EXPECT_EQ(ends.ends.at(id)->failure(), "");
    EXPECT_EQ(ends.ends.at(id)->received_flits(), steps.size() * 3) << topology.nodes[id].name;
  }
}

std::string file_name(const char* path) {
  std::string name(path);
  name = name.substr(name.find('/') + 1);
  return name.substr(0, name.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Configs, SetUpOf,
                         testing::Values("configs/mesh_2x2.yaml", "configs/mesh.yaml",
                                         "configs/mesh_reducing.yaml", "configs/torus.yaml",
                                         "configs/fred_small.yaml", "configs/fred_d.yaml",
                                         "configs/fred_64.yaml"),
                         [](const auto& config) { return file_name(config.param); });

class SetUp : public testing::Test {
 protected:
  Simulation simulation_;
  Topology topology_ = load_config("configs/fred_small.yaml").topology;
  Fabric fabric_{"fabric", topology_, 1, switches_of(SwitchModel::kTlm)};
  Ends ends_{fabric_};

  std::uint64_t flits() const {
    std::uint64_t flits = 0;
    for (int link = 0; link < std::ssize(topology_.links); ++link) {
      flits += const_cast<Fabric&>(fabric_).core().count(link).flits;
    }
    return flits;
  }
  void send_one() { ends_.send(topology_.npus[0], topology_.npus[3], 512); }
};

TEST_F(SetUp, NothingLeavesBeforeItIsCompleteAndEverythingAfter) {
  send_one();
  fabric_.start();
  EXPECT_FALSE(fabric_.ready());
  simulation_.run([&] {
    fabric_.wait_until_ready();
    // The identity, then a register of every switch per cycle.
    const std::vector<OnlineRoutes> routes = online_routes(topology_, reg::kMaxRoutes);
    std::size_t longest = 0;
    for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id) {
      if (topology_.nodes[id].level == 0) continue;
      const auto none = static_cast<std::size_t>(std::ranges::count(routes[id], std::uint8_t{0}));
      longest = std::max(longest, 1 + setup_writes(topology_, fabric_.core(), id).size() +
                                      routes[id].size() - none);
    }
    EXPECT_GT(longest, 10U);
    EXPECT_EQ(fabric_.core().edge(), longest);
    EXPECT_EQ(flits(), 0U);
    std::uint64_t after_one_edge = 0;
    fabric_.on_cycle([&] {
      after_one_edge = flits();
      return true;
    });
    sc_core::wait(fabric_.attention());
    EXPECT_EQ(after_one_edge, 1U);
    run_until_empty(fabric_);
    fabric_.stop();
  });
  EXPECT_EQ(ends_.ends.at(topology_.npus[3])->received_flits(), 1U);
}

TEST_F(SetUp, IsDoneAgainAfterAResetAndNotAfterAStop) {
  fabric_.start();
  simulation_.run([&] {
    fabric_.wait_until_ready();
    const std::uint64_t set_up = fabric_.core().edge();
    fabric_.stop();
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_NS));
    fabric_.start();
    EXPECT_TRUE(fabric_.ready());
    send_one();
    run_until_empty(fabric_);
    for (const auto& [id, end] : ends_.ends) end->reset();
    fabric_.reset();
    EXPECT_FALSE(fabric_.ready());
    fabric_.start();
    send_one();
    fabric_.wait_until_ready();
    EXPECT_EQ(fabric_.core().edge(), set_up);
    run_until_empty(fabric_);
    fabric_.stop();
  });
  EXPECT_EQ(ends_.ends.at(topology_.npus[3])->received_flits(), 1U);
}

TEST_F(SetUp, AccessesOfAHostWaitForIt) {
  ControlPlane control("control", fabric_);
  const NodeId chiplet = topology_.links[topology_.link_out(topology_.npus[0], 0)].to;
  fabric_.start();
  simulation_.run([&] {
    EXPECT_EQ(control.read(chiplet, reg::kId), fred_pkg::FRED_ID);
    EXPECT_TRUE(fabric_.ready());
    EXPECT_EQ(control.read(chiplet, reg::kRoute + 1), 1U + 1) << "npu1 is at port 1";
    fabric_.stop();
  });
}

TEST_F(SetUp, AccessesOfAHostFromBeforeAreServed) {
  ControlPlane control("control", fabric_);
  const NodeId chiplet = topology_.links[topology_.link_out(topology_.npus[0], 0)].to;
  fabric_.reset();
  bool started = false;
  sc_core::sc_spawn([&] {
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_NS));
    started = true;
    fabric_.start();
  });
  simulation_.run([&] {
    control.write(chiplet, reg::kPhaseStore, 0x1234);
    EXPECT_TRUE(started);
    EXPECT_FALSE(fabric_.ready());
    EXPECT_EQ(control.read(chiplet, reg::kPhaseStore), 0x1234U);
    EXPECT_TRUE(fabric_.ready());
    send_one();
    run_until_empty(fabric_);
    fabric_.stop();
  });
  EXPECT_EQ(ends_.ends.at(topology_.npus[3])->received_flits(), 1U);
}

// An implementation that answers with another identity.
class WrongSwitch final : public SwitchCore {
 public:
  void reset() override {}
  void step(SwitchPins& pins) override {
    pins.out_valid = 0;
    pins.in_credit = {};
    pins.reg_rdata = 0x77;
  }
  bool idle() const override { return true; }
  std::uint32_t error() const override { return 0; }
  std::string_view model() const override { return "wrong"; }
};

TEST(SetUpFailure, IsToldToWhoWaits) {
  Simulation simulation;
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  Fabric fabric("fabric", topology, 1,
                [](const Node&, const SwitchShape&) { return std::make_unique<WrongSwitch>(); });
  fabric.on_cycle([] { return false; });
  fabric.start();
  simulation.run([&] {
    const std::string message = message_of<RunFailed>([&] { fabric.wait_until_ready(); });
    fabric.stop();
    EXPECT_NE(message.find("identity register reads 0x00000077"), std::string::npos) << message;
  });
}

// An own NPU that takes part in an in-switch collective by the plan's trees for its rank.
struct OwnRank : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<OwnRank, 32, PacketProtocol> tx{"tx"};
  tlm_utils::simple_target_socket<OwnRank, 32, PacketProtocol> rx{"rx"};

  OwnRank(sc_core::sc_module_name name, const Plan& plan, int rank)
      : sc_core::sc_module(name), plan_(plan), rank_(rank) {
    rx.register_b_transport(this, &OwnRank::take);
    SC_HAS_PROCESS(OwnRank);
    SC_THREAD(run);
  }
  void run() {
    for (int t = 0; t < std::ssize(plan_.trees); ++t) {
      const Tree& tree = plan_.trees[t];
      const auto mine = std::ranges::find(tree.ranks, rank_, &TreeRank::rank);
      for (std::uint64_t flit = 0; flit < tree.flits; flit += kPacketFlits) {
        const int flits =
            static_cast<int>(std::min<std::uint64_t>(kPacketFlits, tree.flits - flit));
        Packet& packet = pool_.allocate(flits);
        PacketExtension& e = extension(packet);
        e.stream = static_cast<std::uint32_t>(t);
        e.index = static_cast<std::uint32_t>(flit / kPacketFlits);
        e.vc = kDp;
        e.port = static_cast<std::uint8_t>(mine->switch_port);
        e.phase = static_cast<std::uint8_t>(mine->phase);
        fill_operands(FpFormat::kFp16, 1, rank_, tree.first_flit + flit, flits, 1,
                      lanes_of(packet));
        sc_core::sc_time delay;
        tx->b_transport(packet, delay);
        EXPECT_EQ(refusal(packet), "");
        packet.release();
      }
    }
  }
  void take(Packet& packet, sc_core::sc_time&) {
    const PacketExtension& e = extension(packet);
    const Tree& tree = plan_.trees[e.stream];
    for (int f = 0; f < e.flits; ++f) {
      const std::uint64_t flit =
          tree.first_flit + e.index * kPacketFlits + static_cast<std::uint64_t>(f);
      EXPECT_EQ(lanes_of(packet)[f], expected(FpFormat::kFp16, 1, tree.order.sum(), flit, 0));
    }
    received += static_cast<std::uint64_t>(e.flits);
    packet.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::uint64_t received = 0;

 private:
  const Plan& plan_;
  int rank_;
  PacketPool pool_{1};
};

TEST(OwnNpusInTheSwitches, SumUnderThePhasesOfAPlan) {
  Simulation simulation;
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const Plan plan = make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 20'000, "in_switch");
  Fabric fabric("fabric", topology, 1, switches_of(SwitchModel::kTlm));
  fabric.load_phases(plan.programs);
  std::vector<std::unique_ptr<OwnRank>> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    const NodeId npu = topology.npus[rank];
    ranks.push_back(std::make_unique<OwnRank>(fmt::format("rank{}", rank).c_str(), plan, rank));
    ranks.back()->tx.bind(fabric.nic(npu).tx);
    fabric.nic(npu).rx.bind(ranks.back()->rx);
  }
  fabric.start();
  simulation.run([&] {
    fabric.wait_until_ready();
    run_until_empty(fabric);
    fabric.stop();
  });
  for (const auto& rank : ranks) EXPECT_EQ(rank->received, 40U);
}

}  // namespace
}  // namespace fredsim::test

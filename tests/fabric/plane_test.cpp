// SPDX-License-Identifier: Apache-2.0
// The control plane over TLM-2.0, I/O controllers, and users' own modules on a Fabric.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/config.h"
#include "fabric/control_plane.h"
#include "fabric/fabric.h"
#include "routing/mesh_routing.h"
#include "stream_endpoint.h"
#include "support/simulation.h"
#include "support/test_mesh_router.h"
#include "switch/register_map.h"

namespace fredsim::test {
namespace {

SwitchFactory test_routers() {
  return
      [](const Node&, const SwitchShape& shape) { return std::make_unique<TestMeshRouter>(shape); };
}

class FabricTest : public testing::Test {
 protected:
  Simulation simulation_;
  Topology topology_ = load_config("configs/mesh_2x2.yaml").topology;
  NodeId router_ = topology_.links[topology_.link_out(topology_.npus[0], 0)].to;
};

TEST_F(FabricTest, ARegisterAccessTakesTheTimeOfAnEdge) {
  Fabric fabric("fabric", topology_, 1, test_routers());
  ControlPlane control("control", fabric);
  fabric.reset();
  fabric.start();
  simulation_.run([&] {
    EXPECT_EQ(control.read(router_, reg::kId), mesh_pkg::MESH_ID);
    control.write(router_, reg::kCredit + 4 * kFirstLocal + kPp, 77);
    const std::uint64_t before = fabric.core().edge();
    EXPECT_EQ(control.read(router_, reg::kCredit + 4 * kFirstLocal + kPp), 77U);
    EXPECT_EQ(fabric.core().edge(), before + 1);
    fabric.stop();
  });
}

TEST_F(FabricTest, EdgesFallOnTheClockExactly) {
  Fabric fabric("fabric", topology_, 1, test_routers());
  fabric.reset();
  fabric.start();
  simulation_.run([&] {
    sc_core::wait(sc_core::sc_time(2, sc_core::SC_US));  // 3000 periods of 1.5 GHz
    EXPECT_GE(fabric.core().edge(), 3000U);
    EXPECT_LE(fabric.core().edge(), 3001U);
    fabric.stop();
    const std::uint64_t stopped = fabric.core().edge();
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
    EXPECT_LE(fabric.core().edge(), stopped + 1) << "a stopped fabric must not cost anything";
  });
}

TEST_F(FabricTest, MalformedRegisterAccessesAreRefused) {
  Fabric fabric("fabric", topology_, 1, test_routers());
  struct Initiator : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
    explicit Initiator(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
  } initiator("initiator");
  initiator.socket.bind(fabric.control(router_).registers);
  fabric.reset();
  fabric.start();
  simulation_.run([&] {
    const auto status = [&](sc_dt::uint64 address, unsigned length, tlm::tlm_command command) {
      std::uint64_t data = 0;
      tlm::tlm_generic_payload request;
      request.set_command(command);
      request.set_address(address);
      request.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
      request.set_data_length(length);
      sc_core::sc_time delay;
      initiator.socket->b_transport(request, delay);
      return request.get_response_status();
    };
    EXPECT_EQ(status(0, 4, tlm::TLM_READ_COMMAND), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(status(2, 4, tlm::TLM_READ_COMMAND), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(0x40000, 4, tlm::TLM_READ_COMMAND), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(0, 8, tlm::TLM_READ_COMMAND), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(0, 4, tlm::TLM_IGNORE_COMMAND), tlm::TLM_COMMAND_ERROR_RESPONSE);
    fabric.stop();
  });
}

// One source and sink per endpoint, NPUs included.
class Streams {
 public:
  explicit Streams(Fabric& fabric) : topology_(fabric.topology()), ends_(topology_.nodes.size()) {
    for (NodeId id = 0; id < static_cast<NodeId>(ends_.size()); ++id) {
      const Node& node = topology_.nodes[id];
      if (node.is_switch()) continue;
      ends_[id] = std::make_unique<StreamEndpoint>(node.name.c_str(), node.address, fabric.lanes());
      ends_[id]->tx.bind(fabric.nic(id).tx);
      fabric.nic(id).rx.bind(ends_[id]->rx);
    }
  }
  StreamEndpoint& at(NodeId id) { return *ends_[id]; }
  std::string failure() const {
    std::string all;
    for (const auto& end : ends_) {
      if (end != nullptr) all += end->failure();
    }
    return all;
  }

 private:
  const Topology& topology_;
  std::vector<std::unique_ptr<StreamEndpoint>> ends_;
};

TEST_F(FabricTest, IoAndNpuStreamAtTheChannelsRate) {
  Fabric fabric("fabric", topology_, 2, test_routers());
  Streams streams(fabric);
  fabric.start();
  const NodeId io = topology_.io_controllers.back();
  const NodeId npu = topology_.npus[0];
  const std::uint64_t bytes = 1'000'000;
  const std::uint64_t flits = (bytes + kFlitBytes - 1) / kFlitBytes;
  simulation_.run([&] {
    fabric.wait_until_ready();
    const Link& link = topology_.links[topology_.link_out(io, 0)];
    EXPECT_EQ(link.rate, (Rational{1, 6}));  // 128 GB/s of 768 GB/s
    // Two bursts go at the rate of the port (links/link.h).
    const auto saved = static_cast<std::uint64_t>(2 * link.burst);
    EXPECT_EQ(saved, 48U);
    const auto stream = [&](NodeId from, NodeId to, int port) {
      const std::uint64_t before = streams.at(to).received_flits();
      const std::uint64_t first = fabric.core().edge();
      fabric.on_cycle([&] { return streams.at(to).received_flits() == before + flits; });
      streams.at(from).send(bytes, topology_.nodes[to].address, port);
      sc_core::wait(fabric.attention());
      fabric.on_cycle({});
      return fabric.core().edge() - first;
    };
    for (const std::uint64_t cycles :
         {stream(io, npu, 0),
          stream(npu, io, mesh_nic_port(topology_, npu, topology_.nodes[io].address))}) {
      EXPECT_GE(cycles, 6 * (flits - saved) - 5);
      EXPECT_LE(cycles, 6 * flits + 300);
    }
    fabric.stop();
  });
  EXPECT_EQ(streams.failure(), "");
  EXPECT_EQ(streams.at(io).sent_bytes(), bytes);
}

// Every NPU and I/O controller sends 40 flits to every other one.
std::vector<NodeId> plane_endpoints(const Topology& topology) {
  std::vector<NodeId> ends = topology.npus;
  ends.insert(ends.end(), topology.io_controllers.begin(), topology.io_controllers.end());
  return ends;
}

void stream_all_to_all(Fabric& fabric, Streams& streams) {
  const Topology& topology = fabric.topology();
  const std::vector<NodeId> ends = plane_endpoints(topology);
  for (const NodeId from : ends) {
    for (const NodeId to : ends) {
      if (from == to) continue;
      streams.at(from).send(20'000, topology.nodes[to].address, 0, from % 3);
    }
  }
  fabric.on_cycle([&] { return fabric.core().empty(); });
  sc_core::wait(fabric.attention());
  fabric.on_cycle({});
  fabric.stop();
}

void expect_all_to_all(const Topology& topology, Streams& streams) {
  const std::vector<NodeId> ends = plane_endpoints(topology);
  EXPECT_EQ(streams.failure(), "");
  for (const NodeId end : ends) EXPECT_EQ(streams.at(end).received_flits(), (ends.size() - 1) * 40);
}

TEST_F(FabricTest, AllEndpointsStreamToAllAtOnce) {
  Fabric fabric("fabric", topology_, 1, test_routers());
  Streams streams(fabric);
  fabric.start();
  simulation_.run([&] { stream_all_to_all(fabric, streams); });
  expect_all_to_all(topology_, streams);
}

// A FRED tree under unicasts routed online only, set up by a host.
TEST(FredFabric, AllEndpointsStreamToAllByOnlineRoutes) {
  Simulation simulation;
  const Topology topology =
      load_config("configs/fred_small.yaml", {"io.count=2", "io.bandwidth=128 GB/s"}).topology;
  Fabric fabric("fabric", topology, 1, switches_of(SwitchModel::kTlm));
  ControlPlane control("control", fabric);
  Streams streams(fabric);
  fabric.reset();
  fabric.start(Fabric::SetUp::kByHost);
  simulation.run([&] {
    control.configure();
    control.load_online_routes();
    stream_all_to_all(fabric, streams);
  });
  expect_all_to_all(topology, streams);
}

// A user's endpoint with blocking transport, too slow for its traffic: the NIC keeps the credits of
// waiting packets, nothing is lost, and the other virtual channel continues.
struct SlowEndpoint : sc_core::sc_module {
  tlm_utils::simple_target_socket<SlowEndpoint, 32, PacketProtocol> rx{"rx"};
  explicit SlowEndpoint(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    rx.register_b_transport(this, &SlowEndpoint::take);
  }
  void take(Packet& packet, sc_core::sc_time&) {
    const PacketExtension& e = extension(packet);
    EXPECT_EQ(e.index, next[e.vc]++);
    if (e.vc == kDp) sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
    taken[e.vc] = sc_core::sc_time_stamp();
    packet.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::array<std::uint32_t, kNumVcs> next{};
  std::array<sc_core::sc_time, kNumVcs> taken{};
};

struct BlockingSender : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<BlockingSender, 32, PacketProtocol> tx{"tx"};
  BlockingSender(sc_core::sc_module_name name, std::uint16_t to, std::uint8_t vc_in, int count)
      : sc_core::sc_module(name), destination(to), vc(vc_in), packets(count) {
    SC_HAS_PROCESS(BlockingSender);
    SC_THREAD(send);
  }
  void send() {
    for (int i = 0; i < packets; ++i) {
      Packet& packet = pool.allocate(kPacketFlits);
      PacketExtension& e = extension(packet);
      e.destination = destination;
      e.stream = vc;
      e.index = static_cast<std::uint32_t>(i);
      e.vc = vc;
      e.phase = kPhaseOnline;
      e.port = 0;
      sc_core::sc_time delay;
      tx->b_transport(packet, delay);
      EXPECT_TRUE(packet.is_response_ok());
      packet.release();
    }
  }
  std::uint16_t destination;
  std::uint8_t vc;
  int packets;
  PacketPool pool{1};
};

TEST_F(FabricTest, ASlowEndpointHoldsBackOnlyItsVirtualChannel) {
  Fabric fabric("fabric", topology_, 1, test_routers());
  const NodeId to = topology_.npus[3];
  SlowEndpoint slow("slow");
  fabric.nic(to).rx.bind(slow.rx);
  const std::uint16_t address = topology_.nodes[to].address;
  BlockingSender dp("dp", address, kDp, 40);
  BlockingSender mp("mp", address, kMp, 40);
  dp.tx.bind(fabric.nic(topology_.npus[0]).tx);
  mp.tx.bind(fabric.nic(topology_.npus[1]).tx);
  fabric.start();
  simulation_.run([&] {
    sc_core::wait(sc_core::sc_time(60, sc_core::SC_US));
    EXPECT_TRUE(fabric.core().empty());
    fabric.stop();
    fabric.rethrow_failure();
  });
  EXPECT_EQ(slow.next[kDp], 40U);
  EXPECT_EQ(slow.next[kMp], 40U);
  EXPECT_LT(slow.taken[kMp], sc_core::sc_time(5, sc_core::SC_US));
  EXPECT_GT(slow.taken[kDp], sc_core::sc_time(40, sc_core::SC_US));
}

TEST_F(FabricTest, AnArrivalWithoutModuleIsAnError) {
  Fabric fabric("fabric", topology_, 1, test_routers());
  BlockingSender sender("sender", topology_.nodes[topology_.npus[3]].address, kPp, 1);
  sender.tx.bind(fabric.nic(topology_.npus[0]).tx);
  fabric.start();
  fabric.on_cycle([] { return false; });
  simulation_.run([&] {
    sc_core::wait(fabric.attention());
    const std::string message = message_of<RunFailed>([&] { fabric.rethrow_failure(); });
    EXPECT_NE(message.find("no module is bound to rx"), std::string::npos) << message;
  });
}

}  // namespace
}  // namespace fredsim::test

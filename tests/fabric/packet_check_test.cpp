// SPDX-License-Identifier: Apache-2.0
// Refusals of a NIC: packets, status and message.

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "fabric/fabric.h"
#include "nic/nic.h"
#include "nic/packet_pool.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

struct CheckedSender : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<CheckedSender, 32, PacketProtocol> tx{"tx"};
  explicit CheckedSender(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    tx.register_nb_transport_bw(this, &CheckedSender::answer);
  }
  tlm::tlm_sync_enum answer(Packet&, tlm::tlm_phase&, sc_core::sc_time&) {
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum send(Packet& packet, tlm::tlm_phase phase = tlm::BEGIN_REQ) {
    sc_core::sc_time delay;
    return tx->nb_transport_fw(packet, phase, delay);
  }
};

// A packet of a user's own, two flits of three lanes from npu0 to npu1.
struct OwnPacket {
  OwnPacket() {
    e.destination = 1;
    e.phase = kPhaseOnline;
    e.flits = 2;
    packet.set_extension(&e);
    packet.set_command(tlm::TLM_WRITE_COMMAND);
    packet.set_data_ptr(reinterpret_cast<unsigned char*>(lanes.data()));
    packet.set_data_length(12);
    packet.set_streaming_width(12);
  }
  ~OwnPacket() { packet.clear_extension(&e); }
  OwnPacket(const OwnPacket&) = delete;
  OwnPacket& operator=(const OwnPacket&) = delete;

  PacketExtension e;
  Packet packet;
  std::array<std::uint16_t, 32> lanes{};
};

struct Case {
  const char* what;
  std::function<void(OwnPacket&)> spoil;
  tlm::tlm_response_status status;
  std::string text;  // text of refusal()
};

std::vector<Case> cases() {
  constexpr auto kGeneric = tlm::TLM_GENERIC_ERROR_RESPONSE;
  constexpr auto kBurst = tlm::TLM_BURST_ERROR_RESPONSE;
  return {
      {"port", [](OwnPacket& p) { p.e.port = 5; }, kGeneric,
       "npu0: packet: port: found 5; allowed: NIC port 0"},
      {"vc", [](OwnPacket& p) { p.e.vc = 4; }, kGeneric,
       "npu0: packet: vc: found 4; allowed: 0 to 3, MP, PP, DP, control"},
      {"no flits", [](OwnPacket& p) { p.e.flits = 0; }, kGeneric,
       "npu0: packet: flits: found 0; allowed on VC DP: 1 to 8"},
      {"too many", [](OwnPacket& p) { p.e.flits = 9; }, kGeneric,
       "npu0: packet: flits: found 9; allowed on VC DP: 1 to 8"},
      {"control", [](OwnPacket& p) { p.e.vc = kControl; }, kGeneric,
       "npu0: packet: flits: found 2; allowed on VC control: 1"},
      {"bytes of one flit", [](OwnPacket& p) { p.e.bytes = 512; }, kGeneric,
       "npu0: packet: bytes: found 512; allowed in 2 flits: 513 to 1024, or 0 for all of them"},
      {"bytes of three", [](OwnPacket& p) { p.e.bytes = 1025; }, kGeneric,
       "npu0: packet: bytes: found 1025; allowed in 2 flits: 513 to 1024, or 0 for all of them"},
      {"stream", [](OwnPacket& p) { p.e.stream = kMaxStreams; }, kGeneric,
       "npu0: packet: stream: found 1048576; allowed: 0 to 1048575"},
      {"destination", [](OwnPacket& p) { p.e.destination = 25; }, tlm::TLM_ADDRESS_ERROR_RESPONSE,
       "npu0: packet: destination: found 25, which is not an endpoint of this machine; allowed: 0 "
       "to 3 "
       "(Node::address)"},
      {"phase", [](OwnPacket& p) { p.e.phase = 254; }, kGeneric,
       "npu0: packet: phase: found 254; allowed: rows 0 to 191 of the switch's phase store, or 255 "
       "for a "
       "unicast"},
      {"read", [](OwnPacket& p) { p.packet.set_read(); }, tlm::TLM_COMMAND_ERROR_RESPONSE,
       "npu0: packet: command: found TLM_READ_COMMAND; allowed: TLM_WRITE_COMMAND"},
      {"no command", [](OwnPacket& p) { p.packet.set_command(tlm::TLM_IGNORE_COMMAND); },
       tlm::TLM_COMMAND_ERROR_RESPONSE,
       "npu0: packet: command: found TLM_IGNORE_COMMAND; allowed: TLM_WRITE_COMMAND"},
      {"byte enables", [](OwnPacket& p) { p.packet.set_byte_enable_ptr(p.packet.get_data_ptr()); },
       tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
       "npu0: packet: byte enables: found some; allowed: none, a packet is sent as a whole"},
      {"data length", [](OwnPacket& p) { p.packet.set_data_length(1024); }, kBurst,
       "npu0: packet: data length: found 1024; allowed: 12, 2 flits of 3 lanes of 2 bytes"},
      {"streaming width", [](OwnPacket& p) { p.packet.set_streaming_width(4); }, kBurst,
       "npu0: packet: streaming width: found 4; allowed: the data length, 12, or more"},
      {"data pointer", [](OwnPacket& p) { p.packet.set_data_ptr(nullptr); }, kGeneric,
       "npu0: packet: data pointer: found null; allowed: 12 bytes"},
  };
}

class PacketCheckTest : public testing::Test {
 protected:
  PacketCheckTest() {
    sender_.tx.bind(fabric_.nic(topology_.npus[0]).tx);
    fabric_.reset();
  }
  Nic& nic() { return fabric_.nic(topology_.npus[0]); }

  Simulation simulation_;
  Topology topology_ = load_config("configs/fred_small.yaml").topology;
  Fabric fabric_{"fabric", topology_, 3, switches_of(SwitchModel::kTlm)};
  CheckedSender sender_{"sender"};
};

TEST_F(PacketCheckTest, AGoodPacketIsTaken) {
  simulation_.run([&] {
    OwnPacket good;
    EXPECT_EQ(sender_.send(good.packet), tlm::TLM_UPDATED);
    EXPECT_EQ(refusal(good.packet), "");
    EXPECT_FALSE(nic().empty());
  });
}

TEST_F(PacketCheckTest, EveryCauseHasItsStatusAndIsNamed) {
  simulation_.run([&] {
    for (const Case& c : cases()) {
      OwnPacket bad;
      c.spoil(bad);
      EXPECT_EQ(sender_.send(bad.packet), tlm::TLM_COMPLETED) << c.what;
      EXPECT_EQ(bad.packet.get_response_status(), c.status) << c.what;
      EXPECT_EQ(refusal(bad.packet), c.text);
      bad.packet.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      sc_core::sc_time delay;
      sender_.tx->b_transport(bad.packet, delay);
      EXPECT_EQ(bad.packet.get_response_status(), c.status) << c.what << ", b_transport";
      EXPECT_EQ(refusal(bad.packet), c.text);
      EXPECT_TRUE(nic().empty()) << c.what;
    }
  });
}

TEST_F(PacketCheckTest, APacketWithoutExtensionIsNamed) {
  simulation_.run([&] {
    Packet bare;
    EXPECT_EQ(sender_.send(bare), tlm::TLM_COMPLETED);
    EXPECT_EQ(bare.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(refusal(bare),
              "packet: found no PacketExtension; allowed: a packet with one "
              "(nic/packet_extension.h)");
  });
}

TEST_F(PacketCheckTest, CallsThatTheSocketDoesNotAllowAreRefused) {
  simulation_.run([&] {
    OwnPacket packet;
    EXPECT_EQ(sender_.send(packet.packet, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
    EXPECT_EQ(packet.packet.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(refusal(packet.packet),
              "npu0: packet: phase of the call: found BEGIN_RESP; allowed: BEGIN_REQ and END_RESP");

    std::array<OwnPacket, 4> packets;  // the queue holds two
    EXPECT_EQ(sender_.send(packets[0].packet), tlm::TLM_UPDATED);
    EXPECT_EQ(sender_.send(packets[1].packet), tlm::TLM_UPDATED);
    EXPECT_EQ(sender_.send(packets[2].packet), tlm::TLM_ACCEPTED);
    EXPECT_EQ(sender_.send(packets[3].packet), tlm::TLM_COMPLETED);
    EXPECT_EQ(packets[3].packet.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(refusal(packets[3].packet),
              "npu0: packet: BEGIN_REQ: found a request open on port 0, VC DP; allowed: the next "
              "one after its "
              "END_REQ");
  });
}

struct MethodCaller : sc_core::sc_module {
  MethodCaller(sc_core::sc_module_name name, std::function<void()> body)
      : sc_core::sc_module(name), body_(std::move(body)) {
    SC_HAS_PROCESS(MethodCaller);
    SC_METHOD(call);
  }
  void call() { body_(); }

 private:
  std::function<void()> body_;
};

TEST_F(PacketCheckTest, BTransportFromAMethodIsRefused) {
  OwnPacket packet;
  MethodCaller caller("caller", [&] {
    sc_core::sc_time delay;
    sender_.tx->b_transport(packet.packet, delay);
  });
  simulation_.run([] {});
  EXPECT_EQ(packet.packet.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(refusal(packet.packet),
            "npu0: packet: b_transport: found a call from outside an SC_THREAD; allowed there: "
            "nb_transport_fw");
}

TEST(PacketCheck, PhasesAreOfFredOnlyAndAddressesOfTheMachine) {
  const Topology mesh = load_config("configs/mesh_2x2.yaml").topology;
  const auto addresses = std::make_shared<const EndpointAddresses>(mesh);
  EXPECT_EQ(addresses->text(),
            "0 to 1, 64 to 65, 4096 to 4097, 4160 to 4161, 8192 to 8193, 8256 to 8257");
  for (const NodeId npu : mesh.npus) EXPECT_TRUE(addresses->has(mesh.nodes[npu].address));
  EXPECT_FALSE(addresses->has(2));
  EXPECT_FALSE(addresses->has(65535));
  EXPECT_EQ(nic_shape(mesh, mesh.npus[0], 1, addresses).phases, (std::vector<int>{0, 0, 0, 0}));
}

// Endpoint's answer to a delivery: by b_transport, or at once.
struct Receiver : sc_core::sc_module {
  tlm_utils::simple_target_socket<Receiver, 32, PacketProtocol> rx{"rx"};
  Receiver(sc_core::sc_module_name name, bool blocking) : sc_core::sc_module(name) {
    if (blocking) {
      rx.register_b_transport(this, &Receiver::take);
    } else {
      rx.register_nb_transport_fw(this, &Receiver::take_at_once);
    }
  }
  void take(Packet& packet, sc_core::sc_time&) {
    packet.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
  tlm::tlm_sync_enum take_at_once(Packet& packet, tlm::tlm_phase&, sc_core::sc_time& delay) {
    take(packet, delay);
    return tlm::TLM_COMPLETED;
  }
};

class ErrorOfTheEndpoint : public testing::TestWithParam<bool> {};

TEST_P(ErrorOfTheEndpoint, FailsTheRun) {
  Simulation simulation;
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  Fabric fabric("fabric", topology, 3, switches_of(SwitchModel::kTlm));
  CheckedSender sender("sender");
  Receiver receiver("receiver", GetParam());
  sender.tx.bind(fabric.nic(topology.npus[0]).tx);
  fabric.nic(topology.npus[1]).rx.bind(receiver.rx);
  fabric.on_cycle([] { return false; });
  fabric.start();
  OwnPacket packet;
  std::string message;
  simulation.run([&] {
    EXPECT_EQ(sender.send(packet.packet), tlm::TLM_UPDATED);
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_US), fabric.attention());
    message = message_of<RunFailed>([&] { fabric.rethrow_failure(); });
    fabric.stop();
  });
  EXPECT_TRUE(
      message.ends_with("VC DP: its module answered the packet from address 0 with "
                        "TLM_COMMAND_ERROR_RESPONSE"))
      << message;
  EXPECT_TRUE(message.starts_with("npu1 port ")) << message;
}

INSTANTIATE_TEST_SUITE_P(All, ErrorOfTheEndpoint, testing::Bool(), [](const auto& blocking) {
  return blocking.param ? "Blocking" : "AtOnce";
});

}  // namespace
}  // namespace fredsim::test

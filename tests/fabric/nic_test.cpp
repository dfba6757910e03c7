// SPDX-License-Identifier: Apache-2.0
// NIC alone: order and time of flits, the phases of a transaction, refused input.

#include "nic/nic.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

// Offers packets and writes down the phases that come back.
struct Offerer : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Offerer, 32, PacketProtocol> tx{"tx"};
  explicit Offerer(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    tx.register_nb_transport_bw(this, &Offerer::answer);
  }
  Packet& make(int vc, int flits, int port = 0) {
    Packet& packet = pool.allocate(flits);
    PacketExtension& e = extension(packet);
    e = {};
    e.vc = static_cast<std::uint8_t>(vc);
    e.port = static_cast<std::uint8_t>(port);
    e.flits = flits;
    e.index = next++;
    e.phase = of_phase;
    return packet;
  }
  tlm::tlm_sync_enum offer(Packet& packet) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    return tx->nb_transport_fw(packet, phase, delay);
  }
  tlm::tlm_sync_enum answer(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
    log += (phase == tlm::END_REQ ? 'e' : 'r') + std::to_string(extension(packet).index);
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    EXPECT_TRUE(packet.is_response_ok());
    packet.release();
    return tlm::TLM_COMPLETED;
  }
  std::uint32_t next = 0;
  std::uint8_t of_phase = kPhaseOnline;
  std::string log;
  PacketPool pool{1};
};

class NicTest : public testing::Test {
 protected:
  explicit NicTest(const VcOrder& order = kDefaultVcOrder)
      : nic_{"nic", NicShape{.ports = 2, .lanes = 1, .address = 5, .vc_order = order}} {
    offerer_.tx.bind(nic_.tx);
    nic_.reset();
    for (int port = 0; port < 2; ++port) {
      for (int vc = 0; vc < kNumVcs; ++vc) nic_.set_credits(port, vc, 100);
    }
  }
  // VCs of the flits that leave by port 0 in `edges` edges: 'M', 'P', 'D', 'C', '.' for none.
  std::string launch(int edges, std::uint32_t ready = 3) {
    std::string vcs;
    pins_.out_ready = ready;
    for (int i = 0; i < edges; ++i) {
      nic_.step(pins_);
      pins_.out_credit = {};
      vcs += (pins_.out_valid & 1U) == 0 ? '.' : "MPDC"[unpack_header(pins_.out_flit.data()).vc];
    }
    return vcs;
  }

  Simulation simulation_;
  Nic nic_;
  Offerer offerer_{"offerer"};
  SwitchPins pins_{2, 1};
};

class NicOfAnotherOrder : public NicTest {
 protected:
  NicOfAnotherOrder() : NicTest({kPp, kDp, kControl, kMp}) {}
};

TEST_F(NicTest, PriorityIsControlMpPpDpFlitByFlit) {
  simulation_.run([&] {
    offerer_.offer(offerer_.make(kDp, 8));
    EXPECT_EQ(launch(2), "DD");
    offerer_.offer(offerer_.make(kPp, 3));
    EXPECT_EQ(launch(1), "P");
    offerer_.offer(offerer_.make(kMp, 2));
    offerer_.offer(offerer_.make(kControl, 1));
    EXPECT_EQ(launch(13), "CMMPPDDDDDD..");
  });
}

TEST_F(NicOfAnotherOrder, PriorityIsThatOfItsMachine) {
  simulation_.run([&] {
    offerer_.offer(offerer_.make(kMp, 8));
    EXPECT_EQ(launch(2), "MM");
    offerer_.offer(offerer_.make(kControl, 1));
    EXPECT_EQ(launch(2), "CM");
    offerer_.offer(offerer_.make(kControl, 1));
    offerer_.offer(offerer_.make(kDp, 3));
    EXPECT_EQ(launch(1), "D");
    offerer_.offer(offerer_.make(kPp, 2));
    EXPECT_EQ(launch(12), "PPDDCMMMMM..");
  });
}

TEST_F(NicTest, PacketsOfAPhaseAreNotCut) {
  simulation_.run([&] {
    offerer_.of_phase = 3;
    offerer_.offer(offerer_.make(kDp, 4));
    EXPECT_EQ(launch(2), "DD");
    offerer_.offer(offerer_.make(kDp, 1));
    offerer_.offer(offerer_.make(kPp, 3));
    offerer_.offer(offerer_.make(kMp, 2));
    offerer_.offer(offerer_.make(kControl, 1));
    EXPECT_EQ(launch(10), "DDCMMPPPD.");
  });
}

TEST_F(NicTest, UnlessTheyLackCredits) {
  simulation_.run([&] {
    offerer_.of_phase = 3;
    nic_.set_credits(0, kDp, 2);
    offerer_.offer(offerer_.make(kDp, 4));
    EXPECT_EQ(launch(2), "DD");
    offerer_.offer(offerer_.make(kMp, 4));
    offerer_.offer(offerer_.make(kControl, 1));
    EXPECT_EQ(launch(2), "CM");
    pins_.out_credit[kDp] = 1;  // two packets are open now: the first by priority goes on
    EXPECT_EQ(launch(3), "MMM");
    EXPECT_EQ(launch(2), "D.");
    nic_.set_credits(0, kDp, 1);
    EXPECT_EQ(launch(2), "D.");
  });
}

TEST_F(NicTest, AVcWithoutCreditsHoldsUpNothingElse) {
  simulation_.run([&] {
    nic_.set_credits(0, kMp, 1);
    offerer_.offer(offerer_.make(kMp, 3));
    offerer_.offer(offerer_.make(kDp, 2));
    EXPECT_EQ(launch(4), "MDD.");
    EXPECT_FALSE(nic_.idle());
    pins_.out_credit[kMp] = 1;  // spent at the edge at which it arrives
    EXPECT_EQ(launch(2), "M.");
    pins_.out_credit[kMp] = 1;
    EXPECT_EQ(launch(1), "M");
    EXPECT_TRUE(nic_.idle());
  });
}

TEST_F(NicTest, TheLinksPacingIsObeyed) {
  simulation_.run([&] {
    offerer_.offer(offerer_.make(kDp, 2));
    EXPECT_EQ(launch(2, 0), "..");
    EXPECT_EQ(launch(1, 2), ".");  // link of the other port
    EXPECT_EQ(launch(3, 1), "DD.");
  });
}

TEST_F(NicTest, PhasesFollowTheQueueAndTheLastFlit) {
  simulation_.run([&] {
    EXPECT_EQ(offerer_.offer(offerer_.make(kDp, 2)), tlm::TLM_UPDATED);
    EXPECT_EQ(offerer_.offer(offerer_.make(kDp, 1)), tlm::TLM_UPDATED);
    EXPECT_EQ(offerer_.offer(offerer_.make(kDp, 1)), tlm::TLM_ACCEPTED) << "the queue holds two";
    EXPECT_EQ(offerer_.offer(offerer_.make(kPp, 1)), tlm::TLM_UPDATED) << "another VC has room";
    EXPECT_EQ(offerer_.offer(offerer_.make(kDp, 1, 1)), tlm::TLM_UPDATED) << "another port too";
    launch(1);
    EXPECT_EQ(offerer_.log, "r3r4");
    launch(1);
    EXPECT_EQ(offerer_.log, "r3r4");
    launch(1);
    EXPECT_EQ(offerer_.log, "r3r4r0e2");
    launch(2);
    EXPECT_EQ(offerer_.log, "r3r4r0e2r1r2");
    EXPECT_TRUE(nic_.empty());
    EXPECT_EQ(offerer_.pool.allocated(), 5U);
    offerer_.make(kDp, 1).release();
    EXPECT_EQ(offerer_.pool.allocated(), 5U) << "packets must return to their pool";
  });
}

TEST_F(NicTest, APacketWithoutHeadIsAnError) {
  simulation_.run([&] {
    pack_header({.src = 9, .vc = kPp, .tail = true}, pins_.in_flit.data());
    pins_.in_valid = 1;
    const std::string message = message_of<RunFailed>([&] { nic_.step(pins_); });
    EXPECT_NE(message.find("has no head flit"), std::string::npos) << message;
  });
}

}  // namespace
}  // namespace fredsim::test

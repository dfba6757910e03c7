// SPDX-License-Identifier: Apache-2.0
// NIC as a receiver in front of a slow endpoint: contents of its buffers, order and time of
// deliveries, credits returned. Expectations are listed flit by flit, from nic.h alone.

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "nic/nic.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

constexpr int kLanes = 3;
constexpr int kReceiveFlits = 12;

// Holds every packet until take() while `slow`.
struct SlowEndpoint : sc_core::sc_module {
  tlm_utils::simple_target_socket<SlowEndpoint, 32, PacketProtocol> rx{"rx"};
  explicit SlowEndpoint(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    rx.register_nb_transport_fw(this, &SlowEndpoint::receive);
  }
  struct Delivery {
    int source, port, vc;
    std::vector<std::uint16_t> lanes;
    bool operator==(const Delivery&) const = default;
  };
  tlm::tlm_sync_enum receive(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    const PacketExtension& e = extension(packet);
    EXPECT_EQ(packet.get_data_length(), static_cast<unsigned>(e.flits * kLanes * 2));
    delivered.push_back(
        {e.source, e.port, e.vc, {lanes_of(packet), lanes_of(packet) + e.flits * kLanes}});
    packet.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!slow) return tlm::TLM_COMPLETED;
    EXPECT_EQ(held[e.port][e.vc], nullptr) << "a second request on one port and VC";
    held[e.port][e.vc] = &packet;
    return tlm::TLM_ACCEPTED;
  }
  void take(int port, int vc) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    Packet& packet = *std::exchange(held[port][vc], nullptr);
    rx->nb_transport_bw(packet, phase, delay);
  }
  bool slow = true;
  std::vector<Delivery> delivered;
  std::array<std::array<Packet*, kNumVcs>, 2> held{};
};

class NicReceive : public testing::Test {
 protected:
  struct Arrival {
    int source = 0;
    int vc = kDp;
    bool head = true, tail = true;
    std::uint32_t index = 0;  // index in its packet
    std::uint16_t value = 0;  // value of its first lane; one more in each next lane
  };

  explicit NicReceive(const VcOrder& order = kDefaultVcOrder)
      : nic_{"nic", NicShape{.ports = 2,
                             .lanes = kLanes,
                             .address = 5,
                             .receive_flits = kReceiveFlits,
                             .vc_order = order}} {
    nic_.rx.bind(endpoint_.rx);
    nic_.reset();
  }
  void expect_backlog(const std::string& first_to_last);  // letters of VCs, as of step()
  // One edge. Returns the VCs that get a credit back, by port: "D" or ".".
  std::array<std::string, 2> step(const std::array<const Arrival*, 2>& arrivals = {}) {
    pins_.in_valid = 0;
    for (int port = 0; port < 2; ++port) {
      if (arrivals[port] == nullptr) continue;
      const Arrival& a = *arrivals[port];
      std::uint32_t* flit = &pins_.in_flit[port * flit_words(kLanes)];
      pack_header({.tag = packet_tag(1, a.index, false),
                   .dst = 5,
                   .src = static_cast<std::uint16_t>(a.source),
                   .phase = kPhaseOnline,
                   .vc = static_cast<std::uint8_t>(a.vc),
                   .head = a.head,
                   .tail = a.tail},
                  flit);
      for (int l = 0; l < kLanes; ++l) set_lane(flit, l, static_cast<std::uint16_t>(a.value + l));
      pins_.in_valid |= 1U << port;
    }
    nic_.step(pins_);
    std::array<std::string, 2> credits;
    for (int port = 0; port < 2; ++port) {
      for (int vc = 0; vc < kNumVcs; ++vc) {
        if ((pins_.in_credit[vc] >> port & 1U) != 0) credits[port] += "MPDC"[vc];
      }
      if (credits[port].empty()) credits[port] = ".";
    }
    return credits;
  }
  std::string step(const Arrival& arrival) { return step({&arrival, nullptr})[0]; }
  // Credits of port 0 over `edges` edges without arrivals.
  std::string rest(int edges) {
    std::string credits;
    for (int i = 0; i < edges; ++i) credits += step()[0];
    return credits;
  }
  std::vector<int> sources() const {
    std::vector<int> all;
    for (const auto& delivery : endpoint_.delivered) all.push_back(delivery.source);
    return all;
  }
  static std::vector<std::uint16_t> lanes(const std::vector<int>& first_lanes) {
    std::vector<std::uint16_t> all;
    for (const int first : first_lanes) {
      for (int l = 0; l < kLanes; ++l) all.push_back(static_cast<std::uint16_t>(first + l));
    }
    return all;
  }

  Simulation simulation_;
  Nic nic_;
  SlowEndpoint endpoint_{"endpoint"};
  SwitchPins pins_{2, kLanes};
};

TEST_F(NicReceive, AHeldUpVcHoldsUpNoOther) {
  simulation_.run([&] {
    EXPECT_EQ(step({.source = 1, .vc = kDp}), "D") << "the endpoint holds a whole packet";
    EXPECT_TRUE(nic_.idle());
    EXPECT_FALSE(nic_.empty());
    EXPECT_EQ(step({.source = 2, .vc = kDp}), ".");
    EXPECT_EQ(step({.source = 3, .vc = kMp}), "M");
    EXPECT_EQ(step({.source = 4, .vc = kMp}), ".");
    const Arrival there{.source = 6, .vc = kDp};
    EXPECT_EQ(step({nullptr, &there}), (std::array<std::string, 2>{".", "D"})) << "another port";
    EXPECT_EQ(rest(5), ".....");
    EXPECT_EQ(sources(), (std::vector<int>{1, 3, 6}));
    endpoint_.take(0, kDp);
    EXPECT_FALSE(nic_.idle());
    EXPECT_EQ(rest(3), "D..") << "the next one of this VC, and that is held, too";
    EXPECT_EQ(sources(), (std::vector<int>{1, 3, 6, 2}));
    endpoint_.take(0, kMp);
    EXPECT_EQ(rest(3), "M..");
    EXPECT_EQ(sources(), (std::vector<int>{1, 3, 6, 2, 4}));
    endpoint_.take(0, kDp);
    endpoint_.take(0, kMp);
    EXPECT_FALSE(nic_.empty()) << "port 1's packet is still held";
    endpoint_.take(1, kDp);
    EXPECT_TRUE(nic_.empty());
  });
}

// All VCs of a port have a backlog: one flit per edge, of the first VC in the order of priority.
void NicReceive::expect_backlog(const std::string& first_to_last) {
  simulation_.run([&] {
    for (int i = 3; i >= 0; --i) {
      const Arrival first{.source = i, .vc = nic_.shape().vc_order[i]};
      step({&first, &first});
      for (int k = 1; k <= i + 1; ++k) {  // one of the first VC, … four of the last
        const Arrival next{.source = 10 * i + k, .vc = nic_.shape().vc_order[i]};
        EXPECT_EQ(step({&next, &next}), (std::array<std::string, 2>{".", "."}));
      }
    }
    EXPECT_EQ(rest(2), "..");
    endpoint_.delivered.clear();
    endpoint_.slow = false;
    for (const int vc : nic_.shape().vc_order) {
      endpoint_.take(0, vc);
      endpoint_.take(1, vc);
    }
    std::array<std::string, 2> credits;
    for (int edge = 0; edge < 12; ++edge) {
      const auto of_edge = step();
      for (int port = 0; port < 2; ++port) credits[port] += of_edge[port];
    }
    EXPECT_EQ(credits[0], first_to_last);
    EXPECT_EQ(credits[1], first_to_last);
    // Both ports deliver at every edge, port 0 first.
    std::vector<int> expected;
    for (const int source : {1, 11, 12, 21, 22, 23, 31, 32, 33, 34})
      expected.insert(expected.end(), {source, source});
    EXPECT_EQ(sources(), expected);
    EXPECT_TRUE(nic_.empty());
  });
}

TEST_F(NicReceive, ABacklogLeavesByPriorityOneFlitPerPortAndEdge) {
  expect_backlog("CMMPPPDDDD..");
}

class NicReceiveOfAnotherOrder : public NicReceive {
 protected:
  NicReceiveOfAnotherOrder() : NicReceive({kPp, kDp, kControl, kMp}) {}
};
TEST_F(NicReceiveOfAnotherOrder, ABacklogLeavesByThat) { expect_backlog("PDDCCCMMMM.."); }

// An arrival that can be taken at once goes before a backlog, and takes the port's edge.
TEST_F(NicReceive, AnArrivalThatIsTakenLeavesTheBacklogWhereItIs) {
  simulation_.run([&] {
    step({.source = 1, .vc = kMp});
    step({.source = 2, .vc = kMp});
    step({.source = 3, .vc = kMp});
    endpoint_.slow = false;
    endpoint_.take(0, kMp);
    EXPECT_EQ(step({.source = 4, .vc = kDp}), "D") << "of low priority, but it is there first";
    EXPECT_EQ(step({.source = 5, .vc = kMp}), "M") << "joins the backlog, whose first one leaves";
    EXPECT_EQ(rest(1), "M");
    EXPECT_EQ(step({.source = 6, .vc = kMp}), "M") << "behind the last one";
    EXPECT_EQ(rest(2), "M.");
    EXPECT_EQ(sources(), (std::vector<int>{1, 4, 2, 3, 5, 6}));
  });
}

TEST_F(NicReceive, PacketsOfManySourcesInterleave) {
  simulation_.run([&] {
    endpoint_.slow = false;
    const std::vector<Arrival> arrivals{{.source = 1, .tail = false, .value = 100},
                                        {.source = 2, .tail = false, .value = 200},
                                        {.source = 3, .tail = false, .value = 300},
                                        {.source = 2, .head = false, .value = 203},
                                        {.source = 4, .value = 400},
                                        {.source = 1, .head = false, .tail = false, .value = 103},
                                        {.source = 2, .tail = false, .index = 1, .value = 210},
                                        {.source = 3, .head = false, .value = 303},
                                        {.source = 1, .head = false, .value = 106},
                                        {.source = 2, .head = false, .index = 1, .value = 213}};
    for (const Arrival& a : arrivals) {
      EXPECT_EQ(step(a), "D");
      EXPECT_EQ(nic_.empty(), &a == &arrivals.back());
    }
    using Delivery = SlowEndpoint::Delivery;
    EXPECT_EQ(endpoint_.delivered, (std::vector<Delivery>{{2, 0, kDp, lanes({200, 203})},
                                                          {4, 0, kDp, lanes({400})},
                                                          {3, 0, kDp, lanes({300, 303})},
                                                          {1, 0, kDp, lanes({100, 103, 106})},
                                                          {2, 0, kDp, lanes({210, 213})}}));
  });
}

// Through the buffer, on two VCs of a port at once: waiting flits keep their order, and packets
// that were open when the endpoint stopped are continued.
TEST_F(NicReceive, PacketsThatInterleaveWaitAndGoOn) {
  simulation_.run([&] {
    for (const int vc : {kPp, kDp}) {
      const auto at = static_cast<std::uint16_t>(1000 * vc);
      const auto arrive = [&](int source, bool head, bool tail, int value) {
        return step({.source = source,
                     .vc = vc,
                     .head = head,
                     .tail = tail,
                     .value = static_cast<std::uint16_t>(at + value)});
      };
      const std::string taken(1, "MPDC"[vc]);
      EXPECT_EQ(arrive(1, true, false, 100), taken);
      EXPECT_EQ(arrive(2, true, false, 200), taken);
      EXPECT_EQ(arrive(3, true, true, 300), taken) << "the endpoint holds this one";
      EXPECT_EQ(arrive(2, false, false, 203), ".");
      EXPECT_EQ(arrive(1, false, true, 103), ".");
      EXPECT_EQ(arrive(2, false, true, 206), ".");
    }
    endpoint_.take(0, kDp);
    EXPECT_EQ(rest(4), "DD..") << "up to the tail of source 1, which is held";
    endpoint_.take(0, kPp);
    EXPECT_EQ(rest(4), "PP..");
    endpoint_.take(0, kDp);
    endpoint_.take(0, kPp);
    EXPECT_EQ(rest(4), "PD..") << "PP before DP, then both held";
    using Delivery = SlowEndpoint::Delivery;
    EXPECT_EQ(endpoint_.delivered, (std::vector<Delivery>{{3, 0, kPp, lanes({1300})},
                                                          {3, 0, kDp, lanes({2300})},
                                                          {1, 0, kDp, lanes({2100, 2103})},
                                                          {1, 0, kPp, lanes({1100, 1103})},
                                                          {2, 0, kPp, lanes({1200, 1203, 1206})},
                                                          {2, 0, kDp, lanes({2200, 2203, 2206})}}));
    endpoint_.take(0, kDp);
    endpoint_.take(0, kPp);
    EXPECT_TRUE(nic_.empty());
  });
}

// The buffer is a ring: its full depth of flits, repeatedly, and not one more.
TEST_F(NicReceive, TheBufferTakesItsDepthAndNotOneMore) {
  simulation_.run([&] {
    step({.source = 0});
    int arrived = 0;
    for (; arrived < kReceiveFlits; ++arrived) {
      EXPECT_EQ(step({.source = 1 + arrived}), ".");
    }
    for (; arrived < 3 * kReceiveFlits; ++arrived) {  // one out, one in
      endpoint_.take(0, kDp);
      EXPECT_EQ(rest(1), "D");
      EXPECT_EQ(step({.source = 1 + arrived}), ".");
    }
    std::vector<int> in_order;
    for (int i = 0; i <= 2 * kReceiveFlits; ++i) in_order.push_back(i);
    EXPECT_EQ(sources(), in_order);
    const std::string message = message_of<RunFailed>([&] { step({.source = 1 + arrived}); });
    EXPECT_EQ(message, "nic port 0 VC DP: a flit arrived at a full receive buffer");
  });
}

// Each flit that may not continue a packet is refused, and each valid one is accepted.
TEST_F(NicReceive, APacketHasOneHeadOneTagAndAtMostEightFlits) {
  simulation_.run([&] {
    endpoint_.slow = false;
    const auto open = [&](int source, int flits) {
      for (int f = 0; f < flits; ++f)
        step({.source = source, .head = f == 0, .tail = false, .index = 7});
    };
    const auto refused = [&](const Arrival& arrival) {
      return message_of<RunFailed>([&] { step(arrival); });
    };
    const std::string who = "nic port 0 VC DP: packet from address ";
    open(1, 7);
    step({.source = 1, .head = false, .index = 7});  // the eighth, with the tail
    ASSERT_EQ(endpoint_.delivered.size(), 1U);
    EXPECT_EQ(endpoint_.delivered[0].lanes.size(), std::size_t{8 * kLanes});
    open(1, 8);
    EXPECT_EQ(refused({.source = 1, .head = false, .index = 7}), who + "1 has more than 8 flits");
    EXPECT_EQ(refused({.source = 2, .head = false, .index = 7}), who + "2 has no head flit");
    open(3, 1);  // beside the packet of source 1
    EXPECT_EQ(refused({.source = 3, .index = 8}), who + "3 begins inside another one");
    EXPECT_EQ(refused({.source = 3, .head = false, .index = 8}),
              who + "3 holds a flit of another packet");
    EXPECT_EQ(refused({.source = 1, .index = 8}), who + "1 begins inside another one");
    step({.source = 3, .head = false, .index = 7});
    EXPECT_EQ(endpoint_.delivered.size(), 2U);
    EXPECT_EQ(endpoint_.delivered[1].source, 3);
  });
}

TEST_F(NicReceive, ResetForgetsWhatWaits) {
  simulation_.run([&] {
    step({.source = 1});
    step({.source = 2, .tail = false});
    step({.source = 3, .vc = kMp, .tail = false});
    const Packet* held = endpoint_.held[0][kDp];
    EXPECT_EQ(held->get_ref_count(), 1);
    nic_.reset();
    EXPECT_EQ(held->get_ref_count(), 0) << "it is the pool's again";
    endpoint_.held = {};
    endpoint_.delivered.clear();
    endpoint_.slow = false;
    EXPECT_TRUE(nic_.idle());
    EXPECT_TRUE(nic_.empty());
    EXPECT_EQ(rest(3), "...");
    EXPECT_EQ(step({.source = 3, .vc = kMp}), "M") << "a head, and no packet of source 3 is open";
    endpoint_.slow = true;
    EXPECT_EQ(step({.source = 2}), "D");
    endpoint_.take(0, kDp);
    EXPECT_TRUE(nic_.idle());
    EXPECT_EQ(rest(2), "..");
    EXPECT_EQ(sources(), (std::vector<int>{3, 2}));
  });
}

}  // namespace
}  // namespace fredsim::test

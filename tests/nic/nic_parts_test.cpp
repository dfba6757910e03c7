// SPDX-License-Identifier: Apache-2.0
// Parts of a NIC: its packet memory, its queues, its timers, its shape, and its checks of packets
// at the edges of every range.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "nic/detail/packet_check.h"
#include "nic/edge_timers.h"
#include "nic/nic_shape.h"
#include "nic/packet_pool.h"
#include "nic/ring_queue.h"
#include "switch/switch_kind.h"

namespace fredsim::test {
namespace {

// ---- packets' memory

TEST(PacketPool, NeverLendsAPacketTwiceAndTakesAllBack) {
  for (const int lanes : {1, 3, 256}) {
    const std::uint64_t seed = 40 + static_cast<std::uint64_t>(lanes);
    SCOPED_TRACE(fmt::format("{} lanes, seed {}", lanes, seed));
    Random random(seed);
    PacketPool pool(lanes);
    struct Lent {
      PooledPacket* packet;
      int flits;
      std::uint16_t mark;
    };
    std::vector<Lent> lent;
    std::set<PooledPacket*> all;
    std::size_t max = 0;
    for (int i = 0; i < 2000; ++i) {
      const bool grows = i / 500 % 2 == 0;
      if (lent.empty() || random.below(100) < (grows ? 65U : 35U)) {
        const int flits = 1 + static_cast<int>(random.below(kPacketFlits));
        PooledPacket& packet = pool.allocate(flits);
        all.insert(&packet);
        const auto bytes = static_cast<unsigned>(flits * lanes * 2);
        EXPECT_EQ(packet.get_ref_count(), 1);
        EXPECT_EQ(packet.get_data_length(), bytes);
        EXPECT_EQ(packet.get_streaming_width(), bytes);
        EXPECT_TRUE(packet.is_write());
        EXPECT_EQ(packet.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        EXPECT_EQ(packet.get_extension<PacketExtension>(), &packet.extension);
        EXPECT_EQ(packet.extension.flits, flits);
        EXPECT_EQ(std::ranges::count(lent, &packet, &Lent::packet), 0) << "it is lent already";
        lent.push_back({&packet, flits, static_cast<std::uint16_t>(i)});
        std::fill_n(lanes_of(packet), flits * lanes, lent.back().mark);
        max = std::max(max, lent.size());
      } else {
        const auto one = lent.begin() + static_cast<std::ptrdiff_t>(random.below(lent.size()));
        const std::uint16_t* const first = lanes_of(*one->packet);
        EXPECT_TRUE(std::all_of(first, first + one->flits * lanes, [&](std::uint16_t lane) {
          return lane == one->mark;
        })) << "another packet has the same memory";
        one->packet->set_response_status(tlm::TLM_OK_RESPONSE);
        one->packet->release();
        lent.erase(one);
      }
    }
    EXPECT_EQ(pool.allocated(), max) << "made only where none was free";
    EXPECT_EQ(all.size(), max);
  }
}

TEST(PacketPool, ReclaimsWhateverRefersToItsPackets) {
  PacketPool pool(2);
  std::array<PooledPacket*, 5> packets{};
  for (PooledPacket*& packet : packets) packet = &pool.allocate(1);
  packets[1]->acquire();
  packets[1]->acquire();
  packets[3]->release();
  pool.reclaim();
  for (const PooledPacket* packet : packets) EXPECT_EQ(packet->get_ref_count(), 0);
  std::set<PooledPacket*> again;
  for (std::size_t i = 0; i < packets.size(); ++i) again.insert(&pool.allocate(2));
  EXPECT_EQ(again, std::set<PooledPacket*>(packets.begin(), packets.end()));
  EXPECT_EQ(pool.allocated(), packets.size());
}

TEST(PacketExtension, IsCopiedWhole) {
  PacketExtension e;
  e.source = 1;
  e.destination = 2;
  e.stream = 3;
  e.index = 4;
  e.phase = 5;
  e.vc = kPp;
  e.port = 7;
  e.seq = 8;
  e.flits = 6;
  e.bytes = 2999;
  e.refusal = "why";
  PacketExtension copy;
  copy.copy_from(e);
  const std::unique_ptr<PacketExtension> clone(static_cast<PacketExtension*>(e.clone()));
  for (const PacketExtension* other : {&copy, clone.get()}) {
    EXPECT_EQ(
        std::tie(other->source, other->destination, other->stream, other->index, other->phase,
                 other->vc, other->port, other->seq, other->flits, other->bytes, other->refusal),
        std::tie(e.source, e.destination, e.stream, e.index, e.phase, e.vc, e.port, e.seq, e.flits,
                 e.bytes, e.refusal));
  }
}

// ---- queues and timers

TEST(RingQueue, IsAQueueOfAnyLength) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    RingQueue<int> queue;
    std::deque<int> want;
    std::size_t longest = 0;
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t percent = i / 300 % 2 == 0 ? 60 : 40;
      if (want.empty() || random.below(100) < percent) {
        queue.push(i);
        want.push_back(i);
      } else {
        ASSERT_EQ(queue.pop(), want.front());
        want.pop_front();
      }
      longest = std::max(longest, want.size());
      ASSERT_EQ(queue.size(), want.size());
      ASSERT_EQ(queue.empty(), want.empty());
      if (want.empty()) continue;
      ASSERT_EQ(queue.front(), want.front());
      const std::size_t at = random.below(want.size());
      ASSERT_EQ(queue.at(at), want[at]);
    }
    EXPECT_GT(longest, 40U);
  }
}

struct CallLog : EdgeTimers::Waiter {
  explicit CallLog(EdgeTimers& of) : timers(of) {}
  void time_has_come(int what) override {
    calls.emplace_back(timers.now(), what);
    if (what >= 1000)
      timers.call_at(timers.now() + static_cast<std::uint64_t>(what % 3), *this, what - 1000);
  }
  EdgeTimers& timers;
  std::vector<std::pair<std::uint64_t, int>> calls;
};

TEST(EdgeTimers, CallInTheOrderOfTheirTimesAndOfThoseWhoAsked) {
  EdgeTimers timers;
  CallLog log(timers);
  timers.call_at(7, log, 1);
  timers.call_at(5, log, 2);
  timers.call_at(7, log, 3);
  timers.call_at(5, log, 1004);  // asks for 2 edges later, at the time of earlier requests
  EXPECT_EQ(timers.edges_to_next(0), 5U);
  EXPECT_EQ(timers.edges_to_next(3), 2U);
  EXPECT_EQ(timers.edges_to_next(9), 0U) << "overdue";
  for (std::uint64_t edge = 0; edge < 12; ++edge) {
    timers.begin(edge);
    EXPECT_EQ(timers.now(), edge);
    timers.end(edge);
    EXPECT_EQ(timers.now(), edge + 1);
  }
  // 1004 % 3 = 2.
  EXPECT_EQ(log.calls, (std::vector<std::pair<std::uint64_t, int>>{
                           {5, 2}, {5, 1004}, {7, 1}, {7, 3}, {7, 4}}));
  EXPECT_EQ(timers.edges_to_next(12), std::numeric_limits<std::uint64_t>::max());
}

TEST(EdgeTimers, OfOneTimeCallInTheOrderInWhichTheyWereAsked) {
  EdgeTimers timers;
  CallLog log(timers);
  std::vector<std::pair<std::uint64_t, int>> want;
  for (int i = 0; i < 40; ++i) {
    timers.call_at(9, log, i);
    want.emplace_back(9, i);
  }
  timers.begin(9);
  EXPECT_EQ(log.calls, want);
}

TEST(EdgeTimers, OfNoDelayCallAtTheSameEdge) {
  EdgeTimers timers;
  CallLog log(timers);
  timers.call_at(3, log, 1002);  // 1002 % 3 = 0
  timers.begin(3);
  EXPECT_EQ(log.calls, (std::vector<std::pair<std::uint64_t, int>>{{3, 1002}, {3, 2}}));
}

// Edges that a run skips do not count: timers fire that much later.
TEST(EdgeTimers, DoNotCountEdgesThatArePassedOver) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    EdgeTimers timers, plain;
    CallLog log(timers), want(plain);
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t time = 1 + random.below(60);
      timers.call_at(time, log, i);
      plain.call_at(time, want, i);
    }
    std::uint64_t edge = 0;
    for (std::uint64_t counted = 0; counted < 62; ++counted, ++edge) {
      if (random.below(8) == 0) {
        const std::uint64_t passed = random.below(1000);
        timers.skip(passed);
        edge += passed;
      }
      EXPECT_EQ(timers.edges_to_next(edge), plain.edges_to_next(counted));
      timers.begin(edge);
      plain.begin(counted);
      timers.end(edge);
      plain.end(counted);
    }
    EXPECT_EQ(log.calls, want.calls);
    EXPECT_EQ(log.calls.size(), 30U);
    timers.call_at(99, log, 0);
    timers.reset();
    EXPECT_EQ(timers.now(), 0U);
    EXPECT_EQ(timers.edges_to_next(0), std::numeric_limits<std::uint64_t>::max());
  }
}

// ---- shapes

Node endpoint(std::uint16_t address, int ports) {
  Node node{};
  node.kind = NodeKind::kNpu;
  node.name = fmt::format("npu{}", address);
  node.ports = ports;
  node.address = address;
  return node;
}

Node switch_of(const std::string& kind, int ports) {
  Node node{};
  node.kind = NodeKind::kSwitch;
  node.name = kind;
  node.ports = ports;
  node.switch_kind = kind;
  node.values = {{"P", ports}};
  return node;
}

void join(Topology& topology, NodeId a, int a_port, NodeId b, int b_port) {
  for (const bool back : {false, true}) {
    Link link{};
    link.name = fmt::format("{}.{}-{}.{}", a, a_port, b, back);
    link.from = back ? b : a;
    link.from_port = back ? b_port : a_port;
    link.to = back ? a : b;
    link.to_port = back ? a_port : b_port;
    link.rate = {1, 1};
    topology.links.push_back(link);
  }
}

TEST(EndpointAddresses, AreToldInRanges) {
  const auto text = [](const std::vector<int>& addresses) {
    Topology topology;
    topology.nodes.push_back(switch_of("fred", 4));  // its address is none of an endpoint
    topology.nodes.back().address = 999;
    for (const int address : addresses)
      topology.nodes.push_back(endpoint(static_cast<std::uint16_t>(address), 1));
    const EndpointAddresses known(topology);
    for (int address = 0; address < 65536; address += address < 200 ? 1 : 997) {
      EXPECT_EQ(known.has(static_cast<std::uint16_t>(address)),
                std::ranges::count(addresses, address) > 0)
          << address;
    }
    EXPECT_FALSE(known.has(999));
    return known.text();
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({0}), "0");
  EXPECT_EQ(text({3, 1, 2}), "1 to 3");
  EXPECT_EQ(text({0, 1, 64, 65535}), "0 to 1, 64, 65535");
  EXPECT_EQ(text({0, 2, 4, 6, 8, 10, 12, 14}), "0, 2, 4, 6, 8, 10, 12, 14");
  EXPECT_EQ(text({0, 2, 4, 6, 8, 10, 12, 14, 16, 18}), "0, 2, 4, 6, 8, 10, 12, 14, …");
}

TEST(NicShape, IsThatOfItsMachineWithTheRowsOfTheSwitchAtEveryPort) {
  Topology topology;
  topology.buffers.receive_flits = 33;
  topology.packet_flits = 5;
  topology.vc_order = {kPp, kDp, kControl, kMp};
  topology.nodes = {endpoint(41, 4), switch_of("fred", 2), switch_of("voq_crossbar", 2),
                    endpoint(42, 1)};
  topology.npus = {0, 3};
  join(topology, 0, 0, 1, 0);
  join(topology, 0, 1, 2, 1);
  join(topology, 0, 3, 3, 0);  // the link of port 2 has failed
  topology.index_ports();
  const auto addresses = std::make_shared<const EndpointAddresses>(topology);
  const NicShape shape = nic_shape(topology, 0, 7, addresses);
  EXPECT_EQ(shape.ports, 4);
  EXPECT_EQ(shape.lanes, 7);
  EXPECT_EQ(shape.address, 41);
  EXPECT_EQ(shape.receive_flits, 33);
  EXPECT_EQ(shape.packet_flits, 5);
  EXPECT_EQ(shape.vc_order, topology.vc_order);
  EXPECT_EQ(shape.destinations, addresses);
  const SwitchKind& fred = switch_kind("fred");
  const int rows = fred.num_phases(fred.shape(std::vector<NamedValue>{{"P", 2}}));
  ASSERT_GT(rows, 0);
  EXPECT_EQ(shape.phases, (std::vector<int>{rows, 0, 0, 0}));
}

// ---- requirements on a packet

struct CheckedPacket {
  CheckedPacket() {
    packet.set_extension(&e);
    packet.set_command(tlm::TLM_WRITE_COMMAND);
    packet.set_data_ptr(reinterpret_cast<unsigned char*>(lanes.data()));
    fit(1);
  }
  ~CheckedPacket() { packet.clear_extension(&e); }
  CheckedPacket(const CheckedPacket&) = delete;
  CheckedPacket& operator=(const CheckedPacket&) = delete;
  void fit(int of_lanes) {
    const auto bytes = static_cast<unsigned>(std::max(0, e.flits) * of_lanes * 2);
    packet.set_data_length(bytes);
    packet.set_streaming_width(bytes);
  }
  PacketExtension e;
  Packet packet;
  std::array<std::uint16_t, 16> lanes{};
};

// Every field at and beside the ends of its range, at random: sent, or refused by the status that
// packet_extension.h gives.
TEST(PacketCheck, TakesWhatIsInAllRanges) {
  Topology topology;
  topology.nodes = {endpoint(3, 1), endpoint(9, 1)};
  const NicShape shape{.ports = 3,
                       .lanes = 2,
                       .packet_flits = 6,
                       .destinations = std::make_shared<const EndpointAddresses>(topology),
                       .phases = {0, 4, 255}};
  Random random(77);
  const auto one_of = [&](std::initializer_list<std::uint64_t> values) {
    return *(values.begin() + random.below(values.size()));
  };
  int sent = 0;
  std::map<int, int> refused;
  for (int i = 0; i < 40'000; ++i) {
    CheckedPacket p;
    // Most fields are in range, so that each one decides at times.
    const auto rarely = [&](std::uint64_t usual, std::initializer_list<std::uint64_t> others) {
      return random.below(4) != 0 ? usual : one_of(others);
    };
    p.e.port = static_cast<std::uint8_t>(rarely(random.below(3), {2, 3, 255}));
    p.e.vc = static_cast<std::uint8_t>(rarely(random.below(3), {3, 4, 255}));
    p.e.flits = static_cast<int>(rarely(1 + random.below(6), {0, 1, 6, 7, 8}));
    const std::uint64_t full = static_cast<std::uint64_t>(p.e.flits) * 512;
    p.e.bytes = rarely(full, {0, full - 1, full - 511, full - 512, full + 1});
    p.e.stream = static_cast<std::uint32_t>(rarely(0, {kMaxStreams - 1, kMaxStreams, ~0U}));
    p.e.phase = static_cast<std::uint8_t>(rarely(kPhaseOnline, {0, 3, 4, 254}));
    p.e.destination = static_cast<std::uint16_t>(rarely(9, {3, 4, 10, 65535}));
    p.fit(2);
    const bool reads = random.below(20) == 0, has_enables = random.below(20) == 0;
    if (reads) p.packet.set_command(tlm::TLM_READ_COMMAND);
    if (has_enables) p.packet.set_byte_enable_ptr(p.packet.get_data_ptr());
    const unsigned length = p.packet.get_data_length();
    const bool is_short = random.below(20) == 0, is_narrow = random.below(20) == 0;
    if (is_short) p.packet.set_data_length(length + 1);
    if (is_narrow) p.packet.set_streaming_width(length == 0 ? 0 : length - 1);
    const bool has_none = random.below(20) == 0;
    if (has_none) p.packet.set_data_ptr(nullptr);

    const bool port = p.e.port < 3, vc = p.e.vc < 4;
    const bool flits = p.e.flits >= 1 && p.e.flits <= (p.e.vc == kControl ? 1 : 6);
    const bool bytes =
        p.e.bytes == 0 || (p.e.bytes + 511) / 512 == static_cast<std::uint64_t>(p.e.flits);
    const bool extension = port && vc && flits && bytes && p.e.stream < (1U << 20);
    const bool online = p.e.phase == 255;
    const bool address = !online || p.e.destination == 3 || p.e.destination == 9;
    const int rows[] = {0, 4, 255};
    const bool phase = online || (port && p.e.phase < rows[p.e.port]);
    tlm::tlm_response_status want = tlm::TLM_OK_RESPONSE;
    if (reads) {
      want = tlm::TLM_COMMAND_ERROR_RESPONSE;
    } else if (has_enables) {
      want = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    } else if (!extension || !phase) {
      want = tlm::TLM_GENERIC_ERROR_RESPONSE;
    } else if (!address) {
      want = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    } else if (is_short || is_narrow) {
      want = tlm::TLM_BURST_ERROR_RESPONSE;
    } else if (has_none) {
      want = tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    const std::optional<Refusal> refusal = check_packet(p.packet, shape);
    ASSERT_EQ(refusal ? refusal->status : tlm::TLM_OK_RESPONSE, want)
        << "packet " << i << ", " << (refusal ? refusal->text : "sent");
    ++(want == tlm::TLM_OK_RESPONSE ? sent : refused[want]);
    if (refusal) {
      ASSERT_NE(refusal->text.find(": found "), std::string::npos) << refusal->text;
      ASSERT_NE(refusal->text.find("; allowed"), std::string::npos) << refusal->text;
    }
  }
  EXPECT_GT(sent, 2000);
  EXPECT_EQ(refused.size(), 5U) << "every status is met";
}

std::string refused_text(const NicShape& shape, const std::function<void(CheckedPacket&)>& change) {
  CheckedPacket p;
  p.e.flits = 1;
  p.fit(1);
  change(p);
  const std::optional<Refusal> refusal = check_packet(p.packet, shape);
  return refusal ? refusal->text : "sent";
}

TEST(PacketCheck, NamesTheRangesOfItsNic) {
  const auto port_2 = [](CheckedPacket& p) { p.e.port = 2; };
  EXPECT_EQ(refused_text({.ports = 1}, port_2), "port: found 2; allowed: NIC port 0");
  EXPECT_EQ(refused_text({.ports = 2}, port_2), "port: found 2; allowed: NIC port 0 to 1");
  EXPECT_EQ(refused_text({.ports = 3}, port_2), "sent");
  const auto flits_2 = [](CheckedPacket& p) { p.e.flits = 2; };
  EXPECT_EQ(refused_text({.packet_flits = 1}, flits_2), "flits: found 2; allowed on VC DP: 1");
  const auto phase_4 = [](CheckedPacket& p) { p.e.phase = 4; };
  EXPECT_EQ(
      refused_text({.phases = {4}}, phase_4),
      "phase: found 4; allowed: rows 0 to 3 of the switch's phase store, or 255 for a unicast");
  EXPECT_EQ(refused_text({.phases = {0}}, phase_4), "phase: found 4; allowed: 255 for a unicast");
  EXPECT_EQ(refused_text({}, phase_4), "sent") << "of a NIC that knows nothing of its switch";
  EXPECT_EQ(refused_text({.phases = {5}}, phase_4), "sent");
  const auto far = [](CheckedPacket& p) { p.e.destination = 60000; };
  EXPECT_EQ(refused_text({}, far), "sent") << "of a NIC that knows no addresses";
  EXPECT_EQ(refused_text({}, [](CheckedPacket& p) { p.e.bytes = 513; }),
            "bytes: found 513; allowed in 1 flits: 1 to 512, or 0 for all of them");
}

}  // namespace
}  // namespace fredsim::test

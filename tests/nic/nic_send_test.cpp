// SPDX-License-Identifier: Apache-2.0
// NIC as a sender against queues by port and virtual channel, written from nic.h and
// packet_extension.h: the flit that leaves at each edge, its contents, and the return of its
// packet.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "nic/nic.h"
#include "support/simulation.h"

namespace fredsim::test {
namespace {

constexpr std::uint16_t kAddress = 77;

struct NicSetting {
  int ports, lanes, queue_packets;
  VcOrder order;
};

struct SentPacket {
  std::uint32_t number = 0;
  FlitHeader header;  // without head and tail
  int flits = 0;
  std::vector<std::uint16_t> lanes;
};

// Offers packets; records returned packets.
struct PacketSource : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<PacketSource, 32, PacketProtocol> tx{"tx"};
  PacketSource(sc_core::sc_module_name name, int lanes) : sc_core::sc_module(name), pool(lanes) {
    tx.register_nb_transport_bw(this, &PacketSource::answer);
  }
  tlm::tlm_sync_enum answer(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    EXPECT_EQ(numbers.count(&packet), 1U);
    log.push_back(
        fmt::format("{}{}", phase == tlm::END_REQ ? "taken " : "left ", numbers[&packet]));
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    EXPECT_EQ(packet.get_response_status(), tlm::TLM_OK_RESPONSE);
    numbers.erase(&packet);
    packet.release();
    return tlm::TLM_COMPLETED;
  }
  PacketPool pool;
  std::map<Packet*, std::uint32_t> numbers;  // with the NIC
  std::vector<std::string> log;
};

// One port of the NIC.
class PortReference {
 public:
  PortReference(const NicSetting& setting) : setting_(setting) { credits_.fill(3); }
  bool is_full(int vc) const { return std::ssize(queues_[vc]) >= setting_.queue_packets; }
  bool has_request(int vc) const { return requests_[vc].has_value(); }
  void offer(int vc, SentPacket packet) {
    if (is_full(vc)) {
      requests_[vc] = std::move(packet);
    } else {
      queues_[vc].push_back(std::move(packet));
    }
  }
  void give_credit(int vc) { ++credits_[vc]; }
  struct Launched {
    FlitHeader header;
    std::vector<std::uint16_t> lanes;
  };
  std::optional<Launched> launch(std::vector<std::string>& log) {
    std::optional<int> choice;
    for (const bool needs_open : {true, false})
      for (const int vc : setting_.order)
        if (!choice && !queues_[vc].empty() && credits_[vc] > 0 && (!needs_open || is_open(vc)))
          choice = vc;
    if (!choice) return std::nullopt;
    const int vc = *choice;
    SentPacket& packet = queues_[vc].front();
    Launched flit{.header = packet.header, .lanes = {}};
    flit.header.head = sent_[vc] == 0;
    flit.header.tail = sent_[vc] + 1 == packet.flits;
    const auto first = packet.lanes.begin() + sent_[vc] * setting_.lanes;
    flit.lanes.assign(first, first + setting_.lanes);
    --credits_[vc];
    if (++sent_[vc] < packet.flits) return flit;
    sent_[vc] = 0;
    log.push_back(fmt::format("left {}", packet.number));
    queues_[vc].pop_front();
    if (requests_[vc]) {
      log.push_back(fmt::format("taken {}", requests_[vc]->number));
      queues_[vc].push_back(*std::exchange(requests_[vc], std::nullopt));
    }
    return flit;
  }
  bool is_empty() const {
    return std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
  }

 private:
  bool is_open(
      int vc) const {  // a packet of a phase, of which a flit has left and the tail has not
    return sent_[vc] > 0 && queues_[vc].front().header.phase != kPhaseOnline;
  }

  NicSetting setting_;
  std::array<int, kNumVcs> credits_{}, sent_{};
  std::array<std::deque<SentPacket>, kNumVcs> queues_;
  std::array<std::optional<SentPacket>, kNumVcs> requests_;
};

class SendBench {
 public:
  SendBench(const NicSetting& setting, std::uint64_t seed)
      : setting_(setting),
        random_(seed),
        nic_("nic", NicShape{.ports = setting.ports,
                             .lanes = setting.lanes,
                             .address = kAddress,
                             .vc_order = setting.order,
                             .queue_packets = setting.queue_packets}),
        source_("source", setting.lanes),
        pins_(setting.ports, setting.lanes),
        ports_(static_cast<std::size_t>(setting.ports), PortReference(setting)),
        owed_(ports_.size()) {
    source_.tx.bind(nic_.tx);
    nic_.reset();
    for (int port = 0; port < setting.ports; ++port)
      for (int vc = 0; vc < kNumVcs; ++vc) nic_.set_credits(port, vc, 3);
  }

  void run(int edges, std::uint64_t busy, std::uint64_t ready, std::uint64_t credit) {
    simulation_.run([&] {
      for (int i = 0; i < edges && !testing::Test::HasFatalFailure(); ++i)
        edge(busy, ready, credit);
      for (int i = 0; i < 1000 && !testing::Test::HasFatalFailure(); ++i) edge(0, 100, 100);
    });
    EXPECT_TRUE(nic_.idle());
    EXPECT_TRUE(nic_.empty());
    EXPECT_TRUE(source_.numbers.empty()) << "packets that the NIC has kept";
    EXPECT_LE(source_.pool.allocated(),
              static_cast<std::size_t>(setting_.ports * kNumVcs * (setting_.queue_packets + 1)));
    EXPECT_GT(next_, static_cast<std::uint32_t>(edges / 10));
  }

 private:
  void offer(int port, int vc) {
    const int flits = vc == kControl ? 1 : 1 + static_cast<int>(random_.below(kPacketFlits));
    PooledPacket& packet = source_.pool.allocate(flits);
    PacketExtension& e = packet.extension;
    e = {};
    e.destination = static_cast<std::uint16_t>(random_.next());
    e.stream = static_cast<std::uint32_t>(random_.below(kMaxStreams));
    e.index = static_cast<std::uint32_t>(random_.next());
    e.phase = random_.below(2) == 0 ? kPhaseOnline : static_cast<std::uint8_t>(random_.below(255));
    e.vc = static_cast<std::uint8_t>(vc);
    e.port = static_cast<std::uint8_t>(port);
    e.seq = static_cast<std::uint8_t>(random_.below(64));
    e.flits = flits;
    const auto all = static_cast<std::uint64_t>(flits) * kFlitBytes;
    const std::uint64_t bytes[] = {0, all, all - 1 - random_.below(kFlitBytes - 1)};
    e.bytes = bytes[random_.below(3)];
    SentPacket sent{.number = next_++, .header = {}, .flits = flits, .lanes = {}};
    // Stream, short of payload or not, index modulo 2^11.
    sent.header = {.tag = e.stream << 12 | (e.bytes % 512 != 0 ? 1U << 11 : 0) | e.index % 2048,
                   .dst = e.destination,
                   .src = kAddress,
                   .phase = e.phase,
                   .vc = e.vc,
                   .seq = e.seq};
    for (int l = 0; l < flits * setting_.lanes; ++l) {
      sent.lanes.push_back(static_cast<std::uint16_t>(random_.next()));
      lanes_of(packet)[l] = sent.lanes.back();
    }
    source_.numbers[&packet] = sent.number;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = source_.tx->nb_transport_fw(packet, phase, delay);
    ASSERT_EQ(answer, ports_[port].is_full(vc) ? tlm::TLM_ACCEPTED : tlm::TLM_UPDATED);
    if (answer == tlm::TLM_UPDATED) {
      ASSERT_EQ(phase, tlm::END_REQ);
    }
    ports_[port].offer(vc, std::move(sent));
  }

  void edge(std::uint64_t busy, std::uint64_t ready, std::uint64_t credit) {
    for (int port = 0; port < setting_.ports; ++port) {
      if (random_.below(100) >= busy) continue;
      const int vc = static_cast<int>(random_.below(kNumVcs));
      if (!ports_[port].has_request(vc)) offer(port, vc);
      if (testing::Test::HasFatalFailure()) return;
    }
    pins_.out_ready = 0;
    pins_.out_credit = {};
    std::vector<std::string> log;
    std::map<int, std::optional<PortReference::Launched>> want;
    for (int port = 0; port < setting_.ports; ++port) {
      for (int vc = 0; vc < kNumVcs; ++vc) {
        if (owed_[port][vc] == 0 || random_.below(100) >= credit) continue;
        --owed_[port][vc];
        pins_.out_credit[vc] |= 1U << port;
        ports_[port].give_credit(vc);
      }
      if (random_.below(100) >= ready) continue;
      pins_.out_ready |= 1U << port;
      want[port] = ports_[port].launch(log);
    }
    std::ranges::fill(pins_.out_flit, ~0U);  // earlier pins are not used
    nic_.step(pins_);
    for (int port = 0; port < setting_.ports; ++port) {
      const auto& flit = want[port];
      ASSERT_EQ(pins_.out_valid >> port & 1U, flit ? 1U : 0U) << "port " << port;
      if (!flit) continue;
      const std::uint32_t* words = &pins_.out_flit[port * flit_words(setting_.lanes)];
      ASSERT_EQ(unpack_header(words), flit->header) << "port " << port;
      for (int l = 0; l < setting_.lanes; ++l) ASSERT_EQ(get_lane(words, l), flit->lanes[l]);
      if (setting_.lanes % 2 != 0) {
        ASSERT_EQ(get_lane(words, setting_.lanes), 0) << "half of the last word is free";
      }
      ++owed_[port][flit->header.vc];
    }
    // Ports are independent of each other: the order of their calls is immaterial.
    std::ranges::sort(log);
    std::ranges::sort(source_.log);
    ASSERT_EQ(source_.log, log);
    source_.log.clear();
    ASSERT_EQ(nic_.idle(), std::ranges::all_of(ports_, &PortReference::is_empty));
  }

  NicSetting setting_;
  Random random_;
  Simulation simulation_;
  Nic nic_;
  PacketSource source_;
  SwitchPins pins_;
  std::vector<PortReference> ports_;
  std::vector<std::array<int, kNumVcs>> owed_;  // credits
  std::uint32_t next_ = 0;
};

TEST(NicSend, FollowsItsReference) {
  std::uint64_t seed = 0;
  for (const NicSetting& setting : {NicSetting{1, 1, 2, kDefaultVcOrder},
                                    {4, 3, 2, kDefaultVcOrder},
                                    {2, 2, 1, {kPp, kDp, kControl, kMp}},
                                    {32, 1, 3, {kDp, kMp, kPp, kControl}}}) {
    for (const auto& [busy, ready, credit] :
         {std::tuple(100, 100, 100), {100, 60, 100}, {90, 100, 20}, {20, 90, 60}}) {
      SCOPED_TRACE(fmt::format("{} ports, busy {} %, ready {} %, credits {} %, seed {}",
                               setting.ports, busy, ready, credit, ++seed));
      SendBench(setting, seed).run(2000 / setting.ports + 100, busy, ready, credit);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(NicSend, ResetGivesPacketsBackAndForgetsThem) {
  Simulation simulation;
  Nic nic("nic", NicShape{.ports = 1, .lanes = 1, .address = kAddress});
  PacketSource source("source", 1);
  source.tx.bind(nic.tx);
  nic.reset();
  nic.set_credits(0, kDp, 100);
  SwitchPins pins(1, 1);
  pins.out_ready = 1;
  simulation.run([&] {
    for (int round = 0; round < 3; ++round) {
      std::array<PooledPacket*, 3> packets{};  // two are queued, one asks
      for (PooledPacket*& packet : packets) {
        packet = &source.pool.allocate(4);
        packet->extension = {};
        packet->extension.flits = 4;
        packet->extension.phase = 9;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        source.tx->nb_transport_fw(*packet, phase, delay);
        EXPECT_EQ(packet->get_ref_count(), 2);
      }
      nic.step(pins);
      EXPECT_EQ(pins.out_valid, 1U);
      nic.reset();
      EXPECT_TRUE(nic.idle());
      for (PooledPacket* packet : packets) {
        EXPECT_EQ(packet->get_ref_count(), 1);
        packet->release();
      }
      nic.step(pins);
      EXPECT_EQ(pins.out_valid, 0U);
    }
  });
  EXPECT_EQ(source.pool.allocated(), 3U);
  EXPECT_TRUE(source.log.empty()) << "nobody is told";
}

// A deadlock report: ranks that wait, and their reasons.
TEST(NicSend, DescribesWhatWaits) {
  Simulation simulation;
  Nic nic("npu3", NicShape{.ports = 2, .lanes = 1});
  PacketSource source("source", 1);
  source.tx.bind(nic.tx);
  nic.reset();
  nic.set_credits(1, kMp, 1);
  const auto lines = [&] {
    std::vector<std::string> all;
    nic.describe_waiting({"l1_0.s0", "l1_0.s1"}, all);
    return all;
  };
  simulation.run([&] {
    EXPECT_TRUE(lines().empty());
    const auto send = [&](int port, int vc) {
      PooledPacket& packet = source.pool.allocate(1);
      packet.extension = {};
      packet.extension.flits = 1;
      packet.extension.port = static_cast<std::uint8_t>(port);
      packet.extension.vc = static_cast<std::uint8_t>(vc);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay;
      source.tx->nb_transport_fw(packet, phase, delay);
    };
    send(0, kDp);
    send(0, kDp);
    send(1, kMp);
    SwitchPins pins(2, 1);
    std::array<std::uint32_t, 4> flit{};
    pack_header({.src = 12, .vc = kPp, .head = true}, &pins.in_flit[flit.size()]);
    pins.in_valid = 0b10;
    nic.step(pins);
    EXPECT_EQ(lines(), (std::vector<std::string>{
                           "npu3 port 0 VC DP: 2 packets to send, no credit from l1_0.s0",
                           "npu3 port 1 VC MP: 1 packets to send, ready, the link is not",
                           "npu3 port 1 VC PP: a packet from address 12 is incomplete"}));
  });
}

}  // namespace
}  // namespace fredsim::test

// SPDX-License-Identifier: Apache-2.0
// Traces of Netrace, made by a writer of the tests: what the reader finds, refuses and skips, and
// replays whose cycles are counted by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "fabric/point_text.h"
#include "support/netrace_writer.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"
#include "traffic/netrace_run.h"

namespace fredsim::test {
namespace {

class Trace {
 public:
  explicit Trace(const std::string& bytes) : path_(folder_.file("t.tra.bz2")) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

// Three packets one after the other over four nodes, and one of a node to itself.
NetraceWriter chain() {
  NetraceWriter writer(4);
  writer.begin_region();
  writer.add({.cycle = 10, .id = 1, .source = 0, .destination = 1, .dependents = {2, 4}});
  writer.add({.cycle = 12, .id = 2, .source = 1, .destination = 0, .dependents = {5}, .type = 2});
  writer.begin_region();
  writer.add({.cycle = 20, .id = 4, .source = 1, .destination = 1, .dependents = {5}});
  writer.add({.cycle = 21, .id = 5, .source = 0, .destination = 1, .dependents = {9}});
  return writer;
}

TEST(NetraceFile, ReadsWhatIsWrittenPlainAndCompressed) {
  const std::string text = chain().text();
  for (const std::string& bytes : {text, bzip2_of(text)}) {
    const Trace trace(bytes);
    const NetraceFacts facts = check_netrace(trace.path(), {});
    EXPECT_EQ(facts.header.benchmark, "synthetic");
    EXPECT_EQ(facts.header.notes, "a test");
    EXPECT_EQ(facts.header.nodes, 4);
    EXPECT_EQ(facts.header.regions.size(), 2U);
    EXPECT_EQ(facts.packets, 4U);
    EXPECT_EQ(facts.local, 1U);
    EXPECT_EQ(facts.dependencies, 5U);
    EXPECT_EQ(facts.outside, 1U);
    EXPECT_EQ(facts.cycles(), 12U);
    EXPECT_EQ(facts.sent, (std::vector<std::uint64_t>{2, 1, 0, 0}));
    EXPECT_EQ(facts.flits(512), 3U);
    EXPECT_EQ(facts.flits(16), 1 + 5 + 1U);
    NetraceFile file(trace.path(), 1);
    EXPECT_EQ(file.next()->id, 4U);
    EXPECT_EQ(file.next()->dependents, (std::vector<std::uint32_t>{9}));
    EXPECT_FALSE(file.next());
  }
}

TEST(NetraceFile, MayHaveSeveralStreams) {
  const std::string text = chain().text();
  const Trace trace(bzip2_of(text.substr(0, 90)) + bzip2_of(text.substr(90)));
  EXPECT_EQ(check_netrace(trace.path(), {}).packets, 4U);
}

std::string refusal_of(const std::string& bytes, std::optional<int> region = {}) {
  const Trace trace(bytes);
  const std::string message = message_of<BadInput>([&] { check_netrace(trace.path(), region); });
  const std::size_t at = message.find("found");
  return at == std::string::npos ? message : message.substr(at);
}

TEST(NetraceFile, RefusesWhatIsNoTrace) {
  const std::string text = chain().text();
  EXPECT_EQ(refusal_of("a text, but not a trace of packets"),
            "found a file that begins with 0x65742061; allowed: a trace of Netrace, which begins "
            "with 0x484a5455");
  EXPECT_EQ(refusal_of(""), "found 0 bytes; allowed: a header of 72 bytes");
  EXPECT_EQ(refusal_of(text.substr(0, 40)), "found 40 bytes; allowed: a header of 72 bytes");
  EXPECT_EQ(refusal_of(text.substr(0, 75)),
            "found a file that is cut within its header; allowed: a whole file");
  std::string version = text;
  version[6] = '\x00';
  EXPECT_NE(refusal_of(version).find("found version"), std::string::npos);
  const std::string packed = bzip2_of(text);
  EXPECT_NE(refusal_of(packed.substr(0, packed.size() - 5)).find("a file that is cut"),
            std::string::npos);
  std::string damaged = packed;
  damaged[packed.size() / 2] ^= 0x10;
  EXPECT_NE(refusal_of(damaged).find("damaged bzip2 data"), std::string::npos);
  EXPECT_NE(
      message_of<BadInput>([] { check_netrace("no/such.tra.bz2", {}); }).find("found No such file"),
      std::string::npos);
}

TEST(NetraceFile, RefusesPacketsThatAreCutOrDoNotMatchTheHeader) {
  const std::string text = chain().text();
  EXPECT_EQ(refusal_of(text.substr(0, text.size() - 3)),
            "found a file that is cut within packet 3; allowed: a whole file");
  EXPECT_EQ(refusal_of(text.substr(0, text.size() - 25)),
            "found 3 packets; allowed: 4, as the header says");
  EXPECT_EQ(refusal_of(text + std::string(21, '\0')),
            "found more packets than the header says; allowed: 4");
}

std::string refusal_of_packets(const std::vector<WrittenPacket>& packets) {
  NetraceWriter writer(4);
  for (const WrittenPacket& packet : packets) writer.add(packet);
  return refusal_of(writer.text());
}

TEST(NetraceFile, NamesThePacketThatIsWrong) {
  const WrittenPacket first{.cycle = 5, .id = 3, .source = 0, .destination = 1};
  EXPECT_EQ(refusal_of_packets({{.id = 1, .source = 4, .destination = 1}}),
            "found node 4 in packet 0 (id 1); allowed: 0 to 3");
  EXPECT_EQ(refusal_of_packets({first, {.cycle = 4, .id = 4, .source = 0, .destination = 1}}),
            "found cycle 4 in packet 1 (id 4), behind cycle 5; allowed: packets in order of cycle");
  EXPECT_EQ(refusal_of_packets({first, {.cycle = 6, .id = 3, .source = 0, .destination = 1}}),
            "found packet 1 (id 3) behind id 3; allowed: ids that ascend");
  EXPECT_EQ(
      refusal_of_packets({{.id = 3, .source = 0, .destination = 1, .dependents = {4, 3}}}),
      "found packet 0 (id 3), on which id 3 depends; allowed: dependents that are later, since "
      "others make circles");
  EXPECT_EQ(refusal_of_packets({{.id = 3, .source = 0, .destination = 1, .type = 7}}),
            "found type 7 in packet 0 (id 3); allowed: types of Netrace that have a size");
  EXPECT_EQ(refusal_of_packets({{.id = 3, .source = 1, .destination = 1}}),
            "found 1 packets, none from one node to another; allowed: a trace with packets for a "
            "network");
  const Trace trace(chain().text());
  EXPECT_EQ(message_of<BadInput>([&] { check_netrace(trace.path(), 2); }),
            "--netrace-region: found '2'; allowed: 0 to 1");
}

Topology mesh_of_four() { return load_config("configs/mesh_2x2.yaml").topology; }

TrafficPoint replay(const Topology& topology, const NetraceOptions& netrace,
                    const FabricOptions& fabric = {}, bool always_step = false) {
  NetraceRun run(topology, {}, netrace, factory_for(fabric));
  run.core().set_always_step(always_step);
  return run.measure(run.offered());
}

// A packet of one flit over one hop of the mesh takes 43 cycles (TrafficLatency).
constexpr std::uint64_t kHop = 43;

// The trace begins at its first packet. The second waits for the first, and can leave at the edge
// after its arrival; the fourth waits for it and for the local one, which is there long before.
TEST(NetraceRun, WaitsForCyclesAndDependencies) {
  const Trace trace(chain().text());
  const TrafficPoint p = replay(mesh_of_four(), {.file = trace.path()});
  EXPECT_EQ(p.packets, 3U);
  EXPECT_EQ(p.arrived, 3U);
  EXPECT_EQ(p.latency_max, kHop);
  EXPECT_DOUBLE_EQ(p.latency_mean, kHop);
  EXPECT_EQ(p.cycles, 3 * (kHop + 1));
  EXPECT_DOUBLE_EQ(p.hops, 1);
  // Flits of 16 bytes: the second packet has five.
  EXPECT_EQ(replay(mesh_of_four(), {.file = trace.path(), .flit_bytes = 16}).cycles,
            3 * (kHop + 1) + 4);
}

TEST(NetraceRun, WithoutDependenciesKeepsToTheTrace) {
  NetraceWriter writer(4);
  for (std::uint32_t i = 0; i < 5; ++i)
    writer.add({.cycle = 100 + 1000 * i, .id = i, .source = 0, .destination = 1});
  const Trace trace(bzip2_of(writer.text()));
  const TrafficPoint p = replay(mesh_of_four(), {.file = trace.path()});
  EXPECT_EQ(p.cycles, 4000 + kHop + 1);
  EXPECT_EQ(p.latency_max, kHop);
}

// Gaps between packets may be longer than the watchdog of a fabric that stands still.
TEST(NetraceRun, WaitsLongerThanTheWatchdog) {
  NetraceWriter writer(4);
  writer.add({.cycle = 0, .id = 0, .source = 0, .destination = 1});
  writer.add({.cycle = 90'000, .id = 1, .source = 0, .destination = 1});
  const Trace trace(writer.text());
  EXPECT_EQ(replay(mesh_of_four(), {.file = trace.path()}).cycles, 90'000 + kHop + 1);
}

// A chain over all packets, in a region of which only the last two are read.
TEST(NetraceRun, ReplaysARegionWithItsOwnDependencies) {
  const Trace trace(chain().text());
  const TrafficPoint p = replay(mesh_of_four(), {.file = trace.path(), .region = 1});
  EXPECT_EQ(p.packets, 1U);
  EXPECT_EQ(p.cycles, 1 + kHop + 1);
}

std::string random_trace(std::uint64_t seed) {
  Random random(seed);
  NetraceWriter writer(4);
  std::uint64_t cycle = random.below(50);
  constexpr std::uint32_t kPackets = 300;
  for (std::uint32_t id = 0; id < kPackets; ++id) {
    WrittenPacket packet{.cycle = cycle, .id = id};
    packet.source = static_cast<int>(random.below(4));
    packet.destination = static_cast<int>(random.below(4));
    packet.type = random.below(2) == 0 ? 1 : 2;
    for (std::uint64_t count = random.below(4); count > 0; --count)
      packet.dependents.push_back(id + 1 + static_cast<std::uint32_t>(random.below(20)));
    writer.add(packet);
    cycle += random.below(8);
  }
  return writer.text();
}

TEST(NetraceRun, GivesTheSameHoweverItIsRun) {
  for (const char* const machine : {"mesh_2x2", "fred_small"}) {
    const Topology topology = load_config(fmt::format("configs/{}.yaml", machine)).topology;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", machine, seed));
      const Trace trace(random_trace(seed));
      const NetraceOptions netrace{.file = trace.path(), .flit_bytes = 16};
      const TrafficPoint point = replay(topology, netrace);
      const std::string expected = text_of(point);
      EXPECT_EQ(point.arrived, point.packets);
      EXPECT_EQ(text_of(replay(topology, netrace, {}, true)), expected);
      EXPECT_EQ(text_of(replay(topology, netrace, {.model = SwitchModel::kLockstep})), expected);
      NetraceRun run(topology, {}, netrace, factory_for({}));
      run.break_down({.is_on = true});
      EXPECT_EQ(text_of(run.measure(run.offered())), expected);
      EXPECT_EQ(text_of(run.measure(run.offered())), expected) << "a second time";
    }
  }
}

TEST(NetraceRun, RefusesAMachineWithFewerNpusThanNodes) {
  NetraceWriter writer(5);
  writer.add({.cycle = 0, .id = 0, .source = 0, .destination = 4});
  const Trace trace(writer.text());
  const std::string message =
      message_of<BadInput>([&] { replay(mesh_of_four(), {.file = trace.path()}); });
  EXPECT_NE(message.find("found a trace of 5 nodes; allowed on mesh_2x2: 4 at most, its NPUs"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace fredsim::test

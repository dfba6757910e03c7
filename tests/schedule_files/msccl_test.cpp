// SPDX-License-Identifier: Apache-2.0
// MSCCL's XML: flows of algorithms that are right, and the message of every kind of fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "refusal.h"
#include "support/schedule_texts.h"

namespace fredsim::test {
namespace {

using testing::HasSubstr;

constexpr int kRingRanks = 4;

TEST(Msccl, RingHasAFlowPerChunk) {
  const CollectiveSchedule ring = schedule_of("ring.xml", msccl_ring(kRingRanks));
  EXPECT_EQ(ring.format, "msccl_xml");
  EXPECT_EQ(ring.ranks, kRingRanks);
  ASSERT_EQ(ring.flows.size(), kRingRanks);
  EXPECT_TRUE(ring.notes.empty());
  for (const ScheduleFlow& flow : ring.flows) {
    const auto chunk = static_cast<int>(flow.begin);
    ASSERT_EQ(flow.sums.size(), kRingRanks - 1);
    ASSERT_EQ(flow.results.size(), kRingRanks - 1);
    const int root = (chunk + kRingRanks - 1) % kRingRanks;
    EXPECT_EQ(flow.sums.front().to, root);
    EXPECT_EQ(flow.results.front(), (ScheduleHop{root, (root + 1) % kRingRanks}));
  }
}

TEST(Msccl, TreesAndHalvingAreComplete) {
  for (const std::string& text : {msccl_halving_doubling(8), msccl_trees(8), msccl_trees(5)}) {
    const CollectiveSchedule schedule = schedule_of("x.xml", text);
    EXPECT_EQ(std::ssize(schedule.flows), schedule.ranks);
    for (const ScheduleFlow& flow : schedule.flows) {
      EXPECT_EQ(std::ssize(flow.sums), schedule.ranks - 1);
      EXPECT_EQ(std::ssize(flow.results), schedule.ranks - 1);
    }
  }
}

// Every rank adds by itself.
TEST(Msccl, SumsOfOperandsAtEveryRank) {
  MscclText text(3, 1);
  for (int rank = 0; rank < 3; ++rank)
    for (int other = 0; other < 3; ++other)
      if (other != rank) text.step(rank, other, -1, "s", 0);
  for (int rank = 0; rank < 3; ++rank)
    for (int other = 0; other < 3; ++other)
      if (other != rank) {
        // Not before both sends.
        text.step(rank, -1, other, "nop", 0, {0, 0});
        text.step(rank, -1, other, "nop", 0, {1, 0});
        text.step(rank, -1, other, "rrc", 0);
      }
  const CollectiveSchedule schedule = schedule_of("x.xml", text.text());
  ASSERT_EQ(schedule.flows.size(), 1U);
  ASSERT_EQ(schedule.flows.front().operands.size(), 3U);
  for (const auto& hops : schedule.flows.front().operands) EXPECT_EQ(hops.size(), 2U);
}

TEST(Msccl, NamesRankAndChunkThatAreMissing) {
  const std::string last = "type=\"r\" srcbuf=\"i\" srcoff=\"2\"";
  const std::string ring = msccl_ring(kRingRanks);
  ASSERT_THAT(ring, HasSubstr(last));
  EXPECT_THAT(refusal_of("ring.xml", replaced(ring, "type=\"rrc\"", "type=\"r\"")),
              testing::StartsWith("ring.xml: at the end, chunk"));
  EXPECT_THAT(refusal_of("ring.xml", replaced(ring, "type=\"rrc\"", "type=\"r\"")),
              HasSubstr("lacks chunk 3 of rank 0"));
}

TEST(Msccl, NamesWhatIsThereTwice) {
  MscclText text(2, 1);
  text.step(0, 1, 1, "s", 0);
  text.step(0, 1, 1, "rrc", 0);
  text.step(1, 0, 0, "s", 0);
  text.step(1, 0, 0, "rrc", 0);
  text.step(1, 0, 0, "s", 0);
  text.step(0, 1, 1, "rrc", 0);
  EXPECT_EQ(refusal_of("x.xml", text.text()),
            "x.xml: at the end, chunk 0 of the output of rank 0: it has chunk 0 of rank 0 twice");
}

TEST(Msccl, NamesACircleOfWaits) {
  MscclText text(2, 1);
  text.step(0, 1, 1, "rrc", 0);
  text.step(0, 1, 1, "s", 0);
  text.step(1, 0, 0, "rrc", 0);
  text.step(1, 0, 0, "s", 0);
  EXPECT_EQ(refusal_of("x.xml", text.text()),
            "x.xml: a circle of waits: gpu 0, tb 0, step 0, which waits for gpu 1, tb 0, step 0, "
            "which waits for gpu 0, tb 0, step 0");
}

TEST(Msccl, NamesWaitsWithoutAnEnd) {
  MscclText text(2, 1);
  text.step(0, 1, 1, "rrc", 0);
  text.step(1, 0, 0, "nop", 0);
  EXPECT_EQ(refusal_of("x.xml", text.text()),
            "x.xml: gpu 0, tb 0, step 0 waits for chunks of rank 1 on channel 0, which sends no "
            "more");
}

TEST(Msccl, FindsSumsThatRace) {
  // The second thread block of rank 1 sends what the first one has added, without waiting for it.
  MscclText text(2, 1);
  text.step(0, 1, 1, "s", 0);
  text.step(1, -1, 0, "rrc", 0);
  text.step(1, 0, -1, "s", 0);
  text.step(0, 1, 1, "r", 0);
  EXPECT_THAT(refusal_of("x.xml", text.text()),
              HasSubstr("if thread blocks run in the opposite order"));
}

TEST(Msccl, NamesCountsThatDiffer) {
  const std::string text = replaced(msccl_ring(kRingRanks), "cnt=\"1\"", "cnt=\"2\"");
  EXPECT_EQ(refusal_of("ring.xml", text),
            "ring.xml: gpu 1, tb 0, step 1: receives 1 chunks of rank 0, which sends 2");
}

TEST(Msccl, RefusesSumsThatNoFlowHas) {
  MscclText text(4, 1);  // recursive doubling of whole vectors
  for (int rank = 0; rank < 4; ++rank) {
    std::pair<int, int> last{-1, -1};
    for (const int bit : {1, 2}) {
      last = text.step(rank, rank ^ bit, rank ^ bit, "s", 0, last);
      last = text.step(rank, rank ^ bit, rank ^ bit, "rrc", 0, last);
    }
  }
  EXPECT_THAT(refusal_of("x.xml", text.text()), HasSubstr("chunk 0 of 1: rank 0 adds partial"));
}

TEST(Msccl, ReadsNoEntities) {
  const std::string ring = msccl_ring(kRingRanks);
  EXPECT_EQ(refusal_of("x.xml", "<!DOCTYPE a [<!ENTITY e SYSTEM \"/etc/passwd\">]>" + ring),
            "x.xml: found a document type; allowed: none, since its entities are never read");
}

TEST(Msccl, NamesLineFoundAndAllowed) {
  const std::string ring = msccl_ring(kRingRanks);
  EXPECT_THAT(refusal_of("x.xml", ring.substr(0, ring.size() / 2)), HasSubstr("not XML"));
  EXPECT_EQ(refusal_of("x.xml", replaced(ring, "type=\"rrc\"", "type=\"rrd\"")),
            "x.xml:5: type of <step>: found 'rrd'; allowed: s, r, rcs, rrs, rrc, rrcs, cpy, re or "
            "nop");
  EXPECT_EQ(refusal_of("x.xml", replaced(ring, "ngpus=\"4\"", "ngpus=\"5\"")),
            "x.xml: found no <gpu> of rank 4; allowed: ranks 0 to 4");
  EXPECT_EQ(refusal_of("x.xml", replaced(ring, "send=\"1\"", "send=\"-1\"")),
            "x.xml:3: send of <tb>: found -1, of a thread block with steps of type s; allowed: "
            "another rank");
  EXPECT_EQ(refusal_of("x.xml", replaced(ring, "coll=\"allreduce\"", "coll=\"custom\"")),
            "x.xml:1: coll of <algo>: found 'custom'; allowed: all_reduce, reduce_scatter, "
            "all_gather, reduce, broadcast, gather, scatter, all_to_all, multicast or unicast");
  EXPECT_THAT(
      refusal_of("x.xml", replaced(ring, "depid=\"-1\" deps=\"-1\"", "depid=\"3\" deps=\"0\"")),
      HasSubstr("gpu 0, tb 0, step 0: found depid 3, deps 0"));
}

}  // namespace
}  // namespace fredsim::test

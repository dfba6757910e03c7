// SPDX-License-Identifier: Apache-2.0
// Protocol between processes of a run: values reach all, differences are detected, and every end is
// common.
#include "ranks/ranks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "base/random.h"
#include "support/local_ranks.h"

namespace fredsim::test {
namespace {

using Purpose = Ranks::Purpose;

void expect_all_done(const std::vector<RankOutcome>& outcomes) {
  for (const RankOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.end.code, ExitCode::kDone);
  }
}

// All ranks end with this code, and know whose text it is.
void expect_all_end(const std::vector<RankOutcome>& outcomes, ExitCode code, int rank,
                    const std::string& text) {
  for (const RankOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.end.code, code);
    EXPECT_EQ(outcome.end.rank, rank);
    EXPECT_EQ(outcome.end.text, text);
  }
}

TEST(RankMessages, AreReadAsTheyWereWritten) {
  RankMessage message;
  message.put(std::uint64_t{7});
  message.put_all(std::vector<std::uint16_t>{1, 2, 3});
  message.put_text("flits");
  message.put_all(std::vector<int>{});
  EXPECT_EQ(message.get<std::uint64_t>(), 7U);
  EXPECT_EQ(message.get_all<std::uint16_t>(), (std::vector<std::uint16_t>{1, 2, 3}));
  EXPECT_EQ(message.get_text(), "flits");
  EXPECT_FALSE(message.is_read());
  EXPECT_TRUE(message.get_all<int>().empty());
  EXPECT_TRUE(message.is_read());
  EXPECT_THROW(message.get<char>(), std::logic_error);
}

TEST(Ranks, TellEachOtherValues) {
  for (const int size : {2, 3, 5}) {
    SCOPED_TRACE(size);
    const auto outcomes = run_on_ranks(size, [&](Ranks& ranks) {
      const auto mine = static_cast<std::uint64_t>(ranks.rank() + 1);
      const std::uint64_t sum = ranks.sum(Purpose::kFabric, mine);
      EXPECT_EQ(sum, static_cast<std::uint64_t>(size * (size + 1) / 2));
      EXPECT_EQ(ranks.min(Purpose::kFabric, mine), 1U);
      EXPECT_EQ(ranks.max(Purpose::kFabric, mine), static_cast<std::uint64_t>(size));
      EXPECT_TRUE(ranks.any(Purpose::kFabric, ranks.rank() == 1));
      EXPECT_FALSE(ranks.all(Purpose::kFabric, ranks.rank() == 1));
      const std::vector<int> all = ranks.gather_values(Purpose::kFabric, ranks.rank());
      for (int of = 0; of < size; ++of) EXPECT_EQ(all[static_cast<std::size_t>(of)], of);
      EXPECT_EQ(ranks.traffic().messages, 6U * static_cast<std::uint64_t>(size - 1));
    });
    expect_all_done(outcomes);
  }
}

// A ring of neighbours, messages of random lengths, many times.
TEST(Ranks, ExchangeWithNeighbours) {
  constexpr int kSize = 4;
  const auto outcomes = run_on_ranks(kSize, [&](Ranks& ranks) {
    const int left = (ranks.rank() + kSize - 1) % kSize, right = (ranks.rank() + 1) % kSize;
    const std::array peers{left, right};
    std::vector<RankMessage> out(2), in;
    Random random(static_cast<std::uint64_t>(ranks.rank()));
    for (std::uint64_t round = 0; round < 200; ++round) {
      for (std::size_t i = 0; i < 2; ++i) {
        out[i].clear();
        const std::vector<int> body(random.below(3000), 100 * ranks.rank() + peers[i]);
        out[i].put_all(body);
      }
      ranks.exchange(Purpose::kWindow, round, peers, out, in);
      for (std::size_t i = 0; i < 2; ++i) {
        for (const int value : in[i].get_all<int>())
          ASSERT_EQ(value, 100 * peers[i] + ranks.rank());
      }
    }
  });
  expect_all_done(outcomes);
}

// Equal on all ranks, and another one where the state of any rank is another.
TEST(Ranks, CombineDigests) {
  constexpr int kSize = 3;
  std::vector<std::array<StateDigest, kSize>> combined;  // by moment and rank
  const auto outcomes = run_on_ranks(kSize, [&](Ranks& ranks) {
    for (int moment = 0; moment <= kSize; ++moment) {
      StateDigest digest(0);
      digest.add(moment == ranks.rank() ? 7 : 5);
      EXPECT_TRUE(ranks.combine(digest, true));
      struct Published {
        StateDigest digest{0};
      };
      const std::vector<Published> all = ranks.gather_values(Purpose::kDigest, Published{digest});
      if (ranks.is_first()) combined.push_back({all[0].digest, all[1].digest, all[2].digest});
    }
    StateDigest other(0);
    EXPECT_FALSE(ranks.combine(other, ranks.rank() == 0));
  });
  expect_all_done(outcomes);
  ASSERT_EQ(combined.size(), std::size_t{kSize + 1});
  for (std::size_t moment = 0; moment < combined.size(); ++moment) {
    EXPECT_EQ(combined[moment][0], combined[moment][1]);
    EXPECT_EQ(combined[moment][0], combined[moment][2]);
    for (std::size_t before = 0; before < moment; ++before)
      EXPECT_NE(combined[before][0], combined[moment][0]) << before << " and " << moment;
  }
}

TEST(Ranks, WhatTheyStartWithMustBeEqual) {
  const auto greet = [](Ranks& ranks, const std::string& command) {
    const std::array<Ranks::Agreed, 2> texts{{{"version", "1.0"}, {"command line", command}}};
    ranks.greet(texts);
  };
  expect_all_done(run_on_ranks(3, [&](Ranks& ranks) { greet(ranks, "run a"); }));
  const auto outcomes =
      run_on_ranks(3, [&](Ranks& ranks) { greet(ranks, ranks.rank() == 2 ? "run b" : "run a"); });
  expect_all_end(outcomes, ExitCode::kBadInput, 0,
                 "command line: found 'run a' on rank 0 and 'run b' on rank 2; allowed: the same "
                 "on all ranks");
}

TEST(Ranks, OneThatFailsEndsAll) {
  const auto outcomes = run_on_ranks(3, [&](Ranks& ranks) {
    for (int round = 0; round < 100; ++round) {
      if (ranks.rank() == 1 && round == 40) throw RunFailed("payload wrong");
      ranks.sum(Purpose::kFabric, 1);
    }
  });
  expect_all_end(outcomes, ExitCode::kFailed, 1, "payload wrong");
}

TEST(Ranks, OneThatReturnsEarlyEndsAll) {
  const auto outcomes = run_on_ranks(2, [&](Ranks& ranks) {
    for (int round = 0; round < (ranks.rank() == 1 ? 3 : 5); ++round)
      ranks.sum(Purpose::kFabric, 1);
  });
  EXPECT_EQ(outcomes[0].error, "rank 1 has ended early");
  EXPECT_EQ(outcomes[0].end.code, ExitCode::kFailed);
  EXPECT_EQ(outcomes[1].end.code, ExitCode::kFailed);
}

TEST(Ranks, OtherDecisionsAreFound) {
  const auto purposes = run_on_ranks(2, [&](Ranks& ranks) {
    ranks.sum(ranks.rank() == 0 ? Purpose::kFabric : Purpose::kProgress, 1);
  });
  EXPECT_EQ(purposes[0].error,
            "ranks differ: rank 0 publishes a state of the fabric at 0, rank 1 progress at 0");
  EXPECT_EQ(purposes[0].end.code, ExitCode::kFailed);
  const auto places = run_on_ranks(2, [&](Ranks& ranks) {
    const std::array peers{1 - ranks.rank()};
    std::vector<RankMessage> out(1), in;
    ranks.exchange(Purpose::kWindow, ranks.rank() == 0 ? 30 : 31, peers, out, in);
  });
  EXPECT_EQ(places[1].error, "ranks differ: rank 1 publishes flits at 31, rank 0 flits at 30");
  EXPECT_EQ(places[1].end.code, ExitCode::kFailed);
}

TEST(Ranks, OneThatIsSilentIsNotWaitedForForEver) {
  Mailboxes mailboxes(2);
  Ranks ranks(std::make_unique<LocalTransport>(mailboxes, 0), 0.2);
  std::string error;
  try {
    ranks.sum(Purpose::kFabric, 1);
  } catch (const RunFailed& failed) {
    error = failed.what();
  }
  EXPECT_EQ(error, "rank 0 has received nothing from rank 1 for 0.2 s");
  const Ranks::End end = ranks.end(ExitCode::kFailed, error, false);
  EXPECT_EQ(end.code, ExitCode::kFailed);
  EXPECT_EQ(end.text, error);
}

}  // namespace
}  // namespace fredsim::test

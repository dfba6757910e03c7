// SPDX-License-Identifier: Apache-2.0
// Ends of a link with retransmission, each alone, against their contracts: when the receiver
// requests again, which words are intact, and that every credit given arrives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "Vcommon_retry_rx/Vcommon_retry_rx.h"
#include "Vcommon_retry_tx/Vcommon_retry_tx.h"
#include "base/random.h"
#include "rtl/bench.h"
#include "rtl/common/link_words.h"
#include "rtl/noc_pkg.h"

namespace fredsim {
namespace {

constexpr unsigned kSeqs = 1U << link_pkg::SEQ_W, kRounds = 1U << link_pkg::ROUND_W;

// The receiver as its contract has it.
struct Receiver {
  unsigned expected = 0, round = 0;
  bool asked = false;  // for the flit that is expected

  // True: the flit goes on.
  bool take(unsigned seq, unsigned of_round, bool intact) {
    const unsigned ahead = (seq - expected) % kSeqs;
    const bool is_next = intact && ahead == 0;
    const bool came_before = intact && ahead >= kSeqs / 2;
    const bool asks = !is_next && !came_before && (!asked || (intact && of_round == round));
    if (is_next) expected = (expected + 1) % kSeqs;
    if (asks) round = (round + 1) % kRounds;
    if (is_next || asks) asked = asks;
    return is_next;
  }
};

// The flits of a link that loses, damages and repeats them; every kind of flit at every state of
// the receiver.
TEST(LinkRetryRx, AsksAgainForGapsAndDamageAndNeverForWhatCameBefore) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Bench<Vcommon_retry_rx> rx;
    rx->wire_valid_i = rx->credit_i = 0;
    rx.reset();
    Receiver model;
    int repeated = 0, repeated_after_asking = 0;
    struct Sent {
      unsigned seq = 0, round = 0;
      std::uint64_t flit = 0;
      bool intact = true;
    };
    std::optional<Sent> sampled;
    std::optional<Receiver> on_wires_back;
    for (int cycle = 0; cycle < 4000 && !testing::Test::HasFailure(); ++cycle) {
      std::optional<Sent> sent;
      if (random.below(4) != 0) {
        // The next one, one that came before, one behind a gap.
        const unsigned seq_of[] = {model.expected, model.expected,
                                   model.expected - 1 - static_cast<unsigned>(random.below(6)),
                                   model.expected + 1 + static_cast<unsigned>(random.below(6))};
        sent = Sent{.seq = seq_of[random.below(4)] % kSeqs,
                    .round = random.below(2) == 0 ? model.round
                                                  : static_cast<unsigned>(random.below(kRounds)),
                    .flit = random.next(),
                    .intact = random.below(6) != 0};
        WireWord word(sent->flit, sent->seq, sent->round);
        if (!sent->intact) {
          const auto at =
              static_cast<std::uint32_t>(random.below(WireWord::kDataBits + link_pkg::CHECK_W));
          word.words[at / 32] ^= 1U << at % 32;
        }
        std::copy(word.words.begin(), word.words.end(), rx->wire_i.m_storage);
      }
      rx->wire_valid_i = sent.has_value();
      rx.edge();
      // The flit that the edge before has sampled is judged at this one.
      bool passes = false;
      const Receiver before = model;
      if (sampled) {
        const bool came_before = (sampled->seq - model.expected) % kSeqs >= kSeqs / 2;
        repeated += sampled->intact && came_before ? 1 : 0;
        repeated_after_asking += sampled->intact && came_before && model.asked ? 1 : 0;
        passes = model.take(sampled->seq, sampled->round, sampled->intact);
      }
      EXPECT_EQ(rx->valid_o, passes) << "cycle " << cycle;
      if (passes) {
        EXPECT_EQ(rx->flit_o, sampled->flit) << "cycle " << cycle;
      }
      EXPECT_EQ(rx->damaged_o, sampled && !sampled->intact) << "cycle " << cycle;
      EXPECT_EQ(bits(rx->back_o, 0, link_pkg::SEQ_W), before.expected) << "cycle " << cycle;
      EXPECT_EQ(bits(rx->back_o, link_pkg::SEQ_W, link_pkg::ROUND_W), before.round)
          << "cycle " << cycle;
      sampled = sent;
    }
    EXPECT_GT(repeated, 200);
    EXPECT_GT(repeated_after_asking, 50);
  }
}

// Wires that are stuck low carry no flit, and the word back after a reset is not intact.
TEST(LinkRetryRx, AWordOfZerosIsDamaged) {
  Bench<Vcommon_retry_rx> rx;
  rx->wire_valid_i = rx->credit_i = 0;
  rx.reset();
  rx->wire_valid_i = 1;
  std::fill_n(rx->wire_i.m_storage, WireWord(0, 0, 0).words.size(), 0);
  rx.edge();
  rx->wire_valid_i = 0;
  rx.edge();
  EXPECT_EQ(rx->valid_o, 0);
  EXPECT_EQ(rx->damaged_o, 1);
}

TEST(LinkRetryRx, TheCheckOfWordsBackIsTheInvertedRemainder) {
  Bench<Vcommon_retry_rx> rx;
  Random random(1);
  rx->wire_valid_i = rx->credit_i = 0;
  rx.reset();
  for (int cycle = 0; cycle < 500; ++cycle) {
    rx->credit_i = static_cast<CData>(random.below(16));
    rx.edge();
    EXPECT_EQ(bits(rx->back_o, link_pkg::BACK_DATA_W, link_pkg::CHECK_W),
              link_check_of(rx->back_o, link_pkg::BACK_DATA_W));
  }
}

class Sender {
 public:
  Sender() {
    tx_->valid_i = 0;
    tx_->wire_ready_i = 1;
    receive(std::nullopt);
    tx_.reset();
  }
  // An edge with a word back, or one that is not intact.
  void receive(const std::optional<WordBack>& back) {
    if (back)
      std::copy(back->words.begin(), back->words.end(), tx_->back_i.m_storage);
    else
      std::fill_n(tx_->back_i.m_storage, WordBack(0, 0, {}).words.size(), 0);
  }
  void edge() { tx_.edge(); }
  void send(std::uint64_t flit) {
    tx_->valid_i = 1;
    tx_->flit_i = flit;
    tx_.edge();
    tx_->valid_i = 0;
  }
  Bench<Vcommon_retry_tx>& model() { return tx_; }

 private:
  Bench<Vcommon_retry_tx> tx_;
};

// An accepted word of zeros would revoke acknowledgements and request a retransmission.
TEST(LinkRetryTx, AWordOfZerosIsNotIntact) {
  Sender tx;
  for (unsigned n = 0; n < 6; ++n) tx.send(n);
  for (int i = 0; i < 4; ++i) tx.edge();
  tx.receive(WordBack(6, 1, {}));
  for (int i = 0; i < 4; ++i) tx.edge();
  tx.receive(std::nullopt);
  for (int i = 0; i < 20; ++i) {
    tx.edge();
    EXPECT_EQ(tx.model()->wire_valid_o, 0) << i;
  }
}

TEST(LinkRetryTx, TheCheckOfAFlitIsTheInvertedRemainder) {
  Sender tx;
  Random random(2);
  int seen = 0;
  for (unsigned n = 0; n < 20; ++n) {
    tx.send(random.next());
    if (tx.model()->wire_valid_o == 0) continue;
    ++seen;
    EXPECT_EQ(bits(tx.model()->wire_o, WireWord::kDataBits, link_pkg::CHECK_W),
              link_check_of(tx.model()->wire_o, WireWord::kDataBits));
  }
  EXPECT_GT(seen, 10);
}

// Without a loss every flit is on the wire once, in order; words back come late, and some are not
// intact. One that asks for a flit again brings it and all behind it, once.
TEST(LinkRetryTx, SendsAFlitAgainOnlyWhereItIsAskedFor) {
  constexpr unsigned kLater = 6;  // edges from the wire to the word back
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Sender tx;
    std::deque<unsigned> received(kLater);  // flits that had come, by edge
    unsigned come = 0, next = 0, given = 0;
    for (int cycle = 0; cycle < 3000; ++cycle) {
      const unsigned acknowledged = received.front() % kSeqs;
      tx.receive(random.below(4) == 0 ? std::nullopt
                                      : std::optional(WordBack(acknowledged, 0, {})));
      if (tx.model()->ready_o != 0 && random.below(2) == 0) {
        tx.send(given++);
      } else {
        tx.edge();
      }
      if (tx.model()->wire_valid_o != 0) {
        ASSERT_EQ(bits(tx.model()->wire_o, WireWord::kSeqAt, link_pkg::SEQ_W), next % kSeqs);
        ASSERT_EQ(bits(tx.model()->wire_o, 0, 32), next) << "cycle " << cycle;
        ASSERT_EQ(tx.model()->wire_again_o, 0) << "cycle " << cycle;
        come = ++next;
      }
      received.pop_front();
      received.push_back(come);
    }
    EXPECT_GT(next, 500U);
  }
  Sender tx;
  for (unsigned n = 0; n < 6; ++n) tx.send(n);
  for (int i = 0; i < 4; ++i) tx.edge();
  unsigned again = 2;
  for (int i = 0; i < 20; ++i) {
    tx.receive(WordBack(2, 1, {}));
    tx.edge();
    if (tx.model()->wire_valid_o == 0) continue;
    EXPECT_EQ(bits(tx.model()->wire_o, 0, 32), again++);
    EXPECT_EQ(tx.model()->wire_again_o, 1);
  }
  EXPECT_EQ(again, 6U);
}

// Any number of missed credits, up to the range of the counter: one per cycle, none too many.
TEST(LinkRetryTx, EveryCreditThatWasGivenArrivesOnce) {
  for (unsigned missed = 1; missed <= 255; ++missed) {
    SCOPED_TRACE(missed);
    Sender tx;
    const auto vc = missed % noc_pkg::NUM_VCS;
    std::array<std::uint8_t, 4> given{};
    given[vc] = static_cast<std::uint8_t>(missed);
    tx.receive(WordBack(0, 0, given));
    for (unsigned edge = 0; edge < missed + 10; ++edge) {
      tx.edge();
      ASSERT_EQ(tx.model()->credit_o, edge < missed ? 1U << vc : 0U) << "edge " << edge;
    }
  }
}

TEST(LinkRetryTx, CreditsOfAllChannelsArriveWhateverIsMissedOnTheWay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Sender tx;
    std::array<std::uint8_t, 4> given{};
    std::array<unsigned, 4> owed{};  // given and not seen
    unsigned most = 0;
    for (int cycle = 0; cycle < 5000; ++cycle) {
      const bool is_quiet = cycle % 1000 > 700;  // words come through, no new credits
      for (std::size_t v = 0; v < 4; ++v) {
        if (is_quiet || owed[v] == 255 || random.below(3) == 0) continue;
        ++given[v];
        ++owed[v];
      }
      const bool intact = is_quiet || (cycle / 1000 % 2 == 0 && random.below(8) == 0);
      tx.receive(intact ? std::optional(WordBack(0, 0, given)) : std::nullopt);
      most = std::max(most, *std::ranges::max_element(owed));
      tx.edge();
      for (std::size_t v = 0; v < 4; ++v) {
        if ((tx.model()->credit_o >> v & 1U) == 0) continue;
        ASSERT_GT(owed[v], 0U) << "cycle " << cycle;
        --owed[v];
      }
      if (cycle % 1000 == 999) {
        ASSERT_EQ(owed, (std::array<unsigned, 4>{})) << "cycle " << cycle;
      }
    }
    EXPECT_EQ(most, 255U);
  }
}

}  // namespace
}  // namespace fredsim

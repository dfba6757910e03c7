// SPDX-License-Identifier: Apache-2.0
// Ranks of a run as threads of one process, with mailboxes between them: all of the protocol
// (ranks/ranks.h) without a launcher.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ranks/ranks.h"

namespace fredsim::test {

// Messages in flight, by receiver and sender.
class Mailboxes {
 public:
  explicit Mailboxes(int ranks)
      : ranks_(ranks), boxes_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {}

  int ranks() const { return ranks_; }
  void put(int to, int from, std::vector<std::byte> bytes) {
    const std::scoped_lock lock(mutex_);
    box(to, from).push_back(std::move(bytes));
  }
  bool take(int to, int from, std::vector<std::byte>& bytes) {
    const std::scoped_lock lock(mutex_);
    std::deque<std::vector<std::byte>>& messages = box(to, from);
    if (messages.empty()) return false;
    bytes = std::move(messages.front());
    messages.pop_front();
    return true;
  }
  bool are_empty() {
    const std::scoped_lock lock(mutex_);
    for (const auto& messages : boxes_)
      if (!messages.empty()) return false;
    return true;
  }

 private:
  std::deque<std::vector<std::byte>>& box(int to, int from) {
    return boxes_[static_cast<std::size_t>(to * ranks_ + from)];
  }

  int ranks_;
  std::mutex mutex_;
  std::vector<std::deque<std::vector<std::byte>>> boxes_;
};

class LocalTransport final : public RankTransport {
 public:
  LocalTransport(Mailboxes& mailboxes, int rank) : mailboxes_(mailboxes), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return mailboxes_.ranks(); }
  void send(int to, const std::vector<std::byte>& bytes) override {
    mailboxes_.put(to, rank_, bytes);
  }
  bool flushed() override { return true; }
  bool receive(int from, std::vector<std::byte>& bytes) override {
    return mailboxes_.take(rank_, from, bytes);
  }
  void close(bool) override {}

 private:
  Mailboxes& mailboxes_;
  int rank_;
};

struct RankOutcome {
  Ranks::End end;     // end of all, as this rank knows it
  std::string error;  // its own; empty: none
};

// Runs `work` on `ranks` ranks, each of which ends as the program does (cli/rank_session.h).
// Outcomes by rank.
inline std::vector<RankOutcome> run_on_ranks(int ranks, const std::function<void(Ranks&)>& work,
                                             double patience_s = 60) {
  Mailboxes mailboxes(ranks);
  std::vector<RankOutcome> outcomes(static_cast<std::size_t>(ranks));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        Ranks mine(std::make_unique<LocalTransport>(mailboxes, rank), patience_s);
        RankOutcome& outcome = outcomes[static_cast<std::size_t>(rank)];
        ExitCode code = ExitCode::kDone;
        bool by_other = false;
        try {
          work(mine);
        } catch (const RankEnded& ended) {
          outcome.error = ended.what();
          code = ended.code();
          by_other = true;
        } catch (const Error& error) {
          outcome.error = error.what();
          code = error.code();
        }
        outcome.end = mine.end(code, outcome.error, by_other);
      });
    }
  }
  return outcomes;
}

}  // namespace fredsim::test

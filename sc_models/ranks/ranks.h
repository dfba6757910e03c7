// SPDX-License-Identifier: Apache-2.0
// The processes of one run, "ranks": each has a share of the fabric, and all take the same
// decisions, each by itself, from values that they exchange.
//
// Use: every rank makes the same calls in the same order; a call returns when all awaited messages
//   have arrived. A mismatch (another purpose, another place of the run) is detected with the first
//   message: RunFailed, on all ranks.
// Ends: a rank ends by end(), in order or with an error. Ranks that wait for it get RankEnded, and
//   end too: none hangs. All learn of all ends, so that all leave with the same exit code, and the
//   first rank can report the results of the others.
// Silence: RunFailed for a rank that sends nothing for `patience` seconds.
// Waiting: a rank polls for messages for a while, then sleeps between polls; it polls less the more
//   often polling was in vain (on shared cores).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/state_digest.h"
#include "ranks/rank_message.h"
#include "ranks/rank_transport.h"

namespace fredsim {

// Another rank has ended; the text is that rank's.
class RankEnded : public Error {
 public:
  RankEnded(ExitCode code, const std::string& what) : Error(code, what) {}
};

// Counts of the messages of a rank.
struct RankTraffic {
  std::uint64_t exchanges = 0;
  std::uint64_t messages = 0;  // sent
  std::uint64_t bytes = 0;     // bytes sent, headers included
  double waited_s = 0;         // time spent on waiting for messages
};

class Ranks {
 public:
  enum class Purpose : std::uint32_t {
    kEnd,
    kGreeting,
    kWindow,    // flits and credits that cross
    kFabric,    // state of the fabric
    kRegister,  // register read by one rank
    kProgress,  // completions of operations
    kDigest,    // digests of the state
    kResults,
  };

  Ranks(std::unique_ptr<RankTransport> transport, double patience_s);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return transport_->rank(); }
  int size() const { return transport_->size(); }
  bool is_first() const { return rank() == 0; }
  void set_patience(double seconds) { patience_s_ = seconds; }

  // Compares the inputs of all ranks, once, before all other calls. If two ranks differ in one of
  // `texts`, all ranks throw BadInput, which names both ranks. `name`: meaning of the text.
  struct Agreed {
    std::string_view name, text;
  };
  void greet(std::span<const Agreed> texts);

  // Sends a message to each of `peers`, and receives one from each, in their order. `place`: place
  // of the run, equal on all ranks.
  void exchange(Purpose purpose, std::uint64_t place, std::span<const int> peers,
                std::span<RankMessage> out, std::vector<RankMessage>& in);
  // Messages of all ranks, by rank, from an exchange with all.
  std::vector<RankMessage> gather(Purpose purpose, RankMessage mine);

  template <typename T>
  std::vector<T> gather_values(Purpose purpose, const T& mine) {
    RankMessage message;
    message.put(mine);
    std::vector<RankMessage> all = gather(purpose, std::move(message));
    std::vector<T> values;
    for (RankMessage& of_rank : all) values.push_back(of_rank.get<T>());
    return values;
  }
  std::uint64_t sum(Purpose purpose, std::uint64_t mine);
  std::uint64_t min(Purpose purpose, std::uint64_t mine);
  std::uint64_t max(Purpose purpose, std::uint64_t mine);
  // Replaces the digest by the combined digest of all ranks. Returns false on all ranks if one of
  // them cannot provide its own (`has_digest`).
  bool combine(StateDigest& digest, bool has_digest);
  bool all(Purpose purpose, bool mine) { return min(purpose, mine ? 1 : 0) != 0; }
  bool any(Purpose purpose, bool mine) { return max(purpose, mine ? 1 : 0) != 0; }

  // Ends this rank, once; returns when all ranks have ended. `by_other`: the end was caused by
  // another rank.
  struct End {
    ExitCode code = ExitCode::kDone;
    std::string text;
    int rank = 0;  // rank that has ended
  };
  // Returns the end of the first rank that ended by itself with a code other than kDone, or kDone.
  End end(ExitCode code, const std::string& text, bool by_other);

  const RankTraffic& traffic() const { return traffic_; }

 private:
  struct Header {
    std::uint32_t purpose = 0;
    std::uint32_t number = 0;  // counts messages between two ranks
    std::uint64_t place = 0;
  };
  struct Peer {
    std::uint32_t sent = 0, received = 0;
    std::optional<End> end;
    bool by_other = false;
  };

  void send(int to, Purpose purpose, std::uint64_t place, RankMessage& message);
  Header receive(int from, RankMessage& message);
  bool wait_for(int from, RankMessage& message);
  void flush();
  [[noreturn]] void differ(int peer, Purpose mine, std::uint64_t my_place, const Header& theirs);
  void note_end(int peer, RankMessage& message);
  [[noreturn]] void throw_end(int peer) const;
  template <typename Done>
  bool wait_until(const Done& done);

  std::unique_ptr<RankTransport> transport_;
  double patience_s_;
  std::vector<Peer> peers_;                // index: rank
  std::vector<int> others_;                // all ranks but this one
  std::vector<RankMessage> end_messages_;  // messages to the other ranks, in flight
  int spins_;                              // polls before it sleeps
  RankTraffic traffic_;
};

}  // namespace fredsim

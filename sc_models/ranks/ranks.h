// SPDX-License-Identifier: Apache-2.0
// The processes of one run, "ranks": each has a share of the fabric, and all take the same decisions, each by itself, from values
// that they tell each other.
//
// Use: every rank makes the same calls in the same order; a call returns when it has heard of those that it waits for. What does not
//   match (another purpose, another place of the run) is found with the first message: RunFailed, on all ranks.
// Ends: a rank ends by end(), in order or with an error. Those that wait for it get RankEnded, and end too: nobody hangs. All learn
//   of all ends, so that all leave with the same exit code, and the first rank can say what came of the others.
// Silence: RunFailed for a rank that sends nothing for as long as `patience`, seconds.
// Waiting: whoever waits looks for messages for a while, then sleeps in between, the less it looks the more often that was in vain
//   (where cores are shared).
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

// Another rank has ended; the text is its own.
class RankEnded : public Error {
 public:
  RankEnded(ExitCode code, const std::string& what) : Error(code, what) {}
};

// Counts of the messages of a rank.
struct RankTraffic {
  std::uint64_t exchanges = 0;
  std::uint64_t messages = 0;  // sent
  std::uint64_t bytes = 0;     // in them, headers included
  double waited_s = 0;         // for messages of others
};

class Ranks {
 public:
  enum class Purpose : std::uint32_t {
    kEnd,
    kGreeting,
    kWindow,    // flits and credits that cross
    kFabric,    // state of the fabric
    kRegister,  // read by one rank
    kProgress,  // operations: what became complete
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

  // Once, before all else: BadInput on all ranks where the texts of two are not equal, naming both; `texts` by what they are.
  struct Agreed {
    std::string_view name, text;
  };
  void greet(std::span<const Agreed> texts);

  // A message to each of `peers`, and one of each of them, in their order. `place`: of the run, equal on all.
  void exchange(Purpose purpose, std::uint64_t place, std::span<const int> peers,
                std::span<RankMessage> out, std::vector<RankMessage>& in);
  // Messages of all ranks, by rank; out of an exchange with all others.
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
  // A digest of the states of all, in place of this rank's; false on all ranks where one of them cannot tell its own.
  bool combine(StateDigest& digest, bool can_tell);
  bool all(Purpose purpose, bool mine) { return min(purpose, mine ? 1 : 0) != 0; }
  bool any(Purpose purpose, bool mine) { return max(purpose, mine ? 1 : 0) != 0; }

  // End of this rank, once; returns when those of all are known. `by_other`: only since another one ended.
  struct End {
    ExitCode code = ExitCode::kDone;
    std::string text;
    int rank = 0;  // whose it is
  };
  // The end of all: of the first rank that ended by itself with another code than kDone, or kDone.
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
  std::vector<Peer> peers_;                // by rank
  std::vector<int> others_;                // all but this one
  std::vector<RankMessage> end_messages_;  // to them, under way
  int spins_;                              // looks before it sleeps
  RankTraffic traffic_;
};

}  // namespace fredsim

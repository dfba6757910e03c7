// SPDX-License-Identifier: Apache-2.0
#include "ranks/ranks.h"

#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <utility>

namespace fredsim {
namespace {

using RankClock = std::chrono::steady_clock;

constexpr int kMostSpins = 4096, kFewestSpins = 8;
constexpr int kYields = 64;            // yields before it sleeps
constexpr long kSleepNs = 50'000;      // time between two polls
constexpr double kPatienceAtEnd = 10;  // seconds to wait for the ends of the other ranks after a
                                       // failure of its own

const char* purpose_text(std::uint32_t purpose) {
  constexpr std::array kTexts{"its end",    "its greeting", "flits",   "a state of the fabric",
                              "a register", "progress",     "a state", "results"};
  return purpose < kTexts.size() ? kTexts[purpose] : "something unknown";
}

double seconds_since(RankClock::time_point begin) {
  return std::chrono::duration<double>(RankClock::now() - begin).count();
}

}  // namespace

Ranks::Ranks(std::unique_ptr<RankTransport> transport, double patience_s)
    : transport_(std::move(transport)),
      patience_s_(patience_s),
      peers_(static_cast<std::size_t>(transport_->size())),
      spins_(kMostSpins) {
  for (int other = 0; other < size(); ++other)
    if (other != rank()) others_.push_back(other);
}

Ranks::~Ranks() {
  const bool in_order = std::ranges::all_of(
      others_, [&](int other) { return peers_[static_cast<std::size_t>(other)].end.has_value(); });
  transport_->close(in_order);
}

// ---- messages between ranks

void Ranks::send(int to, Purpose purpose, std::uint64_t place, RankMessage& message) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  const Header header{static_cast<std::uint32_t>(purpose), peer.sent++, place};
  static_assert(sizeof header == RankMessage::kHeader);
  std::memcpy(message.bytes().data(), &header, sizeof header);
  transport_->send(to, message.bytes());
  ++traffic_.messages;
  traffic_.bytes += message.size();
}

// Returns false on time-out.
template <typename Done>
bool Ranks::wait_until(const Done& done) {
  if (done()) return true;
  const auto begin = RankClock::now();
  bool is_done = false;
  for (int spin = 0; spin < spins_ && !is_done; ++spin) is_done = done();
  spins_ = is_done ? std::min(2 * spins_, kMostSpins) : std::max(spins_ / 2, kFewestSpins);
  for (int yield = 0; yield < kYields && !is_done; ++yield) {
    ::sched_yield();
    is_done = done();
  }
  while (!is_done && seconds_since(begin) < patience_s_) {
    const timespec pause{0, kSleepNs};
    ::nanosleep(&pause, nullptr);
    is_done = done();
  }
  traffic_.waited_s += seconds_since(begin);
  return is_done;
}

bool Ranks::wait_for(int from, RankMessage& message) {
  message.clear();
  return wait_until([&] { return transport_->receive(from, message.bytes()); });
}

Ranks::Header Ranks::receive(int from, RankMessage& message) {
  Peer& peer = peers_[static_cast<std::size_t>(from)];
  if (peer.end) throw_end(from);
  if (!wait_for(from, message)) {
    throw RunFailed(fmt::format("rank {} has received nothing from rank {} for {} s", rank(), from,
                                patience_s_));
  }
  Header header;
  std::memcpy(&header, message.bytes().data(), sizeof header);
  if (header.number != peer.received++)
    throw RunFailed(fmt::format("rank {} has missed a message of rank {}", rank(), from));
  return header;
}

void Ranks::flush() {
  if (wait_until([&] { return transport_->flushed(); })) return;
  throw RunFailed(fmt::format("rank {}: messages have not left for {} s", rank(), patience_s_));
}

void Ranks::exchange(Purpose purpose, std::uint64_t place, std::span<const int> peers,
                     std::span<RankMessage> out, std::vector<RankMessage>& in) {
  assert(out.size() == peers.size());
  ++traffic_.exchanges;
  in.resize(peers.size());
  for (std::size_t i = 0; i < peers.size(); ++i) send(peers[i], purpose, place, out[i]);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const Header header = receive(peers[i], in[i]);
    if (header.purpose == static_cast<std::uint32_t>(Purpose::kEnd)) {
      note_end(peers[i], in[i]);
      throw_end(peers[i]);
    }
    if (header.purpose != static_cast<std::uint32_t>(purpose) || header.place != place)
      differ(peers[i], purpose, place, header);
  }
  flush();
}

void Ranks::differ(int peer, Purpose mine, std::uint64_t my_place, const Header& theirs) {
  throw RunFailed(fmt::format("ranks differ: rank {} publishes {} at {}, rank {} {} at {}", rank(),
                              purpose_text(static_cast<std::uint32_t>(mine)), my_place, peer,
                              purpose_text(theirs.purpose), theirs.place));
}

std::vector<RankMessage> Ranks::gather(Purpose purpose, RankMessage mine) {
  std::vector<RankMessage> out(others_.size(), mine), in;
  exchange(purpose, 0, others_, out, in);
  in.insert(in.begin() + rank(), std::move(mine));
  return in;
}

std::uint64_t Ranks::sum(Purpose purpose, std::uint64_t mine) {
  std::uint64_t total = 0;
  for (const std::uint64_t value : gather_values(purpose, mine)) total += value;
  return total;
}

std::uint64_t Ranks::min(Purpose purpose, std::uint64_t mine) {
  return std::ranges::min(gather_values(purpose, mine));
}

std::uint64_t Ranks::max(Purpose purpose, std::uint64_t mine) {
  return std::ranges::max(gather_values(purpose, mine));
}

bool Ranks::combine(StateDigest& digest, bool has_digest) {
  struct Share {
    StateDigest digest{0};
    bool has_digest = false;
  };
  StateDigest all(0);
  bool can_all = true;
  for (const Share& share : gather_values(Purpose::kDigest, Share{digest, has_digest})) {
    all.add(share.digest);
    can_all = can_all && share.has_digest;
  }
  digest = all;
  return can_all;
}

void Ranks::greet(std::span<const Agreed> texts) {
  RankMessage mine;
  for (const Agreed& text : texts) mine.put_text(text.text);
  std::vector<RankMessage> all = gather(Purpose::kGreeting, std::move(mine));
  std::vector<std::string> first;
  for (int of = 0; of < size(); ++of) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::string text = all[static_cast<std::size_t>(of)].get_text();
      if (of == 0) {
        first.push_back(std::move(text));
      } else if (text != first[i]) {
        throw BadInput(
            fmt::format("{}: found '{}' on rank 0 and '{}' on rank {}; allowed: the "
                        "same on all ranks",
                        texts[i].name, first[i], text, of));
      }
    }
  }
}

// ---- ends of ranks

void Ranks::note_end(int peer, RankMessage& message) {
  Peer& of = peers_[static_cast<std::size_t>(peer)];
  of.by_other = message.get<bool>();
  const auto code = message.get<ExitCode>();
  of.end = End{code, message.get_text(), peer};
}

void Ranks::throw_end(int peer) const {
  const End& end = *peers_[static_cast<std::size_t>(peer)].end;
  throw RankEnded(
      end.code == ExitCode::kDone ? ExitCode::kFailed : end.code,
      end.code == ExitCode::kDone ? fmt::format("rank {} has ended early", peer) : end.text);
}

Ranks::End Ranks::end(ExitCode code, const std::string& text, bool by_other) {
  RankMessage mine;
  mine.put(by_other);
  mine.put(code);
  mine.put_text(text);
  end_messages_.assign(others_.size(), mine);
  for (std::size_t i = 0; i < others_.size(); ++i)
    send(others_[i], Purpose::kEnd, 0, end_messages_[i]);
  if (code != ExitCode::kDone) patience_s_ = std::min(patience_s_, kPatienceAtEnd);
  std::vector<End> ends;
  std::vector<bool> are_by_other;
  for (int of = 0; of < size(); ++of) {
    if (of == rank()) {
      ends.push_back({code, text, of});
      are_by_other.push_back(by_other);
      continue;
    }
    Peer& peer = peers_[static_cast<std::size_t>(of)];
    try {
      while (!peer.end) {
        RankMessage message;
        const Header header = receive(of, message);
        if (header.purpose == static_cast<std::uint32_t>(Purpose::kEnd)) note_end(of, message);
      }
      ends.push_back(*peer.end);
      are_by_other.push_back(peer.by_other);
    } catch (const RunFailed& silent) {
      ends.push_back({ExitCode::kFailed, silent.what(), rank()});
      are_by_other.push_back(false);
    }
  }
  // Ends in the order of ranks; first ends without an outside cause, then ends caused by another
  // rank.
  for (const bool of_others : {false, true}) {
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (ends[i].code != ExitCode::kDone && are_by_other[i] == of_others) return ends[i];
  }
  return {code, text, rank()};
}

}  // namespace fredsim

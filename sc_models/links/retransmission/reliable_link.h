// SPDX-License-Identifier: Apache-2.0
// A link with hop-by-hop retransmission: both ends (link_retry.h), the words in flight between them
// in either direction, and the errors on its wires (retransmission.h).
//
// Time: flits as on any link (links/link.h), from the edge after which they are on the wire:
//   link_pkg::TX_EDGES after their launch, and link_pkg::RX_EDGES before they are at the receiver's
//   pins. Credits and acknowledgements return on wires of their own, a word every cycle, with
//   link_pkg::CREDIT_EDGES more than on a link without retransmission.
// Wire: a flit takes kWireBytes in place of kBareBytes; the topology's rates include this already
//   (lengthen_flits()).
// Replay buffer: flits of a round trip at the link's rate, rounded up to a power of two.
// Errors: bits of flits, of their protection, and of feedback words, at the rates of the machine
//   (wire_errors.h), and errors of the sender's LinkFaults, if it has one. A flit that fails its
//   check is dropped and retransmitted. A wrong flit that passes it is delivered as it is; a wrong
//   feedback word that passes it ends the run (RunFailed), which is negligible with a check of 32
//   bits. Lanes that are not carried have errors too, which are detected.
// Dead: RunFailed, with the link's name, once the oldest flit was retransmitted more than
//   LinkErrors::max_retransmissions times.
// Idealised: the wires of the feedback are not counted in the bandwidth, nor are the wires of
//   credits on any link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "links/link.h"
#include "links/link_channel.h"
#include "links/retransmission/link_retry.h"
#include "links/retransmission/retransmission.h"
#include "links/retransmission/wire_errors.h"
#include "topology/topology.h"

namespace fredsim {

class ReliableLink final : public LinkChannel {
 public:
  struct Counts {
    std::uint64_t resent = 0;   // flits retransmitted
    std::uint64_t damaged = 0;  // flits that failed their check
    std::uint64_t lost = 0;     // flits that did not arrive
  };

  // Makes the channel of the topology's link `number`; `words`: words of a flit. std::logic_error:
  // a round trip has more flits than sequence numbers allow.
  ReliableLink(const Link& link, int number, const LinkErrors& errors, std::size_t words);

  void reset() override;
  void clear_counts() override { counts_ = {}; }
  void add_counts(LinkCount& count) const override;
  bool is_ready(const LinkTx& tx, std::uint64_t edge) const override {
    return has_room_ && tx.takes_behind(backlog_, edge);
  }
  void push(const std::uint32_t* flit) override;
  void give_credit(std::uint32_t vc) override;
  Out step(std::uint64_t edge, LinkTx& tx) override;
  int flits_inside(int vc) const override { return flits_inside_[static_cast<std::size_t>(vc)]; }
  int credits_inside(int vc) const override {
    return credits_inside_[static_cast<std::size_t>(vc)];
  }

  const Counts& counts() const { return counts_; }
  std::uint32_t depth() const { return shape_.depth; }

  // Replay buffer and timeout for a link of this rate and latency.
  static LinkRetryTx::Shape shape_of(const Link& link, int max_retransmissions = 1000);

 private:
  void begin() override { wire_errors_.restart_back(); }

  struct SentFlit {
    std::uint64_t at = 0;  // edge
    LinkSeq seq = 0;
    std::uint8_t round = 0;
    bool intact = true;
    std::uint32_t* flit = nullptr;
  };
  struct Said {
    std::uint64_t at = 0;  // edge from which on the sender receives it
    LinkBack back;
  };
  void put_on_wire(std::uint64_t edge, const LinkRetryTx::Sent& sent, LinkFaults* faults);
  bool damage(std::uint64_t edge, std::uint32_t* flit, SentFlit& in_flight, LinkFaults* faults);
  bool back_is_intact(std::uint64_t edge, LinkFaults* faults);
  [[noreturn]] void fail(std::uint64_t edge, const std::string& what) const;

  std::string name_;
  int number_;
  std::uint32_t latency_;
  std::size_t words_;
  LinkRetryTx::Shape shape_;
  LinkRetryTx tx_;
  LinkRetryRx rx_;
  LinkErrors errors_;
  WireErrors wire_errors_;

  std::vector<std::uint32_t> pushed_;
  bool has_pushed_ = false;
  std::uint32_t credits_ = 0;
  std::uint32_t beyond_ = 0;  // cycles beyond the latency of the fetched flit
  std::deque<SentFlit> wire_;
  std::vector<std::uint32_t> wire_words_;  // a ring
  std::size_t next_slot_ = 0;              // next slot of the ring
  std::vector<std::uint32_t> changed_;     // copy changed by LinkFaults
  std::deque<Said> said_;  // feedback words that differ; the first is at the sender now
  std::array<std::int32_t, kNumVcs> flits_inside_{}, credits_inside_{};
  Counts counts_;
  std::uint32_t backlog_ = 0;  // flits to be sent or retransmitted
  bool has_room_ = true;       // room for one more
};

}  // namespace fredsim

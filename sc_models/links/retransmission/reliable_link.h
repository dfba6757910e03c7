// SPDX-License-Identifier: Apache-2.0
// A link with retransmission, hop by hop: both ends (link_retry.h), what is on the wires between them in either
// direction, and what befalls it there (retransmission.h).
//
// Time: flits as on any link (links/link.h), from the edge after which they are on the wire: link_pkg::TX_EDGES after
//   they were launched, and link_pkg::RX_EDGES before they are at the receiver's pins. Credits and acknowledgements go back on
//   wires of their own, a word every cycle: link_pkg::CREDIT_EDGES more than on a link without.
// Wire: a flit takes kWireBytes in place of kBareBytes; the topology's rates say so already (lengthen_flits()).
// Keeps: flits of a round trip at the link's rate, rounded up to a power of two.
// Errors: bits of flits, of what protects them, and of the words back, at the rates of the machine (wire_errors.h), and
//   those of the sender's LinkFaults, if it has one. A flit that fails its check is dropped and retransmitted. One that passes
//   it though wrong goes on as it is; a wrong word back that passes it ends the run (RunFailed), which a check of 32 bits makes
//   as good as never. Lanes that are not carried have errors too, which are found.
// Dead: RunFailed, with the link's name, once the oldest flit was retransmitted more than LinkErrors::max_retransmissions
//   times.
// Idealised: the wires back are not counted in the bandwidth, as those of credits are not on any link.
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
    std::uint64_t resent = 0;   // flits that went on the wire again
    std::uint64_t damaged = 0;  // flits that failed their check
    std::uint64_t lost = 0;     // flits that did not arrive
  };

  // For the topology's link `number`; `words` of a flit. std::logic_error: a round trip of more
  // flits than sequence numbers allow.
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

  // Flits that are kept for a link of this rate and latency.
  static LinkRetryTx::Shape shape_of(const Link& link, int max_retransmissions = 1000);

 private:
  void begin() override { wire_errors_.restart_back(); }

  struct UnderWay {
    std::uint64_t at = 0;  // edge
    LinkSeq seq = 0;
    std::uint8_t round = 0;
    bool intact = true;
    std::uint32_t* flit = nullptr;
  };
  struct Said {
    std::uint64_t at = 0;  // edge from which on the sender hears it
    LinkBack back;
  };
  void put_on_wire(std::uint64_t edge, const LinkRetryTx::Sent& sent, LinkFaults* faults);
  bool damage(std::uint64_t edge, std::uint32_t* flit, UnderWay& under_way, LinkFaults* faults);
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
  std::uint32_t beyond_ = 0;  // cycles beyond the latency of the flit that was fetched
  std::deque<UnderWay> wire_;
  std::vector<std::uint32_t> wire_words_;  // a ring
  std::size_t next_slot_ = 0;              // next slot of that flit
  std::vector<std::uint32_t> changed_;     // by LinkFaults
  std::deque<Said> said_;                  // changes; the first is what is heard now
  std::array<std::int32_t, kNumVcs> flits_inside_{}, credits_inside_{};
  Counts counts_;
  std::uint32_t backlog_ = 0;  // flits that are to be sent, again too
  bool has_room_ = true;       // for one more
};

}  // namespace fredsim

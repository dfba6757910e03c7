// SPDX-License-Identifier: Apache-2.0
// Choice of the packet that an NPU sends next on a channel, which is a NIC port and VC.
//
// Order per channel: first copies of new packets to several ranks (all-gather, broadcast), which
//   have the longest path ahead, then forwarded packets, then other new ones. New packets are
//   chosen round robin over the sources here: each endpoint tree, and per part all its in-switch
//   trees together, by (step, packet / run, tree, packet) without skipping. In-switch trees of
//   different jobs: all of the job that was added first, then all of the next.
// Ordered trees (collective/detail/packet_order.h): their packets, forwarded or new, leave in
//   order; the new packets of a part are one source in the round robin. Roots of such trees also
//   queue their copies in this order, and start packets as usual. In an all-reduce, a packet waits
//   if it is due more than kLead intervals after the next packet of the part on another virtual
//   channel of the NIC port.
// Limits: at most `window` packets of a tree are in flight per source (Part::window), counted by
//   the results that the source receives or, if it receives none, by acknowledgements. Contributors
//   to an in-switch tree that receive no result are limited by the NIC's acceptance only. Streams
//   of a part into different slices keep pace if the part asks for it (Part::lead). A rank that
//   sends the operands of other ranks into the switches starts a packet when these operands are
//   there.
// Use: next() until it returns nothing, for channels that are awake; wake() channels that may send
//   more.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/flit.h"
#include "base/state_digest.h"
#include "nic/edge_timers.h"
#include "nic/packet_extension.h"
#include "nic/ring_queue.h"
#include "npu/npu_work.h"
#include "npu/packet_turns.h"

namespace fredsim {

class NpuScheduler {
 public:
  explicit NpuScheduler(int ports)
      : ports_(ports), channels_(static_cast<std::size_t>(ports * kNumVcs)) {}

  void follow(EdgeTimers& timers, EdgeTimers::Waiter& npu) {
    timers_ = &timers;
    npu_ = &npu;
  }
  std::uint64_t now() const { return timers_ != nullptr ? timers_->now() : 0; }

  void add(Work& work);  // its sources take turns from now on; it stays until remove()
  void remove(const Work& work);
  void clear();

  enum class Queue : std::uint8_t { kCopies, kPassedOn };
  void push(Packet& packet, int channel, Queue queue);
  // Queues a packet of an ordered tree to be forwarded: a result if `is_result`, else a sum.
  void push_in_turn(const Work& work, int local, bool is_result, const Send& to, Packet& packet);

  // Next packet to send: a waiting one, or a tree of which to start one.
  struct Next {
    Packet* queued = nullptr;
    Work* work = nullptr;  // both null: no packet for now
    int local = 0;
  };
  Next next(int channel);

  int channel(const Send& to) const { return channel_of(ports_, to.port, to.vc); }
  // Ports of a VC that may have a packet to send.
  std::uint32_t awake(int vc) const { return awake_[vc]; }
  void wake(int channel) { awake_[channel / ports_] |= 1U << channel % ports_; }
  void sleep(int channel) { awake_[channel / ports_] &= ~(1U << channel % ports_); }

  bool empty() const;  // no packet waits
  void add_state(StateDigest& digest) const;

 private:
  // Arbitration candidate on a channel, one of: the source of an endpoint tree; all ordered trees
  // of a part; all in-switch trees of a part, by (step, tree). In-switch trees: [begin, end) are
  // the trees of the current step, `at` is the tree of the next packet, and each tree sends `run`
  // packets per round.
  struct Source {
    Work* work = nullptr;
    int part = 0;
    bool in_switch = false;
    std::vector<int> trees;  // local numbers
    std::size_t begin = 0, end = 0, at = 0;
    std::uint64_t round = 0;
    bool keeps_pace = false;  // the part has a Part::lead
    PacketTurns turns;        // ordered trees of a part; not empty: no other trees
    std::vector<int> beside;  // other channels of the NIC port with ordered trees of the part
  };
  struct Channel {
    std::vector<Source> sources;
    std::size_t next = 0;       // round robin
    RingQueue<Packet*> copies;  // copies of packets started here for several ranks
    RingQueue<Packet*> passed_on;
  };

  void add_source(Work& work, int local);
  void add_turns(Work& work, int local);
  static auto ordered_source(auto& channel, const Work& work, int part)
      -> decltype(channel.sources.data());
  void find_beside(const Work& work);
  bool is_ahead(const Source& source, const PacketTurn& turn);
  Next next_in_turn(Source& source);
  static bool find_next_packet(Source& source);  // false: there is none
  static bool is_behind(Channel& channel, const Source& source);
  bool is_early(TreeState& state);
  std::size_t copies_waiting(const Work& work, const TreeState& state, const Send& to) const;
  bool may_start(const Work& work, const TreeState& state) const;
  bool is_out_of_pace(const Source& source) const;
  void wake_held_back();
  void add_pace(const Source& source, StateDigest& digest) const;
  void add_state_of_turns(const Source& source, StateDigest& digest) const;
  void wake_heads();
  Next find_next(int channel);
  Next start(Channel& channel, bool heads);  // `heads`: only heads of broadcasts

  int ports_;
  EdgeTimers* timers_ = nullptr;
  EdgeTimers::Waiter* npu_ = nullptr;
  std::vector<Channel> channels_;
  std::array<std::uint32_t, kNumVcs> awake_{};
  std::array<std::uint32_t, kNumVcs> heads_{};  // ports at which broadcast roots send first
  // Ports where a source waits for other sources of its part, and no other packet can be sent.
  std::array<std::uint32_t, kNumVcs> held_back_{};
};

}  // namespace fredsim

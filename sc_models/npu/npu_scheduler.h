// SPDX-License-Identifier: Apache-2.0
// Choice of the packet that an NPU sends next on a channel, a NIC port and VC.
//
// Order per channel: first copies of new packets that go to several ranks (all-gather, broadcast), which have the longest
//   path before them, then packets passed on, then other new ones; new ones round robin over what starts packets here:
//   each endpoint tree, and per part all its in-switch trees together, these by (step, packet / run, tree, packet)
//   without skipping. In-switch trees of different jobs: those of the job that was added first, all of them, then those
//   of the next. Packets of ordered trees (collective/packet_order.h), passed on or new, leave in their order, those of a
//   part together in place of one source of new ones; roots of such trees put their copies there, too, and start packets as
//   others do; of an all-reduce none that is due kLead intervals after what another virtual channel of its NIC port is to send
//   next of the part. At most `window` packets of a tree are under way per source (Part::window), by the results that it sees
//   or, where it sees none, by what is acknowledged to it; contributors to an in-switch tree that see no result are limited by
//   the NIC's acceptance only. What a part sends into different slices keeps pace where the part says so (Part::lead). A rank
//   that sends into the switches what others send to it starts a packet when theirs are there.
// Use: next() until it says there is nothing, for channels that are awake; wake() those for which more may be allowed.
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
  // A packet of an ordered tree that is passed on: a result, or else a sum.
  void push_in_turn(const Work& work, int local, bool is_result, const Send& to, Packet& packet);

  // Next to send: a packet that waits, or a tree of which to start one.
  struct Next {
    Packet* queued = nullptr;
    Work* work = nullptr;  // both null: nothing for now
    int local = 0;
  };
  Next next(int channel);

  int channel(const Send& to) const { return channel_of(ports_, to.port, to.vc); }
  // Ports of a VC where something may be sendable.
  std::uint32_t awake(int vc) const { return awake_[vc]; }
  void wake(int channel) { awake_[channel / ports_] |= 1U << channel % ports_; }
  void sleep(int channel) { awake_[channel / ports_] &= ~(1U << channel % ports_); }

  bool empty() const;  // nothing waits
  void add_state(StateDigest& digest) const;

 private:
  // Arbitration candidate on a channel: what starts packets of an endpoint tree; all ordered trees of a part; or the
  // in-switch trees of a part, by (step, tree), with the place of the next packet: tree `at` of those of the step, which are
  // [begin, end), in their round of `run` packets each.
  struct Source {
    Work* work = nullptr;
    int part = 0;
    bool in_switch = false;
    std::vector<int> trees;  // local
    std::size_t begin = 0, end = 0, at = 0;
    std::uint64_t round = 0;
    bool keeps_pace = false;  // Part::lead
    PacketTurns turns;        // not empty: of ordered trees, and nothing else
    std::vector<int> beside;  // other channels of the NIC port with ordered trees of the part
  };
  struct Channel {
    std::vector<Source> sources;
    std::size_t next = 0;       // round robin
    RingQueue<Packet*> copies;  // copies of packets started here that go to several ranks
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
  Next start(Channel& channel, bool heads);  // `heads`: of such sources only

  int ports_;
  EdgeTimers* timers_ = nullptr;
  EdgeTimers::Waiter* npu_ = nullptr;
  std::vector<Channel> channels_;
  std::array<std::uint32_t, kNumVcs> awake_{};
  std::array<std::uint32_t, kNumVcs> heads_{};  // ports by which broadcast roots send first
  // Ports where a source waits for others of its part, and nothing else can be sent.
  std::array<std::uint32_t, kNumVcs> held_back_{};
};

}  // namespace fredsim

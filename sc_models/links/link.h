// SPDX-License-Identifier: Apache-2.0
// The two ends of a directed link: pacing, credits and counts at the sender's, the return path of credits at the
// receiver's. What is under way between them is in a LinkWheel (fabric/link_wheel.h).
//
// Time: a delay line of `latency` cycles for flits and of the same for credits backwards, register to
//   register, and a serialiser in front of it. A flit is there when its last bit is: launched at edge e
//   on a link of num/den flits per cycle, it begins at max(e, the end of the flit before it), takes den/num
//   cycles, and is on the receiver's input pin at edge e + latency + beyond. `beyond` is what its end lies
//   beyond e + 1, rounded up to whole cycles; the one cycle is that of any register-to-register transfer
//   and part of `latency`. So it is 0 on a link of a flit per cycle, and ceil(den/num) - 1 on an idle
//   slower one. Credits are wires of their own and not serialised.
// Pacing, exact: a link is ready when the serialiser is free before the next edge. Every link has a token
//   bucket: refill `num` per cycle, capacity den + num - 1, full when idle; with `den` tokens it takes a flit at
//   once, and a launch removes `den`; the serialiser is busy for (capacity - level) / num more cycles. The level is
//   computed when it is asked for, from the edge of the last launch. A switch launches up to launch_edges() edges
//   after it was told that the link is ready (SwitchCore). So its link is ready that many edges earlier than it takes a flit, and
//   is never idle while there are flits. It may get as many flits more than it takes: they wait in front of the
//   serialiser, and the accumulator is below zero.
// Bursts: the links of I/O controllers are as wide as those of NPUs; what is behind a controller (CXL) is slower. Such a link,
//   Link::burst, sends bursts at the rate `peak`, which the serialiser has, and `rate` on average: an exact token bucket with
//   hysteresis. It gains `rate` flits a cycle, up to two bursts; every flit takes one. A burst begins when a burst's worth is
//   there; after so many flits it ends with the packets that began in it, so that no switch that runs phases is held by one
//   that trickles in. What begins later, as a switch launches late (below) or beside a packet of another channel, keeps it
//   open, too, while less than a burst is owed; then its remainder comes with the next burst, and waits in the sender's
//   staging.
//   Flits beyond a burst are owed: the average holds. What is left of a burst may follow until the bucket is full.
//   A controller must have buffers for three bursts and a packet, each way: it fetches what it sends before, and takes what
//   it gets at the peak rate.
// Credits: the sender's end knows the room at the receiver, per virtual channel, less what is under way. Neither a flit
//   without room nor a credit that is not owed is taken: the caller reports them.
// Channel: a link that is not plain has a LinkChannel (links/link_channel.h) behind its sender: flits go there, and the
//   channel hands them to the serialiser. It says when the link is ready.
// Faults: a link is perfect unless it has a LinkFaults, which may change flits in flight or lose them. Perfect links
//   do not ask.
// State is plain values; edges are those of whoever holds the link, none before the last launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/flit.h"
#include "base/rational.h"
#include "topology/topology.h"

namespace fredsim {

class LinkChannel;

struct LinkCount {
  std::uint64_t flits = 0;          // launched
  std::uint64_t phase_flits = 0;    // flits of flows of a phase among them
  std::uint64_t missing_bytes = 0;  // bytes by which they fall short of 512 each
  double sent = 0;                  // flits that the serialiser has sent, retransmissions included
  std::uint64_t again = 0;          // flits that went on the wire beside those launched
  // Counters named by LinkPolicy::counters().
  std::array<std::uint64_t, 4> of_policy{};
  LinkCount& operator+=(const LinkCount& other) {
    flits += other.flits;
    phase_flits += other.phase_flits;
    missing_bytes += other.missing_bytes;
    sent += other.sent;
    again += other.again;
    for (std::size_t i = 0; i < of_policy.size(); ++i) of_policy[i] += other.of_policy[i];
    return *this;
  }
  bool operator==(const LinkCount&) const = default;
};

// Fault model of flits on the links that it is set for. Called by the thread that steps the sender, of links of
// several senders at the same time: what it keeps, it keeps by link.
class LinkFaults {
 public:
  LinkFaults() = default;
  LinkFaults(const LinkFaults&) = delete;
  LinkFaults& operator=(const LinkFaults&) = delete;
  virtual ~LinkFaults() = default;
  // A flit that link `link` of the topology has taken at `edge`; its words may be changed. False: it is lost. It has
  // taken its time on the wire all the same, counts as launched, and nobody gives its credit back. On a link with
  // retransmission a flit that goes on the wire at `edge`, again too: the link detects lost flits, and changed ones by the
  // check, and retransmits them.
  virtual bool pass(int link, std::uint64_t edge, std::span<std::uint32_t> flit) = 0;
  // On a link with retransmission, at every edge at which it is active: bits that are wrong of the word back that the sender
  // gets at `edge`, each below link_pkg::BACK_W and once.
  virtual std::span<const std::uint32_t> wrong_back(int link, std::uint64_t edge) {
    static_cast<void>(link);
    static_cast<void>(edge);
    return {};
  }
};

// An array per virtual channel: flits.
using VcDepths = std::array<int, kNumVcs>;

// Depth of the buffer that a link leads to.
VcDepths depths_behind(const Topology& topology, const Link& link);

// An input port, by the numbers of whoever holds nodes and links (fabric/partition.h).
struct LinkTarget {
  std::uint32_t node = 0;
  std::uint16_t port = 0;
  std::uint16_t partition = 0;
};

// The same in one word, without the partition.
class InputPin {
 public:
  InputPin() = default;
  InputPin(std::uint32_t node, std::uint32_t port) : word_(node << kPortBits | port) {}
  explicit InputPin(std::uint32_t word) : word_(word) {}
  std::uint32_t node() const { return word_ >> kPortBits; }
  std::uint32_t port() const { return word_ & ((1U << kPortBits) - 1); }
  std::uint32_t word() const { return word_; }

 private:
  static constexpr int kPortBits = 5;
  std::uint32_t word_ = 0;
};

class alignas(64) LinkTx {
 public:
  static constexpr int kMaxLate = 2;  // launch_edges() of all switches
  // Flits that a serialiser holds at most, those that wait in front of it included.
  static constexpr std::uint32_t kSlots = kMaxLate + 2;

  LinkTx() = default;  // an output port without a link
  LinkTx(const Link& link, int number, const VcDepths& depths);

  bool exists() const { return number_ >= 0; }
  int number() const { return number_; }  // index in the topology's links
  std::uint32_t latency() const { return latency_; }
  // Extra cycles of a flit that finds the serialiser idle.
  std::uint32_t beyond() const { return beyond_; }
  const VcDepths& depths() const { return depths_; }

  void set_launch_edges(int edges) { launch_edges_ = static_cast<std::uint8_t>(edges); }
  void reset();  // idle, all room free; counts stay
  void clear_counts() { flits_ = phase_flits_ = missing_bytes_ = 0; }

  // ---- bursts
  bool has_bursts() const { return (flags_ & kBursts) != 0; }
  // Counts the flit that is launched on a link with bursts; call before serialise().
  void count_in_burst(std::uint64_t edge, const std::uint32_t* flit);
  // The same by which links differ: what is in the bucket, flits left of a burst, packets open.
  std::int64_t tokens(std::uint64_t edge) const;
  std::int64_t left_of_burst(std::uint64_t edge) const {
    return left_of_burst_ <= 0 || begins_anew(tokens(edge)) ? 0 : left_of_burst_;
  }
  unsigned open_packets() const { return open_packets_; }  // a bit per virtual channel

  // ---- pacing
  bool is_paced() const {
    return num_ != den_ || flags_ >= kBursts;
  }  // else it is ready at every edge
  bool is_ready(std::uint64_t edge) const {
    if (has_channel()) [[unlikely]]
      return channel_is_ready(edge);
    return takes_flit(held(edge)) && (!has_bursts() || is_in_burst(edge));
  }
  // A paced link takes a flit into its serialiser: its `beyond` (Time). That is (lacking - 1) / num, without the
  // division.
  std::uint32_t serialise(std::uint64_t edge) {
    held_ = held(edge) - den_;
    since_ = edge;
    if (held_ < 0) return static_cast<std::uint32_t>((full() - held_ - 1) / num_);
    return beyond_ + (held_ < den_ - 1 - std::int64_t{beyond_} * num_ ? 1 : 0);
  }
  // True if it takes another flit at the edge of the last.
  bool is_still_ready() const {
    return !has_channel() && takes_flit(held_) && (!has_bursts() || is_in_burst(since_));
  }
  bool is_rested(std::uint64_t edge) const {
    return held(edge) == full() && (!has_bursts() || tokens(edge) == max_tokens());
  }
  // Level of the accumulator: the state in which paced links differ.
  std::int64_t held(std::uint64_t edge) const {
    // No more is lacking.
    const std::int64_t max = kSlots * (std::int64_t{beyond_} + 2);
    const auto gained =
        static_cast<std::int64_t>(std::min(edge - since_, static_cast<std::uint64_t>(max)));
    return std::min(held_ + num_ * gained, full());
  }
  // So many edges pass after which all is as it is now.
  void pass_over(std::uint64_t edges) { since_ += edges; }

  // ---- a channel behind it, which owns the serialiser then
  bool has_channel() const { return (flags_ & kChannel) != 0; }
  void set_channel(const LinkChannel& channel) {
    channel_ = &channel;
    flags_ |= kChannel;
  }
  // The serialiser takes a flit at this edge.
  bool takes_now(std::uint64_t edge) const { return held(edge) >= den_; }
  // It will take a flit that is launched up to launch_edges() edges from now, and is at the channel an edge later, with so
  // many that wait there before it.
  bool takes_behind(std::uint32_t waiting, std::uint64_t edge) const {
    return held(edge) - waiting * den_ >= den_ - (launch_edges_ + 1) * num_ &&
           (!has_bursts() || is_in_burst(edge));
  }

  // ---- credits
  int room(int vc) const { return room_[vc]; }
  int outstanding(int vc) const { return depths_[vc] - room_[vc]; }
  // False: there is none.
  bool take_room(int vc) { return --room_[vc] >= 0; }
  // A credit is back. False: it was not owed.
  bool give_room(int vc) { return ++room_[vc] <= depths_[vc]; }

  // ---- counts
  void count_flit(const std::uint32_t* flit) {
    ++flits_;
    phase_flits_ += kPhaseField.of(flit) != kPhaseOnline ? 1U : 0U;
  }
  void count_missing(std::uint64_t bytes) { missing_bytes_ += bytes; }
  void add_counts(const LinkCount& more) {
    flits_ += more.flits;
    phase_flits_ += more.phase_flits;
    missing_bytes_ += more.missing_bytes;
  }
  LinkCount count(std::uint64_t edge) const;

  // ---- target, as the holder of both ends counts its nodes
  void lead_to(LinkTarget target) {
    to_pin_ = {target.node, target.port};
    to_partition_ = target.partition;
  }
  LinkTarget target() const {
    return {to_pin_.node(), static_cast<std::uint16_t>(to_pin_.port()), to_partition_};
  }
  InputPin target_pin() const { return to_pin_; }
  void set_faults(LinkFaults* faults) { faults_ = faults; }
  LinkFaults* faults() const { return faults_; }  // null: a perfect link
  // A flag of the holder: flits take another path than straight into its wheel.
  void set_special(bool on) {
    flags_ = static_cast<std::uint8_t>((flags_ & ~kSpecial) | (on ? kSpecial : 0));
  }
  bool is_special() const { return (flags_ & kSpecial) != 0; }

 private:
  static constexpr unsigned kSpecial = 1, kBursts = 2, kChannel = 4;  // bits of flags_

  std::int64_t full() const { return den_ + num_ - 1; }
  std::int64_t max_tokens() const { return 2 * burst_tokens_; }
  // With a full bucket, whatever was left of a burst.
  bool begins_anew(std::int64_t tokens) const {
    return open_packets_ == 0 && tokens == max_tokens();
  }
  bool is_in_burst(std::uint64_t edge) const {
    return left_of_burst_ > 0 || open_packets_ != 0 || tokens(edge) >= burst_tokens_;
  }
  bool takes_flit(std::int64_t held) const { return held >= den_ - launch_edges_ * num_; }
  bool channel_is_ready(std::uint64_t edge) const;

  // All that a launch needs, but for the count, is in one cache line.
  std::int64_t num_ = 1, den_ = 1;
  std::int64_t held_ = 1;    // after the last launch
  std::uint64_t since_ = 0;  // edge of it
  VcDepths room_{};
  std::uint32_t latency_ = 1;
  std::uint32_t beyond_ = 0;
  InputPin to_pin_;
  std::uint8_t launch_edges_ = 0;
  std::uint8_t flags_ = 0;
  std::uint16_t to_partition_ = 0;
  // Other state.
  int number_ = -1;
  VcDepths depths_{};
  std::uint64_t flits_ = 0;
  std::uint64_t phase_flits_ = 0;
  std::uint64_t missing_bytes_ = 0;
  LinkFaults* faults_ = nullptr;
  const LinkChannel* channel_ = nullptr;  // null: a plain link
  // Token bucket of a link with bursts. A flit is average_.den tokens; a cycle brings average_.num.
  Rational average_{};
  std::int64_t burst_ = 0;         // flits
  std::int64_t burst_tokens_ = 0;  // tokens per burst
  std::int64_t tokens_ = 0;        // after the last launch
  std::int64_t left_of_burst_ = 0;
  std::uint8_t open_packets_ = 0;
};

// Receiver of the credits of an input port.
struct LinkRx {
  LinkTarget sender{};        // its output port
  std::uint32_t latency = 0;  // 0: an input port without a link
  bool exists() const { return latency != 0; }
};

}  // namespace fredsim

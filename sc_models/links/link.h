// SPDX-License-Identifier: Apache-2.0
// The two ends of a directed link: pacing, credits and counts at the sender's end, the return path
// of credits at the receiver's end. Flits in flight are in a LinkWheel (fabric/link_wheel.h).
//
// Time: a delay line of `latency` cycles for flits, an equal one for credits in the other
//   direction, register to register, and a serialiser before the delay line. A flit arrives with
//   its last bit. Launched at edge e on a link of num/den flits per cycle, it begins at max(e, the
//   end of the flit before it), takes den/num cycles, and is on the receiver's input pin at edge e
//   + latency + beyond. `beyond` is the time from e + 1 to the flit's end, rounded up to whole
//   cycles; the one cycle is that of any register-to-register transfer and part of `latency`. So
//   `beyond` is 0 on a link of a flit per cycle, and ceil(den/num) - 1 on an idle slower one.
//   Credits have wires of their own and are not serialised.
// Pacing, exact: a link is ready when the serialiser is free before the next edge. Every link has a
//   token bucket: refill `num` per cycle, capacity den + num - 1, full when idle; with `den` tokens
//   it takes a flit at once, and a launch removes `den`; the serialiser is busy for (capacity -
//   level) / num more cycles. The level is computed on demand, from the edge of the last launch. A
//   switch launches up to launch_edges() edges after it has sampled the link's ready (SwitchCore).
//   So the link asserts ready that many edges before it can take a flit, and is never idle while
//   there are flits. It may receive that many flits too many: they wait before the serialiser, and
//   the bucket's level is below zero.
// Bursts: the links of I/O controllers are as wide as an NPU's; the device behind a controller
//   (CXL) is slower. Such a link, Link::burst, sends bursts at the rate `peak` of the serialiser,
//   and `rate` on average: an exact token bucket with hysteresis. It gains `rate` flits a cycle, up
//   to two bursts; every flit takes one. A burst begins when the bucket holds a burst. After a
//   burst's flits it ends with the packets that began in it, so that no slow packet holds up a
//   switch that runs phases. A packet that begins later, since a switch launches late (below) or
//   beside a packet of another channel, also keeps the burst open while less than a burst is owed;
//   beyond that its remainder waits in the sender's staging for the next burst.
//   Flits beyond a burst are owed: the average holds. An unfinished burst may go on until the
//   bucket is full.
//   A controller must have buffers for three bursts and a packet in each direction: it fetches data
//   ahead of sending it, and takes data at the peak rate.
// Credits: the sender's end knows the room at the receiver, per virtual channel, less the flits in
//   flight. A flit without room and a credit that is not owed are refused: the caller reports them.
// Channel: a link with a protocol of its own has a LinkChannel (links/link_channel.h) behind its
//   sender: flits go there, and the channel passes them to the serialiser. The channel also drives
//   the link's ready.
// Faults: a link is perfect unless it has a LinkFaults, which may change flits in flight or lose
//   them. Perfect links do not call one.
// State is plain values; edges are counted by the link's holder, none before the last launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/flit.h"
#include "base/port_pin.h"
#include "base/rational.h"
#include "topology/topology.h"

namespace fredsim {

class LinkChannel;

struct LinkCount {
  std::uint64_t flits = 0;          // flits launched
  std::uint64_t phase_flits = 0;    // flits of flows of a phase among them
  std::uint64_t missing_bytes = 0;  // bytes by which the flits fall short of 512 each
  double sent = 0;                  // flits that the serialiser has sent, retransmissions included
  std::uint64_t again = 0;          // flits on the wire beyond the launched ones
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

// Fault model of flits on its links. Called by the thread that steps the sender, for links of
// several senders at the same time: its state must be per link.
class LinkFaults {
 public:
  LinkFaults() = default;
  LinkFaults(const LinkFaults&) = delete;
  LinkFaults& operator=(const LinkFaults&) = delete;
  virtual ~LinkFaults() = default;
  // Passes a flit that link `link` of the topology takes at `edge`; may change its words. Returns
  // false if the flit is lost. A lost flit takes its time on the wire and counts as launched, and
  // its credit never returns. On a link with retransmission this is called for each flit on the
  // wire at `edge`, retransmissions included: the link detects lost flits, and changed flits by
  // their check, and retransmits them.
  virtual bool pass(int link, std::uint64_t edge, std::span<std::uint32_t> flit) = 0;
  // Wrong bits of the feedback word that the sender gets at `edge`, each below link_pkg::BACK_W and
  // listed once. Called on a link with retransmission, at every edge at which it is active.
  virtual std::span<const std::uint32_t> wrong_back(int link, std::uint64_t edge) {
    static_cast<void>(link);
    static_cast<void>(edge);
    return {};
  }
};

// Flits per virtual channel.
using VcDepths = std::array<int, kNumVcs>;

// Depth of the buffer at the link's far end.
VcDepths depths_behind(const Topology& topology, const Link& link);

// An input port, in the numbering of the holder of nodes and links (fabric/partition.h).
struct LinkTarget {
  std::uint32_t node = 0;
  std::uint16_t port = 0;
  std::uint16_t partition = 0;
  bool is_switch = false;
};

class alignas(64) LinkTx {
 public:
  static constexpr int kMaxLate = 2;  // max launch_edges() of all switches
  // Max flits in a serialiser, flits that wait before it included.
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
  void reset();  // makes it idle with all room free; counts stay
  void clear_counts() { flits_ = phase_flits_ = missing_bytes_ = 0; }

  // ---- token bucket of bursts
  bool has_bursts() const { return (flags_ & kBursts) != 0; }
  // Counts the flit that is launched on a link with bursts; call before serialise().
  void count_in_burst(std::uint64_t edge, const std::uint32_t* flit);
  // Level of the bucket. Links with bursts differ in it, in the flits left of a burst and in the
  // packets that are open.
  std::int64_t tokens(std::uint64_t edge) const;
  std::int64_t left_of_burst(std::uint64_t edge) const {
    return left_of_burst_ <= 0 || begins_anew(tokens(edge)) ? 0 : left_of_burst_;
  }
  unsigned open_packets() const { return open_packets_; }  // bit v: VC v

  // ---- pacing
  // False: the link is ready at every edge.
  bool is_paced() const { return num_ != den_ || flags_ >= kBursts; }
  bool is_ready(std::uint64_t edge) const {
    if (has_channel()) [[unlikely]]
      return channel_is_ready(edge);
    return takes_flit(held(edge)) && (!has_bursts() || is_in_burst(edge));
  }
  // Takes a flit into the serialiser of a paced link and returns the flit's `beyond` (Time): this
  // is (lacking - 1) / num, without the division.
  [[gnu::always_inline]] std::uint32_t serialise(std::uint64_t edge) {
    held_ = held(edge) - den_;
    since_ = edge;
    if (held_ < 0) return static_cast<std::uint32_t>((full() - held_ - 1) / num_);
    return beyond_ + (held_ < den_ - 1 - std::int64_t{beyond_} * num_ ? 1 : 0);
  }
  // Returns true if the link is ready at the edge after its last flit's. Links with bursts: at the
  // flit's own edge, and false if it is ready an edge later only.
  [[gnu::always_inline]] bool is_ready_again() const {
    return !has_channel() &&
           (has_bursts() ? takes_flit(held_) && is_in_burst(since_) : takes_flit(held_ + num_));
  }
  bool is_idle(std::uint64_t edge) const {
    return held(edge) == full() && (!has_bursts() || tokens(edge) == max_tokens());
  }
  // Level of the token bucket: the state in which paced links differ.
  [[gnu::always_inline]] std::int64_t held(std::uint64_t edge) const {
    const std::uint64_t gained = edge - since_;
    if (gained > kSlots * (std::uint64_t{beyond_} + 2)) return full();  // no refill takes longer
    return std::min(held_ + num_ * static_cast<std::int64_t>(gained), full());
  }
  // Skips `edges` edges after which the state is as now.
  void skip(std::uint64_t edges) { since_ += edges; }

  // ---- channel behind the link, which then owns the serialiser
  bool has_channel() const { return (flags_ & kChannel) != 0; }
  void set_channel(const LinkChannel& channel) {
    channel_ = &channel;
    flags_ |= kChannel;
  }
  // Returns true if the serialiser takes a flit at this edge.
  bool takes_now(std::uint64_t edge) const { return held(edge) >= den_; }
  // Returns true if the serialiser will take a flit that is launched up to launch_edges() edges
  // from now and reaches the channel an edge later, with `waiting` flits before it there.
  bool takes_behind(std::uint32_t waiting, std::uint64_t edge) const {
    return held(edge) - waiting * den_ >= den_ - (launch_edges_ + 1) * num_ &&
           (!has_bursts() || is_in_burst(edge));
  }

  // ---- credits of the receiver
  int room(int vc) const { return room_[vc]; }
  int outstanding(int vc) const { return depths_[vc] - room_[vc]; }
  // Takes room for one flit; false if there is none.
  bool take_room(int vc) { return room_[vc]-- != 0; }
  // Returns a credit; false if it was not owed.
  bool give_room(int vc) { return room_[vc]++ < depths_[vc]; }

  // ---- counts of flits
  void count_flit(const std::uint32_t* flit) {
    ++flits_;
    if (kPhaseField.of(flit) != kPhaseOnline) ++phase_flits_;
  }
  void count_missing(std::uint64_t bytes) { missing_bytes_ += bytes; }
  void add_counts(const LinkCount& more) {
    flits_ += more.flits;
    phase_flits_ += more.phase_flits;
    missing_bytes_ += more.missing_bytes;
  }
  LinkCount count(std::uint64_t edge) const;

  // ---- target, in the numbering of the holder of both ends
  void lead_to(LinkTarget target) {
    to_pin_ = {target.node, target.port, target.is_switch};
    to_partition_ = target.partition;
  }
  LinkTarget target() const {
    return {to_pin_.node(), static_cast<std::uint16_t>(to_pin_.port()), to_partition_,
            to_pin_.is_of_switch()};
  }
  InputPin target_pin() const { return to_pin_; }
  void set_faults(LinkFaults* faults) { faults_ = faults; }
  LinkFaults* faults() const { return faults_; }  // null: a perfect link
  // Flag of the holder: flits do not go straight into its wheel.
  void set_special(bool on) {
    flags_ = static_cast<std::uint8_t>((flags_ & ~kSpecial) | (on ? kSpecial : 0));
  }
  bool is_special() const { return (flags_ & kSpecial) != 0; }

 private:
  static constexpr unsigned kSpecial = 1, kBursts = 2, kChannel = 4;  // bits of flags_

  std::int64_t full() const { return den_ + num_ - 1; }
  std::int64_t max_tokens() const { return 2 * burst_tokens_; }
  // Returns true if the bucket is full: a new burst begins, whatever was left of the last.
  bool begins_anew(std::int64_t tokens) const {
    return open_packets_ == 0 && tokens == max_tokens();
  }
  bool is_in_burst(std::uint64_t edge) const {
    return left_of_burst_ > 0 || open_packets_ != 0 || tokens(edge) >= burst_tokens_;
  }
  bool takes_flit(std::int64_t held) const { return held >= den_ - launch_edges_ * num_; }
  bool channel_is_ready(std::uint64_t edge) const;

  // One cache line has all that a launch needs.
  std::int64_t num_ = 1, den_ = 1;
  std::int64_t held_ = 1;    // level after the last launch
  std::uint64_t since_ = 0;  // edge of the last launch
  std::uint64_t flits_ = 0;
  std::array<std::uint16_t, kNumVcs> room_{};
  std::uint32_t latency_ = 1;
  std::uint32_t beyond_ = 0;
  InputPin to_pin_;
  std::uint8_t launch_edges_ = 0;
  std::uint8_t flags_ = 0;
  std::uint16_t to_partition_ = 0;
  // State that no launch needs.
  int number_ = -1;
  VcDepths depths_{};
  std::uint64_t phase_flits_ = 0;
  std::uint64_t missing_bytes_ = 0;
  LinkFaults* faults_ = nullptr;
  const LinkChannel* channel_ = nullptr;  // null: a plain link
  // Token bucket of a link with bursts. A flit takes average_.den tokens; a cycle adds
  // average_.num.
  Rational average_{};
  std::int64_t burst_ = 0;         // flits
  std::int64_t burst_tokens_ = 0;  // tokens per burst
  std::int64_t tokens_ = 0;        // level after the last launch
  std::int64_t left_of_burst_ = 0;
  std::uint8_t open_packets_ = 0;
};

// Receiver of the credits of an input port.
struct LinkRx {
  LinkTarget sender{};        // output port at the link's other end
  std::uint32_t latency = 0;  // 0: an input port without a link
  CreditPin credit{};         // the sender's, of virtual channel 0
  bool exists() const { return latency != 0; }
};

}  // namespace fredsim

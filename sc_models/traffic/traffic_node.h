// SPDX-License-Identifier: Apache-2.0
// An endpoint of synthetic traffic at the fabric's pins: creates packets, injects and consumes
// them. One lane per flit.
//
// Classes: packets and requests on the data VC DP, replies on PP, so that neither waits for the
//   other's buffers. At an NPU's port a reply's flit goes first.
// Creating: packet_source.h, or a feeder that hands packets over. Packets of a source wait in an
//   unbounded queue, of which only the creation of its first packet is stored; so do replies.
//   An NPU always consumes, which keeps request-reply traffic free of deadlock by itself.
// Injecting: a packet whose cycle has come leaves by the next port, round robin, that has completed
//   its last packet of the class and has a credit; its first flit can leave at the edge of its
//   creation. One flit per port and cycle, as link and credits allow. Packets are kPhaseOnline
//   unicasts.
// Consuming: a flit is taken and its credit returned at the edge of its arrival.
// Latency: edge at which the tail is consumed - cycle of creation, queueing at the source included;
//   of an exchange, from the creation of the request until its reply is consumed.
//   The flit's tag carries the lower 32 bits of the creation (a reply's: the request's), or the
//   feeder's number; seq the packet's length and whether it writes; the lane a value that is
//   checked on arrival.
// Idle: true unless the node can inject a flit at this cycle; the run calls packet_due(), from the
//   calendar.
// Errors: RunFailed for a flit at the wrong node, on another VC, with another lane than sent, or an
//   incomplete packet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "nic/endpoint_core.h"
#include "nic/ring_queue.h"
#include "traffic/creation_calendar.h"
#include "traffic/latency_histogram.h"
#include "traffic/packet_source.h"

namespace fredsim {

// Hands nodes their packets at edges of its own, instead of sources, and hears of their arrival.
class PacketFeeder {
 public:
  PacketFeeder() = default;
  PacketFeeder(const PacketFeeder&) = delete;
  PacketFeeder& operator=(const PacketFeeder&) = delete;
  virtual ~PacketFeeder() = default;
  virtual void before_edge() = 0;
  virtual void arrived(std::uint32_t tag) = 0;                  // the tail is consumed at this edge
  virtual std::uint64_t creation(std::uint32_t tag) const = 0;  // a packet in flight
};

// State shared by all nodes of a run that are stepped by the same thread.
struct TrafficMeter {
  explicit TrafficMeter(int nodes) : calendar(nodes) {}

  std::uint64_t now = 0;           // cycle of the run, below 2^32 unless there is a feeder
  std::uint64_t window_begin = 0;  // packets created in [begin, end) are measured
  std::uint64_t window_end = 0;
  bool offering = true;  // false: no new packet starts
  std::uint64_t flits_injected = 0;
  std::uint64_t flits_consumed = 0;  // injected and not consumed: in flight
  std::uint64_t window_flits = 0;    // consumed in the window, regardless of creation
  LatencyHistogram latency;          // latencies of the measured packets or exchanges that ended
  LatencyHistogram request_latency;  // requests among them
  CreationCalendar calendar;
  PacketFeeder* feeder = nullptr;
};

// Addresses of nodes by rank, and ranks by address.
struct NodeAddresses {
  std::vector<std::uint16_t> of_rank;
  std::vector<int> rank_of;
  void add(std::uint16_t address);
};

struct CreatedPackets {
  std::uint64_t packets = 0;
  std::uint64_t flits = 0;  // replies included
};

// Packets of a source that were created in the window: `injected` ones, and those that wait, of
// which `waiting` creates the first one next. Valid once `now` is the window's end.
CreatedPackets with_waiting(CreatedPackets injected, PacketSource waiting,
                            const TrafficMeter& meter);

class TrafficNode final : public EndpointCore {
 public:
  struct WaitingPacket {
    std::uint32_t tag = 0;
    int destination = 0;  // a rank
    PacketKind kind{};
  };

  // `address`: address of this node; addresses, kinds and meter outlive the node.
  TrafficNode(std::string name, int ports, std::uint16_t address, const NodeAddresses& addresses,
              const PacketKinds& kinds, TrafficMeter& meter);

  // Called after reset(): sends packets of this source from now on; without this call the node
  // sends nothing by itself. `rank`: its number in the calendar.
  void start(const PacketSource& source, int rank);
  void packet_due() {  // called in the cycle of the next packet
    due_ = true;
    wake();
  }
  // Queues a packet of a feeder; it can leave at the next edge.
  void hand_over(const WaitingPacket& packet) {
    waiting_[kForward].push(packet);
    wake();
  }
  // Index: rank of a destination; ports that lead there, if not all do. Empty: all.
  void set_ports(std::vector<std::uint32_t> ports_to) { ports_to_ = std::move(ports_to); }
  // Packets created in the window, waiting ones included. Valid once `now` is the window's end.
  CreatedPackets created_in_window() const;

  void reset() override;
  void set_credits(int port, int vc, int flits) override;
  void step(SwitchPins& pins) override;
  bool idle() const override {
    return (sending_[kForward] & credited_[kForward]) == 0 && !may_start(kForward) &&
           (classes_ == 1 || ((sending_[kReply] & credited_[kReply]) == 0 && !may_start(kReply)));
  }
  bool takes_credit(std::uint32_t port, std::uint32_t vc) override;
  bool empty() const override {
    return (sending_[0] | sending_[1]) == 0 && receiving_ == 0 && waiting_[kForward].empty() &&
           waiting_[kReply].empty();
  }
  void describe_waiting(const std::vector<std::string>& peers,
                        std::vector<std::string>& lines) const override;

 private:
  enum Class : std::uint8_t { kForward, kReply };
  static constexpr int kClasses = 2;
  static constexpr std::array<int, kClasses> kVcOfClass{kDp, kPp};

  struct Sending {
    std::array<std::uint32_t, kHeaderWords> header{};  // header of the next flit
    int to_send = 0;                                   // flits of the packet left
    int credits = 0;
  };
  struct Receiving {
    std::uint32_t tag = 0, seq = 0;  // header fields of the packet that is arriving
    int received = 0;                // flits of the packet so far
  };
  struct Port {
    std::array<Sending, kClasses> out{};
    std::array<Receiving, kClasses> in{};
  };

  bool may_start(Class c) const { return has_packet(c) && free_ports(c) != 0; }
  bool has_packet(Class c) const {
    return (c == kForward && due_ && meter_.offering) || !waiting_[c].empty();
  }
  // Ports on which the next packet may start.
  std::uint32_t free_ports(Class c) const {
    const std::uint32_t free = credited_[c] & ~sending_[c];
    return ports_to_.empty() || free == 0 ? free : free & ports_to_[next_destination(c)];
  }
  std::size_t next_destination(Class c) const;
  // `kUsed`: classes of packets in use.
  template <int kUsed>
  void step_classes(SwitchPins& pins);
  WaitingPacket take_packet(Class c);
  void start_packet(Class c);
  void launch(int port, Class c, std::uint32_t* flit);
  template <int kUsed>
  Class consume(int port, const std::uint32_t* flit);
  void take(Class c, const std::uint32_t* tail);
  [[noreturn]] void fail(int port, const std::string& what,
                         FailureCause cause = FailureCause::kOther) const;

  std::string name_;
  std::uint16_t address_;
  int classes_;  // classes of packets in use
  // Headers of every packet's first flit, apart from the fields that differ.
  std::array<std::array<std::uint32_t, kHeaderWords>, kClasses> headers_{};
  const NodeAddresses& addresses_;
  const PacketKinds& kinds_;
  TrafficMeter& meter_;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> ports_to_;
  std::optional<PacketSource> source_;
  std::array<RingQueue<WaitingPacket>, kClasses> waiting_;
  int rank_ = 0;
  CreatedPackets measured_;                         // injected, created in the window
  std::array<std::uint32_t, kClasses> credited_{};  // ports with a credit
  std::array<std::uint32_t, kClasses> sending_{};   // ports inside a packet
  int receiving_ = 0;                               // packets that are arriving
  int next_port_ = 0;
  bool due_ = false;  // the next packet of the source exists
};

}  // namespace fredsim

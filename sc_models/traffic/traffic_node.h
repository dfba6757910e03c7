// SPDX-License-Identifier: Apache-2.0
// An endpoint of synthetic traffic at the fabric's pins: creates packets, injects and consumes
// them.
// One class of traffic: data VC DP, one lane per flit.
//
// Creating: packet_source.h. Packets wait in an unbounded source queue, of which only the creation
//   of its first packet is stored.
// Injecting: a packet whose cycle has come leaves by the next port, round robin, that has completed
//   its last packet and has a credit; its first flit can leave at the edge of its creation. One
//   flit per port and cycle, as link and credits allow. Packets are kPhaseOnline unicasts.
// Consuming: a flit is taken and its credit returned at the edge of its arrival.
// Latency: edge at which the tail is consumed - cycle of creation, queueing at the source included.
//   The flit's tag carries the lower 32 bits of the creation, the lane a value that is checked on
//   arrival.
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
#include "traffic/creation_calendar.h"
#include "traffic/latency_histogram.h"
#include "traffic/packet_source.h"

namespace fredsim {

// State shared by all nodes of a run that are stepped by the same thread.
struct TrafficMeter {
  explicit TrafficMeter(int nodes) : calendar(nodes) {}

  std::uint64_t now = 0;           // cycle of the run, below 2^32
  std::uint64_t window_begin = 0;  // packets created in [begin, end) are measured
  std::uint64_t window_end = 0;
  bool offering = true;  // false: no new packet starts
  std::uint64_t flits_injected = 0;
  std::uint64_t flits_consumed = 0;  // injected and not consumed: in flight
  std::uint64_t window_flits = 0;    // consumed in the window, regardless of creation
  LatencyHistogram latency;          // latencies of the measured packets that have arrived
  CreationCalendar calendar;
};

class TrafficNode final : public EndpointCore {
 public:
  // `address`: address of this node; `addresses`: of all nodes, by rank; both vector and meter
  // outlive the node.
  TrafficNode(std::string name, int ports, std::uint16_t address, int packet_flits,
              const std::vector<std::uint16_t>& addresses, TrafficMeter& meter);

  // Called after reset(): sends packets of this source from now on; without this call the node
  // sends nothing. `rank`: its number in the calendar.
  void start(const PacketSource& source, int rank);
  void packet_due() {  // called in the cycle of the next packet
    due_ = true;
    wake();
  }
  // Index: rank of a destination; ports that lead there, if not all do. Empty: all.
  void set_ports(std::vector<std::uint32_t> ports_to) { ports_to_ = std::move(ports_to); }
  // Packets created in the window, waiting ones included. Valid once `now` is the window's end.
  std::uint64_t created_in_window() const;

  void reset() override;
  void set_credits(int port, int vc, int flits) override;
  void step(SwitchPins& pins) override;
  bool idle() const override { return (sending_ & credited_) == 0 && !may_start(); }
  bool empty() const override { return sending_ == 0 && receiving_ == 0; }
  void describe_waiting(const std::vector<std::string>& peers,
                        std::vector<std::string>& lines) const override;

 private:
  struct Port {
    std::array<std::uint32_t, kHeaderWords> header{};  // header of the next flit
    int to_send = 0;                                   // flits of the packet left
    int credits = 0;
    std::uint32_t received_tag = 0;  // tag of the packet that is arriving
    int received = 0;                // flits of the packet so far
  };

  bool may_start() const { return due_ && meter_.offering && free_ports() != 0; }
  // Ports on which the next packet may start.
  std::uint32_t free_ports() const {
    const std::uint32_t free = credited_ & ~sending_;
    if (ports_to_.empty()) return free;
    PacketSource ahead = *source_;
    return free & ports_to_[static_cast<std::size_t>(ahead.take())];
  }
  void start_packet();
  void launch(int port, std::uint32_t* flit);
  void consume(int port, const std::uint32_t* flit);
  [[noreturn]] void fail(int port, const std::string& what,
                         FailureCause cause = FailureCause::kOther) const;

  std::string name_;
  std::uint16_t address_;
  int packet_flits_;
  std::array<std::uint32_t, kHeaderWords>
      header_{};  // header of every packet's first flit, apart from the fields that differ
  const std::vector<std::uint16_t>& addresses_;
  TrafficMeter& meter_;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> ports_to_;
  std::optional<PacketSource> source_;
  int rank_ = 0;
  std::uint64_t measured_ = 0;   // packets injected that were created in the window
  std::uint32_t credited_ = 0;   // ports with a credit
  std::uint32_t sending_ = 0;    // ports inside a packet
  std::uint32_t receiving_ = 0;  // ports inside an arriving packet
  int next_port_ = 0;
  bool due_ = false;  // the next packet exists
};

}  // namespace fredsim

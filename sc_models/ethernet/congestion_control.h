// SPDX-License-Identifier: Apache-2.0
// Congestion controls: the rate of a queue pair, from what its acknowledgements carry.
//
// Calls: acknowledged() for each acknowledgement; rate() before each packet, at any later time: it
//   catches up with the timers of a control, of which none is an event.
// Rounds: a round ends when the byte that was next at its begin is acknowledged.
// Units: bits per second, picoseconds, bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ethernet/settings.h"

namespace fredsim {

inline constexpr int kMaxEthernetHops = 8;

// Telemetry of an output port, at the departure of a packet.
struct PortRecord {
  Picoseconds time = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t queue = 0;  // bytes left
  std::uint64_t bits_per_second = 0;
};

struct Acknowledgement {
  Picoseconds now = 0, sent = 0;  // sent: the packet that it acknowledges
  bool marked = false;
  std::uint64_t acknowledged = 0;  // bytes of the queue pair
  std::uint64_t next = 0;          // next byte to be sent
  std::span<const PortRecord> ports{};
  int pint = 0;  // power of HpccConstants::pint_base
};

// Network as a control knows it.
struct ControlledPath {
  double line_rate = 0;     // host's
  Picoseconds longest = 0;  // T: the largest base round-trip time of the network
};

// Data that packets collect for a control.
enum class Telemetry : std::uint8_t { kNone, kPorts, kPint };

class CongestionControl {
 public:
  CongestionControl(const EthernetSettings& settings, const ControlledPath& path)
      : settings_(&settings), path_(path), rate_(path.line_rate) {}
  virtual ~CongestionControl() = default;
  virtual void acknowledged(const Acknowledgement& news) = 0;
  virtual double rate(Picoseconds /*now*/) { return rate_; }

 protected:
  void set_rate(double rate);  // within the minimum and the rate of the line
  // True for the acknowledgement that ends a round; begins the next one.
  bool ends_round(const Acknowledgement& news);

  const EthernetSettings* settings_;
  ControlledPath path_;
  double rate_;

 private:
  std::uint64_t round_ = 0;  // byte whose acknowledgement ends the round
};

// A control by name: its file registers it (controls.cmake).
struct CongestionControlKind {
  std::string_view name;
  Telemetry telemetry = Telemetry::kNone;
  std::unique_ptr<CongestionControl> (*make)(const EthernetSettings& settings,
                                             const ControlledPath& path);
};

template <typename Control>
std::unique_ptr<CongestionControl> make_control(const EthernetSettings& settings,
                                                const ControlledPath& path) {
  return std::make_unique<Control>(settings, path);
}

// BadInput for an unknown name, with the allowed ones.
const CongestionControlKind& congestion_control(const std::string& name);
std::span<const CongestionControlKind* const> congestion_controls();  // ordered like controls.cmake

}  // namespace fredsim

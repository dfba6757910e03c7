// SPDX-License-Identifier: Apache-2.0
// Settings of an Ethernet network for RoCE: buffers of its switches, pauses (PFC), marks (ECN), the
// hosts' transport and the constants of a congestion control.
//
// Units: bytes, picoseconds, bits per second. Defaults: the constants of "Impact of RoCE Congestion
//   Control Policies on Distributed Training of DNNs" (HotI 2022, arXiv 2207.10898), whose links
//   have 200 Gb/s.
#pragma once

#include <cstdint>
#include <string>

namespace fredsim {

using Picoseconds = std::uint64_t;

inline constexpr Picoseconds kNanosecond = 1000;
inline constexpr Picoseconds kMicrosecond = 1000 * kNanosecond;
inline constexpr Picoseconds kMillisecond = 1000 * kMicrosecond;
inline constexpr int kEthernetPriorities = 8;
inline constexpr int kDataPriority = 3;
inline constexpr int kAcknowledgementPriority = 7;

// Bytes in flight of a queue pair.
enum class EthernetWindow : std::uint8_t {
  kNone,
  kBdp,   // line rate times T, the largest base round-trip time of the network
  kRate,  // rate of the queue pair times T, a packet at least
};

// Choice among the shortest paths.
enum class EthernetPaths : std::uint8_t {
  kHashed,   // by source, destination, queue pair, seed and switch
  kByPlace,  // number of the destination
  kSpray,    // by packet, too
};

// Life of the state of a control.
enum class QueuePairs : std::uint8_t {
  kMessage,  // a queue pair per message, which begins at line rate
  kPair,     // one per source, destination and priority, which stays
};

struct DcqcnConstants {
  Picoseconds cnp_interval = 0;  // between notifications that count
  double g = 1.0 / 256;
  Picoseconds alpha_interval = kMicrosecond;
  Picoseconds cut_interval = 4 * kMicrosecond;
  Picoseconds raise_interval = 900 * kMicrosecond;
  double raise = 50e6;           // bits per second, second interval after a cut
  double steeper_raise = 100e6;  // later ones
};

struct DctcpConstants {
  double g = 1.0 / 256;
  double raise = 1000e6;  // bits per second and round
};

struct TimelyConstants {
  double new_weight = 0.875;  // weight of the newest difference of round-trip times
  double beta = 0.8;
  Picoseconds low = 50 * kMicrosecond;
  Picoseconds high = 500 * kMicrosecond;
  Picoseconds shortest = 20 * kMicrosecond;  // round-trip time that a gradient refers to
  double raise = 50e6;
  double steeper_raise = 100e6;  // after `patience` raises in a row
  int patience = 5;
};

struct HpccConstants {
  double use = 0.95;        // aim, of a link
  double raise = 50e6;      // bits per second
  double pint_base = 1.05;  // hpcc_pint: base of the powers that packets carry
};

struct EthernetSettings {
  // Settings of switches.
  std::uint64_t buffer = 32'000'000;  // shared by the ports of a switch
  bool pfc = true;                    // without: drops
  double pfc_alpha = 1.0 / 8;
  std::uint64_t pfc_hysteresis = 3 * 1024;  // below the threshold at XON
  std::uint64_t kmin = 600'000, kmax = 2'400'000;
  double pmax = 0.2;
  EthernetPaths paths = EthernetPaths::kHashed;
  std::uint64_t seed = 1;
  // Settings of hosts.
  int mtu = 1000;  // payload
  int header = 48;
  int acknowledgement = 60;
  int ack_every = 1;  // packets
  EthernetWindow window = EthernetWindow::kRate;
  bool any_order = false;  // receivers take packets in any order; else Go-Back-N
  QueuePairs queue_pairs = QueuePairs::kMessage;
  Picoseconds nack_interval = 500 * kMicrosecond;
  Picoseconds time_out = kMillisecond;
  // Controls; ethernet/controls.h.
  std::string congestion = "none";
  double min_rate = 100e6;
  DcqcnConstants dcqcn;
  DctcpConstants dctcp;
  TimelyConstants timely;
  HpccConstants hpcc;
};

}  // namespace fredsim

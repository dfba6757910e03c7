// The flit as it crosses every link and every switch port, and the packet
// header inside it (§6.2.3).
//
// Shape: an array of `flit_words(lanes)` 32-bit words, the same bits as the RTL's flit vector
// (rtl/common/noc_pkg.sv), word 0 in the least significant bits:
//   word 0  [31:0]  tag    trace id of the packet: simulation only, not counted as wire bits
//   word 1  [15:0]  dst    destination address       } header of 6 bytes:
//           [31:16] src    source address            } dst 16 + src 16 + phase 8 + vc 2 + seq 6
//   word 2  [7:0]   phase  index into the phase store; kPhaseOnline = unicast, routed online
//           [9:8]   vc     virtual channel
//           [15:10] seq    packet sequence number within its stream, modulo 64
//           [16]    head   first flit of its packet
//           [17]    tail   last flit of its packet (a one-flit packet has both)
//           [31:18] zero (the way of an online unicast inside a fred_switch)
//   word 3… payload lanes, two FP16/BF16 lanes per word, lane 0 in [15:0] of word 3
// A flit stands for 512 bytes whatever the number of lanes physically carried.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fredsim {

inline constexpr int kFlitBytes = 512;
inline constexpr int kFlitLanes = 256;  // FP16 or BF16 lanes in a full flit
inline constexpr int kHeaderWords = 3;
inline constexpr int kMaxFlitWords = kHeaderWords + kFlitLanes / 2;
inline constexpr int kPacketFlits = 8;  // data packet of 4 KiB
inline constexpr std::uint8_t kPhaseOnline = 0xFF;

// Of word 2.
inline constexpr std::uint32_t kHeadBit = 1U << 16;
inline constexpr std::uint32_t kTailBit = 1U << 17;
constexpr int vc_of(const std::uint32_t* words) { return static_cast<int>(words[2] >> 8 & 3U); }

constexpr int flit_words(int lanes) { return kHeaderWords + (lanes + 1) / 2; }

// Virtual channels. Priority on a port and in the control unit: kControl, then kMp, kPp, kDp.
enum Vc : std::uint8_t { kMp = 0, kPp = 1, kDp = 2, kControl = 3 };
inline constexpr int kNumVcs = 4;
// In options and files, and in messages.
inline constexpr std::array<std::string_view, kNumVcs> kVcNames{"mp", "pp", "dp", "control"};
inline constexpr std::array<std::string_view, kNumVcs> kVcTitles{"MP", "PP", "DP", "control"};

struct FlitHeader {
  std::uint32_t tag = 0;
  std::uint16_t dst = 0;
  std::uint16_t src = 0;
  std::uint8_t phase = 0;
  std::uint8_t vc = 0;
  std::uint8_t seq = 0;
  bool head = false;
  bool tail = false;
  friend bool operator==(const FlitHeader&, const FlitHeader&) = default;
};

inline void pack_header(const FlitHeader& h, std::uint32_t* words) {
  words[0] = h.tag;
  words[1] = std::uint32_t{h.dst} | std::uint32_t{h.src} << 16;
  words[2] = std::uint32_t{h.phase} | (std::uint32_t{h.vc} & 3U) << 8 |
             (std::uint32_t{h.seq} & 63U) << 10 | std::uint32_t{h.head} << 16 |
             std::uint32_t{h.tail} << 17;
}

inline FlitHeader unpack_header(const std::uint32_t* words) {
  FlitHeader h;
  h.tag = words[0];
  h.dst = static_cast<std::uint16_t>(words[1]);
  h.src = static_cast<std::uint16_t>(words[1] >> 16);
  h.phase = static_cast<std::uint8_t>(words[2]);
  h.vc = static_cast<std::uint8_t>(words[2] >> 8 & 3U);
  h.seq = static_cast<std::uint8_t>(words[2] >> 10 & 63U);
  h.head = (words[2] >> 16 & 1U) != 0;
  h.tail = (words[2] >> 17 & 1U) != 0;
  return h;
}

inline std::uint16_t get_lane(const std::uint32_t* words, int lane) {
  return static_cast<std::uint16_t>(words[kHeaderWords + lane / 2] >> (lane % 2 * 16));
}

inline void set_lane(std::uint32_t* words, int lane, std::uint16_t value) {
  std::uint32_t& w = words[kHeaderWords + lane / 2];
  const int shift = lane % 2 * 16;
  w = (w & ~(0xFFFFU << shift)) | std::uint32_t{value} << shift;
}

// Address of an endpoint on a mesh: router column x and row y, and which endpoint of that router:
// 0 is the NPU, 1 and 2 are the I/O controllers on its outward faces. 64 × 64 routers at most.
constexpr std::uint16_t mesh_address(int x, int y, int endpoint) {
  return static_cast<std::uint16_t>(x | y << 6 | endpoint << 12);
}

}  // namespace fredsim

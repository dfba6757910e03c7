// SPDX-License-Identifier: Apache-2.0
// The flit as it crosses every link and every switch port, and the packet header inside it
// (§6.2.3).
//
// Shape: an array of `flit_words(lanes)` 32-bit words, the same bits as the RTL's flit vector, word
// 0 in the least significant bits. rtl/common/noc_pkg.sv says where each field is:
//   word 0  [31:0]  tag    trace id of the packet: simulation only, not counted as wire bits
//   word 1  [15:0]  dst    destination address       } header of 6 bytes:
//           [31:16] src    source address            } dst 16 + src 16 + phase 8 + vc 2 + seq 6
//   word 2  [7:0]   phase  index into the phase store; kPhaseOnline = unicast, routed online
//           [9:8]   vc     virtual channel
//           [15:10] seq    packet sequence number within its stream, modulo 64
//           [16]    head   first flit of its packet
//           [17]    tail   last flit of its packet (a one-flit packet has both)
//           [31:18] zero (the path of an online unicast inside a fred_switch)
//   word 3… payload lanes, two FP16/BF16 lanes per word, lane 0 in [15:0] of word 3
// A flit stands for 512 bytes whatever the number of lanes physically carried.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "rtl/noc_pkg.h"

namespace fredsim {

inline constexpr int kFlitBytes = noc_pkg::FLIT_BYTES;
inline constexpr int kFlitLanes = noc_pkg::FLIT_LANES;  // FP16 or BF16 lanes in a full flit
inline constexpr int kHeaderWords = noc_pkg::HEADER_W / 32;
inline constexpr int kMaxFlitWords = kHeaderWords + kFlitLanes / 2;
inline constexpr int kPacketFlits = noc_pkg::PACKET_FLITS;  // data packet of 4 KiB
inline constexpr std::uint8_t kPhaseOnline = noc_pkg::PHASE_ONLINE;

// A field of the header: `width` bits from bit `lsb` of the flit on, all in one word.
struct HeaderField {
  std::uint32_t lsb, width;
  constexpr std::uint32_t word() const { return lsb / 32; }
  constexpr std::uint32_t mask() const { return ~0U >> (32 - width); }
  constexpr std::uint32_t placed(std::uint32_t value) const { return (value & mask()) << lsb % 32; }
  constexpr std::uint32_t of(const std::uint32_t* words) const {
    return words[word()] >> lsb % 32 & mask();
  }
};
inline constexpr HeaderField kTagField{noc_pkg::TAG_LSB, noc_pkg::TAG_W};
inline constexpr HeaderField kDstField{noc_pkg::DST_LSB, noc_pkg::DST_W};
inline constexpr HeaderField kSrcField{noc_pkg::SRC_LSB, noc_pkg::SRC_W};
inline constexpr HeaderField kPhaseField{noc_pkg::PHASE_LSB, noc_pkg::PHASE_W};
inline constexpr HeaderField kVcField{noc_pkg::VC_LSB, noc_pkg::VC_W};
inline constexpr HeaderField kSeqField{noc_pkg::SEQ_LSB, noc_pkg::SEQ_W};
inline constexpr HeaderField kHeadField{noc_pkg::HEAD_BIT, 1};
inline constexpr HeaderField kTailField{noc_pkg::TAIL_BIT, 1};

// Flags in word 2.
inline constexpr std::uint32_t kHeadBit = kHeadField.placed(1);
inline constexpr std::uint32_t kTailBit = kTailField.placed(1);
static_assert(kHeadField.word() == 2 && kTailField.word() == 2);
constexpr int vc_of(const std::uint32_t* words) { return static_cast<int>(kVcField.of(words)); }

constexpr int flit_words(int lanes) { return kHeaderWords + (lanes + 1) / 2; }

// Virtual channels; base/vc_order.h has their order.
enum Vc : std::uint8_t {
  kMp = noc_pkg::VC_MP,
  kPp = noc_pkg::VC_PP,
  kDp = noc_pkg::VC_DP,
  kControl = noc_pkg::VC_CONTROL
};
inline constexpr int kNumVcs = noc_pkg::NUM_VCS;
// Names in options, files and messages.
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
  for (int w = 0; w < kHeaderWords; ++w) words[w] = 0;
  const auto put = [&](const HeaderField& field, std::uint32_t value) {
    words[field.word()] |= field.placed(value);
  };
  put(kTagField, h.tag);
  put(kDstField, h.dst);
  put(kSrcField, h.src);
  put(kPhaseField, h.phase);
  put(kVcField, h.vc);
  put(kSeqField, h.seq);
  put(kHeadField, h.head);
  put(kTailField, h.tail);
}

inline FlitHeader unpack_header(const std::uint32_t* words) {
  FlitHeader h;
  h.tag = kTagField.of(words);
  h.dst = static_cast<std::uint16_t>(kDstField.of(words));
  h.src = static_cast<std::uint16_t>(kSrcField.of(words));
  h.phase = static_cast<std::uint8_t>(kPhaseField.of(words));
  h.vc = static_cast<std::uint8_t>(kVcField.of(words));
  h.seq = static_cast<std::uint8_t>(kSeqField.of(words));
  h.head = kHeadField.of(words) != 0;
  h.tail = kTailField.of(words) != 0;
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

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Common part of the tests of the modules of rtl/phased and rtl/fred: clock and reset, ports by
// bit, flits in packets.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/random.h"
#include "rtl/fred_pkg.h"
#include "rtl/noc_pkg.h"
#include "rtl/phased_pkg.h"
#include "verilated.h"

namespace fredsim {

template <class Model>
void edge(Model& model) {
  model.clk_i = 0;
  model.eval();
  model.clk_i = 1;
  model.eval();
}

// Outputs that follow the inputs before the next edge.
template <class Model>
void settle(Model& model) {
  model.clk_i = 0;
  model.eval();
}

template <class Model>
void reset(Model& model) {
  model.rst_ni = 0;
  edge(model);
  edge(model);
  model.rst_ni = 1;
}

constexpr std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~0ULL : (1ULL << count) - 1;
}

// Bits lsb to lsb + width - 1, at most 64, of a port of any of Verilator's types, or of an array of
// words.
template <class Port>
std::uint64_t get_bits(const Port& port, int lsb, int width) {
  const auto first = static_cast<unsigned>(lsb), count = static_cast<unsigned>(width);
  if constexpr (std::is_integral_v<Port>) {
    return std::uint64_t{port} >> first & low_bits(count);
  } else {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < count;) {
      const unsigned at = (first + done) % 32;
      value |= std::uint64_t{port[(first + done) / 32] >> at} << done;
      done += 32 - at;
    }
    return value & low_bits(count);
  }
}

template <class Port>
void put_bits(Port& port, int lsb, int width, std::uint64_t value) {
  const auto first = static_cast<unsigned>(lsb), count = static_cast<unsigned>(width);
  if constexpr (std::is_integral_v<Port>) {
    const std::uint64_t mask = low_bits(count) << first;
    port = static_cast<Port>((std::uint64_t{port} & ~mask) | (value << first & mask));
  } else {
    for (unsigned done = 0; done < count;) {
      const unsigned at = (first + done) % 32, n = std::min(32 - at, count - done);
      const auto mask = static_cast<std::uint32_t>(low_bits(n) << at);
      const std::uint32_t word = port[(first + done) / 32] & ~mask;
      port[(first + done) / 32] = word | (static_cast<std::uint32_t>(value >> done << at) & mask);
      done += n;
    }
  }
}

template <class Port, std::size_t kWords>
void put_words(Port& port, const std::array<std::uint32_t, kWords>& words) {
  for (std::size_t w = 0; w < kWords; ++w) port[w] = words[w];
}

template <std::size_t kWords, class Port>
std::array<std::uint32_t, kWords> get_words(const Port& port) {
  std::array<std::uint32_t, kWords> words;
  for (std::size_t w = 0; w < kWords; ++w) words[w] = port[w];
  return words;
}

// All bits of a port of `width` bits by chance.
template <class Port>
void randomise(Port& port, int width, Random& random) {
  for (int lsb = 0; lsb < width; lsb += 32)
    put_bits(port, lsb, std::min(32, width - lsb), random.next());
}

// Bits of a row of the phase store of Fred_m(P).
constexpr int row_bits(int ports, int middle) {
  return static_cast<int>(phased_pkg::row_config_lsb(ports) + fred_pkg::config_bits(ports, middle));
}

inline bool bit(std::uint64_t mask, int n) { return (mask >> n & 1U) != 0; }

// A flit of one lane.
struct Flit {
  std::array<std::uint32_t, 4> words{};
  std::uint64_t field(int lsb, int width) const { return get_bits(words, lsb, width); }
  std::uint32_t tag() const { return words[0]; }
  int vc() const { return static_cast<int>(field(noc_pkg::VC_LSB, noc_pkg::VC_W)); }
  unsigned phase() const {
    return static_cast<unsigned>(field(noc_pkg::PHASE_LSB, noc_pkg::PHASE_W));
  }
  unsigned dst() const { return static_cast<unsigned>(field(noc_pkg::DST_LSB, noc_pkg::DST_W)); }
  bool head() const { return field(noc_pkg::HEAD_BIT, 1) != 0; }
  bool tail() const { return field(noc_pkg::TAIL_BIT, 1) != 0; }
  bool online() const { return phase() == noc_pkg::PHASE_ONLINE; }
  friend bool operator==(const Flit&, const Flit&) = default;
};

template <class Port>
void put_flit(Port& port, const Flit& flit) {
  put_words(port, flit.words);
}

template <class Port>
Flit get_flit(const Port& port) {
  return {get_words<4>(port)};
}

// Phases for tests: each bit distinguishes two of them, and one differs from PHASE_ONLINE in one
// bit.
inline constexpr std::array<unsigned, 10> kSomePhases{5, 4, 7, 1, 13, 21, 37, 69, 133, 0xFE};

// Flits of one VC: sequential packets of 1 to `longest` flits, a third of them online unicasts;
// phase and destination are the packet's, all other fields are random.
class PacketStream {
 public:
  PacketStream(int vc, int longest) : vc_(vc), longest_(longest) {}
  // The next flit is the first of its packet.
  bool at_head() const { return left_ == 0; }
  Flit next(Random& random) {
    const bool head = at_head();
    if (head) {
      const auto max = static_cast<std::uint64_t>(longest_);
      left_ = vc_ == noc_pkg::VC_CONTROL ? 1 : 1 + static_cast<int>(random.below(max));
      phase_ = random.below(3) == 0 ? noc_pkg::PHASE_ONLINE
                                    : kSomePhases[random.below(kSomePhases.size())];
      dst_ = random.next();
    }
    --left_;
    Flit flit;
    for (auto& word : flit.words) word = static_cast<std::uint32_t>(random.next());
    put_bits(flit.words, noc_pkg::DST_LSB, noc_pkg::DST_W, dst_);
    put_bits(flit.words, noc_pkg::PHASE_LSB, noc_pkg::PHASE_W, phase_);
    put_bits(flit.words, noc_pkg::VC_LSB, noc_pkg::VC_W, static_cast<std::uint64_t>(vc_));
    put_bits(flit.words, noc_pkg::HEAD_BIT, 1, head ? 1 : 0);
    put_bits(flit.words, noc_pkg::TAIL_BIT, 1, left_ == 0 ? 1 : 0);
    return flit;
  }

 private:
  int vc_, longest_;
  int left_ = 0;
  std::uint64_t phase_ = 0, dst_ = 0;
};

}  // namespace fredsim

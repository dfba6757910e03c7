// SPDX-License-Identifier: Apache-2.0
// Rows of the phase store for the tests of the control unit's modules, and the expected join of
// their flows.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "rtl/phased/dut.h"
#include "rtl/phased_pkg.h"

namespace fredsim {

// A row of Fred_m(P), P = the size of `in`: code of every port's flow, 0 none, f + 1 flow f.
struct Row {
  bool valid = true;
  int vc = 0;
  std::vector<unsigned> in, out;
  std::uint64_t config = 0;  // configuration bits, up to the row's width

  explicit Row(int ports) : in(static_cast<std::size_t>(ports)), out(in.size()) {}
  int ports() const { return static_cast<int>(in.size()); }
  std::uint32_t inputs(unsigned code) const { return ports_of(in, code); }
  std::uint32_t outputs(unsigned code) const { return ports_of(out, code); }

  template <class Port>
  void put(Port& port) const {
    const auto count = static_cast<unsigned>(in.size());
    const auto width = static_cast<int>(phased_pkg::flow_w(count));
    const int flows = phased_pkg::ROW_FLOWS_LSB;
    put_bits(port, phased_pkg::ROW_VALID_BIT, 1, valid ? 1 : 0);
    put_bits(port, phased_pkg::ROW_VC_LSB, noc_pkg::VC_W, static_cast<std::uint64_t>(vc));
    for (unsigned p = 0; p < count; ++p) {
      put_bits(port, flows + static_cast<int>(p) * width, width, in[p]);
      put_bits(port, flows + static_cast<int>(count + p) * width, width, out[p]);
    }
  }

 private:
  static std::uint32_t ports_of(const std::vector<unsigned>& codes, unsigned code) {
    std::uint32_t mask = 0;
    for (std::size_t p = 0; p < codes.size(); ++p) mask |= codes[p] == code ? 1U << p : 0;
    return mask;
  }
};

// Up to `most` flows, of one input and one output at least.
inline Row random_row(int ports, int max, Random& random) {
  Row row(ports);
  for (;;) {
    for (auto* side : {&row.in, &row.out})
      for (auto& code : *side)
        code = static_cast<unsigned>(random.below(static_cast<std::uint64_t>(max) + 1));
    bool good = row.inputs(0) != (1U << ports) - 1;
    for (int f = 0; f < max; ++f) {
      const auto code = static_cast<unsigned>(f) + 1;
      good = good && (row.inputs(code) == 0) == (row.outputs(code) == 0);
    }
    if (!good) continue;
    row.vc = static_cast<int>(random.below(noc_pkg::NUM_VCS));
    row.config = random.next();
    return row;
  }
}

// The join as phased_join's contract has it.
class JoinReference {
 public:
  struct Fired {
    std::uint32_t pop = 0, reserve = 0;
    int additions = 0, waits_for_input = 0, waits_for_room = 0;
  };

  explicit JoinReference(int ports) : row_(ports) {}
  void load(const Row& row) { row_ = row; }
  const Row& row() const { return row_; }
  bool open() const { return open_ != 0; }
  bool open(unsigned code) const { return bit(open_, static_cast<int>(code)); }
  std::uint32_t held() const {
    std::uint32_t mask = 0;
    for (unsigned code = 1; code <= row_.in.size(); ++code)
      if (open(code)) mask |= row_.outputs(code);
    return mask;
  }
  // Outcome of an edge, with `hold` for heads; all inputs of a flow agree in `tail`.
  Fired edge(std::uint32_t match, std::uint32_t tail, std::uint32_t room, bool hold) {
    Fired fired;
    for (unsigned code = 1; code <= row_.in.size(); ++code) {
      const std::uint32_t in = row_.inputs(code), out = row_.outputs(code);
      if ((in & match) == 0) continue;
      const bool head = !open(code);
      if ((in & ~match) != 0) {
        ++fired.waits_for_input;
      } else if (head && (out & ~room) != 0) {
        ++fired.waits_for_room;
      } else if (!head || !hold) {
        fired.pop |= in;
        fired.reserve |= out;
        fired.additions += std::popcount(in) - 1;
        open_ = (in & tail) != 0 ? open_ & ~(1U << code) : open_ | 1U << code;
      }
    }
    return fired;
  }

 private:
  Row row_;
  std::uint32_t open_ = 0;  // by code: inside a packet
};

}  // namespace fredsim

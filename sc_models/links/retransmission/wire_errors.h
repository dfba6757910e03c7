// SPDX-License-Identifier: Apache-2.0
// Errors on the wires of a link with retransmission (retransmission.h): wrong bits in both
// directions, and lost flits. Drawn from the machine's seed and the link's number: equal numbers
// give equal errors.
//
// Positions: as in link_check.h, of a flit of all lanes, carried or not.
// Calls: for every flit, in the order on the wire, loses_flit(), then on_flit() unless the flit is
//   lost. on_word_back() at every edge; restart_back() after edges without this call.
#pragma once

#include <rtl/link_pkg.h>

#include <cmath>
#include <cstdint>

#include "base/flit.h"
#include "base/random.h"
#include "links/retransmission/bit_errors.h"
#include "links/retransmission/retransmission.h"
#include "topology/topology.h"

namespace fredsim {

class WireErrors {
 public:
  static constexpr std::uint32_t kFlitBits = kHeaderWords * 32 + kFlitBytes * 8;  // all lanes
  static constexpr std::uint32_t kWireBits = kFlitBits + link_pkg::OVERHEAD_W;

  WireErrors(const LinkErrors& errors, int link)
      : WireErrors(errors, mix64(mix64(errors.seed) + static_cast<std::uint64_t>(link))) {}

  bool loses_flit() { return loss_ != 0 && losses_.next() < loss_; }
  template <typename OnError>
  void on_flit(const OnError& on_error) {
    flits_.pass(kWireBits, on_error);
  }
  template <typename OnError>
  void on_word_back(const OnError& on_error) {
    back_.pass(link_pkg::BACK_W, on_error);
  }
  // Draws the state of the wires back anew after words that nobody received.
  void restart_back() { back_.draw(); }

 private:
  WireErrors(const LinkErrors& errors, std::uint64_t seed)
      : flits_(errors.bit_error_rate, errors.burst_bits, mix64(seed + 1)),
        back_(errors.bit_error_rate, errors.burst_bits, mix64(seed + 2)),
        losses_(seed + 3),
        loss_(static_cast<std::uint64_t>(std::ldexp(errors.flit_loss, 64))) {}

  BitErrors flits_, back_;
  Random losses_;
  std::uint64_t loss_;  // probability, in units of 2^-64
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Random work for lockstep tests of any switch: stalls around it, registers read in mid-traffic,
// and flits that break the contract.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "stalls.h"
#include "switch/switch_core.h"

namespace fredsim::tb {

// No stalls in one of four cases.
inline Stalls random_stalls(Random& random) {
  Stalls stalls;
  if (random.below(4) == 0) return stalls;
  stalls.gap_percent = static_cast<int>(random.below(70));
  stalls.pause_percent = static_cast<int>(random.below(70));
  stalls.return_delay = static_cast<int>(random.below(80));
  stalls.receive_depth = 1 + static_cast<int>(random.below(64));
  return stalls;
}

struct RegisterRange {
  std::uint16_t first = 0, count = 0;
};

// Reads a random register in steps without another register access; the request stays on the pins
// for other observers.
class RandomReads final : public SwitchCore {
 public:
  RandomReads(std::unique_ptr<SwitchCore> inner, std::span<const RegisterRange> ranges,
              std::uint64_t seed)
      : inner_(std::move(inner)), ranges_(ranges.begin(), ranges.end()), random_(seed) {}
  void reset() override { inner_->reset(); }
  void step(SwitchPins& pins) override {
    if (!pins.reg.valid && random_.below(2) == 0) {
      pins.reg = {.valid = true, .write = false, .address = address(), .wdata = 0};
    }
    inner_->step(pins);
  }
  bool idle() const override { return inner_->idle(); }
  std::uint32_t error() const override { return inner_->error(); }
  std::string_view model() const override { return inner_->model(); }

 private:
  std::uint16_t address() {
    const RegisterRange& range = ranges_[random_.below(ranges_.size())];
    return static_cast<std::uint16_t>(range.first + random_.below(range.count));
  }

  std::unique_ptr<SwitchCore> inner_;
  std::vector<RegisterRange> ranges_;
  Random random_;
};

// Sends one-flit packets that violate the contract of a sender, also without credits, and in half
// of the calls writes registers of `written` meanwhile. `header` has all fields of the flits except
// head and tail. Returns the cycles.
inline std::uint64_t break_contract(SwitchCore& core, int ports, int lanes, Random& random,
                                    const std::function<FlitHeader()>& header,
                                    std::span<const RegisterRange> written = {}) {
  SwitchPins pins(ports, lanes);
  const bool writes = !written.empty() && random.below(2) == 0;
  const std::uint64_t steps = 50 + random.below(100);
  for (std::uint64_t i = 0; i < steps; ++i) {
    pins.out_ready = static_cast<std::uint32_t>(random.next());
    pins.in_valid =
        static_cast<std::uint32_t>(random.next() & random.next()) & (~0U >> (32 - ports));
    for (int p = 0; p < ports; ++p) {
      FlitHeader h = header();
      h.head = h.tail = true;
      pack_header(h, &pins.in_flit[static_cast<std::size_t>(p * flit_words(lanes))]);
    }
    pins.reg = {};
    if (writes && random.below(4) == 0) {
      const RegisterRange& range = written[random.below(written.size())];
      pins.reg = {.valid = true,
                  .write = true,
                  .address = static_cast<std::uint16_t>(range.first + random.below(range.count)),
                  .wdata = static_cast<std::uint32_t>(random.below(2) == 0 ? random.below(256)
                                                                           : random.next())};
    }
    core.step(pins);
  }
  return steps;
}

}  // namespace fredsim::tb

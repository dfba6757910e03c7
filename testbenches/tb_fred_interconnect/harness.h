// SPDX-License-Identifier: Apache-2.0
// Drives one fred_interconnect with random traffic and checks every output in every cycle.
//
// Each cycle: some groups of joined inputs launch flits (full rate, gaps, or silence, by turns);
//   the pins of silent inputs show random garbage. In some cycles unicasts that name their own path
//   are launched instead, whatever the configuration. Configurations arrive as waves in
//   mid-traffic; config_i is garbage whenever the contract does not require it to hold. The
//   expectation of a cycle is computed when its flits are launched, from the configuration then in
//   force, and compared `stages` cycles later: valids, headers, lanes bit for bit in the order of
//   the tree, padding, and busy_o. Errors: throws Mismatch with cycle, port, word and both values.
#pragma once

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "dut.h"
#include "oracle.h"

namespace tb {

struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Totals {
  std::uint64_t cycles = 0;
  std::uint64_t flits = 0;  // flits delivered and compared
  std::uint64_t sums = 0;   // flits that were a sum
  std::uint64_t unicasts = 0;
  std::uint64_t waves = 0;
};

class Harness {
 public:
  Harness(const Shape& shape, Dut& dut, std::uint64_t seed);

  // Inputs launch independently of one another: a sum with an input missing must give nothing. Only
  // with the RTL's assertions off.
  void launch_unjoined() { unjoined_ = true; }

  void reset();          // one reset edge, in any state
  void run(int cycles);  // random configurations
  void run_fixed(const ConfigBits& bits, int cycles);
  const Totals& totals() const { return totals_; }

 private:
  struct Expected {
    std::uint32_t valid = 0;
    std::uint32_t sums = 0;  // valid outputs that are sums
    std::vector<std::uint32_t> flits;
  };

  void load(const ConfigBits& bits);  // a wave from the next edge; the last one must be through
  void step();
  void choose_launches();
  void drive_flits();
  void drive_config();
  Expected expect() const;
  void add(const std::uint32_t* left, const std::uint32_t* right, std::uint32_t* sum) const;
  void compare(const Expected& expected);
  [[noreturn]] void fail(const std::string& what) const;

  Shape shape_;
  Dut& dut_;
  fredsim::Random random_;
  std::uint64_t seed_;
  int stages_;
  int config_words_;
  Network network_;       // network that the flits of the next edge see
  ConfigBits wave_bits_;  // config_i while a wave is in flight
  int wave_left_ = 0;     // edges for which config_i must still hold
  bool load_ = false;     // load_i at the next edge
  std::uint32_t launch_ = 0;
  std::vector<Unicast> unicasts_;  // launched at this edge; then nothing else is
  int mood_left_ = 0;              // cycles until the pattern of launches changes
  std::uint64_t launch_percent_ = 0;
  bool unjoined_ = false;
  std::deque<Expected> pipeline_;  // oldest first; `stages` long
  int quiet_edges_;                // edges since the last launch or load
  Totals totals_;
};

}  // namespace tb

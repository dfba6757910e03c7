// SPDX-License-Identifier: Apache-2.0
// Counters of links and stalls of switches by window: the time series of --series.
//
// Windows: of `window_cycles` each, one after the other from `begin_cycle` on; the last one is
//   shorter if the windows do not divide the cycles. Of a collective it also has the flits of
//   acknowledgements that come after the last result.
// Sums: of the windows of a link, the flits, bytes and busy cycles of its LinkResult; of those of a
//   switch, the stalls of its SwitchResult.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fredsim {

struct LinkSeries {
  struct OfLink {
    std::string name, from, to;
    std::vector<std::uint64_t> flits{}, bytes{}, busy_cycles{};  // index: window
    std::vector<double> utilization{};  // flits sent / flits that the rate allows in the window
  };
  struct OfSwitch {
    std::string name;
    std::vector<std::pair<std::string, std::vector<std::uint64_t>>> stall_cycles{};  // by reason
  };
  // The most numbers of windows of all links together; a series beyond it is refused.
  static constexpr std::uint64_t kMaxValues = 4'000'000;

  std::uint64_t begin_cycle = 0, window_cycles = 1, cycles = 0;
  std::vector<OfLink> links{};       // order of the results
  std::vector<OfSwitch> switches{};  // switches whose counters can be read without an access

  std::uint64_t windows() const { return cycles == 0 ? 1 : (cycles - 1) / window_cycles + 1; }
  // First cycle of a window, and its number of cycles.
  std::uint64_t begin(std::uint64_t window) const { return begin_cycle + window * window_cycles; }
  std::uint64_t length(std::uint64_t window) const {
    return window + 1 < windows() ? window_cycles : cycles - window * window_cycles;
  }
};

}  // namespace fredsim

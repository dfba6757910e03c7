// SPDX-License-Identifier: Apache-2.0
// Parses the values of command line options and checks them.
//
// Errors: BadInput with the option, the found value and the allowed values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option_words.h"
#include "base/units.h"
#include "report/table_output.h"
#include "switch/switch_factory.h"

namespace fredsim {

inline constexpr std::uint64_t kMaxCollectiveBytes = std::uint64_t{1} << 40;  // 1 TiB

// Names of algorithms and choices, blanks between them.
std::string algorithm_words();

// Whole numbers in [min, max]: "4", "2,3" or the sweep "1:6"; ascending, without duplicates.
std::vector<int> parse_numbers(const std::string& text, const std::string& option, int min,
                               int max);

// Middle sub-networks of Fred switches.
std::vector<int> parse_middles(const std::string& text, const std::string& option);

// "3" or "0-3": ports or ranks; none: another text, or the first is above the last.
struct NumberRange {
  int first = 0;
  int last = 0;
};
std::optional<NumberRange> to_range(std::string_view text);

// Bytes of one collective, 1 … kMaxCollectiveBytes, as in NCCL-tests: a bare number is bytes; K, M
// and G are powers of two.
std::uint64_t parse_collective_size(const std::string& text, const std::string& option);

// Sizes b, b·f, b·f², … <= e from the texts of -b, -e and -f; only b if -e is empty.
std::vector<std::uint64_t> parse_size_sweep(const std::string& begin, const std::string& end,
                                            const std::string& factor);

// Text of a --group option: "all" (returns no members) or comma-separated members
// (group_members.h), such as "io0,0,1,5-8". Existence and uniqueness of members are checked once
// the machine is known (make_plan).
std::vector<int> parse_group(const std::string& text);

inline constexpr int kMaxRates = 1000;  // max values of --rate

// Injection rates in flits per cycle and node, kMinTrafficRate or more: "0.1", "0.1,0.2" or the
// sweep "FROM:TO:STEP", whose rates are rounded to 10^-9; ascending, without duplicates. The limit
// of the machine's ports is checked once the machine is known.
std::vector<double> parse_rates(const std::string& text, const std::string& option);

// A number above 0, at most 1.
double parse_fraction(const std::string& text, const std::string& option);

inline constexpr std::uint64_t kMaxThreads = 1024;  // max value of --threads

// Checks --threads: refused without RTL, since one thread steps all twins.
void check_switch_threads(int threads, bool has_rtl);

}  // namespace fredsim

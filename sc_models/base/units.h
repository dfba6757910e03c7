// SPDX-License-Identifier: Apache-2.0
// Quantities with units as a user writes them, parsed to exact integers.
//
// Sizes: B; KiB, MiB and GiB are powers of two, KB, MB and GB of ten.
// Bandwidths: B/s, KB/s … TB/s, powers of ten; or in bits, eight to a byte: Kb/s, Kbps, Kbit/s …
//   Tbit/s (kb/s, kbps, kbit/s, too); or MT/s, GT/s, TT/s: a transfer is one bit on the wire of one
//   lane, with nothing deducted for its line code.
// Times: ps, ns, us, ms. Frequencies: Hz, kHz, MHz, GHz.
// Forms: "1.5 GHz", "1.5GHz" and "1.5e3 MHz" are read. Decimal fractions are exact. A bare number,
//   "1e6" too, and a bare K, M or G are sizes only in the form kNccl of parse_size(), which follows
//   the command line of NCCL-tests.
// Range: up to 2^53, so that every value is exact as a double and as a JSON number too.
// Errors: BadInput with `what` (the key or option), the text found and the allowed forms: unit
//   missing, unknown unit, unit of another quantity, negative, zero where not allowed, not a
//   number, too large, not a whole number of the base unit. For an unknown unit the message may
//   suggest another one, never one of another magnitude, nor bytes for a unit that may mean bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/rational.h"

namespace fredsim {

inline constexpr std::uint64_t kMaxQuantity = std::uint64_t{1} << 53;

enum class SizeForm : std::uint8_t {
  kWithUnit,  // "4 KiB", "4 KB"
  kNccl,      // "4096", "4K" = "4k" = "4 KiB" (M and G likewise), "1e6", "1.5e6", too
  kFromZero,  // a unit is required; "0 GB" is allowed
};

// Units of a quantity, for lists: "ps, ns, us or ms". Bandwidths without units of bits.
std::string size_units();
std::string bandwidth_units();
std::string time_units();
std::string frequency_units();

// A whole number in [min, max], decimal digits only.
std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t min,
                           std::uint64_t max);

// Size in bytes, > 0 unless the form allows zero.
std::uint64_t parse_size(std::string_view text, std::string_view what,
                         SizeForm form = SizeForm::kWithUnit);
std::uint64_t parse_bandwidth(std::string_view text, std::string_view what);  // bytes/s, > 0
std::uint64_t parse_time_ps(std::string_view text, std::string_view what);    // picoseconds, >= 0
std::uint64_t parse_frequency(std::string_view text, std::string_view what);  // hertz, > 0

// A share above 0, at most 1, of up to six decimals: "0.816", exact.
Rational parse_share(std::string_view text, std::string_view what);

// "4 KiB", "16 MiB", "1000 B": exact, the largest power of two
std::string format_size(std::uint64_t bytes);
std::string format_bandwidth(double bytes_per_second);  // "750 GB/s", "3.75 TB/s": four digits
std::string format_bytes(std::uint64_t bytes);          // "368.4 GB", "1.5 MB": four digits
std::string format_frequency(std::uint64_t hertz);      // "1.5 GHz": exact
std::string format_time_ps(std::uint64_t picoseconds);  // "20 ns", "20.5 ns": exact, in ns

// Flits per cycle of a link of `bytes_per_second` at `clock_hz`, exact.
Rational link_rate(std::uint64_t bytes_per_second, std::uint64_t clock_hz);
// Cycles of a latency, rounded up; at least 1 (a link is registered at both ends). BadInput
// above kMaxLatencyCycles.
int latency_cycles(std::uint64_t time_ps, std::uint64_t clock_hz);
inline constexpr int kMaxLatencyCycles = 1'000'000;

}  // namespace fredsim

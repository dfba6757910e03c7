// Quantities with units as a user writes them, parsed to exact integers.
//
// Sizes: B, KiB/MiB/GiB are powers of two, KB/MB/GB of ten; a bare number is bytes only where
// `parse_size` is told so (command line); bandwidths B/s, KB/s … TB/s of ten; times ps, ns, us, ms;
// frequencies Hz, kHz, MHz, GHz. "1.5 GHz" and "1.5GHz" are both read. Decimal fractions are exact.
// Errors: BadInput naming `what` (the key or option), what was found and what is allowed:
// unit missing, unknown unit, negative, zero where not allowed, not a number, too large.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/rational.h"

namespace fredsim {

std::uint64_t parse_size(std::string_view text, std::string_view what);          // bytes, > 0
std::uint64_t parse_bandwidth(std::string_view text, std::string_view what);     // bytes/s, > 0
std::uint64_t parse_time_ps(std::string_view text, std::string_view what);       // picoseconds, >= 0
std::uint64_t parse_frequency(std::string_view text, std::string_view what);     // hertz, > 0

std::string format_size(std::uint64_t bytes);  // "4 KiB", "16 MiB", "1000 B": exact, largest power of two
std::string format_bandwidth(double bytes_per_second);  // "750 GB/s"

// Flits per cycle of a link of `bytes_per_second` at `clock_hz`, exact.
Rational link_rate(std::uint64_t bytes_per_second, std::uint64_t clock_hz);
// Cycles of a latency, rounded up; at least 1 (a link is registered at both ends).
int latency_cycles(std::uint64_t time_ps, std::uint64_t clock_hz);

}  // namespace fredsim

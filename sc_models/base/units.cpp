// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/flit.h"
#include "base/int128.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t scale;  // base units in one unit
};

struct Quantity {
  std::string_view noun;       // "a size"
  std::string_view base_unit;  // example: "bytes"
  std::span<const Unit> units;
  std::span<const Unit> in_bits{};  // units that are read, but never written
};

constexpr std::uint64_t kThousand = 1000;
constexpr std::uint64_t kMillion = kThousand * kThousand;
constexpr std::uint64_t kBillion = kThousand * kMillion;
constexpr std::uint64_t kTrillion = kThousand * kBillion;

constexpr std::array kSizeUnits = {Unit{"B", 1},
                                   Unit{"KiB", 1ULL << 10},
                                   Unit{"MiB", 1ULL << 20},
                                   Unit{"GiB", 1ULL << 30},
                                   Unit{"KB", kThousand},
                                   Unit{"MB", kMillion},
                                   Unit{"GB", kBillion}};
constexpr std::array kNcclSizeUnits = {Unit{"B", 1},
                                       Unit{"K", 1ULL << 10},
                                       Unit{"M", 1ULL << 20},
                                       Unit{"G", 1ULL << 30},
                                       Unit{"KiB", 1ULL << 10},
                                       Unit{"MiB", 1ULL << 20},
                                       Unit{"GiB", 1ULL << 30},
                                       Unit{"KB", kThousand},
                                       Unit{"MB", kMillion},
                                       Unit{"GB", kBillion}};
constexpr std::array kBandwidthUnits = {Unit{"B/s", 1}, Unit{"KB/s", kThousand},
                                        Unit{"MB/s", kMillion}, Unit{"GB/s", kBillion},
                                        Unit{"TB/s", kTrillion}};
constexpr std::uint64_t kBits = 8;  // bits per byte
constexpr std::array kBitRateUnits = {
    Unit{"Kb/s", kThousand / kBits},   Unit{"Mb/s", kMillion / kBits},
    Unit{"Gb/s", kBillion / kBits},    Unit{"Tb/s", kTrillion / kBits},
    Unit{"Kbps", kThousand / kBits},   Unit{"Mbps", kMillion / kBits},
    Unit{"Gbps", kBillion / kBits},    Unit{"Tbps", kTrillion / kBits},
    Unit{"Kbit/s", kThousand / kBits}, Unit{"Mbit/s", kMillion / kBits},
    Unit{"Gbit/s", kBillion / kBits},  Unit{"Tbit/s", kTrillion / kBits},
    Unit{"kb/s", kThousand / kBits},   Unit{"kbps", kThousand / kBits},
    Unit{"kbit/s", kThousand / kBits}, Unit{"MT/s", kMillion / kBits},
    Unit{"GT/s", kBillion / kBits},    Unit{"TT/s", kTrillion / kBits}};
constexpr std::array kTimeUnits = {Unit{"ps", 1}, Unit{"ns", kThousand}, Unit{"us", kMillion},
                                   Unit{"ms", kBillion}};
constexpr std::array kFrequencyUnits = {Unit{"Hz", 1}, Unit{"kHz", kThousand},
                                        Unit{"MHz", kMillion}, Unit{"GHz", kBillion}};

constexpr Quantity kSize{"a size", "bytes", kSizeUnits};
constexpr Quantity kNcclSize{"a size", "bytes", kNcclSizeUnits};
constexpr Quantity kBandwidth{"a bandwidth", "bytes per second", kBandwidthUnits, kBitRateUnits};
constexpr Quantity kTime{"a time", "picoseconds", kTimeUnits};
constexpr Quantity kFrequency{"a frequency", "hertz", kFrequencyUnits};
constexpr std::array kQuantities = {&kSize, &kBandwidth, &kTime, &kFrequency};

std::vector<std::string_view> names_in(std::span<const Unit> units) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  return names;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Names of units with the magnitude of `unit`, given by its first letter.
std::vector<std::string_view> names_like(std::string_view unit, std::span<const Unit> units) {
  std::vector<std::string_view> names = names_in(units);
  std::erase_if(names,
                [&](std::string_view name) { return lower(name.front()) != lower(unit.front()); });
  return names;
}

// Returns true for spellings that mean bits for certain: "gbps", "Gbits/s". Bytes for certain:
// "GBps", "GB/S".
// Ambiguous: "gb/s", "GBPS", "G".
bool says_bits(std::string_view unit) {
  std::string small(unit);
  std::ranges::transform(small, small.begin(), lower);
  return unit.find("bps") != std::string_view::npos || small.find("bit") != std::string::npos ||
         small.find("t/") != std::string::npos;
}
bool says_bytes(std::string_view unit) {
  return unit.find('B') != std::string_view::npos && unit.find("BPS") == std::string_view::npos;
}

std::string did_you_mean_any(std::span<const std::string_view> names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string_view name : names) quoted.push_back(fmt::format("'{}'", name));
  return fmt::format("did you mean {}?",
                     join_words(std::vector<std::string_view>(quoted.begin(), quoted.end())));
}

// "did you mean 'GB/s'?"; empty if no unit is near.
std::string did_you_mean(std::string_view unit, std::span<const std::string_view> names) {
  std::string_view near;
  int least = std::max(1, static_cast<int>(unit.size()) / 3) + 1;
  for (const std::string_view name : names) {
    if (const int edits = edit_distance(unit, name); edits < least) {
      near = name;
      least = edits;
    }
  }
  return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
}

// The unit that a misspelt one may mean. Only units of the same magnitude qualify; a letter alone
// may be any of them, and where both bits and bytes are possible both are named.
std::string did_you_mean_unit(std::string_view unit, const Quantity& quantity) {
  const std::vector<std::string_view> alike = names_like(unit, quantity.units);
  const std::vector<std::string_view> bits = names_like(unit, quantity.in_bits);
  // A unit of bits alone has no whole bytes.
  if (!quantity.in_bits.empty() && unit.front() == 'b') return "";
  if (!bits.empty() && says_bits(unit)) return did_you_mean(unit, bits);
  if (!bits.empty() && !says_bytes(unit)) {
    const bool is_near = unit.size() == 1 || !did_you_mean(unit, alike).empty();
    return is_near ? did_you_mean_any(std::array{bits.front(), alike.front()}) : "";
  }
  if (unit.size() > 1 || alike.empty()) return did_you_mean(unit, alike);
  return did_you_mean_any(alike);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Parser of one quantity; every refusal gives the key, the text found and the allowed forms.
class Parser {
 public:
  Parser(std::string_view text, std::string_view what, const Quantity& quantity)
      : text_(trim(text)), what_(what), quantity_(quantity) {}

  std::uint64_t parse(bool zero_allowed) const {
    if (text_.empty()) refuse("");
    std::string_view rest = text_;
    const bool negative = rest.front() == '-';
    if (negative || rest.front() == '+') rest.remove_prefix(1);
    const std::string_view whole = take_digits(rest);
    std::string_view fraction;
    if (!rest.empty() && rest.front() == '.') {
      rest.remove_prefix(1);
      fraction = take_digits(rest);
      if (fraction.empty()) refuse("is not a number with a unit");
    }
    if (whole.empty()) refuse("is not a number with a unit");
    if (negative) refuse("is negative");
    const int places = take_exponent(rest);
    const std::uint64_t scale = scale_of(trim(rest));
    const std::uint64_t value =
        places == 0 ? scaled(whole, fraction, scale) : shifted(whole, fraction, places, scale);
    if (value == 0 && !zero_allowed)
      refuse(fmt::format("is zero, and {} is above zero", quantity_.noun));
    return value;
  }

 private:
  static std::string_view take_digits(std::string_view& rest) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
    const std::string_view digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(digits.size());
    return digits;
  }

  bool is_nccl() const { return &quantity_ == &kNcclSize; }

  // Removes an exponent, "e6", "e+6" or "e-6", behind the number and returns it; 0: there is none.
  // No unit begins with an e.
  static int take_exponent(std::string_view& rest) {
    constexpr int kMaxPlaces = 99;  // far beyond any quantity
    if (rest.empty() || lower(rest.front()) != 'e') return 0;
    std::string_view behind = rest.substr(1);
    const bool negative = !behind.empty() && behind.front() == '-';
    if (negative || (!behind.empty() && behind.front() == '+')) behind.remove_prefix(1);
    const std::string_view digits = take_digits(behind);
    if (digits.empty()) return 0;
    rest = behind;
    int places = 0;
    for (const char c : digits) places = std::min(places * 10 + (c - '0'), kMaxPlaces);
    return negative ? -places : places;
  }

  // whole.fraction * 10^places * scale: the point moves, to the left if `places` is negative.
  std::uint64_t shifted(std::string_view whole, std::string_view fraction, int places,
                        std::uint64_t scale) const {
    std::string digits(whole);
    digits += fraction;
    std::size_t point = whole.size();
    if (places > 0) {
      point += static_cast<std::size_t>(places);
      if (digits.size() < point) digits.append(point - digits.size(), '0');
    } else {
      const auto left = static_cast<std::size_t>(-places);
      if (point < left) digits.insert(0, left - point, '0');
      point = std::max(point, left) - left;
    }
    return scaled(std::string_view(digits).substr(0, point), std::string_view(digits).substr(point),
                  scale);
  }

  std::uint64_t scale_of(std::string_view unit) const {
    if (unit.empty()) {
      if (is_nccl()) return 1;
      refuse("has no unit");
    }
    if (is_nccl()) {  // its letters may be lower case
      if (unit == "k") unit = "K";
      if (unit == "m") unit = "M";
      if (unit == "g") unit = "G";
    }
    for (const std::span<const Unit> units : {quantity_.units, quantity_.in_bits}) {
      const auto known = std::ranges::find(units, unit, &Unit::name);
      if (known != units.end()) return known->scale;
    }
    for (const Quantity* other : kQuantities) {
      for (const std::span<const Unit> units : {other->units, other->in_bits}) {
        if (std::ranges::find(units, unit, &Unit::name) != units.end())
          refuse(fmt::format("is {}, not {}", other->noun, quantity_.noun));
      }
    }
    refuse(fmt::format("has the unknown unit '{}'", unit), did_you_mean_unit(unit, quantity_));
  }

  // whole.fraction * scale as an exact integer.
  std::uint64_t scaled(std::string_view whole, std::string_view fraction,
                       std::uint64_t scale) const {
    // Trailing zeros of the fraction have no effect; beyond 18 digits no unit gives a whole number.
    const std::size_t used = fraction.find_last_not_of('0') + 1;
    fraction = fraction.substr(0, used);
    constexpr std::size_t kMaxFractionDigits = 18;
    if (fraction.size() > kMaxFractionDigits) refuse_fraction();
    Uint128 mantissa = 0;
    std::uint64_t divisor = 1;
    for (const char c : whole) {
      mantissa = mantissa * 10 + static_cast<unsigned>(c - '0');
      if (mantissa > kMaxQuantity) refuse_large();
    }
    for (const char c : fraction) {
      mantissa = mantissa * 10 + static_cast<unsigned>(c - '0');
      divisor *= 10;
    }
    // mantissa < 2^53 * 10^18 < 2^113: reduce before the multiplication, which then cannot overflow
    // because the quotient is refused above 2^53 first.
    const std::uint64_t common = std::gcd(scale, divisor);
    const std::uint64_t factor = scale / common;
    divisor /= common;
    if (mantissa / divisor > kMaxQuantity / factor) refuse_large();
    if (mantissa % divisor != 0) refuse_fraction();
    return static_cast<std::uint64_t>(mantissa / divisor) * factor;
  }

  [[noreturn]] void refuse_large() const {
    refuse("is too large", fmt::format("allowed: at most 2^53 {}", quantity_.base_unit));
  }
  [[noreturn]] void refuse_fraction() const {
    refuse(fmt::format("is not a whole number of {}", quantity_.base_unit));
  }
  // `why`: the fault of the text; `instead`: a correct text, else the units are listed.
  [[noreturn]] void refuse(const std::string& why, const std::string& instead = "") const {
    constexpr std::size_t kMaxShown = 60;
    std::string found(text_.substr(0, kMaxShown));
    if (text_.size() > kMaxShown) found += "…";
    throw BadInput(fmt::format(
        "{}: found {}; {}", what_,
        found.empty() ? "nothing" : fmt::format("'{}', which {}", found, why),
        !instead.empty() ? instead
        : quantity_.in_bits.empty()
            ? fmt::format("allowed: a number and {}, such as '2 {}'",
                          join_words(names_in(quantity_.units)),
                          quantity_.units[quantity_.units.size() / 2].name)
            : fmt::format("allowed: a number and {} to {}, such as '2 GB/s' or '16 Gb/s'",
                          quantity_.units.front().name, quantity_.units.back().name)));
  }

  std::string_view text_;
  std::string_view what_;
  const Quantity& quantity_;
};

// `value` / `scale` in decimal, without trailing zeros; `scale` is a power of ten.
std::string decimal(std::uint64_t value, std::uint64_t scale) {
  std::string text = std::to_string(value / scale);
  std::string fraction = std::to_string(scale + value % scale).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

}  // namespace

std::string size_units() { return join_words(names_in(kSizeUnits)); }
std::string bandwidth_units() { return join_words(names_in(kBandwidthUnits)); }
std::string time_units() { return join_words(names_in(kTimeUnits)); }
std::string frequency_units() { return join_words(names_in(kFrequencyUnits)); }

std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t min,
                           std::uint64_t max) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error != std::errc() || value < min || value > max) {
    throw BadInput(
        fmt::format("{}: found '{}'; allowed: a whole number, {} to {}", what, text, min, max));
  }
  return value;
}

std::uint64_t parse_size(std::string_view text, std::string_view what, SizeForm form) {
  return Parser(text, what, form == SizeForm::kNccl ? kNcclSize : kSize)
      .parse(form == SizeForm::kFromZero);
}

std::uint64_t parse_bandwidth(std::string_view text, std::string_view what) {
  return Parser(text, what, kBandwidth).parse(false);
}

std::uint64_t parse_time_ps(std::string_view text, std::string_view what) {
  return Parser(text, what, kTime).parse(true);
}

std::uint64_t parse_frequency(std::string_view text, std::string_view what) {
  return Parser(text, what, kFrequency).parse(false);
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array kNames = {"B", "KiB", "MiB", "GiB"};
  std::size_t power = 0;
  while (bytes != 0 && bytes % 1024 == 0 && power + 1 < kNames.size()) {
    bytes /= 1024;
    ++power;
  }
  return fmt::format("{} {}", bytes, kNames[power]);
}

std::string format_bandwidth(double bytes_per_second) {
  std::size_t unit = 0;
  while (unit + 1 < kBandwidthUnits.size() &&
         bytes_per_second >= static_cast<double>(kBandwidthUnits[unit + 1].scale)) {
    ++unit;
  }
  return fmt::format("{:.4g} {}",
                     bytes_per_second / static_cast<double>(kBandwidthUnits[unit].scale),
                     kBandwidthUnits[unit].name);
}

std::string format_bytes(std::uint64_t bytes) {
  std::string text = format_bandwidth(static_cast<double>(bytes));
  text.resize(text.size() - 2);  // drops "/s"
  return text;
}

std::string format_frequency(std::uint64_t hertz) {
  std::size_t unit = 0;
  while (unit + 1 < kFrequencyUnits.size() && hertz >= kFrequencyUnits[unit + 1].scale) ++unit;
  return fmt::format("{} {}", decimal(hertz, kFrequencyUnits[unit].scale),
                     kFrequencyUnits[unit].name);
}

std::string format_time_ps(std::uint64_t picoseconds) {
  return decimal(picoseconds, kThousand) + " ns";
}

Rational parse_share(std::string_view text, std::string_view what) {
  constexpr std::size_t kDecimals = 6;
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  if (point < text.size()) digits += text.substr(point + 1);
  const std::size_t decimals = point < text.size() ? text.size() - point - 1 : 0;
  std::uint64_t num = 0, den = 1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), num);
  for (std::size_t i = 0; i < std::min(decimals, kDecimals); ++i) den *= 10;
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (is_number && point > 0 && decimals <= kDecimals && num > 0 && num <= den)
    return Rational::reduced(num, den);
  throw BadInput(fmt::format(
      "{}: found '{}'; allowed: a number above 0, 1 at most, with up to {} decimals, such as 0.816",
      what, text, kDecimals));
}

Rational link_rate(std::uint64_t bytes_per_second, std::uint64_t clock_hz) {
  // clock_hz <= 2^53 (parse_frequency), so the product stays below 2^63.
  return Rational::reduced(bytes_per_second, clock_hz * kFlitBytes);
}

int latency_cycles(std::uint64_t time_ps, std::uint64_t clock_hz) {
  const auto product = static_cast<Uint128>(time_ps) * clock_hz;
  const auto cycles = (product + kTrillion - 1) / kTrillion;
  if (cycles > kMaxLatencyCycles) {
    throw BadInput(fmt::format("a latency of {} is more than {} cycles at {}",
                               format_time_ps(time_ps), kMaxLatencyCycles,
                               format_frequency(clock_hz)));
  }
  return std::max(1, static_cast<int>(cycles));
}

}  // namespace fredsim

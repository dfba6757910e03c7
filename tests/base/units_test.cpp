// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/flit.h"
#include "base/random.h"

namespace fredsim {
namespace {

// The message of the BadInput that `call` throws.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const BadInput& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadInput);
    return error.what();
  }
  return "(nothing was thrown)";
}

void expect_parts(const std::string& message, const std::vector<std::string_view>& parts) {
  for (const std::string_view part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  }
}

TEST(Units, Sizes) {
  EXPECT_EQ(parse_size("512 B", "x"), 512U);
  EXPECT_EQ(parse_size("24KiB", "x"), 24U * 1024);
  EXPECT_EQ(parse_size(" 1 MiB ", "x"), 1U << 20);
  EXPECT_EQ(parse_size("1.5 GiB", "x"), 3ULL << 29);
  EXPECT_EQ(parse_size("1 KB", "x"), 1000U);
  EXPECT_EQ(parse_size("2.5MB", "x"), 2'500'000U);
  EXPECT_EQ(parse_size("1 GB", "x"), 1'000'000'000U);
  EXPECT_EQ(parse_size("0.5 KiB", "x"), 512U);
  EXPECT_EQ(parse_size("+4 KiB", "x"), 4096U);
  EXPECT_EQ(parse_size("4.000000000000000000000000 KiB", "x"), 4096U);
  EXPECT_EQ(parse_size("9007199254740992 B", "x"), kMaxQuantity);
}

TEST(Units, SizesAsNcclTestsTakeThem) {
  const auto size = [](std::string_view text) { return parse_size(text, "x", SizeForm::kNccl); };
  EXPECT_EQ(size("8"), 8U);
  EXPECT_EQ(size("4096"), 4096U);
  EXPECT_EQ(size("4 KiB"), 4096U);
  EXPECT_EQ(size("4KB"), 4000U);
  EXPECT_EQ(size("1K"), 1U << 10);
  EXPECT_EQ(size("128M"), 128U << 20);
  EXPECT_EQ(size("1 G"), 1U << 30);
  EXPECT_EQ(size("1.5k"), 1536U);
  EXPECT_EQ(size("2m"), 2U << 20);
  EXPECT_EQ(size("2g"), 2ULL << 30);
  EXPECT_EQ(size("1e6"), 1'000'000U);
  EXPECT_EQ(size("1E+6"), 1'000'000U);
  EXPECT_EQ(size("1.25e3"), 1250U);
  EXPECT_EQ(size("1.25e002"), 125U);
  EXPECT_EQ(size("12.5e1"), 125U);
  EXPECT_EQ(size("7e0"), 7U);
}

TEST(Units, ExponentsComeBeforeTheUnit) {
  EXPECT_EQ(parse_size("1e3KiB", "x"), 1000U * 1024);
  EXPECT_EQ(parse_size("1e3KiB", "x", SizeForm::kNccl), 1000U * 1024);
  EXPECT_EQ(parse_size("1.25E1 KB", "x"), 12'500U);
  EXPECT_EQ(parse_size("2500e-3 KB", "x"), 2'500U);
  EXPECT_EQ(parse_bandwidth("1e3 GB/s", "x"), 1'000'000'000'000U);
  EXPECT_EQ(parse_bandwidth("0.001e+3TB/s", "x"), 1'000'000'000'000U);
  EXPECT_EQ(parse_time_ps("2e-3 ns", "x"), 2U);
  EXPECT_EQ(parse_time_ps("0e9 ms", "x"), 0U);
  EXPECT_EQ(parse_frequency("1.5e3 MHz", "x"), 1'500'000'000U);
  for (const char* wrong : {"1e3", "1e99999999999 KB", "1e-3 B", "1e-99999999999 KB", "-1e3 KB"})
    expect_parts(refusal([&] { parse_size(wrong, "key"); }), {"key: ", wrong});
}

TEST(Units, SizesThatNcclTestsDoNotTakeAreRefused) {
  const auto refused = [](std::string_view text) {
    return refusal([&] { parse_size(text, "--size", SizeForm::kNccl); });
  };
  expect_parts(refused("1.25e1"), {"'1.25e1', which is not a whole number of bytes"});
  expect_parts(refused("1e16"), {"'1e16', which is too large; allowed: at most 2^53 bytes"});
  expect_parts(refused("1e99999999999999999999"), {"is too large"});
  expect_parts(refused("0e5"), {"is zero"});
  expect_parts(refused("0.5e"), {"unknown unit 'e'"});
  expect_parts(refused("1e-3"), {"'1e-3', which is not a whole number of bytes"});
  expect_parts(refused("1e3KX"), {"unknown unit 'KX'"});
  expect_parts(refused("1e-KiB"), {"unknown unit 'e-KiB'"});
  expect_parts(refused("1b"), {"unknown unit 'b'; did you mean 'B'?"});
  expect_parts(refused("1T"), {"unknown unit 'T'; allowed: a number and B, K, M, G, KiB"});
}

TEST(Units, LettersWithoutAUnitAreForSizesOfCommandLinesOnly) {
  for (const std::string_view text : {"48K", "48k", "48M", "48G", "48e3", "48"}) {
    expect_parts(refusal([&] { parse_size(text, "switch.input_buffer"); }),
                 {"switch.input_buffer: "});
  }
  expect_parts(refusal([] { parse_size("48K", "x"); }),
               {"unknown unit 'K'; did you mean 'KiB' or 'KB'?"});
  expect_parts(refusal([] { parse_bandwidth("750G", "x"); }),
               {"unknown unit 'G'; did you mean 'Gb/s' or 'GB/s'?"});
  expect_parts(refusal([] { parse_frequency("1G", "x"); }),
               {"unknown unit 'G'; did you mean 'GHz'?"});
  expect_parts(refusal([] { parse_time_ps("20 n", "x"); }),
               {"unknown unit 'n'; did you mean 'ns'?"});
}

// A hint names a unit with the first letter, the magnitude, of the text.
TEST(Units, HintsKeepTheMagnitude) {
  constexpr std::string_view kUnits[] = {
      "b",   "BB",  "Bs", "TB",     "TiB",   "PB",   "MBB", "Mib",  "KIB", "kb",    "GBB",
      "M8",  "EB",  "T",  "P",      "K",     "k",    "m",   "M",    "g",   "G",     "s",
      "S",   "n",   "u",  "fs",     "as",    "Ms",   "nss", "sn",   "THz", "PHz",   "hz",
      "KHZ", "mhz", "Gz", "PB/s",   "b/s",   "Tb/s", "mB/", "EB/s", "/s",  "GiB/s", "KX/s",
      "iB",  "X",   "xB", "Mbit/s", "TB/ss", "Kbs",  "min", "h"};
  const auto magnitude = [](std::string_view unit) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(unit.front())));
  };
  int hints = 0;
  const auto check = [&](std::string_view unit, const std::string& message) {
    const std::size_t hint = message.find("did you mean");
    if (hint == std::string::npos) return;
    ++hints;
    const std::size_t end = message.find('?', hint);
    for (std::size_t at = message.find('\'', hint); at < end; at = message.find('\'', at + 1)) {
      EXPECT_EQ(magnitude(message.substr(at + 1)), magnitude(unit)) << message;
      at = message.find('\'', at + 1);
    }
  };
  for (const std::string_view unit : kUnits) {
    const std::string text = "1 " + std::string(unit);
    check(unit, refusal([&] { (void)parse_size(text, "x"); }));
    check(unit, refusal([&] { (void)parse_bandwidth(text, "x"); }));
    check(unit, refusal([&] { (void)parse_time_ps(text, "x"); }));
    check(unit, refusal([&] { (void)parse_frequency(text, "x"); }));
  }
  EXPECT_GT(hints, 20);
}

// Capital or not is all that is wrong: the hint is that unit, also where its first letter would be
// another magnitude, as there are no millihertz here.
TEST(Units, HintsForTheWrongCase) {
  struct Spelling {
    std::function<std::uint64_t(std::string_view)> parse;
    std::vector<std::string> units;
  };
  const Spelling quantities[] = {
      {[](auto text) { return parse_size(text, "x"); },
       {"B", "KiB", "MiB", "GiB", "KB", "MB", "GB"}},
      {[](auto text) { return parse_bandwidth(text, "x"); },
       {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"}},
      {[](auto text) { return parse_time_ps(text, "x"); }, {"ps", "ns", "us", "ms"}},
      {[](auto text) { return parse_frequency(text, "x"); }, {"Hz", "kHz", "MHz", "GHz"}}};
  for (const Spelling& quantity : quantities) {
    for (const std::string& unit : quantity.units) {
      for (unsigned flipped = 1; flipped < 1U << unit.size(); ++flipped) {
        std::string found = unit;
        for (std::size_t i = 0; i < found.size(); ++i) {
          const auto c = static_cast<unsigned char>(found[i]);
          if ((flipped >> i & 1U) != 0)
            found[i] = static_cast<char>(std::islower(c) != 0 ? std::toupper(c) : std::tolower(c));
        }
        if (found == unit) continue;  // '/' has no case
        // A lower-case b may mean bits, and does after a capital.
        if (unit.ends_with("B/s") && found.find('B') == std::string::npos) continue;
        expect_parts(refusal([&] { (void)quantity.parse("2 " + found); }),
                     {fmt::format("unknown unit '{}'; did you mean '{}'?", found, unit)});
      }
    }
  }
}

TEST(Units, OtherQuantities) {
  EXPECT_EQ(parse_bandwidth("750 GB/s", "x"), 750'000'000'000U);
  EXPECT_EQ(parse_bandwidth("1.5TB/s", "x"), 1'500'000'000'000U);
  EXPECT_EQ(parse_bandwidth("1 B/s", "x"), 1U);
  EXPECT_EQ(parse_time_ps("20 ns", "x"), 20'000U);
  EXPECT_EQ(parse_time_ps("0.667 ns", "x"), 667U);
  EXPECT_EQ(parse_time_ps("0 ns", "x"), 0U);
  EXPECT_EQ(parse_time_ps("3 us", "x"), 3'000'000U);
  EXPECT_EQ(parse_time_ps("1 ms", "x"), 1'000'000'000U);
  EXPECT_EQ(parse_frequency("1.5 GHz", "x"), 1'500'000'000U);
  EXPECT_EQ(parse_frequency("32.768 kHz", "x"), 32'768U);
}

// Eight bits are a byte, however they are spelt; no hint is a factor of eight away.
TEST(Units, BandwidthsInBits) {
  std::uint64_t one = 125;
  for (const char magnitude : std::string("KMGT")) {
    for (const char* const form : {"b/s", "bps", "bit/s", "T/s"}) {
      const std::string unit = magnitude + std::string(form);
      if (unit == "KT/s") continue;
      EXPECT_EQ(parse_bandwidth("1" + unit, "x"), one) << unit;
      EXPECT_EQ(parse_bandwidth("400 " + unit, "x"), 400 * one) << unit;
      expect_parts(refusal([&] { parse_size("1 " + unit, "x"); }), {"is a bandwidth, not a size"});
    }
    one *= 1000;
  }
  EXPECT_EQ(parse_bandwidth("8kbit/s", "x"), 1000U);
  EXPECT_EQ(parse_bandwidth("0.8 Gbps", "x"), 100'000'000U);
  for (const char* const found : {"gbps", "GBPS", "gbit/s", "Gbitps", "gb/s", "gt/s", "GBit/s"}) {
    const std::string message = refusal([&] { parse_bandwidth(std::string("1 ") + found, "x"); });
    const std::size_t hint = message.find("did you mean");
    ASSERT_NE(hint, std::string::npos) << message;
    const bool has_bytes = message.find("'GB/s'", hint) != std::string::npos;
    const bool has_bits = message.find("'Gb", hint) != std::string::npos ||
                          message.find("'GT", hint) != std::string::npos;
    EXPECT_TRUE(has_bits || !has_bytes) << message;
  }
}

TEST(Units, EveryRefusalSaysKeyFoundAndAllowed) {
  struct Case {
    std::string_view text;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {"", "found nothing"},
      {"   ", "found nothing"},
      {"750", "found '750', which has no unit"},
      {"0 GB/s", "'0 GB/s', which is zero"},
      {"0.000 GB/s", "is zero"},
      {"-3 GB/s", "found '-3 GB/s', which is negative"},
      {"750 ns", "found '750 ns', which is a time, not a bandwidth"},
      {"750 GB", "is a size, not a bandwidth"},
      {"1 GHz", "is a frequency, not a bandwidth"},
      {"750 gb/s", "unknown unit 'gb/s'; did you mean 'Gb/s' or 'GB/s'?"},
      {"750 GBps", "unknown unit 'GBps'; did you mean 'GB/s'?"},
      {"750 Gbits/s", "unknown unit 'Gbits/s'; did you mean 'Gbit/s'?"},
      {"0.1 Kb/s", "is not a whole number of bytes per second"},
      {"750 parsec", "unknown unit 'parsec'"},
      {"fast", "is not a number with a unit"},
      {"GB/s", "is not a number with a unit"},
      {".5 GB/s", "is not a number with a unit"},
      {"1. GB/s", "is not a number with a unit"},
      {"1,5 GB/s", "unknown unit ',5 GB/s'"},
      {"1e GB/s", "unknown unit 'e GB/s'"},
      {"nan GB/s", "is not a number with a unit"},
      {"9007199254740993 B/s", "is too large; allowed: at most 2^53 bytes per second"},
      {"9008 TB/s", "is too large"},
      {"99999999999999999999999999999999999999999999999999 B/s", "is too large"},
      {"0.5 B/s", "is not a whole number of bytes per second"},
      {"0.00000000000000000001 TB/s", "is not a whole number"},
  };
  for (const Case& c : cases) {
    const std::string message = refusal([&] { parse_bandwidth(c.text, "npu.bandwidth"); });
    expect_parts(message, {"npu.bandwidth: found ", c.why, "; "});
  }
  expect_parts(refusal([] { parse_size("4096", "--size"); }),
               {"--size: found '4096', which has no unit"});
  expect_parts(refusal([] { parse_size("4.5", "--size", SizeForm::kNccl); }),
               {"not a whole number of bytes"});
  expect_parts(refusal([] { parse_size("0", "--size", SizeForm::kNccl); }), {"is zero"});
  expect_parts(refusal([] { parse_time_ps("20 GB/s", "t"); }), {"is a bandwidth, not a time"});
  expect_parts(refusal([] { parse_time_ps("0.5 ps", "t"); }), {"whole number of picoseconds"});
  expect_parts(refusal([] { parse_frequency("0 Hz", "clock"); }), {"is zero", "kHz"});
  const std::string endless(100'000, '7');
  EXPECT_LT(refusal([&] { parse_size(endless, "x"); }).size(), 300U);
}

// Whole and decimal spellings of the same number agree; so do text and value.
TEST(Units, RandomDecimalsAreExact) {
  constexpr std::uint64_t kSeed = 11;
  Random random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = 1 + random.below(kMaxQuantity);
    const std::string digits = std::to_string(1'000'000'000'000 + value % 1'000'000'000'000);
    const std::string terabytes =
        std::to_string(value / 1'000'000'000'000) + "." + digits.substr(1) + " TB/s";
    ASSERT_EQ(parse_bandwidth(terabytes, "x"), value) << "seed " << kSeed << ", case " << i;
    ASSERT_EQ(parse_size(format_size(value), "x"), value) << "seed " << kSeed << ", case " << i;
    ASSERT_EQ(parse_frequency(format_frequency(value), "x"), value) << "seed " << kSeed;
    ASSERT_EQ(parse_time_ps(format_time_ps(value), "x"), value) << "seed " << kSeed;
  }
}

TEST(Units, RandomTextNeverEscapesAsAnotherError) {
  constexpr std::uint64_t kSeed = 12;
  constexpr std::string_view kAlphabet = "0123456789.-+ eEkgBKMGTi/sHznpum\t\xC2\xB5";
  Random random(kSeed);
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(12); n > 0; --n) {
      text += kAlphabet[random.below(kAlphabet.size())];
    }
    try {
      EXPECT_LE(parse_size(text, "x", SizeForm::kNccl), kMaxQuantity);
      EXPECT_LE(parse_bandwidth(text, "x"), kMaxQuantity);
    } catch (const BadInput&) {
      continue;  // nothing else comes out, which is tested here
    }
  }
}

TEST(Units, Formats) {
  EXPECT_EQ(format_size(4096), "4 KiB");
  EXPECT_EQ(format_size(16U << 20), "16 MiB");
  EXPECT_EQ(format_size(1000), "1000 B");
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(2048ULL << 30), "2048 GiB");
  EXPECT_EQ(format_bandwidth(750e9), "750 GB/s");
  EXPECT_EQ(format_bandwidth(3.75e12), "3.75 TB/s");
  EXPECT_EQ(format_bandwidth(30e12), "30 TB/s");
  EXPECT_EQ(format_bandwidth(25.6e9), "25.6 GB/s");
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1'234'567), "1.235 MB");
  EXPECT_EQ(format_bytes(80'000'000'000), "80 GB");
  EXPECT_EQ(format_frequency(1'500'000'000), "1.5 GHz");
  EXPECT_EQ(format_frequency(999), "999 Hz");
  EXPECT_EQ(format_time_ps(20'000), "20 ns");
  EXPECT_EQ(format_time_ps(20'050), "20.05 ns");
  EXPECT_EQ(format_time_ps(0), "0 ns");
}

TEST(Units, LinkRates) {
  constexpr std::uint64_t kClock = 1'500'000'000;
  EXPECT_EQ(link_rate(600'000'000'000, kClock), (Rational{25, 32}));
  EXPECT_EQ(link_rate(750'000'000'000, kClock), (Rational{125, 128}));
  EXPECT_EQ(link_rate(128'000'000'000, kClock), (Rational{1, 6}));
  EXPECT_EQ(link_rate(768'000'000'000, kClock), (Rational{1, 1}));
  // 512 bytes per cycle at the highest clock there is: no overflow.
  EXPECT_EQ(link_rate(kMaxQuantity, kMaxQuantity), (Rational{1, kFlitBytes}));
}

TEST(Units, Latencies) {
  EXPECT_EQ(latency_cycles(20'000, 1'500'000'000), 30);
  EXPECT_EQ(latency_cycles(20'001, 1'500'000'000), 31);
  EXPECT_EQ(latency_cycles(20'000, 1'000'000'000), 20);
  EXPECT_EQ(latency_cycles(0, 1'500'000'000), 1);
  EXPECT_EQ(latency_cycles(1, 1), 1);
  EXPECT_EQ(latency_cycles(1'000'000'000, 1'000'000'000), kMaxLatencyCycles);
  expect_parts(refusal([] { latency_cycles(kMaxQuantity, kMaxQuantity); }), {"1000000 cycles"});
}

}  // namespace
}  // namespace fredsim

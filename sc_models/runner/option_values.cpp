// SPDX-License-Identifier: Apache-2.0
#include "runner/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/suggest.h"
#include "base/units.h"
#include "collective/algorithm.h"
#include "plan/parallelism.h"
#include "routing/fred_routing.h"
#include "runner/detail/group_members.h"
#include "traffic/traffic_options.h"

namespace fredsim {

namespace {

constexpr const char* kRateForms =
    "rates in flits per cycle and node, such as 0.1 or 0.1,0.2 or FROM:TO:STEP";

double parse_rate(std::string_view text, const std::string& option) {
  const std::optional<double> rate = to_double(text);
  if (!rate || *rate < kMinTrafficRate) {
    throw BadInput(fmt::format("{}: found '{}'; allowed: {}, {} or more", option, text, kRateForms,
                               kMinTrafficRate));
  }
  return *rate;
}

std::optional<int> to_number(std::string_view text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || stop != end || error != std::errc() || number < 0) return {};
  return number;
}

double rounded(double rate) { return std::round(rate * 1e9) / 1e9; }

}  // namespace

std::string algorithm_words() {
  std::string words = "auto paper";
  for (const Algorithm* algorithm : algorithms()) words += " " + std::string(algorithm->name());
  return words;
}

std::vector<int> parse_numbers(const std::string& text, const std::string& option, int min,
                               int max) {
  const auto number = [&](std::string_view field) {
    int value = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (field.empty() || stop != end || error != std::errc() || value < min || value > max) {
      throw BadInput(fmt::format(
          "{}: found '{}'; allowed: {} to {}, one number, a list such as {},{} or a sweep FROM:TO",
          option, field, min, max, min, max));
    }
    return value;
  };
  const std::vector<std::string_view> sweep = split_at(text, ':');
  std::vector<int> numbers;
  if (sweep.size() == 2) {
    const int last = number(sweep[1]);
    for (int n = number(sweep[0]); n <= last; ++n) numbers.push_back(n);
    if (numbers.empty()) {
      throw BadInput(
          fmt::format("{}: found '{}'; allowed: FROM:TO with FROM at most TO", option, text));
    }
    return numbers;
  }
  for (const std::string_view field : split_at(text, ',')) numbers.push_back(number(field));
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<int> parse_middles(const std::string& text, const std::string& option) {
  return parse_numbers(text, option, kMinMiddle, kMaxMiddle);
}

std::optional<NumberRange> to_range(std::string_view text) {
  const std::vector<std::string_view> ends = split_at(text, '-');
  const std::optional<int> first = to_number(ends.front());
  const std::optional<int> last = to_number(ends.back());
  if (ends.size() > 2 || !first || !last || *first > *last) return {};
  return NumberRange{*first, *last};
}

std::uint64_t parse_collective_size(const std::string& text, const std::string& option) {
  const std::uint64_t bytes = parse_size(text, option, SizeForm::kNccl);
  if (bytes > kMaxCollectiveBytes) {
    throw BadInput(fmt::format("{}: found '{}'; allowed: at most {}", option, text,
                               format_size(kMaxCollectiveBytes)));
  }
  return bytes;
}

std::vector<std::uint64_t> parse_size_sweep(const std::string& begin, const std::string& end,
                                            const std::string& factor) {
  const std::uint64_t first = parse_collective_size(begin, "-b");
  if (end.empty()) return {first};
  const std::uint64_t last = parse_collective_size(end, "-e");
  const std::uint64_t step = parse_number(factor, "-f", 2, kMaxCollectiveBytes);
  if (first > last) {
    throw BadInput(fmt::format("-b, -e: found -b {} above -e {}; allowed: -b at most -e",
                               format_size(first), format_size(last)));
  }
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = first;; size *= step) {
    sizes.push_back(size);
    if (size > last / step) break;
  }
  return sizes;
}

std::vector<int> parse_group(const std::string& text) {
  std::vector<int> group;
  if (text == "all") return group;
  for (const std::string_view field : split_at(text, ',')) {
    const std::optional<std::vector<int>> members = parse_members(field);
    if (!members) {
      throw BadInput(fmt::format(
          "--group {}: found '{}'; allowed: all, or ranks such as 0,1,5-8, up to {}, and io0-3, "
          "io:all or io:each",
          text, field, kMaxWorkers));
    }
    group.insert(group.end(), members->begin(), members->end());
  }
  if (std::ranges::count(group, kEachIo) > 1)
    throw BadInput(fmt::format("--group {}: found 'io:each' twice; allowed: once", text));
  return group;
}

std::vector<double> parse_rates(const std::string& text, const std::string& option) {
  const std::vector<std::string_view> sweep = split_at(text, ':');
  std::vector<double> rates;
  if (sweep.size() == 3) {
    const double first = parse_rate(sweep[0], option);
    const double last = parse_rate(sweep[1], option);
    const double step = parse_rate(sweep[2], option);
    if (first > last || (last - first) / step >= kMaxRates) {
      throw BadInput(
          fmt::format("{}: found '{}'; allowed: FROM:TO:STEP with FROM at most TO and {} "
                      "rates at most",
                      option, text, kMaxRates));
    }
    for (int i = 0; rounded(first + i * step) <= last; ++i) {
      rates.push_back(rounded(first + i * step));
    }
    return rates;
  }
  for (const std::string_view field : split_at(text, ',')) {
    rates.push_back(parse_rate(field, option));
  }
  if (rates.size() > kMaxRates) {
    throw BadInput(
        fmt::format("{}: found {} rates; allowed: {} at most", option, rates.size(), kMaxRates));
  }
  std::ranges::sort(rates);
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  return rates;
}

double parse_fraction(const std::string& text, const std::string& option) {
  const std::optional<double> fraction = to_double(text);
  if (!fraction || *fraction <= 0 || *fraction > 1) {
    throw BadInput(
        fmt::format("{}: found '{}'; allowed: a number above 0, 1 at most", option, text));
  }
  return *fraction;
}

void check_switch_threads(int threads, bool has_rtl) {
  if (threads == 1 || has_rtl) return;
  throw BadInput(
      fmt::format("--threads: found {} where no switch is RTL; allowed: 1, or --model rtl or "
                  "lockstep",
                  threads));
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/gradient_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kMaxEvery = 1000;
constexpr double kMaxRatio = 1e6;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (const auto word : text | std::views::split(','))
    words.emplace_back(word.begin(), word.end());
  if (words.empty()) words.emplace_back();
  return words;
}

[[noreturn]] void refuse_gradients(const std::string& text) {
  std::vector<std::string> words;
  for (const Schedule* const schedule : schedules()) {
    words.emplace_back(schedule->name());
    if (schedule->has_size()) words.push_back(fmt::format("{}=SIZE", schedule->name()));
  }
  words.emplace_back("every=N");
  words.emplace_back("one of the former and every=N");
  const std::vector<std::string_view> allowed(words.begin(), words.end());
  refuse_word("--gradients", text, allowed);
}

double parse_ratio(const std::string& text) {
  double ratio = 0;
  const char* const last = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), last, ratio);
  if (error != std::errc() || stop != last || !(ratio >= 1) || ratio > kMaxRatio)
    throw BadInput(fmt::format(
        "--compress: found '{}'; allowed: uncompressed over compressed bytes, 1 to {:.0f}",
        shown(text), kMaxRatio));
  return ratio;
}

}  // namespace

std::string parse_gradients(const std::string& text, TrainingOptions& training) {
  std::string schedule = "bucket=25MB";
  bool is_given = false, has_every = false;
  for (const std::string& word : split(text)) {
    const std::size_t end = word.find('=');
    const std::string name = word.substr(0, end);
    const std::string value = end == std::string::npos ? "" : word.substr(end + 1);
    if (name == "every" && !has_every && end != std::string::npos) {
      has_every = true;
      training.every = static_cast<int>(parse_number(value, "--gradients every", 1, kMaxEvery));
      continue;
    }
    const Schedule* const found = find_schedule(name);
    if (found == nullptr || is_given || (end != std::string::npos && !found->has_size()))
      refuse_gradients(text);
    is_given = true;
    training.gradients = found;
    if (end != std::string::npos) training.bucket_bytes = parse_size(value, "--gradients");
    schedule = name;
    if (found->has_size())
      schedule += fmt::format("={}", end != std::string::npos ? value : "25MB");
  }
  if (!has_every) return schedule;
  if (const std::string_view why = training.gradients->why_not_every(); !why.empty())
    throw BadInput(fmt::format("--gradients: found '{}'; allowed: every=N with any but {}, {}",
                               shown(text), training.gradients->name(), why));
  return fmt::format("{},every={}", schedule, training.every);
}

std::string parse_compression(const std::string& text, Compression& compression) {
  if (text.empty()) return "";
  std::set<std::string> names;
  for (const std::string& word : split(text)) {
    const std::size_t end = word.find('=');
    const std::string name = word.substr(0, end);
    double* const ratio = name == "mp"   ? &compression.mp
                          : name == "dp" ? &compression.dp
                          : name == "pp" ? &compression.pp
                                         : nullptr;
    if (ratio == nullptr || end == std::string::npos || !names.insert(name).second)
      throw BadInput(fmt::format(
          "--compress: found '{}'; allowed: mp=N, dp=N and pp=N, each once, such as dp=100,mp=20",
          shown(text)));
    *ratio = parse_ratio(word.substr(end + 1));
  }
  return text;
}

}  // namespace fredsim

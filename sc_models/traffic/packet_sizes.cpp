// SPDX-License-Identifier: Apache-2.0
#include "traffic/packet_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/flit.h"
#include "base/number_text.h"
#include "base/option_words.h"

namespace fredsim {
namespace {

constexpr double kMaxShare = 1e9;

std::optional<int> to_flits(std::string_view text) {
  const std::optional<double> flits = to_double(text);
  if (!flits || *flits < 1 || *flits > kPacketFlits || *flits != static_cast<int>(*flits))
    return {};
  return static_cast<int>(*flits);
}

[[noreturn]] void refuse(const std::string& option, std::string_view found) {
  throw BadInput(
      fmt::format("{}: found '{}'; allowed: 1 to {} flits, or several lengths with their shares, "
                  "such as 1:0.5,8:0.5",
                  option, found, kPacketFlits));
}

}  // namespace

PacketSizes::PacketSizes(int flits)
    : PacketSizes(std::vector<std::pair<int, double>>{{flits, 1.0}}) {
  text_ = fmt::to_string(flits);
}

PacketSizes::PacketSizes(const std::vector<std::pair<int, double>>& shares)
    : sizes_(shares), is_single_(shares.size() == 1) {
  double total = 0;
  for (const auto& [flits, share] : shares) {
    total += share;
    mean_ += share * flits;
    mean_square_ += share * flits * flits;
    longest_ = std::max(longest_, flits);
    text_ += fmt::format("{}{}:{:g}", text_.empty() ? "" : ",", flits, share);
  }
  mean_ /= total;
  mean_square_ /= total;
}

PacketSizes parse_packet_sizes(const std::string& text, const std::string& option) {
  if (text.find(':') == std::string::npos) {
    const std::optional<int> flits = to_flits(text);
    if (!flits) refuse(option, text);
    return {*flits};
  }
  std::vector<std::pair<int, double>> shares;
  for (const std::string_view field : split_at(text, ',')) {
    const std::vector<std::string_view> parts = split_at(field, ':');
    const std::optional<int> flits = to_flits(parts.front());
    const std::optional<double> share = parts.size() == 2 ? to_double(parts.back()) : std::nullopt;
    const bool is_twice =
        flits && std::ranges::count(shares, *flits, &std::pair<int, double>::first) > 0;
    if (!flits || !share || *share <= 0 || *share > kMaxShare || is_twice) refuse(option, field);
    shares.emplace_back(*flits, *share);
  }
  PacketSizes sizes(shares);
  sizes.text_ = text;
  return sizes;
}

}  // namespace fredsim

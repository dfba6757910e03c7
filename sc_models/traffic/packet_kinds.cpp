// SPDX-License-Identifier: Apache-2.0
#include "traffic/packet_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/flit.h"
#include "base/number_text.h"
#include "base/option_words.h"

namespace fredsim {
namespace {

std::optional<ExchangeSizes> to_exchange(std::string_view text) {
  const std::vector<std::string_view> parts = split_at(text, ':');
  if (parts.size() != 2) return {};
  ExchangeSizes sizes;
  for (const auto& [part, member] :
       {std::pair(parts[0], &sizes.request), {parts[1], &sizes.reply}}) {
    const std::optional<double> flits = to_double(part);
    if (!flits || *flits < 1 || *flits > kPacketFlits || *flits != std::floor(*flits)) return {};
    *member = static_cast<int>(*flits);
  }
  return sizes;
}

}  // namespace

int RequestReplyOptions::longest() const {
  return std::max({read.request, read.reply, write.request, write.reply});
}

RequestReplyOptions parse_request_reply(const std::string& text, const std::string& option) {
  RequestReplyOptions options{.is_on = true};
  std::set<std::string_view> seen;
  for (const std::string_view field : split_at(text, ',')) {
    const std::size_t equal = std::min(field.find('='), field.size());
    const std::string_view name = field.substr(0, equal);
    const std::string_view value = field.substr(std::min(equal + 1, field.size()));
    const std::optional<ExchangeSizes> sizes = to_exchange(value);
    const std::optional<double> share = to_double(value);
    bool is_read = seen.insert(name).second;
    if (name == "writes" && share && *share >= 0 && *share <= 1) {
      options.writes = *share;
    } else if (name == "read" && sizes) {
      options.read = *sizes;
    } else if (name == "write" && sizes) {
      options.write = *sizes;
    } else {
      is_read = false;
    }
    if (!is_read)
      throw BadInput(
          fmt::format("{}: found '{}'; allowed: read=REQUEST:REPLY and write=REQUEST:REPLY, 1 to "
                      "{} flits each, "
                      "and writes=SHARE, 0 to 1, commas between them",
                      option, field, kPacketFlits));
  }
  options.text =
      fmt::format("read={}:{},write={}:{},writes={:g}", options.read.request, options.read.reply,
                  options.write.request, options.write.reply, options.writes);
  return options;
}

PacketKinds::PacketKinds(PacketSizes sizes, const RequestReplyOptions& exchange)
    : sizes_(std::move(sizes)),
      has_replies_(exchange.is_on),
      exchange_{exchange.read, exchange.write},
      share_(exchange.writes),
      writes_(static_cast<std::uint64_t>(std::ldexp(exchange.writes, 53))) {}

double PacketKinds::mean_flits() const {
  if (!has_replies_) return sizes_.mean();
  const auto flits = [](const ExchangeSizes& sizes) { return sizes.request + sizes.reply; };
  return (1 - share_) * flits(exchange_[0]) + share_ * flits(exchange_[1]);
}

double PacketKinds::mean_square() const {
  if (!has_replies_) return sizes_.mean_square();
  const auto square = [](const ExchangeSizes& sizes) {
    return std::pow(sizes.request + sizes.reply, 2);
  };
  return (1 - share_) * square(exchange_[0]) + share_ * square(exchange_[1]);
}

}  // namespace fredsim

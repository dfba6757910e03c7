// SPDX-License-Identifier: Apache-2.0
// Kinds of packets: the length, and in request-reply traffic whether it reads or writes, and the
// length of its reply.
//
// Request-reply: each packet of a source is a request, a read or a write by the share of writes. Its
//   destination answers with a reply at the edge at which it has consumed the request's last flit.
// Text: "read=1:8,write=8:1,writes=0.5", lengths of request and reply in flits, and the share of
//   writes; any of the three may be left out.
// Errors: BadInput with the option, the value found and the allowed ones.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "base/random.h"
#include "traffic/packet_sizes.h"

namespace fredsim {

struct ExchangeSizes {
  int request = 1;
  int reply = 1;
};
struct RequestReplyOptions {
  bool is_on = false;
  ExchangeSizes read{.request = 1, .reply = 8};
  ExchangeSizes write{.request = 8, .reply = 1};
  double writes = 0.5;  // share of the requests, 0 … 1
  std::string text{};   // all values

  int longest() const;
};
RequestReplyOptions parse_request_reply(const std::string& text, const std::string& option);

struct PacketKind {
  int flits = 1;
  int reply_flits = 0;  // 0: no reply
  bool is_write = false;
};

class PacketKinds {
 public:
  explicit PacketKinds(PacketSizes sizes) : sizes_(std::move(sizes)) {}
  PacketKinds(PacketSizes sizes, const RequestReplyOptions& exchange);

  PacketKind draw(Random& random) const {
    if (!has_replies_) return {.flits = sizes_.draw(random)};
    const bool is_write = random.next() >> 11 < writes_;
    return request(is_write);
  }
  bool has_replies() const { return has_replies_; }
  PacketKind request(bool is_write) const {
    const ExchangeSizes& sizes = exchange_[is_write ? 1 : 0];
    return {.flits = sizes.request, .reply_flits = sizes.reply, .is_write = is_write};
  }
  // Flits that a packet causes, its reply's included: mean, and mean of the square.
  double mean_flits() const;
  double mean_square() const;

 private:
  PacketSizes sizes_;
  bool has_replies_ = false;
  std::array<ExchangeSizes, 2> exchange_{};  // reads, writes
  double share_ = 0;                         // share of writes
  std::uint64_t writes_ = 0;                 // the same, in 2^-53
};

}  // namespace fredsim

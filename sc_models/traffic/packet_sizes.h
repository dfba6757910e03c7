// SPDX-License-Identifier: Apache-2.0
// Lengths of packets in flits: one, or several with their shares.
//
// Text: "4", or "1:0.5,8:0.5", flits and share of the packets; shares are weights, such as "1:3,8:1".
// Errors: BadInput with the option, the value found and the allowed ones.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "traffic/alternatives.h"

namespace fredsim {

class PacketSizes {
 public:
  PacketSizes(int flits = 1);  // NOLINT(google-explicit-constructor): a number is a size
  // Pairs of flits and share, the shares above 0.
  explicit PacketSizes(const std::vector<std::pair<int, double>>& shares);

  double mean() const { return mean_; }
  double mean_square() const { return mean_square_; }
  const std::vector<int>& lengths() const { return sizes_.numbers(); }
  int longest() const { return longest_; }
  bool is_single() const { return is_single_; }
  // Length of the next packet; draws only if there are several.
  int draw(Random& random) const { return is_single() ? longest_ : sizes_.draw(random); }
  const std::string& text() const { return text_; }  // text as given

 private:
  friend PacketSizes parse_packet_sizes(const std::string& text, const std::string& option);

  Alternatives sizes_;
  double mean_ = 0, mean_square_ = 0;
  int longest_ = 0;
  bool is_single_ = false;
  std::string text_;
};

// Lengths of 1 … kPacketFlits flits, each once.
PacketSizes parse_packet_sizes(const std::string& text, const std::string& option);

}  // namespace fredsim

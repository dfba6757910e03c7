// SPDX-License-Identifier: Apache-2.0
#include "replay.h"

#include <algorithm>
#include <bit>

namespace fredsim::speed {

void Recorder::step(SwitchPins& pins) {
  nic_.step(pins);
  const bool credits = std::ranges::any_of(pins.in_credit, [](std::uint32_t c) { return c != 0; });
  if (pins.out_valid == 0 && !credits) return;
  recording.edges.push_back({core_.edge(), pins.out_valid, pins.in_credit});
  for (std::uint32_t left = pins.out_valid; left != 0; left &= left - 1) {
    const auto first = pins.out_flit.begin() + std::countr_zero(left) * words_;
    recording.words.insert(recording.words.end(), first, first + words_);
  }
}

void Player::step(SwitchPins& pins) {
  pins.out_valid = 0;
  pins.in_credit = {};
  if (!due()) return;
  const Recording::Edge& edge = recording_.edges[next_edge_++];
  pins.out_valid = edge.out_valid;
  pins.in_credit = edge.in_credit;
  for (std::uint32_t left = pins.out_valid; left != 0; left &= left - 1) {
    const auto words = recording_.words.begin() + static_cast<std::ptrdiff_t>(next_word_);
    std::copy_n(words, words_, pins.out_flit.begin() + std::countr_zero(left) * words_);
    next_word_ += static_cast<std::size_t>(words_);
  }
}

}  // namespace fredsim::speed

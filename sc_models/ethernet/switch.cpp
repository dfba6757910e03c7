// SPDX-License-Identifier: Apache-2.0
#include "ethernet/switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace fredsim {

std::uint64_t pfc_headroom(const EthernetLink& link, const EthernetSettings& settings) {
  constexpr std::uint64_t kResponse = 4096;
  const double in_flight =
      2e-12 * static_cast<double>(link.latency) * static_cast<double>(link.bits_per_second) / 8;
  return static_cast<std::uint64_t>(in_flight) +
         2 * static_cast<std::uint64_t>(settings.mtu + settings.header) + kPauseBytes + kResponse;
}

SharedBuffer::SharedBuffer(const EthernetSettings& settings, std::vector<std::uint64_t> headroom)
    : settings_(&settings) {
  std::uint64_t sum = 0;
  for (const std::uint64_t room : headroom) {
    Input& input = inputs_.emplace_back();
    input.headroom = settings.pfc ? room : 0;
    sum += input.headroom;
  }
  const auto packet = static_cast<std::uint64_t>(settings.mtu + settings.header);
  if (settings.buffer < sum + packet)
    throw BadInput(
        fmt::format("ethernet.buffer: found {} bytes; allowed: {} and more, the headroom of {} "
                    "ports and a packet",
                    settings.buffer, sum + packet, headroom.size()));
  shared_room_ = settings.buffer - sum;
}

std::uint64_t SharedBuffer::threshold() const {
  return static_cast<std::uint64_t>(settings_->pfc_alpha *
                                    static_cast<double>(shared_room_ - shared_));
}

SharedBuffer::Admission SharedBuffer::admit(int port, int priority, std::uint32_t bytes) {
  Input& input = inputs_[port];
  Admission admission;
  const bool is_above = input.shared[priority] + bytes > threshold();
  if (input.in_headroom[priority] > 0 || is_above) {
    if (input.in_headroom[priority] + bytes > input.headroom) {
      admission.fits = false;
      return admission;
    }
    input.in_headroom[priority] += bytes;
    in_headroom_ += bytes;
  } else {
    input.shared[priority] += bytes;
    shared_ += bytes;
  }
  largest_ = std::max(largest_, in_use());
  const bool is_over = input.in_headroom[priority] > 0 || input.shared[priority] >= threshold();
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  if (settings_->pfc && is_over && (input.paused & bit) == 0) {
    input.paused |= bit;
    admission.pause = true;
  }
  return admission;
}

bool SharedBuffer::release(int port, int priority, std::uint32_t bytes) {
  Input& input = inputs_[port];
  const std::uint64_t of_headroom = std::min<std::uint64_t>(input.in_headroom[priority], bytes);
  input.in_headroom[priority] -= of_headroom;
  in_headroom_ -= of_headroom;
  input.shared[priority] -= bytes - of_headroom;
  shared_ -= bytes - of_headroom;
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  if ((input.paused & bit) == 0 || input.in_headroom[priority] > 0 ||
      input.shared[priority] + settings_->pfc_hysteresis > threshold())
    return false;
  input.paused &= static_cast<std::uint8_t>(~bit);
  return true;
}

}  // namespace fredsim

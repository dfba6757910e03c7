// SPDX-License-Identifier: Apache-2.0
#include "nic/packet_extension.h"

namespace fredsim {

std::string refusal(const Packet& packet) {
  if (packet.get_response_status() >= tlm::TLM_INCOMPLETE_RESPONSE) return {};
  const auto* e = packet.get_extension<PacketExtension>();
  return e == nullptr ? std::string(kNoExtension) : e->refusal;
}

}  // namespace fredsim

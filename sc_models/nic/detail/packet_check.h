// SPDX-License-Identifier: Apache-2.0
// Checks of a packet that a NIC is to send, and the response to a bad one. Statuses:
// nic/packet_extension.h.
#pragma once

#include <optional>
#include <string>
#include <tlm>

#include "nic/nic_shape.h"
#include "nic/packet_extension.h"

namespace fredsim {

struct Refusal {
  tlm::tlm_response_status status = tlm::TLM_GENERIC_ERROR_RESPONSE;
  std::string text;  // "vc: found 4; allowed: 0 to 3"
};

// The first error of the packet; no value if it can be sent.
std::optional<Refusal> check_packet(const Packet& packet, const NicShape& nic);

}  // namespace fredsim

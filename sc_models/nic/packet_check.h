// SPDX-License-Identifier: Apache-2.0
// Requirements of a NIC on a packet that it is to send, and its answer to any other. Statuses:
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

// The first thing that is wrong with it; nothing of one that can be sent.
std::optional<Refusal> check_packet(const Packet& packet, const NicShape& nic);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "nic/detail/packet_check.h"

#include <fmt/format.h>

namespace fredsim {
namespace {

const char* command_name(tlm::tlm_command command) {
  if (command == tlm::TLM_READ_COMMAND) return "TLM_READ_COMMAND";
  return command == tlm::TLM_WRITE_COMMAND ? "TLM_WRITE_COMMAND" : "TLM_IGNORE_COMMAND";
}

// Checks the extension.
std::optional<Refusal> check_extension(const PacketExtension& e, const NicShape& nic) {
  const auto refuse = [](std::string text) { return Refusal{.text = std::move(text)}; };
  if (e.port >= nic.ports) {
    return refuse(fmt::format("port: found {}; allowed: NIC port 0{}", e.port,
                              nic.ports == 1 ? "" : fmt::format(" to {}", nic.ports - 1)));
  }
  if (e.vc >= kNumVcs) {
    return refuse(
        fmt::format("vc: found {}; allowed: 0 to {}, MP, PP, DP, control", e.vc, kNumVcs - 1));
  }
  const int longest = e.vc == kControl ? 1 : nic.packet_flits;
  if (e.flits < 1 || e.flits > longest) {
    return refuse(fmt::format("flits: found {}; allowed on VC {}: {}", e.flits, kVcTitles[e.vc],
                              longest == 1 ? "1" : fmt::format("1 to {}", longest)));
  }
  const auto full = static_cast<std::uint64_t>(e.flits) * kFlitBytes;
  if (e.bytes != 0 && (e.bytes > full || e.bytes + kFlitBytes <= full)) {
    return refuse(
        fmt::format("bytes: found {}; allowed in {} flits: {} to {}, or 0 for all of them", e.bytes,
                    e.flits, full - kFlitBytes + 1, full));
  }
  if (e.stream >= kMaxStreams) {
    return refuse(fmt::format("stream: found {}; allowed: 0 to {}", e.stream, kMaxStreams - 1));
  }
  if (e.phase == kPhaseOnline) {
    if (nic.destinations == nullptr || nic.destinations->has(e.destination)) return std::nullopt;
    return Refusal{tlm::TLM_ADDRESS_ERROR_RESPONSE,
                   fmt::format("destination: found {}, which is not an endpoint of this machine; "
                               "allowed: {} (Node::address)",
                               e.destination, nic.destinations->text())};
  }
  if (nic.phases.empty() || e.phase < nic.phases[e.port]) return std::nullopt;
  const int rows = nic.phases[e.port];
  return refuse(fmt::format(
      "phase: found {}; allowed: {}{} for a unicast", e.phase,
      rows == 0 ? "" : fmt::format("rows 0 to {} of the switch's phase store, or ", rows - 1),
      kPhaseOnline));
}

}  // namespace

std::optional<Refusal> check_packet(const Packet& packet, const NicShape& nic) {
  const auto* e = packet.get_extension<PacketExtension>();
  if (e == nullptr) return Refusal{.text = std::string(kNoExtension)};
  if (packet.get_command() != tlm::TLM_WRITE_COMMAND) {
    return Refusal{tlm::TLM_COMMAND_ERROR_RESPONSE,
                   fmt::format("command: found {}; allowed: TLM_WRITE_COMMAND",
                               command_name(packet.get_command()))};
  }
  if (packet.get_byte_enable_ptr() != nullptr) {
    return Refusal{tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
                   "byte enables: found some; allowed: none, a packet is sent as a whole"};
  }
  if (std::optional<Refusal> refusal = check_extension(*e, nic)) return refusal;
  const auto bytes = static_cast<unsigned>(e->flits * nic.lanes * 2);
  if (packet.get_data_length() != bytes) {
    return Refusal{
        tlm::TLM_BURST_ERROR_RESPONSE,
        fmt::format("data length: found {}; allowed: {}, {} flits of {} lanes of 2 bytes",
                    packet.get_data_length(), bytes, e->flits, nic.lanes)};
  }
  if (packet.get_streaming_width() < bytes) {
    return Refusal{tlm::TLM_BURST_ERROR_RESPONSE,
                   fmt::format("streaming width: found {}; allowed: the data length, {}, or more",
                               packet.get_streaming_width(), bytes)};
  }
  if (packet.get_data_ptr() == nullptr) {
    return Refusal{.text = fmt::format("data pointer: found null; allowed: {} bytes", bytes)};
  }
  return std::nullopt;
}

}  // namespace fredsim

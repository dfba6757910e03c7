// SPDX-License-Identifier: Apache-2.0
#include "fabric/switch_control.h"

#include <cstring>

namespace fredsim {

SwitchControl::SwitchControl(sc_core::sc_module_name name, FabricCore& core, NodeId node)
    : sc_core::sc_module(name), core_(core), node_(node) {
  registers.register_b_transport(this, &SwitchControl::b_transport);
}

void SwitchControl::access_finished() {
  finished_ = true;
  served_.notify(sc_core::SC_ZERO_TIME);
}

void SwitchControl::cancel() {
  if (busy_) access_finished();
}

void SwitchControl::hold(bool on) {
  held_ = on;
  if (!on) free_.notify(sc_core::SC_ZERO_TIME);
}

void SwitchControl::b_transport(tlm::tlm_generic_payload& request, sc_core::sc_time& delay) {
  const sc_dt::uint64 address = request.get_address();
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  if (request.get_command() == tlm::TLM_IGNORE_COMMAND) status = tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (request.get_byte_enable_ptr() != nullptr) status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (request.get_data_length() != 4) status = tlm::TLM_BURST_ERROR_RESPONSE;
  if (address % 4 != 0 || address / 4 > 0xFFFF) status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  request.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) return;

  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  while (busy_ || held_) sc_core::wait(free_);
  busy_ = true;
  finished_ = false;
  RegisterRequest access{.valid = true,
                         .write = request.is_write(),
                         .address = static_cast<std::uint16_t>(address / 4)};
  if (access.write) std::memcpy(&access.wdata, request.get_data_ptr(), 4);
  core_.access(node_, access);
  while (!finished_) sc_core::wait(served_);
  if (!access.write) {
    const std::uint32_t data = core_.read_data(node_);
    std::memcpy(request.get_data_ptr(), &data, 4);
  }
  busy_ = false;
  free_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace fredsim

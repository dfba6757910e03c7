// SPDX-License-Identifier: Apache-2.0
// The control plane's access to one switch: a TLM-2.0 target for register reads and writes.
//
// Payload: TLM_READ or TLM_WRITE, address = word address × 4 (switch/register_map.h), 4 bytes of
//   data. b_transport takes simulated time: the access is done in the switch's next clock edge and
//   returns after it. Accesses of several initiators are served one after the other, and wait while
//   the fabric itself sets up its switches. The fabric's clock must run.
// Errors: TLM_ADDRESS_ERROR_RESPONSE (not a multiple of 4, beyond 16 bits of word address),
//   TLM_BURST_ERROR_RESPONSE (length not 4), TLM_BYTE_ENABLE_ERROR_RESPONSE,
//   TLM_COMMAND_ERROR_RESPONSE.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "fabric/fabric_core.h"

namespace fredsim {

class SwitchControl final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket_optional<SwitchControl> registers{"registers"};

  SwitchControl(sc_core::sc_module_name name, FabricCore& core, NodeId node);

  void access_finished();              // called by the fabric after the edge that served the access
  void cancel();                       // drops a waiting access after a reset of the fabric
  void hold(bool on);                  // makes later accesses wait
  bool busy() const { return busy_; }  // an access is being served

 private:
  void b_transport(tlm::tlm_generic_payload& request, sc_core::sc_time& delay);

  FabricCore& core_;
  NodeId node_;
  bool busy_ = false;
  bool held_ = false;
  bool finished_ = false;
  sc_core::sc_event served_;
  sc_core::sc_event free_;
};

}  // namespace fredsim

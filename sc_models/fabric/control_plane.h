// SPDX-License-Identifier: Apache-2.0
// The host that sets up a fabric's switches: register accesses over TLM-2.0, one initiator socket
// per switch. Call from an SC_THREAD while the fabric's clock runs; every access takes simulated
// time.
// Errors: RunFailed when an access is refused or a switch does not answer with its identity.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "fabric/fabric.h"
#include "switch/phase_program.h"

namespace fredsim {

class ControlPlane final : public sc_core::sc_module {
 public:
  ControlPlane(sc_core::sc_module_name name, Fabric& fabric);

  void write(NodeId node, std::uint32_t word_address, std::uint32_t data);
  std::uint32_t read(NodeId node, std::uint32_t word_address);
  std::uint64_t read_counter(NodeId node, std::uint32_t word_address);  // 64 bits, low word first

  // Makes later calls end early once the flag is set; the run must not be started then.
  void stop_on(const std::atomic<bool>* stop) { stop_ = stop; }
  // The next three functions: each process writes its own switches, concurrently with the others;
  // as many cycles pass as with one process.
  // Checks the identity of every switch and writes the positions of mesh routers and the credits of
  // every connected output.
  void configure();
  void load(std::span<const PhaseProgram> programs);
  // Writes a FRED tree's routing tables for unicasts routed online (routing/online_routes.h; its
  // errors).
  void load_online_routes();

 private:
  std::uint32_t transport(NodeId node, tlm::tlm_command command, std::uint32_t word_address,
                          std::uint32_t data);

  void write_own(const std::function<void()>& writes);
  bool is_stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  Fabric& fabric_;
  const std::atomic<bool>* stop_ = nullptr;
  std::vector<std::unique_ptr<tlm_utils::simple_initiator_socket<ControlPlane>>>
      sockets_;  // index: node
};

}  // namespace fredsim

# SPDX-License-Identifier: Apache-2.0
# fredsim_precompile(TARGET): has the headers that a testbench includes compiled once for the target, SystemC, TLM and our own: a
# change of its sources then compiles in half the time. Here and, by find_package(fredsim), in projects of others.
function(fredsim_precompile target)
  set(headers fabric/fabric.h engine/machine.h engine/measurement.h trace/wave_recorder.h nic/packet_pool.h config/config.h)
  list(TRANSFORM headers PREPEND ${fredsim_SOURCE_DIR}/sc_models/)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
  target_precompile_headers(${target} PRIVATE <fmt/format.h> <tlm_utils/simple_initiator_socket.h> <tlm_utils/simple_target_socket.h>
                            ${headers})
endfunction()

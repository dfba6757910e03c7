// SPDX-License-Identifier: Apache-2.0
#include "switch/mesh/mesh_waves.h"

#include <fmt/format.h>

#include "base/flit.h"

namespace fredsim {
namespace {

using enum TraceFormat;

}  // namespace

void show_mesh_control(GtkwaveSave& save, const WaveScope& router) {
  save.group("stalls", true, [&] {
    const WaveScope stalls = router.inside("i_stalls");
    stalls.show(kDecimal, "stall_credit_o");
    stalls.show(kDecimal, "stall_arbiter_o");
    stalls.show(kBinary, "stall_link_o");
  });
}

void show_mesh_port(GtkwaveSave& save, const WaveScope& router, int port, int ports) {
  const int all = kNumVcs * ports;
  const WaveScope allocator = router.inside("i_allocator");
  save.group("input buffer", false, [&] {
    const WaveScope input = router.inside(fmt::format("gen_input[{}].i_input", port));
    input.show(kBinary, "in_valid", "in_valid_i", 0, 1);
    input.show(kBinary, "in_pin_register", "in_valid_q", 0, 1);
    input.show(kBinary, "pop_i");
    input.show(TraceNames::kVc, "pop_vc_i");
    show_each_vc(save, [&](int vc) {
      const WaveScope queue = input.inside(fmt::format("i_buffer.gen_vc[{}].i_queue", vc));
      queue.show(kDecimal, "slots_used", "used_q", 0, 1);
      input.show(kBinary, "hol_valid", "hol_o", vc, kNumVcs);
      input.inside(fmt::format("gen_vc[{}]", vc))
          .show(TraceNames::kDirection, "hol_goes_to", "port", 0, 1);
      input.show(kBinary, "inside_packet", "begun_q", vc, kNumVcs);
      input.show(kBinary, "hol_is_tail", "tail_o", vc, kNumVcs);
      router.show(kBinary, "no_credit", "no_credit", kNumVcs * port + vc, all);
      input.show(kBinary, "credit_back", "credit_o", vc, kNumVcs);
    });
  });
  save.group("output", false, [&] {
    const WaveScope output = router.inside(fmt::format("gen_output[{}].i_output", port));
    router.show(kBinary, "ready", "out_ready_i", port, ports);
    output.show(kBinary, "from_inputs", "granted_i", 0, 1);
    output.show(kBinary, "out_valid", "out_valid_o", 0, 1);
    router.show(kBinary, "link_stall", "link_stall", port, ports);
    show_each_vc(save, [&](int vc) {
      const WaveScope credit = output.inside(fmt::format("gen_vc[{}].i_credit", vc));
      allocator.show(kBinary, "inside_packet", "open_q", kNumVcs * port + vc, all);
      allocator.inside("i_vc_allocator")
          .show(kBinary, "request", fmt::format("any[{}]", vc), port, ports);
      allocator.show(kBinary, "grant", "grant_vc", kNumVcs * port + vc, all);
      allocator.show(kBinary, "launch", "launch_o", kNumVcs * port + vc, all);
      output.show(kBinary, "room_for_a_flit", "room_flit_o", vc, kNumVcs);
      output.show(kBinary, "room_for_a_packet", "room_packet_o", vc, kNumVcs);
      credit.show(kDecimal, "credits", "credits_q", 0, 1);
    });
  });
}

}  // namespace fredsim

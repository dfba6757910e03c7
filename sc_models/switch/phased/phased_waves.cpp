// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_waves.h"

#include <fmt/format.h>

#include "base/flit.h"

namespace fredsim {
namespace {

using enum TraceFormat;

}  // namespace

void show_phased_control(GtkwaveSave& save, const WaveScope& control, int ports) {
  save.group("phase", true, [&] {
    control.show(kBinary, "active_q");
    control.show(TraceNames::kVc, "vc_q");
    control.show(TraceNames::kPhase, "phase_q");
    control.show(kBinary, "candidate");
    control.show(TraceNames::kVc, "pick");
    control.show(kBinary, "decide");
    control.show(kBinary, "decided_q");
    control.show(TraceNames::kPhase, "next_phase_q");
    control.show(kBinary, "change");
    control.show(kDecimal, "lock_q");
    control.show(kDecimal, "silent_q");
    control.show(kDecimal, "busy_q");
  });
  save.group("stalls", true, [&] {
    for (const char* const reason : {"stall_join_o", "stall_credit_o", "stall_phase_o"}) {
      control.show(kDecimal, reason);
    }
    control.show(kBinary, "error_phase_o");
  });
  const WaveScope join = control.inside("i_join");
  for (int flow = 0; flow < ports; ++flow) {
    save.group(fmt::format("flow {}", flow), false, [&] {
      join.show(kBinary, "used", "used_q", flow, ports);
      join.show(kBinary, "inputs", "flow_in_q", flow, ports);
      join.show(kBinary, "outputs", "flow_out_q", flow, ports);
      join.show(kBinary, "inside_packet", "open_q", flow, ports);
      join.show(kBinary, "fires", "fire", flow, ports);
      join.show(kBinary, "lacks_an_input", "partly_in", flow, ports);
      join.show(kBinary, "lacks_room", "no_room", flow, ports);
    });
  }
}

void show_phased_port(GtkwaveSave& save, const WaveScope& port) {
  save.group("input buffer", false, [&] {
    const WaveScope input = port.inside("i_input");
    input.show(kBinary, "in_valid_i");
    input.show(kBinary, "match_o");
    show_each_vc(save, [&](int vc) {
      const WaveScope queue =
          input.inside("i_buffer").inside(fmt::format("gen_vc[{}]", vc)).inside("i_queue");
      queue.show(kDecimal, "slots_used", "used_q", 0, 1);
      queue.show(kBinary, "hol_valid", "valid_o", 0, 1);
      input.show(kBinary, "pop_i", "pop_i", vc, kNumVcs);
      input.show(TraceNames::kPhase, "hol_phase", "hol_phase_o", vc, kNumVcs);
      input.show(kHex, "hol_dst", "hol_dst_o", vc, kNumVcs);
      input.show(kBinary, "credit_back", "credit_o", vc, kNumVcs);
    });
  });
  show_output_staging(save, port);
}

void show_output_staging(GtkwaveSave& save, const WaveScope& port) {
  save.group("output staging", false, [&] {
    const WaveScope output = port.inside("i_output");
    output.show(kBinary, "reserve_i");
    output.show(TraceNames::kVc, "reserve_vc_i");
    output.show(kBinary, "in_valid_i");
    output.show(kBinary, "ready_i");
    output.show(kBinary, "out_valid_o");
    output.show(kBinary, "stall_link_o");
    show_each_vc(save, [&](int vc) {
      output.show(kDecimal, "flits", "count_q", vc, kNumVcs);
      output.show(kDecimal, "places_free", "places_q", vc, kNumVcs);
      output.show(kBinary, "room_for_a_packet", "room_packet_q", vc, kNumVcs);
      output.show(kDecimal, "credits", "credits_o", vc, kNumVcs);
    });
  });
}

}  // namespace fredsim

#include "switch/mesh/mesh_waves.h"

#include "base/flit.h"

namespace fredsim {
namespace {

constexpr TraceFormat kBinary = TraceFormat::kBinary;
constexpr TraceFormat kDecimal = TraceFormat::kDecimal;

}  // namespace

void show_mesh_control(GtkwaveSave& save, const WaveScope& crossbar) {
  save.group("stalls", true, [&] {
    crossbar.show(kDecimal, "stall_credit_o");
    crossbar.show(kDecimal, "stall_arbiter_o");
    crossbar.show(kBinary, "stall_link_o");
  });
}

void show_mesh_port(GtkwaveSave& save, const WaveScope& crossbar, int port, int ports) {
  const int all = kNumVcs * ports;
  save.group("input buffer", false, [&] {
    crossbar.show(kBinary, "in_valid", "in_valid_i", port, ports);
    show_each_vc(save, [&](int vc) {
      const int at = kNumVcs * port + vc;
      crossbar.show(kDecimal, "flits", "count_q", at, all);
      crossbar.show(kBinary, "front_valid", "front_q", at, all);
      crossbar.show(TraceNames::kDirection, "front_goes_to", "route_q", at, all);
      crossbar.show(kBinary, "inside_packet", "begun_q", at, all);
      crossbar.show(kBinary, "front_is_tail", "tail_q", at, all);
      crossbar.show(kBinary, "credit_back", "in_credit_o", vc * ports + port, all);
    });
  });
  save.group("output", false, [&] {
    crossbar.show(kBinary, "ready", "out_ready_i", port, ports);
    crossbar.show(kBinary, "out_valid", "out_valid_o", port, ports);
    crossbar.show(kBinary, "stall_link", "stall_link_o", port, ports);
    show_each_vc(save, [&](int vc) {
      const int at = vc * ports + port;
      crossbar.show(kBinary, "inside_packet", "open_q", at, all);
      crossbar.show(kBinary, "room_for_a_packet", "packet_q", at, all);
      crossbar.show(kDecimal, "credits", "credits_q", at, all);
      crossbar.show(kDecimal, "next_input", "pointer_q", at, all);
    });
  });
}

}  // namespace fredsim

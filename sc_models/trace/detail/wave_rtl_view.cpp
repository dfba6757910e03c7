// SPDX-License-Identifier: Apache-2.0
#include "trace/detail/wave_rtl_view.h"

#include <string>

#include "base/flit.h"
#include "switch/node_shape.h"
#include "switch/switch_kind.h"

namespace fredsim {
namespace {

constexpr TraceFormat kBinary = TraceFormat::kBinary;
constexpr TraceFormat kDecimal = TraceFormat::kDecimal;
constexpr TraceFormat kHex = TraceFormat::kHex;
constexpr int kWordBits = 32;
constexpr int kLaneBits = 16;

void show_pins(GtkwaveSave& save, const WaveScope& top, int port, int ports) {
  // The value that a flit carries, which no link signal shows.
  const auto show_first_lane = [&](const char* title, const char* flits) {
    top.show_bits(kHex, title, flits, port, ports, kHeaderWords * kWordBits, kLaneBits);
  };
  save.group("pins", false, [&] {
    top.show(kBinary, "in_valid", "in_valid_i", port, ports);
    show_first_lane("in_lane_0", "in_flit_i");
    top.show(kBinary, "out_ready", "out_ready_i", port, ports);
    top.show(kBinary, "out_valid", "out_valid_o", port, ports);
    show_first_lane("out_lane_0", "out_flit_o");
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const std::string name(kVcNames[vc]);
      const int at = port * kNumVcs + vc;
      top.show(kBinary, "in_credit_" + name, "in_credit_o", at, kNumVcs * ports);
      top.show(kBinary, "out_credit_" + name, "out_credit_i", at, kNumVcs * ports);
    }
  });
}

}  // namespace

WaveRtlView::WaveRtlView(std::span<const WaveName> names) {
  for (const WaveName& name : names) names_.emplace(name.path, &name);
}

void WaveRtlView::add_control(GtkwaveSave& save, const Node& node) const {
  if (node.is_endpoint()) return;
  const WaveScope top(names_, save, node.name + ".");
  save.group("registers and errors", false, [&] {
    top.show(kBinary, "reg_valid_i");
    top.show(kBinary, "reg_write_i");
    for (const char* const name : {"reg_addr_i", "reg_wdata_i", "reg_rdata_o"}) {
      top.show(kHex, name);
    }
    top.show(kBinary, "idle_o");
    top.show(kDecimal, "error_o");
  });
  kind_of(node).show_control(save, top, node.ports);
}

void WaveRtlView::add_port(GtkwaveSave& save, const Node& node, int port) const {
  if (node.is_endpoint()) return;
  const WaveScope top(names_, save, node.name + ".");
  show_pins(save, top, port, node.ports);
  kind_of(node).show_port(save, top, port, node.ports);
}

}  // namespace fredsim

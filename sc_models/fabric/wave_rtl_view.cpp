#include "fabric/wave_rtl_view.h"

#include <fmt/format.h>

#include "base/flit.h"
#include "fabric/wave_save_file.h"
#include "topology/topology.h"

namespace fredsim {

// A place in the hierarchy, and what of it is there to be shown.
class WaveRtlView::Scope {
 public:
  Scope(const Names& names, GtkwaveSave& save, std::string path)
      : names_(names), save_(save), path_(std::move(path)) {}

  Scope inside(const std::string& part) const { return {names_, save_, path_ + part + "."}; }

  void show(TraceFormat format, const std::string& signal) const {
    if (const WaveName* const n = find(signal)) save_.trace(format, n->path + n->range);
  }
  void show(TraceNames as, const std::string& signal) const {
    if (const WaveName* const n = find(signal)) save_.named(as, n->path + n->range);
  }
  // One of `of` values of equal width that a vector holds, the first one lowest.
  void show(TraceFormat format, const std::string& title, const std::string& signal, int index,
            int of) const {
    if (const WaveName* const n = find(signal)) {
      save_.bits(format, title, *n, index * (n->bits / of), n->bits / of);
    }
  }
  // `count` bits from bit `lowest` on of such a value.
  void show_bits(TraceFormat format, const std::string& title, const std::string& signal, int index,
                 int of, int lowest, int count) const {
    if (const WaveName* const n = find(signal)) {
      save_.bits(format, title, *n, index * (n->bits / of) + lowest, count);
    }
  }
  void show(TraceNames as, const std::string& title, const std::string& signal, int index,
            int of) const {
    if (const WaveName* const n = find(signal)) {
      save_.named_bits(as, title, *n, index * (n->bits / of), n->bits / of);
    }
  }

 private:
  const WaveName* find(const std::string& signal) const {
    const auto found = names_.find(path_ + signal);
    return found == names_.end() ? nullptr : found->second;
  }

  const Names& names_;
  GtkwaveSave& save_;
  std::string path_;
};

namespace {

constexpr TraceFormat kBinary = TraceFormat::kBinary;
constexpr TraceFormat kDecimal = TraceFormat::kDecimal;
constexpr TraceFormat kHex = TraceFormat::kHex;
constexpr int kWordBits = 32;
constexpr int kLaneBits = 16;

// A group for each virtual channel.
template <typename OnVc>
void for_each_vc(GtkwaveSave& save, const OnVc& on_vc) {
  for (int vc = 0; vc < kNumVcs; ++vc) {
    save.group(fmt::format("VC {}", kVcNames[vc]), false, [&] { on_vc(vc); });
  }
}

template <typename Scope>
void show_fred_control(GtkwaveSave& save, const Scope& control, int ports) {
  save.group("phase", true, [&] {
    control.show(kBinary, "active_q");
    control.show(TraceNames::kVc, "vc_q");
    control.show(TraceNames::kPhase, "phase_q");
    control.show(kBinary, "loading_q");
    control.show(TraceNames::kPhase, "next_phase_q");
    control.show(kBinary, "change");
    control.show(TraceNames::kVc, "pick_vc");
    control.show(kBinary, "cand_ready");
    control.show(kDecimal, "lock_q");
    control.show(kDecimal, "silent_q");
    control.show(kDecimal, "busy_q");
  });
  save.group("stalls", true, [&] {
    for (const char* const reason : {"stall_join_o", "stall_credit_o", "stall_phase_o"}) {
      control.show(kDecimal, reason);
    }
    control.show(kBinary, "error_join_o");
    control.show(kBinary, "error_phase_o");
  });
  for (int flow = 0; flow < ports; ++flow) {
    save.group(fmt::format("flow {}", flow), false, [&] {
      control.show(kBinary, "used", "used_q", flow, ports);
      control.show(kBinary, "inputs", "flow_in_q", flow, ports);
      control.show(kBinary, "outputs", "flow_out_q", flow, ports);
      control.show(kBinary, "inside_packet", "open_q", flow, ports);
      control.show(kBinary, "fires", "fire", flow, ports);
      control.show(kBinary, "lacks_an_input", "partly_in", flow, ports);
      control.show(kBinary, "lacks_room", "no_room", flow, ports);
    });
  }
}

template <typename Scope>
void show_fred_port(GtkwaveSave& save, const Scope& port) {
  save.group("input buffer", false, [&] {
    const Scope input = port.inside("i_input");
    input.show(kBinary, "in_valid_i");
    input.show(kBinary, "match_o");
    input.show(kBinary, "pop_i");
    input.show(TraceNames::kVc, "pop_vc_i");
    for_each_vc(save, [&](int vc) {
      input.show(kDecimal, "flits", "count_q", vc, kNumVcs);
      input.show(kBinary, "front_valid", "valid_q", vc, kNumVcs);
      input.show(TraceNames::kPhase, "front_phase", "phase_q", vc, kNumVcs);
      input.show(kHex, "front_dst", "dst_q", vc, kNumVcs);
      input.show(kBinary, "credit_back", "credit_o", vc, kNumVcs);
    });
  });
  save.group("output staging", false, [&] {
    const Scope output = port.inside("i_output");
    output.show(kBinary, "reserve_i");
    output.show(TraceNames::kVc, "reserve_vc_i");
    output.show(kBinary, "in_valid_i");
    output.show(kBinary, "ready_i");
    output.show(kBinary, "out_valid_o");
    output.show(kBinary, "stall_link_o");
    for_each_vc(save, [&](int vc) {
      output.show(kDecimal, "flits", "count_q", vc, kNumVcs);
      output.show(kDecimal, "places_free", "places_q", vc, kNumVcs);
      output.show(kBinary, "room_for_a_packet", "room_q", vc, kNumVcs);
      output.show(kDecimal, "credits", "credits_q", vc, kNumVcs);
    });
  });
}

template <typename Scope>
void show_mesh_port(GtkwaveSave& save, const Scope& crossbar, int port, int ports) {
  const int all = kNumVcs * ports;
  save.group("input buffer", false, [&] {
    crossbar.show(kBinary, "in_valid", "in_valid_i", port, ports);
    for_each_vc(save, [&](int vc) {
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
    for_each_vc(save, [&](int vc) {
      const int at = vc * ports + port;
      crossbar.show(kBinary, "inside_packet", "open_q", at, all);
      crossbar.show(kBinary, "room_for_a_packet", "packet_q", at, all);
      crossbar.show(kDecimal, "credits", "credits_q", at, all);
      crossbar.show(kDecimal, "next_input", "pointer_q", at, all);
    });
  });
}

template <typename Scope>
void show_pins(GtkwaveSave& save, const Scope& top, int port, int ports) {
  // What no link tells of a flit: the value that it carries.
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
      const int at = vc * ports + port;
      top.show(kBinary, "in_credit_" + name, "in_credit_o", at, kNumVcs * ports);
      top.show(kBinary, "out_credit_" + name, "out_credit_i", at, kNumVcs * ports);
    }
  });
}

}  // namespace

WaveRtlView::WaveRtlView(std::span<const WaveName> names) {
  for (const WaveName& name : names) names_.emplace(name.path, &name);
}

// Path of the module inside an instance that has a part of this name, the outermost one.
std::optional<std::string> WaveRtlView::core_of(const std::string& instance,
                                                const char* part) const {
  std::optional<std::string> core;
  const std::string end = fmt::format(".{}.clk_i", part);
  for (auto n = names_.lower_bound(instance + "."); n != names_.end(); ++n) {
    if (!n->first.starts_with(instance + ".")) break;
    if (!n->first.ends_with(end)) continue;
    const std::string path = n->first.substr(0, n->first.size() - end.size() + 1);
    if (!core || path.size() < core->size()) core = path;
  }
  return core;
}

void WaveRtlView::add_control(GtkwaveSave& save, const std::string& instance, int ports) const {
  const Scope top(names_, save, instance + ".");
  save.group("registers and errors", false, [&] {
    top.show(kBinary, "reg_valid_i");
    top.show(kBinary, "reg_write_i");
    for (const char* const name : {"reg_addr_i", "reg_wdata_i", "reg_rdata_o"}) {
      top.show(kHex, name);
    }
    top.show(kBinary, "idle_o");
    top.show(kDecimal, "error_o");
  });
  if (const auto core = core_of(instance, "i_control")) {
    save.group("control unit", true, [&] {
      show_fred_control(save, Scope(names_, save, *core).inside("i_control"), ports);
    });
  }
  if (const auto core = core_of(instance, "i_crossbar")) {
    const Scope crossbar = Scope(names_, save, *core).inside("i_crossbar");
    save.group("stalls", true, [&] {
      crossbar.show(kDecimal, "stall_credit_o");
      crossbar.show(kDecimal, "stall_arbiter_o");
      crossbar.show(kBinary, "stall_link_o");
    });
  }
}

void WaveRtlView::add_port(GtkwaveSave& save, const std::string& instance, int port,
                           int ports) const {
  show_pins(save, Scope(names_, save, instance + "."), port, ports);
  if (const auto core = core_of(instance, "i_control")) {
    show_fred_port(save, Scope(names_, save, *core).inside(fmt::format("gen_port[{}]", port)));
  }
  if (const auto core = core_of(instance, "i_crossbar")) {
    show_mesh_port(save, Scope(names_, save, *core).inside("i_crossbar"), port, ports);
  }
}

}  // namespace fredsim

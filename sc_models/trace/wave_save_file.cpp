// SPDX-License-Identifier: Apache-2.0
#include "trace/wave_save_file.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <filesystem>

#include "switch/gtkwave_save.h"
#include "trace/detail/wave_rtl_view.h"

namespace fredsim {
namespace {

constexpr double kPixelsPerCycle = 12;
constexpr double kFramePixels = 200;

void add_link(GtkwaveSave& save, const std::string& title, const Link& link) {
  const std::string path = "links." + wave_scope_of(link) + ".";
  const auto show = [&](TraceFormat format, const char* name) { save.trace(format, path + name); };
  save.group(title, true, [&] {
    show(TraceFormat::kBinary, "valid");
    save.named(TraceNames::kVc, path + "vc[1:0]");
    show(TraceFormat::kBinary, "head");
    show(TraceFormat::kBinary, "tail");
    show(TraceFormat::kBinary, "arrive");
    save.group("flow", false, [&] {
      save.named(TraceNames::kPhase, path + "phase[7:0]");
      show(TraceFormat::kDecimal, "stream[19:0]");
      show(TraceFormat::kDecimal, "packet[10:0]");
      show(TraceFormat::kHex, "tag[31:0]");
      show(TraceFormat::kHex, "src[15:0]");
      show(TraceFormat::kHex, "dst[15:0]");
      show(TraceFormat::kDecimal, "seq[5:0]");
    });
    for (const std::string_view vc : kVcNames) {
      save.group(fmt::format("VC {}", vc), false, [&] {
        save.trace(TraceFormat::kBinary, fmt::format("{}valid_{}", path, vc));
        save.trace(TraceFormat::kBinary, fmt::format("{}credit_{}", path, vc));
        save.trace(TraceFormat::kDecimal, fmt::format("{}credits_{}[15:0]", path, vc));
      });
    }
    save.group("credit", false, [&] {
      for (const std::string_view vc : kVcNames) {
        save.trace(TraceFormat::kDecimal, fmt::format("{}credits_{}[15:0]", path, vc));
      }
    });
  });
}

std::filesystem::path stem_of(std::filesystem::path fst) {
  if (fst.extension() == ".fst" || fst.extension() == ".vcd") fst.replace_extension();
  return fst;
}

std::string settings(const std::filesystem::path& fst, const std::filesystem::path& stem,
                     const WaveView& view) {
  std::string text = fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}.gtkw\"\n[timestart] {}\n",
                                 fst.string(), stem.string(), view.start_ps);
  // Zoom level: cycles in a frame of pixels, as a power of two.
  const double zoom =
      -std::log2(static_cast<double>(view.period_ps) * kFramePixels / kPixelsPerCycle);
  text += fmt::format("[size] 1600 900\n[pos] -1 -1\n*{:.6f} {}", zoom,
                      view.trigger_ps.value_or(view.start_ps));
  text += view.trigger_ps ? fmt::format(" {}", *view.trigger_ps) : " -1";  // marker A
  for (char marker = 'B'; marker <= 'Z'; ++marker) text += " -1";
  text += "\n";
  if (view.trigger_ps) text += "[markername] Atrigger\n";
  text += "[treeopen] links.\n[signals_width] 260\n";
  return text;
}

}  // namespace

std::vector<std::string> files_beside_wave(const std::string& fst) {
  const std::string stem = stem_of(fst).string();
  std::vector<std::string> files;
  for (const std::string& extension : gtkwave_extensions()) files.push_back(stem + extension);
  return files;
}

std::string wave_scope_of(const Link& link) {
  std::string scope;
  for (const char c : link.name)
    scope += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return scope;
}

void write_save_file(const std::string& fst, const Topology& topology,
                     std::span<const NodeId> nodes, std::span<const WaveName> rtl,
                     const WaveView& view) {
  const std::filesystem::path path = std::filesystem::absolute(fst);
  const std::filesystem::path stem = stem_of(path);
  GtkwaveSave save(stem, settings(path, stem, view));
  save.trace(TraceFormat::kDecimal, "wave.cycle[31:0]");
  save.trace(TraceFormat::kBinary, "wave.recording");
  const WaveRtlView rtl_view(rtl);
  for (const NodeId id : nodes) {
    const Node& node = topology.nodes[id];
    save.group(node.name, true, [&] {
      rtl_view.add_control(save, node);
      for (int port = 0; port < node.ports; ++port) {
        const int out = topology.link_out(id, port);
        const int in = topology.link_in(id, port);
        if (out < 0) continue;
        const Link& away = topology.links[out];
        const std::string peer = topology.nodes[away.to].name;
        save.group(fmt::format("port {}", port), true, [&] {
          add_link(save, "to " + peer, away);
          add_link(save, "from " + peer, topology.links[in]);
          rtl_view.add_port(save, node, port);
        });
      }
    });
  }
  save.write();
}

}  // namespace fredsim

#include "fabric/wave_save_file.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr double kPixelsPerCycle = 12;
constexpr double kFramePixels = 200;

// Flags of the traces that follow, as GTKWave writes them.
constexpr const char* kBinary = "@28";
constexpr const char* kHex = "@22";
constexpr const char* kDecimal = "@24";
constexpr const char* kNamed = "@2022";  // hex, through a filter file
constexpr const char* kOpenGroup = "@800200";
constexpr const char* kClosedGroup = "@c00200";
constexpr const char* kEndOfGroup = "@1000200";
constexpr const char* kEndOfClosedGroup = "@1401200";

class SaveFile {
 public:
  explicit SaveFile(std::string stem)
      : vc_filter_(stem + ".vc.filter"), phase_filter_(stem + ".phase.filter") {}

  template <typename Contents>
  void group(const std::string& name, bool open, const Contents& contents) {
    text += fmt::format("{}\n-{}\n", open ? kOpenGroup : kClosedGroup, name);
    contents();
    text += fmt::format("{}\n-{}\n", open ? kEndOfGroup : kEndOfClosedGroup, name);
  }
  void trace(const char* flags, const std::string& name) {
    text += fmt::format("{}\n{}\n", flags, name);
  }
  void named(const std::string& filter, const std::string& name) {
    text += fmt::format("{}\n^1 {}\n{}\n", kNamed, filter, name);
  }

  void link(const std::string& title, const Link& l) {
    const std::string path = "links." + wave_scope_of(l) + ".";
    group(title, true, [&] {
      trace(kBinary, path + "valid");
      named(vc_filter_, path + "vc[1:0]");
      trace(kBinary, path + "head");
      trace(kBinary, path + "tail");
      trace(kBinary, path + "arrive");
      group("flow", false, [&] {
        named(phase_filter_, path + "phase[7:0]");
        trace(kDecimal, path + "stream[19:0]");
        trace(kDecimal, path + "packet[10:0]");
        trace(kHex, path + "tag[31:0]");
        trace(kHex, path + "src[15:0]");
        trace(kHex, path + "dst[15:0]");
        trace(kDecimal, path + "seq[5:0]");
      });
      for (const char* const vc : kVcNames) {
        group(fmt::format("VC {}", vc), false, [&] {
          trace(kBinary, path + "valid_" + vc);
          trace(kBinary, path + "credit_" + vc);
          trace(kDecimal, path + "credits_" + vc + "[15:0]");
        });
      }
      group("credit", false, [&] {
        for (const char* const vc : kVcNames) trace(kDecimal, path + "credits_" + vc + "[15:0]");
      });
    });
  }

  std::string text;
  const std::string& vc_filter() const { return vc_filter_; }
  const std::string& phase_filter() const { return phase_filter_; }

 private:
  std::string vc_filter_, phase_filter_;
};

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw BadInput(fmt::format("--wave: '{}' beside it cannot be written", path));
}

}  // namespace

std::string wave_scope_of(const Link& link) {
  std::string scope;
  for (const char c : link.name)
    scope += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return scope;
}

void write_save_file(const std::string& fst, const Topology& topology,
                     std::span<const NodeId> nodes, const WaveView& view) {
  const std::filesystem::path path = std::filesystem::absolute(fst);
  std::filesystem::path stem = path;
  if (stem.extension() == ".fst") stem.replace_extension();
  SaveFile save(stem.string());
  save.text = fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}.gtkw\"\n[timestart] {}\n",
                          path.string(), stem.string(), view.start_ps);
  // Of a frame of pixels, as a power of two.
  const double zoom =
      -std::log2(static_cast<double>(view.period_ps) * kFramePixels / kPixelsPerCycle);
  save.text += fmt::format("[size] 1600 900\n[pos] -1 -1\n*{:.6f} {}", zoom,
                           view.trigger_ps.value_or(view.start_ps));
  save.text += view.trigger_ps ? fmt::format(" {}", *view.trigger_ps) : " -1";  // marker A
  for (char marker = 'B'; marker <= 'Z'; ++marker) save.text += " -1";
  save.text += "\n";
  if (view.trigger_ps) save.text += "[markername] Atrigger\n";
  save.text += "[treeopen] links.\n[signals_width] 260\n";
  save.trace(kDecimal, "wave.cycle[31:0]");
  save.trace(kBinary, "wave.recording");
  for (const NodeId id : nodes) {
    const Node& node = topology.nodes[id];
    save.group(node.name, true, [&] {
      for (int port = 0; port < node.ports; ++port) {
        const int out = topology.link_out(id, port);
        const int in = topology.link_in(id, port);
        if (out < 0) continue;
        const Link& away = topology.links[out];
        const std::string peer = topology.nodes[away.to].name;
        save.group(fmt::format("port {}", port), true, [&] {
          save.link("to " + peer, away);
          save.link("from " + peer, topology.links[in]);
        });
      }
    });
  }
  write(save.vc_filter(), "0 MP\n1 PP\n2 DP\n3 control\n");
  write(save.phase_filter(), "ff online\nFF online\n");
  write(stem.string() + ".gtkw", save.text);
}

}  // namespace fredsim

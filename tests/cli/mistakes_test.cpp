// SPDX-License-Identifier: Apache-2.0
// Mistakes of newcomers who know BookSim, Garnet, ns-3, ASTRA-sim or NCCL-tests: each message gives
// the right form, and is short.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"

namespace fredsim {
namespace {

constexpr std::size_t kLineAndAHalf = 160;  // 80 columns each
constexpr std::size_t kFourLines = 320;

struct Mistake {
  const char* words;  // files of kFiles by their names
  const char* hint;
  std::size_t max = kLineAndAHalf;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.words; }

// A mesh of 4 x 4, from which one thing differs.
std::string mesh_with(const std::string& part, const std::string& other) {
  std::string text =
      "name: m\nclock: 1 GHz\nnpu: {count: 16, bandwidth: 2 TB/s}\n"
      "fabric: {type: mesh2d, width: 4, height: 4, link_bandwidth: 500 GB/s, link_latency: 10 ns}\n"
      "switch: {input_buffer: 16 KiB, control_buffer: 2 KiB}\n";
  return text.replace(text.find(part), part.size(), other);
}

std::string graph_with(const std::string& kind, const std::string& bandwidth) {
  return "name: g\nclock: 1 GHz\nfabric:\n  type: graph\n  nodes:\n    - {name: npu, kind: " +
         kind +
         ", count: 8}\n    - {name: sw, kind: switch}\n  links:\n    - {from: npu, to: sw, "
         "bandwidth: " +
         bandwidth + ", latency: 100 ns}\n";
}

const std::map<std::string, std::string>& files() {
  static const std::map<std::string, std::string> kFiles{
      {"torus.yaml", mesh_with("mesh2d", "torus")},
      {"cols.yaml", mesh_with(" width:", " columns:")},
      {"rows.yaml", mesh_with("height", "mesh_rows")},
      {"router.yaml", mesh_with("switch", "router")},
      {"bw.yaml", mesh_with("count: 16, bandwidth", "count: 16, bw")},
      {"latency.yaml", mesh_with("link_latency", "latency")},
      {"uplinks.yaml", mesh_with("width: 4", "width: 4, uplinks: 4")},
      {"vcs.yaml", mesh_with("16 KiB,", "16 KiB, vcs_per_vnet: 4,")},
      {"frequency.yaml", mesh_with("clock", "frequency")},
      {"unit.yaml", mesh_with("500 GB/s", "500")},
      {"case.yaml", mesh_with("500 GB/s", "500 gb/S")},
      {"tab.yaml", "name: m\nfabric:\n\ttype: mesh2d\n"},
      {"gpu.yaml", graph_with("gpu", "100 GB/s")},
      {"router_node.yaml", graph_with("router", "100 GB/s")},
      {"gbit.yaml", graph_with("npu", "100 Gbit")},
      {"study.yaml", "machine: [mesh_2x2]\nrun: {size: [4KiB]}\n"},
      {"study_key.yaml", "machines: [mesh_2x2]\nrun: {siz: [4KiB]}\n"},
      {"work.yaml", "- {type: all_reduce, size: 4KiB}\n"}};
  return kFiles;
}

constexpr Mistake kMistakes[] = {
    // Files of machines and works.
    {"info torus.yaml", "did you mean 'torus2d'?"},
    {"info cols.yaml", "did you mean 'width'?"},
    {"info rows.yaml", "did you mean 'height'?"},
    {"info router.yaml", "did you mean 'switch'?"},
    {"info bw.yaml", "did you mean 'bandwidth'?"},
    {"info latency.yaml", "did you mean 'link_latency'?"},
    {"info vcs.yaml", "did you mean 'vc_order'?"},
    {"info frequency.yaml", "did you mean 'clock'?"},
    {"info unit.yaml", "such as '2 GB/s' or '16 Gb/s'"},
    {"info case.yaml", "did you mean"},
    {"info tab.yaml", "tab.yaml:3: found a tab"},
    {"info gpu.yaml", "did you mean 'npu'?"},
    {"info router_node.yaml", "did you mean 'switch'?"},
    {"info gbit.yaml", "or '16 Gb/s'", 170},
    {"sweep study.yaml", "did you mean 'machines'?"},
    {"sweep study_key.yaml", "did you mean 'size'?"},
    {"run mesh --work work.yaml", "did you mean 'collective'?"},
    // Machines and commands.
    {"run Mesh_2X2", "did you mean 'mesh_2x2'?"},
    {"run torus_3d", "did you mean 'torus3d'?"},
    {"run machines/mesh.yaml", "did you mean 'mesh'?"},
    {"run nosuch", "more: fredsim info --machines)"},
    {"version", "did you mean '--version'?"},
    {"simulate mesh", "did you mean 'run'?"},
    {"help runn", "did you mean 'run'?"},
    {"run mesh torus", "did you mean 'fredsim compare'?"},
    {"run mesh fabric.width=3", "did you mean '--set fabric.width=3'?"},
    {"traffic mesh injection_rate=0.1", "did you mean '--rate 0.1'?"},
    // Options of NCCL-tests.
    {"run mesh -n 20", "leave it out: all iterations"},
    {"run mesh -w 5", "leave it out: nothing needs a warm-up"},
    {"run mesh -c 1", "leave it out: the payload of every run is checked"},
    {"run mesh -b 1K -e 1M -i 1K", "did you mean '-f'?"},
    {"run mesh -g 4", "--group 0-3"},
    {"run mesh --warmup_iters 5", "leave it out"},
    {"run mesh --stepfactor 2", "did you mean '-f'?"},
    {"run mesh --collective AllGather", "did you mean 'all_gather'?"},
    {"run mesh --collective bcast", "did you mean 'broadcast'?"},
    {"run mesh --algorithm nvls", "did you mean 'in_switch'?"},
    // Garnet and BookSim.
    {"run mesh --mesh-rows 8", "did you mean '--set fabric.height='?"},
    {"run mesh --hop-latency 10ns", "did you mean '--set fabric.link_latency='?"},
    {"run mesh --set fabric.latency=10ns", "did you mean 'link_latency'?"},
    {"traffic mesh --injectionrate 0.1", "did you mean '--rate'?"},
    {"traffic mesh --synthetic uniform", "did you mean '--pattern'?"},
    {"traffic mesh --rate 0.1 --pattern bitcomp", "did you mean 'bit_complement'?"},
    {"run mesh --model verilog", "did you mean 'rtl'?"},
    {"run mesh --engine analytical", "did you mean 'flow'?"},
    // ASTRA-sim and training.
    {"run mesh --trace x", "did you mean 'fredsim train'?"},
    {"run mesh --network-configuration n.yml", "leave it out: a machine stands by itself"},
    {"train mesh_2x2 --workload-configuration x", "did you mean '--workload'?"},
    {"train mesh_2x2 --tp 2", "did you mean '--mp'?"},
    {"train mesh_2x2 --global-batch-size 8", "did you mean '--minibatch'?"},
    {"train mesh_2x2 --workload llama3", "did you mean 'llama3_70b'?"},
    {"train mesh_2x2 --phase decod", "did you mean 'decode'?"},
    {"train mesh_2x2 --optimizer adamw", "did you mean 'adam'?"}};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreAnswered) {
  const Mistake& mistake = GetParam();
  const TemporaryFolder folder;
  std::vector<std::string> words;
  std::istringstream text(mistake.words);
  for (std::string word; text >> word;) {
    const auto file = files().find(word);
    if (file != files().end()) {
      word = folder.file(word);
      std::ofstream(word) << file->second;
    }
    words.push_back(word);
  }
  const Outcome outcome = run_fredsim(words);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  std::string message = outcome.err;
  const std::string place = folder.path().string() + "/";
  for (std::size_t at = message.find(place); at != std::string::npos; at = message.find(place))
    message.erase(at, place.size());
  EXPECT_NE(message.find(mistake.hint), std::string::npos) << message;
  EXPECT_LE(message.size(), mistake.max) << message;
}

INSTANTIATE_TEST_SUITE_P(Table, Mistakes, testing::ValuesIn(kMistakes));

class MissingKeys : public FolderTest {};

// All keys that are missing are in one message: a second run builds.
TEST_F(MissingKeys, AreNamedAtOnce) {
  const auto refused = [&](const std::string& text) {
    const std::string machine = path("m.yaml");
    std::ofstream(machine) << text;
    return run_fredsim({"info", machine}).err;
  };
  const std::string mesh = refused("name: m\nfabric: {type: mesh2d}\n");
  for (const char* key :
       {"clock", "npu.bandwidth", "fabric.link_latency", "fabric.width", "fabric.height",
        "fabric.link_bandwidth", "switch.input_buffer", "switch.control_buffer"})
    EXPECT_NE(mesh.find("missing key '" + std::string(key) + "'"), std::string::npos)
        << key << mesh;
  EXPECT_EQ(mesh.find("npu.count"), std::string::npos) << mesh;
  EXPECT_NE(mesh.find("fredsim new mesh2d"), std::string::npos) << mesh;
  EXPECT_LE(mesh.size(), kFourLines + path("").size()) << mesh;
  const std::string tree = refused("name: t\nfabric: {type: fred_tree}\n");
  for (const char* key : {"npu.count", "fabric.l1_switches", "fabric.uplink_bandwidth",
                          "fabric.in_switch", "switch.control_buffer"})
    EXPECT_NE(tree.find("missing key '" + std::string(key) + "'"), std::string::npos)
        << key << tree;
  EXPECT_EQ(tree.find("fabric.levels"), std::string::npos) << tree;
}

// The sides of a fabric say npu.count.
TEST_F(MissingKeys, SidesCountTheNpus) {
  const auto npus = [&](const std::string& fabric) {
    const std::string machine = path("m.yaml");
    std::ofstream(machine) << "name: m\nclock: 1 GHz\nnpu: {bandwidth: 500 GB/s}\nfabric: {"
                           << fabric
                           << ", link_latency: 10 ns}\n"
                              "switch: {input_buffer: 24 KiB, control_buffer: 2 KiB}\n";
    const Outcome outcome = run_fredsim({"info", machine});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  const auto has = [&](const std::string& fabric, const std::string& count) {
    const std::string text = npus(fabric);
    EXPECT_NE(text.find("NPUs             " + count + ", "), std::string::npos) << text;
  };
  has("type: mesh2d, width: 3, height: 2, link_bandwidth: 250 GB/s", "6");
  has("type: torus3d, size_x: 2, size_y: 2, size_z: 2, ring_bandwidth: 250 GB/s", "8");
}

}  // namespace
}  // namespace fredsim

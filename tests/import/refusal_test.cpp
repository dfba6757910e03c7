// SPDX-License-Identifier: Apache-2.0
// Files that are refused: the message has the line, what was found and what is allowed.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "import_support.h"

namespace fredsim {
namespace {

struct Refused {
  std::string format, text;
  std::vector<std::string> words;
  friend std::ostream& operator<<(std::ostream& out, const Refused& one) {
    return out << one.format << ": " << one.text;
  }
};

class Refusals : public testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameLineFoundAndAllowed) {
  const std::string message = refusal(GetParam().format, GetParam().text);
  EXPECT_NE(message.find("/file"), std::string::npos) << message;
  EXPECT_NE(message.find("found"), std::string::npos) << message;
  EXPECT_NE(message.find("allowed"), std::string::npos) << message;
  for (const std::string& word : GetParam().words)
    EXPECT_NE(message.find(word), std::string::npos) << word << "\n" << message;
}

const std::string kFloogenHead = "routing: {route_algo: XY}\nprotocols: [{data_width: 64}]\n";

INSTANTIATE_TEST_SUITE_P(
    All, Refusals,
    testing::Values(
        Refused{"nccl", "<system>\n<cpu>\n<pci busid='1'", {"file:3", "well-formed"}},
        Refused{"nccl",
                "<!DOCTYPE s [<!ENTITY e SYSTEM '/etc/passwd'>]>\n<system>&e;</system>",
                {"file:1", "DOCTYPE", "entities"}},
        Refused{"nccl", "\n<!DOCTYPE s SYSTEM 'http://localhost/s.dtd'><system/>", {"file:2"}},
        Refused{"nccl", "<graphs/>", {"file:1", "<graphs>", "<system>"}},
        Refused{"nccl", "<system>\n</system>", {"file:1", "no GPU"}},
        Refused{"nccl",
                "<system><cpu>\n<pci busid='1' class='0x030200'>\n<gpu dev='0' sm='eighty'/>"
                "</pci></cpu></system>",
                {"file:3", "sm", "'eighty'"}},
        Refused{"nccl", "<system><cpu><pci class='0x030200'/></cpu></system>", {"busid"}},
        Refused{"nvidia_smi", "nothing\n", {"nvidia-smi topo -m"}},
        Refused{"nvidia_smi", "\tGPU0\tGPU1\nGPU0 X\n", {"file:2", "1 values"}},
        Refused{"nvidia_smi", "\tGPU0\tGPU1\nGPU0 X NV99\nGPU1 NV99 X\n", {"file:2", "99"}},
        Refused{"nvidia_smi", "\tGPU0\tGPU1\nGPU0 X PIG\nGPU1 PIG X\n", {"file:2", "'PIG'", "PIX"}},
        Refused{"nvidia_smi", "\tGPU0\tGPU1\nGPU0 X PIX\nGPU1 SYS X\n", {"file:1", "back"}},
        Refused{"nvidia_smi", "\tGPU0\tGPU1\nGPU0 X PIX\n", {"file:1", "no row"}},
        Refused{"booksim", "topology = mesh;\nk = 4\nn = 2;", {"file:2", "k", "'4?n = 2'"}},
        Refused{"booksim", "topology = mesh;\nk = 4", {"file:2", "';'"}},
        Refused{"booksim", "topology = mash;", {"file:1", "'mash'", "mesh, torus"}},
        Refused{"booksim", "topology = anynet;", {"network_file"}},
        Refused{"booksim", "topology = fattree;\nk = 64;\nn = 4;", {"file:2", "64^4"}},
        Refused{"booksim", "topology = fly;\nk = 2;\nn = 3;", {"file:3", "one way"}},
        Refused{"booksim", "topology = cmesh;\nk = 4;", {"c", "'1'", "2 to"}},
        Refused{"booksim", "router 0 node 0 node 2\n", {"file:1", "node 2", "node 1"}},
        Refused{"booksim", "router 0 node 0\nrouter 1 node 0 router 0\n", {"file:2", "node 0"}},
        Refused{"booksim", "router 0 node\n", {"file:1", "end of the line"}},
        Refused{"booksim", "router 0 nodule 1\n", {"file:1", "'nodule'"}},
        Refused{"booksim", "router 0 node 0\nrouter 1 node 1\n", {"no path"}},
        Refused{"ns3", "", {"empty"}}, Refused{"ns3", "8 1\n", {"file:1", "2 words"}},
        Refused{"ns3", "3 1 2\n2\n0 2 1Gbps 1us 0\n", {"file:3", "end of the file", "2 links"}},
        Refused{"ns3", "3 1 1\n3\n", {"file:2", "3", "0 to 2"}},
        Refused{"ns3", "3 1 2\n2\n0 2 fast 1us 0\n1 2 1Gbps 1us 0\n", {"file:3", "'fast'"}},
        Refused{"ns3", "3 1 2\n2\n0 2 1Gbps 1us -1\n", {"file:3", "'-1'"}},
        Refused{"ns3", "3 1 1\n2\n0 2 1Gbps 1us 0\n", {"no path"}},
        Refused{"noxim", "topology: OMEGA\n", {"file:1", "OMEGA", "MESH"}},
        Refused{"noxim", "mesh_dim_x: 4\nmesh_dim_y: 0\n", {"file:2", "mesh_dim_y", "1 to 64"}},
        Refused{"noxim",
                "mesh_dim_x: 4\nmesh_dim_y: 4\nbuffer_depth: 1\nclock_period_ps: 0\n",
                {"file:4", "clock_period_ps"}},
        Refused{
            "floogen", kFloogenHead + "endpoints: [{name: a b}]\nrouters: []\n", {"file:3", "a b"}},
        Refused{"floogen",
                kFloogenHead + "endpoints: [{name: a}, {name: b}]\nrouters: [{name: r}]\n"
                               "connections: [{src: a, dst: q}]\n",
                {"file:5", "'q'"}},
        Refused{"floogen",
                kFloogenHead + "endpoints: [{name: a, array: [4]}]\nrouters: [{name: r}]\n"
                               "connections: [{src: a, dst: r, src_range: [[0, 4]]}]\n",
                {"file:5", "[4]"}},
        Refused{"floogen",
                kFloogenHead + "endpoints: [{name: a, array: [4]}]\nrouters: [{name: r}]\n"
                               "connections: [{src: a, dst: r, src_range: [[0, 3]]}]\n",
                {"file:5", "4 sources", "allow_multi"}}));

// No entity but the five of XML is expanded, and no file but the one named is read.
TEST(Refusals, UnknownEntitiesStayText) {
  const std::string text =
      "<system><cpu><pci busid='&secret;' class='0x030200'/><pci busid='b' class='0x030200'/>"
      "</cpu></system>";
  EXPECT_EQ(refusal("nccl", text), "");
}

}  // namespace
}  // namespace fredsim

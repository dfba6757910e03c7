// SPDX-License-Identifier: Apache-2.0
// Boxes of GPUs, from NCCL's topology files and from nvidia-smi's matrix.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "import_support.h"

namespace fredsim {
namespace {

using Links = std::multiset<std::string>;

// A GPU behind a PCIe bridge of its CPU, with links.
std::string gpu_of(int number, const std::string& links) {
  return fmt::format(
      R"(<pci busid="0000:0{0}:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
<gpu dev="{0}" sm="80" rank="{0}">{1}</gpu></pci>)",
      number, links);
}
std::string nvlink(int target, int count) {
  return fmt::format(R"(<nvlink target="0000:0{}:00.0" count="{}" tclass="0x030200"/>)", target,
                     count);
}
std::string system_of(const std::string& first, const std::string& second) {
  return fmt::format(
      R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">{}</cpu>
<cpu numaid="1" arch="x86_64" vendor="AuthenticAMD">{}</cpu></system>)",
      first, second);
}

TEST(NcclTopology, OfTheExampleIsOneSwitch) {
  const ImportResult result = imported("nccl", example_text("nccl_box.xml"));
  const Topology box = built(result.text);
  EXPECT_EQ(links_of(box), (Links{"npu0 nvswitch0 370.8 GB/s", "npu1 nvswitch0 370.8 GB/s",
                                  "npu2 nvswitch0 370.8 GB/s", "npu3 nvswitch0 370.8 GB/s"}));
  EXPECT_NE(note_of(result, "pci").find("left out"), std::string::npos);
  EXPECT_NE(note_of(result, "nic").find("1 here"), std::string::npos);
  EXPECT_NE(note_of(result, "latency").find("500 ns"), std::string::npos);
}

// Links are listed at both of their GPUs; NCCL gives 20 GB/s to a link of sm 80.
TEST(NcclTopology, NvlinksBetweenGpusAreListedTwice) {
  const std::string text = system_of(
      gpu_of(1, nvlink(2, 4) + nvlink(3, 2)) + gpu_of(2, nvlink(1, 4)), gpu_of(3, nvlink(1, 2)));
  const Topology box = built(imported("nccl", text).text);
  EXPECT_EQ(box.npus.size(), 3U);
  EXPECT_EQ(links_of(box).size(), 2U);
  std::multiset<std::uint64_t> rates;
  for (const Link& link : box.links)
    if (!link.on_die) rates.insert(link.bytes_per_second);
  EXPECT_EQ(rates, (std::multiset<std::uint64_t>{40'000'000'000, 40'000'000'000, 80'000'000'000,
                                                 80'000'000'000}));
}

// Without NVLinks the tree of PCIe remains: 16 GT/s times 16 lanes over 80 is 24 GB/s, between AMD
// CPUs 16 GB/s.
TEST(NcclTopology, WithoutNvlinksItIsTheTreeOfPcie) {
  const std::string text = system_of(gpu_of(1, "") + gpu_of(2, ""), gpu_of(3, ""));
  const ImportResult result = imported("nccl", text);
  EXPECT_EQ(links_of(built(result.text)), (Links{"cpu0 cpu1 16 GB/s", "npu0 cpu0 24 GB/s",
                                                 "npu1 cpu0 24 GB/s", "npu2 cpu1 24 GB/s"}));
  EXPECT_EQ(note_of(result, "pci"), "");
}

TEST(NcclTopology, OptionsSetRatesAndLatencies) {
  const ImportResult result = imported("nccl", example_text("nccl_box.xml"),
                                       {.bandwidth = 50'000'000'000, .latency_ps = 300'000});
  EXPECT_NE(result.text.find("bandwidth: 50 GB/s, latency: 300 ns, count: 18"), std::string::npos);
  EXPECT_EQ(note_of(result, "latency"), "");
}

std::string matrix(const std::vector<std::string>& rows) {
  std::string text = "$ nvidia-smi topo -m\n\t\x1b[4mGPU0";
  for (std::size_t g = 1; g < rows.size(); ++g) text += fmt::format("\tGPU{}", g);
  text += "\tCPU Affinity\x1b[0m\n";
  for (std::size_t g = 0; g < rows.size(); ++g) text += fmt::format("GPU{} {} 0-7\n", g, rows[g]);
  return text + "\nLegend:\n  X    = Self\n";
}

TEST(NvidiaSmi, MoreLinksThanAGpuHasLeadToANvswitch) {
  const Topology box =
      built(imported("nvidia_smi", matrix({"X NV12 NV12", "NV12 X NV12", "NV12 NV12 X"})).text);
  EXPECT_EQ(links_of(box), (Links{"npu0 nvswitch0 300 GB/s", "npu1 nvswitch0 300 GB/s",
                                  "npu2 nvswitch0 300 GB/s"}));
}

TEST(NvidiaSmi, FewLinksAreDirect) {
  const ImportResult result =
      imported("nvidia_smi", matrix({"X NV4 SYS", "NV4 X NV2", "SYS NV2 X"}));
  EXPECT_NE(
      result.text.find("{from: gpu0, to: gpu1, bandwidth: 25 GB/s, latency: 500 ns, count: 4}"),
      std::string::npos);
  EXPECT_NE(note_of(result, "PIX, PXB, PHB, NODE, SYS").find("left out"), std::string::npos);
}

// GPUs 0 and 1 below one bridge, 2 below the same host bridge, 3 at the other CPU.
TEST(NvidiaSmi, LevelsOfPcieAreATree) {
  const Topology box =
      built(imported("nvidia_smi",
                     matrix({"X PIX PHB SYS", "PIX X PHB SYS", "PHB PHB X SYS", "SYS SYS SYS X"}))
                .text);
  EXPECT_EQ(links_of(box),
            (Links{"host0 system0 24 GB/s", "npu0 pcie0 24 GB/s", "npu1 pcie0 24 GB/s",
                   "npu2 host0 24 GB/s", "npu3 system0 24 GB/s", "pcie0 host0 24 GB/s"}));
}

TEST(NvidiaSmi, ExampleBuilds) {
  const ImportResult result = imported("nvidia_smi", example_text("nvidia_smi_box.txt"));
  EXPECT_EQ(built(result.text).npus.size(), 4U);
  EXPECT_NE(note_of(result, "NIC"), "");
}

}  // namespace
}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Keys of the fabric change the topology or are refused: none is silently ignored, in any shipped
// machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "config/config.h"
#include "refusal_of.h"

namespace fredsim {
namespace {

std::vector<std::string> machine_files() {
  std::vector<std::string> files;
  for (const char* const folder : {"configs", "configs/systems"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<int> latencies(const Topology& topology) {
  std::vector<int> all;
  for (const Link& link : topology.links) all.push_back(link.latency);
  return all;
}

// None: refused, with the key.
std::optional<Topology> built_with(const std::string& file, const std::string& key,
                                   const std::string& value) {
  try {
    return load_config(file, {key + "=" + value}).topology;
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find(key), std::string::npos)
        << file << ": " << error.what();
    return std::nullopt;
  }
}

TEST(UsedKeys, ChangeWhatIsBuiltOrAreRefused) {
  const std::vector<std::string> files = machine_files();
  ASSERT_GT(files.size(), 25U);
  int refused = 0;
  for (const std::string& file : files) {
    const Topology as_it_is = load_config(file).topology;
    const auto slower = built_with(file, "fabric.link_latency", "4321 ns");
    if (slower) {
      EXPECT_NE(latencies(*slower), latencies(as_it_is)) << file;
    } else {
      ++refused;
    }
    const auto with_io = built_with(file, "io.count", "3");
    EXPECT_TRUE(!with_io || with_io->io_controllers.size() == 3) << file;
    const auto small = built_with(file, "fabric.packet", "1 KiB");
    EXPECT_TRUE(!small || small->packet_flits == 2) << file;
  }
  EXPECT_GT(refused, 5) << "files that have all latencies themselves";
}

class GraphFile : public testing::Test {
 protected:
  // One link with a latency, one as `second` has it.
  std::string machine(const std::string& second, const std::string& more) const {
    std::ofstream(folder_.file("net.yaml"))
        << "nodes:\n- {name: n, kind: npu, count: 2}\n- {name: s, kind: switch}\nlinks:\n"
           "- {from: n0, to: s, bandwidth: 10 GB/s, latency: 10 ns}\n"
           "- {from: n1, to: s, bandwidth: 10 GB/s"
        << second << "}\n";
    return write_file(folder_,
                      "name: g\nclock: 1 GHz\nfabric:\n  type: graph\n  graph: net.yaml\n" + more);
  }
  static std::vector<int> different(const Topology& topology) {
    std::vector<int> all = latencies(topology);
    std::ranges::sort(all);
    const auto [last, end] = std::ranges::unique(all);
    all.erase(last, end);
    return all;
  }
  TemporaryFolder folder_;
};

TEST_F(GraphFile, TakesTheMachinesLatencyWhereALinkHasNone) {
  const Topology topology = load_config(machine("", "  link_latency: 77 ns\n")).topology;
  EXPECT_EQ(different(topology), (std::vector<int>{10, 77}));
  const std::string without = machine("", "");
  EXPECT_NE(refused(without, {})
                .find("found no latency; allowed: latency, or fabric.link_latency "
                      "in the machine file"),
            std::string::npos)
      << refused(without, {});
  EXPECT_EQ(different(load_config(without, {"fabric.link_latency=5 ns"}).topology),
            (std::vector<int>{5, 10}));
}

TEST_F(GraphFile, RefusesALatencyThatNoLinkTakes) {
  const std::string file = machine(", latency: 20 ns", "  link_latency: 77 ns\n");
  EXPECT_NE(refused(file, {}).find("machine.yaml:6: fabric.link_latency: found '77 ns'; allowed: "
                                   "none here, since nothing in this fabric of type graph uses it"),
            std::string::npos)
      << refused(file, {});
  EXPECT_NE(refused(machine(", latency: 20 ns", ""), {"io.count=3", "io.bandwidth=1 GB/s"})
                .find("io.count: found 3; allowed: 0, since a fabric of type graph has none"),
            std::string::npos);
}

}  // namespace
}  // namespace fredsim

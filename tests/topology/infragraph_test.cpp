// SPDX-License-Identifier: Apache-2.0
// InfraGraph files: what graph they are, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "support.h"
#include "support/temporary_folder.h"
#include "topology/infragraph/infragraph_file.h"

namespace fredsim {
namespace {

const std::string kClos = "configs/systems/files/infragraph_clos.yaml";

GraphSpec read_infra(const std::string& text,
                     std::optional<std::uint64_t> latency_ps = std::nullopt) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("infra.yaml")) << text;
  return read_infragraph(folder.file("infra.yaml"), [&] { return latency_ps; });
}

// Two hosts of two xpus with a switch each, and a link between the switches. Lines are counted in the refusals below.
std::string two_hosts() {
  return R"(devices:
- name: host
  components:
  - {name: xpu, count: 2, choice: xpu}
  - {name: chip, count: 1, choice: switch}
  - {name: cpu, count: 1, choice: cpu}
  links:
  - name: inner
    physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 80}, latency: {choice: us, us: 0.5}}
  - name: idle
  edges:
  - {ep1: {component: xpu}, ep2: {component: 'chip[0]'}, scheme: many2many, link: inner}
  - {ep1: {component: cpu}, ep2: {component: chip}, scheme: one2one, link: idle}
instances:
- {name: h, device: host, count: 2}
links:
- name: outer
  physical: {bandwidth: {gigabytes_per_second: 3}, latency: {choice: ns, ns: 7}}
edges:
- {ep1: {instance: 'h[0]', component: chip}, ep2: {instance: 'h[1]', component: chip}, scheme: one2one, link: outer}
)";
}

std::string with(const std::string& old, const std::string& replacement) {
  std::string text = two_hosts();
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), replacement);
}

TEST(Infragraph, IsReadAsAGraph) {
  const GraphSpec spec = read_infra(two_hosts());
  std::vector<std::string> names;
  for (const GraphNode& node : spec.nodes) names.push_back(node.name);
  // A cpu at the end of a link lies between no NPUs; its link needs no bandwidth.
  EXPECT_EQ(names, (std::vector<std::string>{"h.0.xpu.0", "h.0.xpu.1", "h.0.chip.0", "h.1.xpu.0",
                                             "h.1.xpu.1", "h.1.chip.0"}));
  ASSERT_EQ(spec.links.size(), 5U);
  const auto outer = std::ranges::find_if(
      spec.links, [&](const GraphLink& link) { return link.from == 2 && link.to == 5; });
  ASSERT_NE(outer, spec.links.end());
  EXPECT_EQ(outer->bandwidth, 3'000'000'000U);
  EXPECT_EQ(outer->latency_ps, 7'000U);
  EXPECT_EQ(spec.links.front().bandwidth, 10'000'000'000U);
  EXPECT_EQ(spec.links.front().latency_ps, 500'000U);
}

TEST(Infragraph, MayStandUnderAKey) {
  std::string text = "infrastructure:\n";
  const std::string inside = two_hosts();
  for (std::size_t begin = 0; begin < inside.size();) {
    const std::size_t end = inside.find('\n', begin) + 1;
    text += "  " + inside.substr(begin, end - begin);
    begin = end;
  }
  EXPECT_EQ(read_infra(text).nodes.size(), 6U);
}

TEST(Infragraph, TheExampleIsBuilt) {
  const GraphSpec spec = read_infragraph(kClos, [] { return 100'000; });
  MachineSpec machine = wafer();
  machine.io_controllers = 0;
  const Topology all = build_graph(machine, spec);
  expect_sound(all);
  EXPECT_EQ(all.npus.size(), 16U);
  // Each host has an NVLink switch and four nics; leaves, spines, and a switch on every NPU.
  EXPECT_EQ(all.nodes.size(), 16U + 4 * 5 + 4 + 16);
  EXPECT_EQ(link_named(all, "npu0.router.1->host.0.nvswitch.0.0").bytes_per_second,
            450'000'000'000U);
  EXPECT_EQ(link_named(all, "npu0.router.2->host.0.nic.0.0").latency, 150)
      << "of the machine file: 100 ns";
}

TEST(Infragraph, DevicesHaveDevicesAndSlices) {
  const GraphSpec spec = read_infra(R"(devices:
- name: card
  components:
  - {name: xpu, count: 1, choice: xpu}
  - {name: port, count: 2, choice: port}
  links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 1}}}]
  edges: [{ep1: {component: xpu}, ep2: {component: 'port[:]'}, scheme: many2many, link: l}]
- name: box
  components:
  - {name: card, count: 4, choice: device}
  - {name: sw, count: 1, choice: switch}
  links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 1}}}]
  edges:
  - {ep1: {component: 'card[0:4:2].port[0]'}, ep2: {component: sw}, scheme: many2many, link: l}
  - {ep1: {device: 'card[1:]', component: 'port[1]'}, ep2: {component: sw}, scheme: many2many, link: l}
instances: [{name: b, device: box, count: 1}]
)",
                                    1000);
  EXPECT_EQ(
      std::ranges::count_if(spec.nodes, [](const GraphNode& node) { return !node.is_switch; }), 4);
  const auto has = [&](const std::string& from, const std::string& to) {
    return std::ranges::any_of(spec.links, [&](const GraphLink& link) {
      return spec.nodes[link.from].name == from && spec.nodes[link.to].name == to;
    });
  };
  EXPECT_TRUE(has("b.0.card.0.port.0", "b.0.sw.0") && has("b.0.card.2.port.0", "b.0.sw.0"));
  EXPECT_TRUE(has("b.0.card.3.port.1", "b.0.sw.0"));
  EXPECT_FALSE(has("b.0.card.0.port.1", "b.0.sw.0") || has("b.0.card.1.port.0", "b.0.sw.0"));
}

// However many edges join two components, the last one counts, as in InfraGraph's own graph.
TEST(Infragraph, TwoComponentsHaveOneLink) {
  const GraphSpec spec =
      read_infra(with("- {ep1: {component: cpu}",
                      "- {ep1: {component: chip}, ep2: {component: xpu}, scheme: "
                      "many2many, link: inner}\n  - {ep1: {component: cpu}"));
  EXPECT_EQ(spec.links.size(), 5U);
}

TEST(Infragraph, WhatIsNotRightIsRefused) {
  const auto refused = [](const std::string& old, const std::string& replacement) {
    return refusal([&] { read_infra(with(old, replacement)); });
  };
  expect_parts(refused("device: host", "device: hosts"),
               {"infra.yaml:15: instances.1.device: found 'hosts', which is no device; did you "
                "mean 'host'?; allowed: host"});
  expect_parts(
      refused("component: xpu}", "component: gpu}"),
      {"infra.yaml:12: devices.1.edges.1.ep1.component: found 'gpu', which is no component of host",
       "xpu, chip or cpu"});
  expect_parts(refused("instance: 'h[1]'", "instance: 'h[2]'"),
               {"infra.yaml:20: edges.1.ep2.instance: found 'h[2]' of 2 h; allowed: 0 to 1"});
  expect_parts(refused("instance: 'h[1]'", "instance: 'g[1]'"),
               {"found 'g', which is no instance"});
  expect_parts(refused("link: outer", "link: inner"),
               {"infra.yaml:20: edges.1.link: found 'inner', which is no link", "allowed: outer"});
  expect_parts(refused("{gigabytes_per_second: 3}", "{gigatransfers_per_second: 8}"),
               {"infra.yaml:17: links.1.name: found 8 gigatransfers_per_second for the bandwidth; "
                "allowed: physical.bandwidth in gigabits_per_second"});
  expect_parts(refused("bandwidth: {gigabytes_per_second: 3}, ", ""),
               {"infra.yaml:17: links.1.name: found none for the bandwidth"});
  expect_parts(refused(", latency: {choice: ns, ns: 7}", ""),
               {"infra.yaml:17: links.1.name: found no latency", "fabric.link_latency"});
  expect_parts(refused("gigabytes_per_second: 3", "gigabytes_per_second: 0"),
               {"infra.yaml:18: links.1.physical.bandwidth: found 0; allowed: a number above 0"});
  expect_parts(refused("scheme: many2many", "scheme: ring"),
               {"infra.yaml:12: devices.1.edges.1.scheme: found 'ring'", "one2one or many2many"});
  expect_parts(
      refused("component: 'chip[0]'}, scheme: many2many", "component: 'chip[0]'}, scheme: one2one"),
      {"found one2one of 2 and 1 components"});
  expect_parts(refused("'chip[0]'", "'chip[0'"), {"found 'chip[0'; allowed: NAME, NAME[2]"});
  expect_parts(
      refused("choice: switch", "choice: switcch"),
      {"infra.yaml:5: devices.1.components.2.choice: found 'switcch'", "did you mean 'switch'?"});
  expect_parts(refused("count: 1, choice: cpu", "count: 1, choice: device"),
               {"infra.yaml:6: devices.1.components.3.name: found 'cpu', which is no device"});
  expect_parts(refused("name: cpu, count: 1, choice: cpu", "name: host, count: 1, choice: device"),
               {"found 'host' inside itself"});
  expect_parts(refused("name: chip, count", "name: xpu, count"),
               {"infra.yaml:5: devices.1.components.2.name: found 'xpu' twice"});
  expect_parts(refused("edges:\n- {ep1: {instance", "nodes:\n- {ep1: {instance"),
               {"infra.yaml:19: unknown key 'nodes'"});
  expect_parts(refusal([] {
                 std::string text = two_hosts();
                 read_infra(text.substr(0, text.rfind("edges:")));
               }),
               {"infra.yaml:15: instances.1.name: found h.0.xpu.0 and h.1.xpu.0, which no path of "
                "links joins"});
}

}  // namespace
}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// InfraGraph files: the resulting graph, and refused input.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "base/random.h"
#include "support.h"
#include "support/temporary_folder.h"
#include "topology/infragraph/infragraph_file.h"

namespace fredsim {
namespace {

const std::string kClos = "configs/systems/files/infragraph_clos.yaml";

GraphSpec read_infra(const std::string& text, const LinkDefaults& defaults = {}) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("infra.yaml")) << text;
  return read_infragraph(folder.file("infra.yaml"), defaults);
}

// Name and name, and the bandwidth between them.
std::set<std::string> links_of(const GraphSpec& spec) {
  std::set<std::string> links;
  for (const GraphLink& link : spec.links) {
    links.insert(fmt::format("{} {} {}", spec.nodes[link.from].name, spec.nodes[link.to].name,
                             link.bandwidth));
  }
  return links;
}

// Two hosts of two xpus with a switch each, and a link between the switches. Lines are counted in
// the refusals below.
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
  const GraphSpec spec = read_infragraph(kClos, {.latency_ps = [] { return 100'000; }});
  MachineSpec machine = wafer();
  machine.io_controllers = 0;
  const Topology all = build_graph(machine, spec);
  expect_sound(all);
  EXPECT_EQ(all.npus.size(), 16U);
  // Each host has an NVLink switch and four nics; leaves and spines.
  EXPECT_EQ(all.nodes.size(), 16U + 4 * 5 + 4);
  EXPECT_EQ(link_named(all, "npu0.0->host.0.nvswitch.0.0").bytes_per_second, 450'000'000'000U);
  EXPECT_EQ(link_named(all, "npu0.1->host.0.nic.0.0").latency, 150)
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
                                    {.latency_ps = [] { return 1000; }});
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

// Pairs go as far as the shorter side does.
TEST(Infragraph, OneToOneOfUnequalCountsZips) {
  constexpr std::uint64_t kSeed = 7;
  Random random(kSeed);
  for (int i = 0; i < 20; ++i) {
    const auto left = static_cast<int>(1 + random.below(6));
    const auto right = static_cast<int>(1 + random.below(6));
    const GraphSpec spec = read_infra(fmt::format(R"(devices:
- name: box
  components: [{{name: xpu, count: {}, choice: xpu}}, {{name: nic, count: {}, choice: nic}}, {{name: sw, count: 1, choice: switch}}]
  links: [{{name: l, physical: {{bandwidth: {{gigabytes_per_second: 1}}}}}}]
  edges:
  - {{ep1: {{component: xpu}}, ep2: {{component: nic}}, scheme: one2one, link: l}}
  - {{ep1: {{component: nic}}, ep2: {{component: sw}}, scheme: many2many, link: l}}
  - {{ep1: {{component: xpu}}, ep2: {{component: sw}}, scheme: many2many, link: l}}
instances: [{{name: b, device: box, count: 2}}]
links: [{{name: l, physical: {{bandwidth: {{gigabytes_per_second: 1}}}}}}]
edges: [{{ep1: {{instance: 'b[0]', component: sw}}, ep2: {{instance: 'b[1]', component: sw}}, scheme: one2one, link: l}}]
)",
                                                  left, right),
                                      {.latency_ps = [] { return 1000; }});
    const auto pairs = std::ranges::count_if(links_of(spec), [](const std::string& link) {
      return link.find("xpu") != std::string::npos && link.find("nic") != std::string::npos;
    });
    EXPECT_EQ(pairs, 2 * std::min(left, right)) << "seed " << kSeed << ", case " << i;
  }
}

TEST(Infragraph, MachineFilesFillWhatLinksLack) {
  const std::string bare = with("bandwidth: {gigabytes_per_second: 3}, ", "");
  const LinkDefaults by_name{.rates = {{"outer", {5'000'000'000, "m.yaml:9: fabric.links.outer"}}}};
  EXPECT_TRUE(links_of(read_infra(bare, by_name)).contains("h.0.chip.0 h.1.chip.0 5000000000"));
  EXPECT_TRUE(links_of(read_infra(bare, {.bandwidth = [] { return 7; }}))
                  .contains("h.0.chip.0 h.1.chip.0 7"));
  // Transfers per second are no bandwidth: the machine file has to give it.
  EXPECT_TRUE(
      links_of(
          read_infra(with("{gigabytes_per_second: 3}", "{gigatransfers_per_second: 8}"), by_name))
          .contains("h.0.chip.0 h.1.chip.0 5000000000"));
  EXPECT_TRUE(links_of(read_infra(two_hosts(), {.bandwidth = [] { return 7; }}))
                  .contains("h.0.chip.0 h.1.chip.0 3000000000"))
      << "what the file says stays";
  expect_parts(refusal([&] { read_infra(two_hosts(), by_name); }),
               {"m.yaml:9: fabric.links.outer: found 'outer', whose bandwidth the file says"});
  expect_parts(
      refusal([&] {
        read_infra(bare, {.rates = {{"oute", {1, "m.yaml:9: fabric.links.oute"}}}});
      }),
      {"m.yaml:9: fabric.links.oute: found 'oute', which is no link of the file; did you mean "
       "'outer'?"});
}

TEST(Infragraph, AnnotationsAreSkipped) {
  EXPECT_EQ(
      links_of(read_infra(two_hosts() + "annotations: {nodes: [{name: h.0, attributes: []}]}\n")),
      links_of(read_infra(two_hosts())));
}

// Two boxes of two xpus, by the dialect of InfraGraph's first documents.
std::string older_dialect() {
  return R"(infrastructure:
  devices:
  - name: server
    components:
    - {name: xpu, type: xpu}
    - {name: nic, type: nic, external: true}
    - {name: nvlsw, type: custom, count: 1}
    links:
    - {name: pcie, bandwidth: {choice: giga_transfers_per_second, giga_transfers_per_second: 8}}
    - {name: nvlink, bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 128}}
    connections:
    - xpu.0.pcie.nic.0
    - xpu.1.pcie.nic.1
    - xpu.0.nvlink.nvlsw.0
    - xpu.1.nvlink.nvlsw.0
  - name: leaf
    components: [{name: asic, type: custom}, {name: port, type: nic, external: true}]
    links: [{name: ic, bandwidth: {choice: giga_bytes_per_second, giga_bytes_per_second: 800}}]
    connections: [asic.0.ic.port.0, asic.0.ic.port.1, asic.0.ic.port.2, asic.0.ic.port.3]
  instances: [{name: s, device: server}, {name: l, device: leaf}]
  links: [{name: eth, bandwidth: {choice: gigabits_per_second, gigabits_per_second: 400}}]
  connections: [s.0.nic.0.eth.l.0.port.0, s.0.nic.1.eth.l.0.port.1, s.1.nic.0.eth.l.0.port.2]
)";
}

TEST(Infragraph, TheOlderDialectIsRead) {
  const LinkDefaults defaults{.latency_ps = [] { return 1000; },
                              .rates = {{"pcie", {16, "fabric.links.pcie"}}}};
  const GraphSpec spec = read_infra(older_dialect(), defaults);
  EXPECT_EQ(
      std::ranges::count_if(spec.nodes, [](const GraphNode& node) { return !node.is_switch; }), 4)
      << "counts are those that connections need";
  const std::set<std::string> links = links_of(spec);
  EXPECT_TRUE(links.contains("s.0.xpu.0 s.0.nic.0 16"));
  EXPECT_TRUE(links.contains("s.1.xpu.1 s.1.nvlsw.0 128000000000"));
  EXPECT_TRUE(links.contains("l.0.asic.0 l.0.port.2 800000000000"));
  EXPECT_TRUE(links.contains("s.1.nic.0 l.0.port.2 50000000000"));
  EXPECT_EQ(links.size(), 4U + 2 + 1 + 3 + 3)
      << "a nic and a port at the end of a link are left out";

  const auto refused = [&](const std::string& old, const std::string& replacement) {
    std::string text = older_dialect();
    text.replace(text.find(old), old.size(), replacement);
    return refusal([&] { read_infra(text, defaults); });
  };
  expect_parts(refused("xpu.0.pcie.nic.0", "xpu.0.pcie.nic"),
               {"infra.yaml:12: infrastructure.devices.1.connections.1: found 'xpu.0.pcie.nic'; "
                "allowed: two components"});
  expect_parts(refused("xpu.0.pcie.nic.0", "xpu.0.pci.nic.0"),
               {"found 'pci', which is no link; did you mean 'pcie'?"});
  expect_parts(refused("xpu.0.pcie.nic.0", "gpu.0.pcie.nic.0"),
               {"found 'gpu', which is no component of server"});
  expect_parts(refused("xpu.0.nvlink.nvlsw.0", "xpu.0.nvlink.nvlsw.1"),
               {"found s.0.nvlsw.1, which is no component"});
  expect_parts(refused("s.1.nic.0.eth", "t.1.nic.0.eth"), {"found 't', which is no instance"});
}

TEST(Infragraph, WhatIsNotRightIsRefused) {
  const auto refused = [](const std::string& old, const std::string& replacement) {
    return refusal([&] { read_infra(with(old, replacement)); });
  };
  expect_parts(refused("device: host", "device: hosts"),
               {"infra.yaml:15: instances.1.device: found 'hosts', which is no device; did you "
                "mean 'host'?"});
  expect_parts(
      refused("component: xpu}", "component: gpu}"),
      {"infra.yaml:12: devices.1.edges.1.ep1.component: found 'gpu', which is no component of host",
       "did you mean 'xpu'?"});
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
               {"infra.yaml:19: found the key 'nodes'"});
  expect_parts(refusal([] {
                 std::string text = two_hosts();
                 read_infra(text.substr(0, text.rfind("edges:")));
               }),
               {"infra.yaml:15: instances.1.name: found h.0.xpu.0 and h.1.xpu.0, which no path of "
                "links joins"});
}

}  // namespace
}  // namespace fredsim

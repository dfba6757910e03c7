// SPDX-License-Identifier: Apache-2.0
// fred_paths alone, on rows of the routing library: the paths follow the µSwitch bits, walked from
// every input port forwards and from every output port backwards (layout: routing/fred_routing.h).
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "Vmodule_paths/Vmodule_paths.h"
#include "Vmodule_paths_deep/Vmodule_paths_deep.h"
#include "routing/fred_routing.h"
#include "routing/random_flows.h"
#include "rtl/phased/dut.h"

namespace fredsim {
namespace {

using Bits = std::vector<bool>;

// A network of a routing: Fred_m(ports) with its first configuration bit.
struct Network {
  const Bits& bits;
  int middle, ports, first;

  int sub_ports() const { return (ports + 1) / 2; }
  int select_width() const { return static_cast<int>(fred_pkg::sel_w(middle)); }
  int sub_bits() const { return fred_config_bits({sub_ports(), middle}); }
  int subs_first() const {
    return first + ports / 2 * 2 * middle + (ports % 2 != 0 ? select_width() : 0);
  }
  unsigned code(int at, int width) const {
    unsigned value = 0;
    for (int b = 0; b < width; ++b) value |= bits[static_cast<std::size_t>(at + b)] ? 1U << b : 0;
    return value;
  }
  Network sub(int j) const { return {bits, middle, sub_ports(), subs_first() + j * sub_bits()}; }

  // Sub-network that input `port` is led to; -1: none.
  int from_input(int port) const {
    const int uswitch = port / 2;
    if (port == ports - 1 && ports % 2 != 0)
      return static_cast<int>(code(first + uswitch * 2 * middle, select_width())) - 1;
    for (int j = 0; j < middle; ++j) {
      const unsigned c = code(first + uswitch * 2 * middle + 2 * j, 2);
      if (c == fred_pkg::USEL_SUM || c == (port % 2 == 0 ? fred_pkg::USEL_IN0 : fred_pkg::USEL_IN1))
        return j;
    }
    return -1;
  }
  // Sub-network that drives output `port`; -1: none. D-µSwitches and the mux have a code per port.
  int to_output(int port) const {
    const int codes = subs_first() + middle * sub_bits();
    return static_cast<int>(code(codes + port * select_width(), select_width())) - 1;
  }
};

// The path of a port, or -1 where the bits lead nowhere.
int walk(const Network& network, int port, bool output) {
  if (network.ports == 2) return 0;
  const int j = output ? network.to_output(port) : network.from_input(port);
  if (j < 0) return -1;
  const int rest = walk(network.sub(j), port / 2, output);
  return rest < 0 ? -1 : j | rest << 2;
}

template <class Model>
void run(const FredSwitchShape& shape, std::uint64_t seed, int sets) {
  VerilatedContext context;
  Model model(&context, "dut");
  Random random(seed);
  const int bits = row_bits(shape.ports, shape.middle);
  model.load_i = 0;
  reset(model);
  int routed = 0;
  std::uint32_t used = 0;  // paths, of all ports, seen
  for (int set = 0; set < sets; ++set) {
    const auto kinds = all_flow_kinds();
    const FlowKind kind = kinds[random.below(kinds.size())];
    const auto max = static_cast<std::uint64_t>(max_flows(kind, shape.ports));
    const std::vector<Flow> flows =
        random_flows(random, kind, shape.ports, 1 + static_cast<int>(random.below(max)));
    if (!has_routing(shape, flows)) continue;
    const FredRoute route = route_flows(shape, flows);
    const std::vector<std::uint32_t> row = phase_row(shape, 0, flows, route);
    for (int lsb = 0; lsb < bits; lsb += 32)
      put_bits(model.row_i, lsb, std::min(32, bits - lsb), row[static_cast<std::size_t>(lsb / 32)]);
    model.load_i = 1;
    edge(model);
    model.load_i = 0;
    for (auto edges = random.below(3); edges > 0; --edges) {
      randomise(model.row_i, bits, random);
      edge(model);
    }
    ++routed;
    const Network network{route.bits, shape.middle, shape.ports, 0};
    for (const Flow& flow : flows) {
      for (int p = 0; p < shape.ports; ++p) {
        const std::string where = "port " + std::to_string(p) + " of flow " + to_string(flow) +
                                  ", set " + std::to_string(set) + ", seed " + std::to_string(seed);
        if (bit(flow.inputs, p)) {
          const int path = walk(network, p, false);
          ASSERT_EQ(static_cast<int>(get_bits(model.in_path_o, 8 * p, 8)), path)
              << "input " << where;
          used |= 1U << (path % 32);
        }
        if (bit(flow.outputs, p)) {
          ASSERT_EQ(static_cast<int>(get_bits(model.out_path_o, 8 * p, 8)), walk(network, p, true))
              << "output " << where;
        }
      }
    }
  }
  EXPECT_GT(routed, sets / 4);
  EXPECT_GT(std::popcount(used), shape.middle);
  model.final();
}

TEST(Paths, OfTwoLevelsAreThoseOfTheMicroSwitches) { run<Vmodule_paths>({5, 3}, 1, 3000); }

TEST(Paths, OfThreeLevelsAreThoseOfTheMicroSwitches) { run<Vmodule_paths_deep>({9, 2}, 2, 2000); }

}  // namespace
}  // namespace fredsim

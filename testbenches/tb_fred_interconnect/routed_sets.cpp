// SPDX-License-Identifier: Apache-2.0
#include "routed_sets.h"

#include <optional>
#include <string>

#include "routing/random_flows.h"

namespace tb {
namespace {

using fredsim::Flow;
using fredsim::FredRoute;

constexpr int kCycles = 30;  // cycles of each set, in addition to the cycles of its wave

std::vector<int> postfix_of(const Network& network, int e) {
  const Network::Expression& expression = network.expressions[e];
  if (expression.left == Network::kNothing) return {expression.port};
  std::vector<int> postfix = postfix_of(network, expression.left);
  const std::vector<int> right = postfix_of(network, expression.right);
  postfix.insert(postfix.end(), right.begin(), right.end());
  postfix.push_back(fredsim::SumOrder::kAdd);
  return postfix;
}

std::string describe(const Shape& shape, const std::vector<Flow>& flows) {
  std::string text = shape.name() + ", flows";
  for (const Flow& flow : flows)
    text += " " + std::to_string(flow.inputs) + ":" + std::to_string(flow.outputs);
  return text + " (masks of ports)";
}

void check_served(const Shape& shape, const std::vector<Flow>& flows, const FredRoute& route) {
  const Network network = evaluate(shape, route.bits);
  std::vector<std::optional<std::vector<int>>> wanted(shape.ports);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    for (int p = 0; p < shape.ports; ++p) {
      if ((flows[f].outputs >> p & 1U) != 0) wanted[p] = route.order[f].postfix;
      if ((flows[f].inputs >> p & 1U) != 0 && network.joined[p] != flows[f].inputs)
        throw Mismatch(describe(shape, flows) + ": input " + std::to_string(p) +
                       " is not added to just the others of its flow");
    }
    for (const int port : route.order[f].postfix)
      if (port >= 0 && (flows[f].inputs >> port & 1U) == 0)
        throw Mismatch(describe(shape, flows) + ": the order adds an input of another flow");
  }
  for (int p = 0; p < shape.ports; ++p) {
    const int e = network.outputs[p];
    const bool driven = e != Network::kNothing;
    if (driven != wanted[p].has_value() || (driven && postfix_of(network, e) != *wanted[p]))
      throw Mismatch(describe(shape, flows) + ": output " + std::to_string(p) +
                     " does not get what its flow asks for");
  }
}

}  // namespace

RoutedSets run_routed_sets(const Shape& shape, Harness& harness, std::uint64_t seed, int sets) {
  RoutedSets result;
  const std::uint64_t flits_before = harness.totals().flits;
  fredsim::Random random(seed);
  for (const fredsim::FlowKind kind : fredsim::all_flow_kinds()) {
    const int max = fredsim::max_flows(kind, shape.ports);
    for (int set = 0; set < sets; ++set) {
      const int count = 1 + static_cast<int>(random.below(max));
      const std::vector<Flow> flows = fredsim::random_flows(random, kind, shape.ports, count);
      try {
        const FredRoute route = fredsim::route_flows({shape.ports, shape.middle}, flows);
        check_served(shape, flows, route);
        harness.run_fixed(route.bits, kCycles);
        ++result.routed;
      } catch (const fredsim::RoutingConflict&) {
        ++result.conflicts;
      }
    }
  }
  result.flits = harness.totals().flits - flits_before;
  return result;
}

}  // namespace tb

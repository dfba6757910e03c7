// SPDX-License-Identifier: Apache-2.0
#include "routing/flows.h"

#include <fmt/format.h>

#include <bit>
#include <cstddef>

namespace fredsim {
namespace {

std::string port_list(std::uint32_t ports) {
  std::string text;
  for (; ports != 0; ports &= ports - 1)
    text += fmt::format("{}{}", text.empty() ? "" : ",", std::countr_zero(ports));
  return text;
}

}  // namespace

std::string to_string(const Flow& flow) {
  return port_list(flow.inputs) + ":" + port_list(flow.outputs);
}

void check_flows(int ports, std::span<const Flow> flows) {
  const std::uint32_t all = ~0U >> (32 - ports);
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const auto check = [&](std::uint32_t mask, std::uint32_t& taken, const char* side) {
      if (mask == 0) throw BadInput(fmt::format("flow {} has no {} port", f, side));
      if ((mask & ~all) != 0)
        throw BadInput(fmt::format("flow {}: {} port {} does not exist; allowed: 0 to {}", f, side,
                                   port_list(mask & ~all), ports - 1));
      if ((mask & taken) != 0)
        throw BadInput(
            fmt::format("flow {}: {} port {} is used by an earlier flow; allowed: each "
                        "port in one flow",
                        f, side, port_list(mask & taken)));
      taken |= mask;
    };
    check(flows[f].inputs, inputs, "input");
    check(flows[f].outputs, outputs, "output");
  }
}

SumOrder balanced_sum(int ports, std::uint32_t inputs) {
  std::vector<std::vector<int>> terms(ports);
  for (int p = 0; p < ports; ++p)
    if ((inputs >> p & 1U) != 0) terms[p] = {p};
  while (terms.size() > 1) {
    std::vector<std::vector<int>> next((terms.size() + 1) / 2);
    for (std::size_t p = 0; p < terms.size(); ++p) {
      std::vector<int>& term = next[p / 2];
      const bool both = !term.empty() && !terms[p].empty();
      term.insert(term.end(), terms[p].begin(), terms[p].end());
      if (both) term.push_back(SumOrder::kAdd);
    }
    terms = std::move(next);
  }
  return {terms.front()};
}

SumOrder sequential_sum(std::uint32_t inputs) {
  SumOrder order;
  for (; inputs != 0; inputs &= inputs - 1) {
    const bool first = order.postfix.empty();
    order.postfix.push_back(std::countr_zero(inputs));
    if (!first) order.postfix.push_back(SumOrder::kAdd);
  }
  return order;
}

}  // namespace fredsim

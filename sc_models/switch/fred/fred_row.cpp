#include "switch/fred/fred_row.h"

#include <vector>

#include "rtl/fred_pkg.h"
#include "rtl/phased_pkg.h"

namespace fredsim {
namespace {

using Expression = std::vector<int>;  // postfix over input ports; empty: no flit

// Output of an R- or RD-µSwitch with a code of fred_pkg::USEL_*.
Expression choose(unsigned code, const Expression& a, const Expression& b) {
  if (code == fred_pkg::USEL_IN0) return a;
  if (code == fred_pkg::USEL_IN1) return b;
  if (code == fred_pkg::USEL_NONE || a.empty() || b.empty()) return {};
  Expression sum = a;
  sum.insert(sum.end(), b.begin(), b.end());
  sum.push_back(SumOrder::kAdd);
  return sum;
}

// What the outputs of Fred_m(inputs.size()) carry; its configuration bits are the next fields.
std::vector<Expression> walk(const std::vector<Expression>& inputs, int middle, RowFields& bits) {
  const std::size_t ports = inputs.size();
  if (ports == 2) {
    const unsigned first = bits.take(2);
    const unsigned second = bits.take(2);
    return {choose(first, inputs[0], inputs[1]), choose(second, inputs[0], inputs[1])};
  }
  const int select_width = static_cast<int>(fred_pkg::sel_w(middle));
  const std::size_t pairs = ports / 2;
  const bool odd = ports % 2 != 0;
  std::vector<std::vector<Expression>> inner(static_cast<std::size_t>(middle),
                                             std::vector<Expression>(pairs + (odd ? 1 : 0)));
  for (std::size_t i = 0; i < pairs; ++i) {
    for (auto& network : inner) network[i] = choose(bits.take(2), inputs[2 * i], inputs[2 * i + 1]);
  }
  if (odd) {
    const unsigned code = bits.take(select_width);
    if (code >= 1 && code <= inner.size()) inner[code - 1][pairs] = inputs[ports - 1];
  }
  for (auto& network : inner) network = walk(network, middle, bits);
  std::vector<Expression> outputs(ports);
  for (std::size_t p = 0; p < ports; ++p) {
    const unsigned code = bits.take(select_width);
    if (code >= 1 && code <= inner.size()) outputs[p] = inner[code - 1][p / 2];
  }
  return outputs;
}

}  // namespace

PhasedRow decode_row(const FredSwitchShape& shape, std::span<const std::uint32_t> words) {
  const int ports = shape.ports;
  PhasedRow row = decode_flows(ports, words);
  std::vector<Expression> inputs;
  inputs.reserve(static_cast<std::size_t>(ports));
  for (int p = 0; p < ports; ++p) inputs.push_back({p});
  RowFields bits(words, static_cast<int>(phased_pkg::row_config_lsb(ports)));
  const std::vector<Expression> outputs = walk(inputs, shape.middle, bits);
  for (int p = 0; p < ports; ++p) add_output(row, outputs[p], p);
  return row;
}

}  // namespace fredsim

#include "switch/fred/fred_row.h"

#include <algorithm>
#include <bit>

#include "routing/fred_routing.h"

namespace fredsim {
namespace {

constexpr int kVcBit = fred_pkg::ROW_VC_LSB;
constexpr int kFlowsBit = fred_pkg::ROW_FLOWS_LSB;

using Expression = std::vector<int>;  // postfix over input ports; empty: no flit

// Reads bit fields from the low end of a row on.
class Fields {
 public:
  explicit Fields(std::span<const std::uint32_t> words) : words_(words) {}
  unsigned take(int width) {
    const unsigned value = at(at_, width);
    at_ += width;
    return value;
  }
  unsigned at(int first, int width) const {
    unsigned value = 0;
    for (int b = 0; b < width; ++b) {
      const auto bit = static_cast<std::size_t>(first + b);
      value |= (words_[bit / 32] >> (bit % 32) & 1U) << b;
    }
    return value;
  }
  int next() const { return at_; }

 private:
  std::span<const std::uint32_t> words_;
  int at_ = 0;
};

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
std::vector<Expression> walk(const std::vector<Expression>& inputs, int middle, Fields& bits) {
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

void add_output(std::vector<FredRow::Sum>& sums, const Expression& postfix, int port) {
  if (postfix.empty()) return;
  auto found = std::ranges::find(sums, postfix, &FredRow::Sum::postfix);
  if (found == sums.end()) {
    FredRow::Sum& made = sums.emplace_back();
    made.postfix = postfix;
    made.first = postfix.front();
    for (const int leaf : postfix) {
      if (leaf != SumOrder::kAdd) made.leaves |= 1U << leaf;
    }
    found = sums.end() - 1;
  }
  found->outputs |= 1U << port;
}

}  // namespace

FredRow decode_row(const FredSwitchShape& shape, std::span<const std::uint32_t> words) {
  const int ports = shape.ports;
  const int width = static_cast<int>(fred_pkg::flow_w(ports));
  Fields bits(words);
  FredRow row;
  row.valid = bits.take(kVcBit) != 0;
  row.vc = static_cast<int>(bits.take(kFlowsBit - kVcBit));
  std::vector<FredRow::Flow> by_code(std::size_t{1} << width);
  std::vector<unsigned> codes;
  for (int p = 0; p < ports; ++p) {
    const unsigned code = bits.take(width);
    row.partner[p] = static_cast<std::uint8_t>(std::ranges::find(codes, code) - codes.begin());
    codes.push_back(code);
    if (code == 0) continue;
    row.inputs |= 1U << p;
    by_code[code].adds += by_code[code].inputs != 0 ? 1 : 0;
    by_code[code].inputs |= 1U << p;
  }
  for (int p = 0; p < ports; ++p) by_code[bits.take(width)].outputs |= 1U << p;
  for (std::size_t code = 1; code < by_code.size(); ++code) {
    if (by_code[code].inputs == 0) continue;
    row.flows.push_back(by_code[code]);
    row.flows.back().code = static_cast<int>(code);
  }
  std::vector<Expression> inputs;
  inputs.reserve(static_cast<std::size_t>(ports));
  for (int p = 0; p < ports; ++p) inputs.push_back({p});
  const std::vector<Expression> outputs = walk(inputs, shape.middle, bits);
  for (int p = 0; p < ports; ++p) add_output(row.sums, outputs[p], p);
  return row;
}

}  // namespace fredsim

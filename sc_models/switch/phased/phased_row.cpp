// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_row.h"

#include <algorithm>

#include "rtl/phased_pkg.h"

namespace fredsim {

PhasedRow decode_flows(int ports, std::span<const std::uint32_t> words) {
  constexpr int kVcBit = phased_pkg::ROW_VC_LSB;
  constexpr int kFlowsBit = phased_pkg::ROW_FLOWS_LSB;
  const int width = static_cast<int>(phased_pkg::flow_w(ports));
  RowFields bits(words, 0);
  PhasedRow row;
  row.valid = bits.take(kVcBit) != 0;
  row.vc = static_cast<int>(bits.take(kFlowsBit - kVcBit));
  std::vector<PhasedRow::Flow> by_code(std::size_t{1} << width);
  std::vector<unsigned> codes;
  for (int p = 0; p < ports; ++p) {
    const unsigned code = bits.take(width);
    row.partner[p] = static_cast<std::uint8_t>(std::ranges::find(codes, code) - codes.begin());
    codes.push_back(code);
    if (code == 0 || code > static_cast<unsigned>(ports)) continue;
    row.inputs |= 1U << p;
    by_code[code].adds += by_code[code].inputs != 0 ? 1 : 0;
    by_code[code].inputs |= 1U << p;
  }
  for (int p = 0; p < ports; ++p) by_code[bits.take(width)].outputs |= 1U << p;
  for (std::size_t code = 1; code <= static_cast<std::size_t>(ports); ++code) {
    if (by_code[code].inputs == 0) continue;
    row.flows.push_back(by_code[code]);
    row.flows.back().code = static_cast<int>(code);
  }
  return row;
}

std::vector<std::uint32_t> use_of_row(int ports, std::span<const std::uint32_t> words, int bits,
                                      int field_bits) {
  const int width = static_cast<int>(phased_pkg::flow_w(ports));
  RowFields flows(words, phased_pkg::ROW_FLOWS_LSB);
  std::vector<std::uint32_t> use(4);  // inputs, outputs, codes up to 31 and from 32 on
  for (int p = 0; p < 2 * ports; ++p) {
    const unsigned code = flows.take(width);
    if (code == 0) continue;
    use[p < ports ? 0 : 1] |= 1U << p % ports;
    use[2 + code / 32] |= 1U << code % 32;
  }
  const int first = static_cast<int>(phased_pkg::row_config_lsb(ports));
  RowFields configuration(words, first);
  for (int field = 0; field < (bits - first) / field_bits; ++field) {
    if (field % 32 == 0) use.push_back(0);
    if (configuration.take(field_bits) != 0) use.back() |= 1U << field % 32;
  }
  return use;
}

PhasedRow decode_sums(int ports, std::span<const std::uint32_t> words,
                      const std::function<SumOrder(std::uint32_t inputs)>& order) {
  PhasedRow row = decode_flows(ports, words);
  for (const PhasedRow::Flow& flow : row.flows) {
    const SumOrder sum = order(flow.inputs);
    for (int p = 0; p < ports; ++p) {
      if ((flow.outputs >> p & 1U) != 0) add_output(row, sum.postfix, p);
    }
  }
  return row;
}

void add_output(PhasedRow& row, const std::vector<int>& postfix, int output) {
  if (postfix.empty()) return;
  auto found = std::ranges::find(row.sums, postfix, &PhasedRow::Sum::postfix);
  if (found == row.sums.end()) {
    PhasedRow::Sum& made = row.sums.emplace_back();
    made.postfix = postfix;
    made.first = postfix.front();
    for (const int leaf : postfix) {
      if (leaf != SumOrder::kAdd) made.leaves |= 1U << leaf;
    }
    found = row.sums.end() - 1;
  }
  found->outputs |= 1U << output;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "routing/phase_row.h"

#include <cassert>
#include <cstddef>

#include "base/flit.h"
#include "rtl/phased_pkg.h"

namespace fredsim {
namespace {

constexpr int kVcBit = phased_pkg::ROW_VC_LSB;
constexpr int kVcWidth = noc_pkg::VC_W;
constexpr int kFlowsBit = phased_pkg::ROW_FLOWS_LSB;

// Width of a port's flow: 0 = none, f + 1 = flow f, at most one flow per port.
int flow_width(int ports) { return static_cast<int>(phased_pkg::flow_w(ports)); }

int config_bit(int ports) { return static_cast<int>(phased_pkg::row_config_lsb(ports)); }

void put(std::vector<std::uint32_t>& row, int offset, int width, std::uint32_t value) {
  for (int b = 0; b < width; ++b)
    row[(offset + b) / 32] |= (value >> b & 1U) << ((offset + b) % 32);
}

std::uint32_t get(std::span<const std::uint32_t> row, int offset, int width) {
  std::uint32_t value = 0;
  for (int b = 0; b < width; ++b)
    value |= (row[(offset + b) / 32] >> ((offset + b) % 32) & 1U) << b;
  return value;
}

}  // namespace

std::vector<std::uint32_t> phase_row(int ports, int vc, std::span<const Flow> flows,
                                     const std::vector<bool>& configuration) {
  assert(0 <= vc && vc < kNumVcs);
  std::vector<std::uint32_t> row(
      (static_cast<std::size_t>(config_bit(ports)) + configuration.size() + 31) / 32);
  put(row, phased_pkg::ROW_VALID_BIT, 1, 1);
  put(row, kVcBit, kVcWidth, static_cast<std::uint32_t>(vc));
  const int width = flow_width(ports);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const auto code = static_cast<std::uint32_t>(f) + 1;
    for (int p = 0; p < ports; ++p) {
      if ((flows[f].inputs >> p & 1U) != 0) put(row, kFlowsBit + p * width, width, code);
      if ((flows[f].outputs >> p & 1U) != 0) put(row, kFlowsBit + (ports + p) * width, width, code);
    }
  }
  for (std::size_t b = 0; b < configuration.size(); ++b)
    put(row, config_bit(ports) + static_cast<int>(b), 1, configuration[b] ? 1 : 0);
  return row;
}

std::vector<Flow> phase_flows(int ports, std::span<const std::uint32_t> row) {
  std::vector<Flow> flows;
  const int width = flow_width(ports);
  for (int p = 0; p < 2 * ports; ++p) {
    const std::uint32_t code = get(row, kFlowsBit + p * width, width);
    if (code == 0) continue;
    if (flows.size() < code) flows.resize(code);
    Flow& flow = flows[code - 1];
    (p < ports ? flow.inputs : flow.outputs) |= 1U << p % ports;
  }
  return flows;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "energy/energy_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "energy/detail/embedded_rows.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr double kBeyond = 1.5;  // limit of extrapolation, in ports of the largest row

EnergyRow row_of(const nlohmann::json& json) {
  EnergyRow row{.kind = json.at("kind"), .ports = json.at("ports")};
  for (const auto& [name, value] : json.at("parameters").items())
    row.parameters.push_back({name, value.get<int>()});
  row.unicast_pj = json.at("unicast_pj");
  row.clock_pj = json.at("clock_pj");
  row.unicast_load_pj = json.value("unicast_load_pj", 0.0);
  row.adds = json.contains("addition_pj");
  if (!row.adds) return row;
  row.flow_load_pj = json.value("flow_load_pj", 0.0);
  row.addition_load_pj = json.value("addition_load_pj", 0.0);
  row.copy_load_pj = json.value("copy_load_pj", 0.0);
  row.flow_pj = json.at("flow_pj");
  row.addition_pj = json.at("addition_pj");
  row.copy_pj = json.at("copy_pj");
  row.operand_memories = json.value("operand_memories", 0);
  return row;
}

bool is_of(const EnergyRow& row, const SwitchShape& shape) {
  return row.kind == shape.kind->name() &&
         std::ranges::all_of(row.parameters, [&](const NamedValue& value) {
           return shape.kind->index(value.name) >= 0 && shape.value(value.name) == value.value;
         });
}

EnergyRow on_line(const EnergyRow& a, const EnergyRow& b, int ports) {
  const double at = static_cast<double>(ports - a.ports) / (b.ports - a.ports);
  const auto line = [&](double EnergyRow::*value) { return a.*value + at * (b.*value - a.*value); };
  EnergyRow row = a;
  row.ports = ports;
  for (double EnergyRow::*const value :
       {&EnergyRow::unicast_pj, &EnergyRow::clock_pj, &EnergyRow::flow_pj, &EnergyRow::addition_pj,
        &EnergyRow::copy_pj, &EnergyRow::unicast_load_pj, &EnergyRow::flow_load_pj,
        &EnergyRow::addition_load_pj, &EnergyRow::copy_load_pj})
    row.*value = line(value);
  return row;
}

}  // namespace

EnergyRows parse_energy_rows(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  EnergyRows rows{.flit_bits = json.at("flit_bits"),
                  .memory_read_pj_per_bit = json.at("memory_read_pj_per_bit"),
                  .memory_write_pj_per_bit = json.at("memory_write_pj_per_bit"),
                  .link_pj_per_bit = json.at("link_pj_per_bit"),
                  .rows = {}};
  for (const nlohmann::json& row : json.at("rows")) rows.rows.push_back(row_of(row));
  return rows;
}

const EnergyRows& energy_rows() {
  static const EnergyRows kRows = parse_energy_rows(kEnergyRowsText);
  return kRows;
}

FoundRow find_energy_row(const EnergyRows& rows, const Topology& topology, const Node& node) {
  const SwitchShape shape = switch_shape(topology, node);
  const std::string& kind = shape.kind->name();
  if (!shape.rtl_top.empty())
    return {.missing = fmt::format("the RTL {} of one's own has no energy row", shape.rtl_top)};
  std::vector<const EnergyRow*> found;
  for (const EnergyRow& row : rows.rows)
    if (is_of(row, shape)) found.push_back(&row);
  std::ranges::sort(found, {}, &EnergyRow::ports);
  if (found.empty())
    return {.missing = fmt::format(
                "switches of the kind {} with these parameters have no energy row", kind)};
  const auto next =
      std::ranges::find_if(found, [&](const EnergyRow* row) { return row->ports >= node.ports; });
  if (next != found.end() && (*next)->ports == node.ports) return {.row = **next};
  const bool is_within =
      next != found.begin() && found.size() > 1 && node.ports <= kBeyond * found.back()->ports;
  if (!is_within) {
    return {
        .missing = fmt::format(
            "switches of the kind {} with {} ports have no energy row; there are some of {} to {}",
            kind, node.ports, found.front()->ports, found.back()->ports)};
  }
  const auto high = next == found.end() ? found.end() - 1 : next;
  return {.row = on_line(**(high - 1), **high, node.ports)};
}

}  // namespace fredsim

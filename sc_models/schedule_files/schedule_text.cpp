// SPDX-License-Identifier: Apache-2.0
#include "schedule_files/schedule_text.h"

#include <nlohmann/json.hpp>

namespace fredsim {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson hops_json(const std::vector<ScheduleHop>& hops) {
  OrderedJson list = OrderedJson::array();
  for (const ScheduleHop& hop : hops) {
    OrderedJson one = {hop.from, hop.to};
    if (hop.vc >= 0) one.push_back(priority_name(hop.vc));
    list.push_back(std::move(one));
  }
  return list;
}

OrderedJson flow_json(const CollectiveSchedule& schedule, const ScheduleFlow& flow) {
  OrderedJson json;
  if (schedule.collective == Collective::kAllToAll) json["source"] = flow.source;
  if (has_blocks(schedule.collective)) json["block"] = flow.block;
  json["share"] = {flow.begin, flow.end, flow.of};
  if (flow.slice >= 0) json["slice"] = flow.slice;
  if (!flow.sums.empty()) json["sums"] = hops_json(flow.sums);
  if (!flow.results.empty()) json["results"] = hops_json(flow.results);
  if (!flow.operands.empty()) {
    OrderedJson& operands = json["operands"] = OrderedJson::array();
    for (const std::vector<ScheduleHop>& hops : flow.operands) operands.push_back(hops_json(hops));
  }
  return json;
}

}  // namespace

std::string schedule_text(const CollectiveSchedule& schedule) {
  OrderedJson head;
  head["fredsim_schedule"] = 1;
  if (!schedule.name.empty()) head["name"] = schedule.name;
  head["collective"] = to_string(schedule.collective);
  head["ranks"] = schedule.ranks;
  if (schedule.root != 0) head["root"] = schedule.root;
  if (schedule.window != 0) head["window"] = schedule.window;
  if (schedule.window_is_fixed) head["window_is_fixed"] = true;
  if (schedule.packet_order) head["packet_order"] = *schedule.packet_order;
  std::string text = "{\n";
  for (const auto& [key, value] : head.items())
    text += " " + OrderedJson(key).dump() + ": " + value.dump() + ",\n";
  text += " \"flows\": [";
  const char* before = "\n  ";
  for (const ScheduleFlow& flow : schedule.flows) {
    text += before + flow_json(schedule, flow).dump();
    before = ",\n  ";
  }
  return text + "\n ]\n}\n";
}

}  // namespace fredsim

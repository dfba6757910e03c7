// SPDX-License-Identifier: Apache-2.0
#include "report/trace_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_map>

#include "base/error.h"

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPageNsPerUs = 1000, kPagePsPerNs = 1000;

[[noreturn]] void refuse_simulated(const std::string& path, std::string_view found) {
  throw BadInput(
      fmt::format("--simulated: {}: found {}; allowed: a file that train --trace … --timeline "
                  "FILE.json wrote",
                  path, found));
}

// "step.3.et" is rank 3, other names have the place of the file.
std::uint64_t rank_of_file(const std::string& path, std::uint64_t place) {
  std::string name = std::filesystem::path(path).stem().string();
  name = name.substr(name.rfind('.') + 1);
  std::uint64_t rank = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  return error == std::errc() && end == name.data() + name.size() ? rank : place;
}

// Texts, each once, by index.
class NamesOfPage {
 public:
  std::size_t index(const std::string& name) {
    const auto [place, is_new] = places_.emplace(name, places_.size());
    if (is_new) names_.push_back(name);
    return place->second;
  }
  const Json& names() const { return names_; }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  Json names_ = Json::array();
};

}  // namespace

std::vector<SimulatedMachine> simulated_machines(const std::string& path, const std::string& text) {
  const nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
  if (file.is_discarded()) refuse_simulated(path, "no JSON");
  if (!file.is_object() || !file.contains("traceEvents") || !file["traceEvents"].is_array())
    refuse_simulated(path, "no 'traceEvents'");
  std::map<std::int64_t, SimulatedMachine> machines;  // by process
  try {
    for (const nlohmann::json& event : file["traceEvents"]) {
      const std::string type = event.at("ph");
      if (type == "M" && event.at("name") == "process_name")
        machines[event.at("pid").get<std::int64_t>()].name = event.at("args").at("name");
      if (type != "X" || !event.at("args").contains("node") || event["args"].at("iteration") != 0)
        continue;
      const nlohmann::json& args = event["args"];
      const double begin = event.at("ts").get<double>() * kPageNsPerUs;
      machines[event.at("pid").get<std::int64_t>()].operations.emplace(
          std::pair(args.at("rank").get<std::uint64_t>(), args["node"].get<std::uint64_t>()),
          std::pair(begin, begin + event.at("dur").get<double>() * kPageNsPerUs));
    }
  } catch (const nlohmann::json::exception&) {
    refuse_simulated(path, "an event without its fields");
  }
  std::vector<SimulatedMachine> found;
  for (auto& [process, machine] : machines)
    if (!machine.operations.empty()) found.push_back(std::move(machine));
  if (found.empty()) refuse_simulated(path, "no operations of traces");
  return found;
}

TracePageData trace_page_data(std::span<const ShownTrace> traces,
                              std::span<const SimulatedMachine> machines) {
  TracePageData data;
  data.simulated.resize(machines.size());
  Json names_of_machines = Json::array(), ranks = Json::array();
  for (const SimulatedMachine& machine : machines) names_of_machines.push_back(machine.name);
  const std::uint64_t origin = trace_origin(traces);
  for (std::size_t t = 0; t < traces.size(); ++t) {
    const ShownTrace& trace = traces[t];
    const std::uint64_t rank = rank_of_file(trace.path, t);
    NamesOfPage names;
    Json lanes = Json::array();
    for (const TraceLane& lane : trace_lanes(trace)) {
      Json spans = Json::array();
      for (const std::size_t n : lane.nodes) {
        const TraceNode& node = trace.nodes[n];
        Json span = Json::array(
            {names.index(node.name), static_cast<int>(trace_kind(node)),
             static_cast<double>(trace.begins.ps[n] - std::min(origin, trace.begins.ps[n])) /
                 kPagePsPerNs,
             static_cast<double>(node.duration_ps) / kPagePsPerNs});
        for (std::size_t m = 0; m < machines.size(); ++m) {
          const auto found = machines[m].operations.find({rank, node.id});
          const bool is_there = found != machines[m].operations.end();
          span.push_back(is_there ? Json(found->second.first) : Json());
          span.push_back(is_there ? Json(found->second.second - found->second.first) : Json());
          data.simulated[m] += is_there ? 1 : 0;
        }
        spans.push_back(std::move(span));
        ++data.spans;
      }
      lanes.push_back({{"name", lane.name}, {"spans", std::move(spans)}});
    }
    ranks.push_back({{"name", trace.path},
                     {"rank", rank},
                     {"recorded", trace.begins.is_recorded},
                     {"names", names.names()},
                     {"lanes", std::move(lanes)}});
  }
  if (data.spans > kMostPageSpans)
    throw BadInput(fmt::format("--page: found {} operations; allowed: {} in a page: fewer traces",
                               data.spans, kMostPageSpans));
  data.json = {{"machines", std::move(names_of_machines)}, {"ranks", std::move(ranks)}};
  return data;
}

}  // namespace fredsim

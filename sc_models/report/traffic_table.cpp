// SPDX-License-Identifier: Apache-2.0
#include "report/traffic_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <iterator>

#include "base/setting.h"
#include "report/table_fields.h"

namespace fredsim {

namespace {

constexpr std::size_t kBusiest = 4;
constexpr int kRateDecimals = 4;

std::string rate_text(double rate) { return number_text(rate, kRateDecimals); }

// Links by load, the busiest first; wafer links and on-die ones alike, since either may saturate.
std::vector<const LinkResult*> by_load(const TrafficPoint& point) {
  std::vector<const LinkResult*> links;
  for (const LinkResult& link : point.links) links.push_back(&link);
  std::ranges::stable_sort(links, std::ranges::greater{},
                           [](const LinkResult* link) { return link->utilization; });
  return links;
}

Cell state_cell(const TrafficPoint& point) {
  if (point.incomplete) {
    return {fmt::format("incomplete, {} cycles", point.cycles), "incomplete", Tone::kBad};
  }
  return point.saturated ? Cell("saturated", Tone::kDoubtful) : Cell("", "free");
}

std::string pattern_text(const TrafficSetup& setup) {
  if (setup.hotspot_node)
    return fmt::format("{} ({:g} to NPU {})", setup.pattern, *setup.hotspot_fraction,
                       *setup.hotspot_node);
  if (!setup.excluded_nodes.empty())
    return fmt::format("{} (none to NPU {})", setup.pattern, fmt::join(setup.excluded_nodes, ", "));
  if (!setup.pattern_file.empty()) return fmt::format("{} ({})", setup.pattern, setup.pattern_file);
  return setup.pattern;
}

std::string packets_text(const TrafficSetup& setup) {
  if (!setup.request_reply.empty())
    return fmt::format("requests and replies ({})", setup.request_reply);
  std::string text = fmt::format("packets of {:.4g} flit{}", setup.packet_flits,
                                 setup.packet_flits == 1 ? "" : "s");
  if (!setup.packet_sizes.empty()) text += fmt::format(" ({})", setup.packet_sizes);
  return text;
}

std::string netrace_heading(const TrafficSetup& setup, const NetraceSetup& trace) {
  std::string text = fmt::format(
      "{}: replay of {}{}, {} of {} NPUs send, {}, model {}, clock {:g} GHz\n"
      "trace of {} nodes: {} packets in {} cycles, {} of a node to itself, {} dependencies, {} B "
      "per flit",
      with_settings(setup.fabric, setup.settings.own), trace.benchmark,
      trace.region ? fmt::format(", region {}", *trace.region) : "", setup.sending_nodes,
      setup.nodes, packets_text(setup), setup.model, setup.clock_ghz, trace.nodes, trace.packets,
      trace.cycles, trace.local_packets, trace.dependencies, trace.flit_bytes);
  if (trace.outside > 0)
    text += fmt::format(
        "\n{} dependencies are on packets that the trace or region lacks, and do not count",
        trace.outside);
  return text;
}

std::string heading(const TrafficSetup& setup) {
  if (setup.netrace) return netrace_heading(setup, *setup.netrace);
  return fmt::format(
      "{}: {} traffic, {} of {} NPUs send, {}{}, model {}, clock {:g} GHz, seed {}\n"
      "warm-up {} cycles, window {} cycles, injection limit {:g} flits per cycle and NPU",
      with_settings(setup.fabric, setup.settings.own), pattern_text(setup), setup.sending_nodes,
      setup.nodes, packets_text(setup),
      setup.burst.empty() ? "" : fmt::format(" in bursts ({})", setup.burst), setup.model,
      setup.clock_ghz, setup.seed, setup.warmup_cycles, setup.window_cycles, setup.injection_limit);
}

std::string replay_text(const NetraceSetup& trace, const TrafficPoint& point) {
  if (point.incomplete) return fmt::format("replay: incomplete after {} cycles\n", point.cycles);
  return fmt::format("replay: {} cycles of the trace took {}, {} times as long\n", trace.cycles,
                     point.cycles, number_text(trace.slowdown(point.cycles), 3));
}

std::string saturation_text(std::span<const TrafficPoint> points) {
  const TrafficSaturation saturation = saturation_of(points);
  if (!saturation.first_rate) {
    return fmt::format("saturation: none of these rates; highest accepted rate {}\n",
                       rate_text(saturation.accepted));
  }
  if (saturation.rises_beyond()) {
    return fmt::format(
        "saturation: first saturated rate {}, accepted {}; beyond it {} is accepted, at rate {}\n",
        rate_text(*saturation.first_rate), rate_text(saturation.first_accepted),
        rate_text(saturation.accepted), rate_text(saturation.accepted_rate));
  }
  return fmt::format("saturation: highest accepted rate {}, first saturated rate {}\n",
                     rate_text(saturation.accepted), rate_text(*saturation.first_rate));
}

std::string busiest_text(std::span<const TrafficPoint> points) {
  const TrafficPoint& point = *std::ranges::max_element(
      points, {}, [](const TrafficPoint& p) { return p.incomplete ? -1 : p.accepted; });
  const std::vector<const LinkResult*> links = by_load(point);
  std::string text = fmt::format("busiest links at rate {}:", rate_text(point.rate));
  for (std::size_t l = 0; l < std::min(kBusiest, links.size()); ++l) {
    text += fmt::format("{} {} {} %", l == 0 ? "" : ",", links[l]->name,
                        number_text(100 * links[l]->utilization, 1));
  }
  return text + "\n";
}

using TrafficField = Field<TrafficPoint>;

Cell rate_cell(double rate) { return number_cell(rate, kRateDecimals); }

std::vector<TrafficField> fields_of_setup(const TrafficSetup& setup) {
  std::vector<TrafficField> fields;
  const auto add = [&](const char* name, const std::string& text) {
    fields.push_back({{.label = name, .name = name, .shown = Shown::kOnlyInCsv},
                      [text](const TrafficPoint&) { return text; }});
  };
  const auto text = [](const auto& number) { return number ? fmt::to_string(*number) : ""; };
  add("config", setup.config);
  add("settings", settings_text(setup.settings.all));
  add("fabric", setup.fabric);
  add("model", setup.model);
  add("clock_ghz", fmt::to_string(setup.clock_ghz));
  add("seed", fmt::to_string(setup.seed));
  add("pattern", setup.pattern);
  add("hotspot_node", text(setup.hotspot_node));
  add("hotspot_fraction", text(setup.hotspot_fraction));
  add("excluded_nodes", fmt::to_string(fmt::join(setup.excluded_nodes, " ")));
  add("pattern_file", setup.netrace ? setup.netrace->file : setup.pattern_file);
  add("nodes", fmt::to_string(setup.nodes));
  add("sending_nodes", fmt::to_string(setup.sending_nodes));
  add("packet_flits", fmt::format("{}", setup.packet_flits));
  add("packet_sizes", setup.packet_sizes);
  add("burst", setup.burst);
  add("request_reply", setup.request_reply);
  add("warmup_cycles", fmt::to_string(setup.warmup_cycles));
  add("window_cycles", fmt::to_string(setup.window_cycles));
  add("injection_limit_flits_per_cycle", fmt::to_string(setup.injection_limit));
  return fields;
}

TrafficField percentile_field(const char* name, int rank, std::uint64_t TrafficPoint::*latency) {
  return {{.label = fmt::format("latency {}", name),
           .unit = "cycles",
           .rank = rank,
           .header = {"", name},
           .name = fmt::format("latency_{}_cycles", name)},
          [latency](const TrafficPoint& p) {
            return p.arrived == 0 ? no_cell() : count_cell(p.*latency);
          }};
}

// Packets of the window that did not arrive: a column only if there are any.
TrafficField missing_field(bool is_any) {
  return {{.label = "missing",
           .unit = "packets",
           .rank = 1,
           .name = "packets_missing",
           .shown = is_any ? Shown::kAlways : Shown::kOnlyInCsv},
          [](const TrafficPoint& p) { return count_cell(p.packets - p.arrived); }};
}

// Mean latency of the requests of exchanges.
TrafficField request_field(bool is_any) {
  return {{.label = "latency request mean",
           .unit = "cycles",
           .rank = 1,
           .header = {"", "request"},
           .name = "latency_request_mean_cycles",
           .shown = is_any ? Shown::kAlways : Shown::kOnlyInCsv},
          [](const TrafficPoint& p) {
            return p.request_latency_mean ? number_cell(*p.request_latency_mean, 1) : no_cell();
          }};
}

std::vector<TrafficField> fields_of_points(bool is_any_missing, bool has_requests) {
  return {{{.label = "rate",
            .unit = "flits/cycle",
            .header = {"rate", ""},
            .name = "rate_flits_per_cycle"},
           [](const TrafficPoint& p) { return rate_cell(p.rate); }},
          {{.label = "offered",
            .unit = "flits/cycle",
            .rank = 6,
            .header = {"offered", ""},
            .name = "offered_flits_per_cycle"},
           [](const TrafficPoint& p) { return rate_cell(p.offered); }},
          {{.label = "accepted",
            .unit = "flits/cycle",
            .header = {"accepted", ""},
            .name = "accepted_flits_per_cycle"},
           [](const TrafficPoint& p) { return rate_cell(p.accepted); }},
          {{.label = "latency mean",
            .unit = "cycles",
            .header = {"latency", "mean"},
            .name = "latency_mean_cycles"},
           [](const TrafficPoint& p) {
             return p.arrived == 0 ? no_cell() : number_cell(p.latency_mean, 1);
           }},
          request_field(has_requests),
          percentile_field("p50", 8, &TrafficPoint::latency_p50),
          percentile_field("p95", 7, &TrafficPoint::latency_p95),
          percentile_field("p99", 2, &TrafficPoint::latency_p99),
          percentile_field("max", 4, &TrafficPoint::latency_max),
          {{.label = "hops mean", .rank = 5, .header = {"hops", "mean"}, .name = "hops"},
           [](const TrafficPoint& p) { return p.incomplete ? no_cell() : number_cell(p.hops, 2); }},
          {{.label = "link load max",
            .rank = 3,
            .header = {"link", "load max"},
            .name = "link_utilization_max"},
           [](const TrafficPoint& p) { return percent_cell(by_load(p).front()->utilization); }},
          missing_field(is_any_missing),
          {{.label = "state", .align = Align::kLeft, .header = {"state", ""}, .name = "state"},
           state_cell},
          {{.label = "packets", .name = "packets", .shown = Shown::kOnlyInCsv},
           [](const TrafficPoint& p) { return count_cell(p.packets); }},
          {{.label = "cycles", .name = "cycles", .shown = Shown::kOnlyInCsv},
           [](const TrafficPoint& p) { return count_cell(p.cycles); }},
          {{.label = "wall", .name = "wall_s", .shown = Shown::kOnlyInCsv},
           [](const TrafficPoint& p) { return fmt::to_string(p.wall_s); }}};
}

}  // namespace

TitledTable traffic_table(const TrafficSetup& setup, std::span<const TrafficPoint> points) {
  assert(!points.empty());
  const bool is_any_missing =
      std::ranges::any_of(points, [](const TrafficPoint& p) { return p.arrived < p.packets; });
  std::vector<TrafficField> fields = fields_of_setup(setup);
  std::ranges::move(fields_of_points(is_any_missing, !setup.request_reply.empty()),
                    std::back_inserter(fields));
  return {heading(setup), table_of(fields, std::vector(points.begin(), points.end()))};
}

std::string traffic_summary(const TrafficSetup& setup, std::span<const TrafficPoint> points) {
  return (setup.netrace ? replay_text(*setup.netrace, points.front()) : saturation_text(points)) +
         busiest_text(points);
}

}  // namespace fredsim

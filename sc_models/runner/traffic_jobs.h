// SPDX-License-Identifier: Apache-2.0
// Job of `fredsim traffic`: synthetic traffic on one machine, at one rate after the other.
//
// Units: rates in flits per cycle and node.
// Errors: the constructor checks the input completely and throws BadInput; measure() throws the
//   errors of TrafficRun, prefixed with the job's name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/flit.h"
#include "config/config.h"
#include "results/pattern_words.h"
#include "results/traffic_results.h"
#include "runner/run_options.h"
#include "runner/series_options.h"
#include "trace/packet_list.h"
#include "trace/wave_options.h"
#include "traffic/netrace_run.h"
#include "traffic/traffic_fabric.h"
#include "traffic/traffic_options.h"

namespace fredsim {

// The options of `traffic`.
struct TrafficRequest : MachineOptions, OutputOptions, SwitchOptions {
  TrafficOptions traffic;
  // Ascending; empty: rates chosen by the saturation search, or a trace's own.
  std::vector<double> rates;
  NetraceOptions netrace;
  WaveOptions wave;
  BreakdownOptions breakdown;
  SeriesOptions series;
};

namespace traffic_rows {

using Q = TrafficRequest;
using T = TrafficOptions;
using N = NetraceOptions;
static_assert(kPacketFlits == 8 && kFlitBytes == 512);

// Reads a pattern's name, or its file of rates.
void read_pattern(const OptionText& option, Q& request, const std::string& given);
void read_excluded(const OptionText& option, Q& request, const std::string& given);
void read_region(const OptionText& option, Q& request, const std::string& given);

inline constexpr auto kAll = rows::join(
    rows::under(
        headings::kWork,
        rows::read_by(read_pattern, "--pattern", "PATTERN",
                      "who sends to whom (default uniform), by name or FILE.csv. A file has rates "
                      "from row to column, times --rate; names: ",
                      {.offer = kPatternWords, .more_meaning = pattern_list, .initial = "uniform"}),
        rows::parsed<parse_rates, &Q::rates>(
            "--rate", "RATES",
            "flits per cycle and node: 0.1, a list 0.1,0.2 or a sweep FROM:TO:STEP"),
        rows::given<Q>(
            "--saturation", nullptr,
            "in place of --rate: searches the saturation point, to 1 % of the injection limit"),
        rows::parsed<parse_packet_sizes, &Q::traffic, &T::packet_flits>(
            "--packet-flits", "N",
            "flits of a packet, 1 to 8 (default 1), or lengths with their shares, 1:0.5,8:0.5",
            {.initial = "1"}),
        rows::parsed<parse_bursts, &Q::traffic, &T::bursts>(
            "--burst", "PARAMETERS",
            "sources that are on and off, such as alpha=0.02,beta=0.1. Two of alpha (off to on, "
            "per cycle), beta (on to off) and r1 (flits per cycle while on)"),
        rows::parsed<parse_request_reply, &Q::traffic, &T::exchange>(
            "--request-reply", "SIZES",
            "requests that are answered: read=1:8,write=8:1,writes=0.5. Flits of request and "
            "reply, and share of writes; these are the defaults"),
        rows::number<&Q::traffic, &T::warmup_cycles>(
            "--warmup", "N", "cycles before the window (default 5000)",
            {.initial = "5000", .min = 0, .max = kMaxTrafficCycles}),
        rows::number<&Q::traffic, &T::window_cycles>(
            "--cycles", "N", "cycles of the window (default 20000)",
            {.initial = "20000", .max = kMaxTrafficCycles}),
        rows::number<&Q::traffic, &T::pattern, &PatternSpec::hotspot_node>(
            "--hotspot-node", "N", "pattern hotspot: hot NPU (default 0)", {.min = 0}),
        rows::parsed<parse_fraction, &Q::traffic, &T::pattern, &PatternSpec::hotspot_fraction>(
            "--hotspot-fraction", "F",
            "pattern hotspot: share of packets that go there (default 0.2)"),
        rows::read_by(read_excluded, "--excluded-nodes", "NPUS",
                      "pattern background: NPUs that nothing is sent to, such as 0,5-8"),
        rows::text<&Q::netrace, &N::file>(
            "--netrace", "FILE",
            "in place of --rate: replays a trace of Netrace (.tra.bz2) with its dependencies"),
        rows::read_by(read_region, "--netrace-region", "N",
                      "with --netrace: this region of the trace only, from 0",
                      {.needs = "--netrace", .allowed = "together with --netrace"}),
        rows::number<&Q::netrace, &N::flit_bytes>(
            "--netrace-flit-bytes", "N",
            "with --netrace: bytes of the trace in a flit, 9 to 512 (default 512)",
            {.min = 9,
             .max = kFlitBytes,
             .needs = "--netrace",
             .allowed = "together with --netrace"})),
    rows::under(headings::kLimits,
                rows::number<&Q::traffic, &T::threads>(
                    "--threads", "N",
                    "threads that step the fabric, up to its number of switches (default 1); same "
                    "results",
                    {.initial = "1", .max = kMaxThreads}),
                rows::flag<&Q::traffic, &T::trains>(
                    "--no-trains",
                    "also moves packets flit by flit where a packet's flits follow each other; "
                    "same results")));

}  // namespace traffic_rows
inline constexpr auto& kTrafficRows = traffic_rows::kAll;
// Reads kTrafficRows, after a check for conflicting options.
void read_traffic(const OptionTexts& texts, TrafficRequest& request);

// Refuses threads that would have no work: observers look at every edge of all nodes.
void check_threads(const TrafficRequest& request);

class TrafficJobs {
 public:
  explicit TrafficJobs(const TrafficRequest& request);

  // Measures all rates, or the rates of the saturation search. False: interrupted, with an
  // incomplete point if one was in progress.
  bool measure();
  bool is_complete() const { return is_complete_; }

  const std::string& name() const { return name_; }
  const MachineConfig& machine() const { return machine_; }
  const TrafficSetup& setup() const { return setup_; }
  const std::vector<TrafficPoint>& points() const { return points_; }
  const WaveRecorder* wave() const { return run_->wave(); }
  void finish_wave() { run_->finish_wave(); }

 private:
  std::unique_ptr<TrafficFabric> make_run();
  bool search_saturation();
  std::optional<bool> measure_step(int step);
  // Measures one rate. True: the rate is saturated; none: interrupted.
  std::optional<bool> measure(double rate);

  const TrafficRequest request_;
  const MachineConfig machine_;
  const std::string name_;
  const std::string pattern_;
  const double ns_per_cycle_;
  std::vector<double> rates_;  // empty: searched
  std::unique_ptr<TrafficFabric> run_;
  TrafficSetup setup_;
  std::vector<TrafficPoint> points_;  // rates ascending
  bool is_complete_ = false;
};

}  // namespace fredsim

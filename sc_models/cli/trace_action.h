// SPDX-License-Identifier: Apache-2.0
// Actions of `fredsim trace`: a file trace_<name>.cpp and a row of trace_actions() each.
//
// Results go to standard output. Errors: BadInput; RunFailed, diff of traces that differ.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/table_fields.h"
#include "runner/run_options.h"

namespace fredsim {

struct TraceOptions : OutputOptions {
  std::string action{};
  std::vector<std::string> files{}, hosts{};
  std::string out{};
  std::string steps{};
  bool gpu_only = false;
  bool unknown_is_compute = false;
  int ranks = 0;  // 0: ranks of the profiles
  std::uint64_t seed = 1;
  std::string scale{};
  std::string like{};                  // rank; empty: none
  std::vector<std::string> resized{};  // GROUP=N
  std::string to{};                    // format of execution traces
  std::string from{};                  // convert: format of execution traces; show: a node
  std::string timeline_file{}, graph_file{}, page_file{};
  std::string simulated_file{};
  std::uint64_t depth = 3;
  std::string command_line{};  // complete, for results
};

struct TraceAction {
  std::string_view name;
  std::vector<std::string_view> options;         // own ones; the others are refused
  void (*check)(const TraceOptions&) = nullptr;  // none: nothing to check
  void (*run)(const TraceOptions&) = nullptr;
};

TraceAction trace_convert_action();
TraceAction trace_info_action();
TraceAction trace_diff_action();
TraceAction trace_show_action();

// convert of execution traces, between protobuf and JSON.
bool converts_formats(const TraceOptions& request);
void check_formats(const TraceOptions& request);
void convert_formats(const TraceOptions& request);
TraceAction trace_learn_action();
TraceAction trace_synthesize_action();

// All, in the order of the help.
std::span<const TraceAction> trace_actions();

constexpr double kTracePsPerUs = 1e6;

template <typename Ps>
Cell trace_us_cell(Ps ps) {
  return number_cell(static_cast<double>(ps) / kTracePsPerUs, 1);
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Jobs of `fredsim run` and `compare`: one work on several machines, at several sizes.
//
// Order of calls: plan_work(), elaborate(), then run_job() in an SC_THREAD for each machine and
// size.
// Errors: plan_work() and elaborate() check the input completely and throw BadInput or
//   RoutingConflict before the first cycle is simulated; run_job() throws the errors of run_plan()
//   and run_work(), prefixed with the job's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/machine.h"
#include "report/run_table.h"
#include "results/timeline.h"
#include "runner/arrival_options.h"
#include "runner/calibration.h"
#include "runner/file_uses.h"
#include "runner/run_options.h"
#include "runner/series_options.h"
#include "runner/work_options.h"
#include "trace/wave_options.h"

namespace fredsim {

// The options of `run` and `compare`.
struct RunRequest : MachineOptions, OutputOptions, SwitchOptions, SimulationOptions {
  bool compares = false;         // with the first machine; false: one machine
  bool is_flow = false;          // --engine flow
  std::string calibration_file;  // --calibration; empty: none
  WorkOptions work;
  std::vector<std::string> algorithms;  // compared on one machine; empty: the work's
  bool best_base = false;
  std::uint64_t seed = 1;
  ArrivalOptions arrivals;
  WaveOptions wave;           // with several machines, the file name gets the machine's name
  std::string timeline_file;  // empty: none; "-": standard output
  int timeline_level = 1;
  BreakdownOptions breakdown;
  SeriesOptions series;
  std::string placement_file;  // --write-placement; empty: none
};
inline constexpr auto kCalibrationRows = rows::under(
    headings::kModel,
    rows::text<&RunRequest::calibration_file>("--calibration", "FILE",
                                              "with --engine flow: measurements of fredsim "
                                              "calibrate, in place of exact runs by this command"));
inline constexpr auto kTimelineRows = rows::under(
    headings::kOutput,
    rows::text<&RunRequest::timeline_file>(
        "--timeline", "FILE.json",
        "events over time, for ui.perfetto.dev and chrome://tracing; FILE.pftrace: as Perfetto's "
        "protobuf",
        {.only_exact = kNoPackets}),
    rows::number<&RunRequest::timeline_level>(
        "--timeline-level", "N",
        "0 parts and phases, 1 (default) steps, links and stalls, 2 packets at NPUs, 3 additions, "
        "packets on links",
        {.min = 0,
         .max = 3,
         .needs = "--timeline",
         .allowed = "together with --timeline FILE.json"}));
inline constexpr auto kBestBaseRows = rows::under(
    headings::kOutput,
    rows::flag<&RunRequest::best_base>("--best-base",
                                       "the base once more, as well as it can: --algorithm auto "
                                       "and --placement auto; speed-ups over both"));

// One machine of the command, or one algorithm on it: its plans, one per size, and their results.
struct ComparedMachine {
  MachineConfig config;
  std::string algorithm{};  // its algorithm; empty: the work's
  WorkOptions work;         // as requested; for --best-base with its own algorithms and placement
  bool is_best_base = false;
  ArrivalOptions asked_arrivals{};
  Arrivals arrivals{};
  std::vector<AnyPlan> plans{};
  std::unique_ptr<Machine> machine{};
  std::unique_ptr<FlowCalibration> calibration{};  // --engine flow
  std::uint64_t seed = 1;                          // seed of the run
  std::vector<ReportedRun> runs{};
};

// `files`: files of the command line.
std::vector<ComparedMachine> plan_work(const RunRequest& request, const FileUses& files);
// `timeline`: null if none is requested.
void elaborate(const RunRequest& request, const FileUses& files,
               std::vector<ComparedMachine>& compared, Timeline* timeline);
// `size`: index of the run's size.
RunResult run_job(ComparedMachine& entry, std::size_t size, const OutputOptions& outputs);

// Workers and their NPUs; none if no placement was requested.
std::optional<WorkersResult> workers_of(const WorkOptions& work, const Topology& topology);

}  // namespace fredsim

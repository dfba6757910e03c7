// What the user asked for on the command line, checked as far as it can be
// without reading a machine.
//
// Units: sizes in bytes, with NCCL's meaning; time-out in cycles; rates in
// flits per cycle and node.
// Errors: BadInput naming the option, what was found and what is allowed; a misspelt option or
// command is one, with the nearest right one suggested.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/file_uses.h"
#include "cli/route_arguments.h"
#include "cli/strategy_arguments.h"
#include "cli/train_arguments.h"
#include "cli/work_arguments.h"
#include "config/config.h"
#include "report/table_output.h"
#include "switch/switch_factory.h"
#include "trace/packet_list.h"
#include "trace/wave_options.h"
#include "traffic/traffic_options.h"

namespace fredsim {

enum class Command : std::uint8_t {
  kRun,
  kCompare,
  kTrain,
  kTraffic,
  kInfo,
  kRoute,
  kConflicts,
  kStrategies,
  kReport
};

struct Options {
  Command command = Command::kInfo;
  std::string command_line;            // all of it, as a shell takes it: "fredsim run …"
  std::vector<MachineFile> machines;   // `compare`, `train`: the base first
  std::vector<std::string> overrides;  // "key.path=value"
  std::vector<std::string> faults;     // topology/faults.h
  bool lists_parts = false;            // `info`
  WorkOptions work;                    // `run` and `compare`
  TrainOptions train;
  SwitchModel model = SwitchModel::kTlm;
  std::string rtl_instances;  // empty: none
  int lanes = 1;
  std::uint64_t seed = 1;
  TrafficOptions traffic;
  std::vector<double>
      rates;  // `traffic`: ascending; empty: those that the search for saturation takes
  RouteOptions route;
  ConflictOptions conflicts;
  StrategyOptions strategies;
  std::vector<std::string> result_files;  // `report`
  std::string page_file;                  // `report`; "-": standard output
  std::uint64_t timeout_cycles = 0;       // 0: none
  bool skip = true;                       // FabricOptions
  int switch_threads = 1;                 // FabricOptions; `run`, `compare`, `train`
  std::string json_file;                  // empty: none; "-": standard output
  std::string placement_file;             // --write-placement; empty: none
  bool best_base = false;                 // `compare`
  WaveOptions wave;                       // `compare`: the machine's name is added to the file's
  std::string timeline_file;              // empty: none; "-": standard output
  int timeline_level = 1;
  BreakdownOptions breakdown;  // `run`, `compare`, `traffic`
  TableFormat format = TableFormat::kTable;
  bool quiet = false;
  // What is read and written, as far as it is known without a machine: of `compare` no waveforms.
  std::vector<FileUse> inputs, outputs;
};

// Nothing to do (`--help`, `--version`: printed to standard output) gives no options.
std::optional<Options> parse_command_line(int argc, const char* const* argv);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Labels of the machines of one table, by which a reader can identify each.
//
// A label is the name of the machine. It is the path of its file if another machine has the same
// name, unless both have the same file and different settings of their own. The settings follow:
// "fred_d@fabric.middle=2". If they are long for one of the machines, numbers replace them, "fred_d
// [1]", and notes list them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/report.h"

namespace fredsim {

struct MachineLabels {
  std::vector<std::string> labels;  // index: run
  std::vector<std::string> notes;   // "fred_d [1]: switch.input_buffer=48KiB, fabric.middle=2"
};

// `runs`: one per machine.
MachineLabels machine_labels(std::span<const ReportedRun> runs);

}  // namespace fredsim

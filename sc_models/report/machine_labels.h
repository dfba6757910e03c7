// SPDX-License-Identifier: Apache-2.0
// Labels of the machines of one table, by which a reader can identify each.
//
// A machine goes by its name, or by the path of its file if another machine has the same name and
// neither file nor settings of its own distinguish them otherwise. Its settings follow,
// "fred_d@fabric.middle=2"; if they are long for one of the machines, a number does, "fred_d [1]",
// with a note that lists them.
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

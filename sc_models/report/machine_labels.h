// SPDX-License-Identifier: Apache-2.0
// Labels of the machines of one table, so that each is told apart as a reader named it.
//
// A machine goes by its name, or by the path of its file where another machine has the same name and
// neither file nor settings of its own tell them apart otherwise. Its settings stand behind it,
// "fred_d@fabric.middle=2"; where that is long for one of them, a number does, "fred_d [1]", and a note says
// what it stands for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/report.h"

namespace fredsim {

struct MachineLabels {
  std::vector<std::string> labels;  // by run
  std::vector<std::string> notes;   // "fred_d [1]: switch.input_buffer=48KiB, fabric.middle=2"
};

// `runs`: one per machine.
MachineLabels machine_labels(std::span<const ReportedRun> runs);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <array>

namespace fredsim {

CommandRow run_row();
CommandRow compare_row();
CommandRow calibrate_row();
CommandRow train_row();
CommandRow astra_row();
CommandRow sweep_row();
CommandRow optimize_row();
CommandRow traffic_row();
CommandRow new_row();
CommandRow import_row();
CommandRow info_row();
CommandRow doctor_row();
CommandRow route_row();
CommandRow conflicts_row();
CommandRow strategies_row();
CommandRow report_row();
CommandRow schema_row();
CommandRow trace_row();

std::span<const CommandRow> commands() {
  static const std::array rows{
      run_row(),      compare_row(),   calibrate_row(),  train_row(),  astra_row(),  sweep_row(),
      optimize_row(), traffic_row(),   new_row(),        import_row(), info_row(),   doctor_row(),
      route_row(),    conflicts_row(), strategies_row(), report_row(), schema_row(), trace_row()};
  return rows;
}

}  // namespace fredsim

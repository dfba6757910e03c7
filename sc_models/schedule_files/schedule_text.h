// SPDX-License-Identifier: Apache-2.0
// Schedule as text, in the program's own format (schedule_files/formats/fredsim_json.cpp).
#pragma once

#include <string>

#include "schedule_files/schedule.h"

namespace fredsim {

// JSON, a flow per line. Reading it returns the same flows.
std::string schedule_text(const CollectiveSchedule& schedule);

}  // namespace fredsim

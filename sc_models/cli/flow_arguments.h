// SPDX-License-Identifier: Apache-2.0
// Flows as they are typed on the command line: input ports, a colon, output ports, each side ports
// and ranges of ports with commas between them: "0,1,2:4,5", "0-3:4-7", "0,2-4:0".
//
// Errors: BadInput naming the flow as typed, what was found and what is allowed.
#pragma once

#include <string>
#include <vector>

#include "routing/fred_routing.h"

namespace fredsim {

// Every port exists in `shape` and is in one flow at most, on each side. At most P flows,
// therefore.
std::vector<Flow> parse_flows(const std::vector<std::string>& texts, const FredSwitchShape& shape);

}  // namespace fredsim

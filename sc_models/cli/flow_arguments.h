// SPDX-License-Identifier: Apache-2.0
// Flows as they are typed on the command line: input ports, a colon, output ports, each side ports
// and ranges of ports with commas between them: "0,1,2:4,5", "0-3:4-7", "0,2-4:0".
//
// Errors: BadInput with the flow as typed, the found value and the allowed values.
#pragma once

#include <string>
#include <vector>

#include "routing/fred_routing.h"

namespace fredsim {

// Parses flows. Every port exists in `shape` and is in at most one flow on each side, so there are
// at most P flows.
std::vector<Flow> parse_flows(const std::vector<std::string>& texts, const FredSwitchShape& shape);

}  // namespace fredsim

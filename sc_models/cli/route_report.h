// SPDX-License-Identifier: Apache-2.0
// Prints a routing as text and as JSON (`fredsim route`).
//
// Bits are counted from bit 0 of the configuration in the layout of
// sc_models/routing/fred_routing.h; hexadecimal and binary numbers have their most significant bit
// on the left.
#pragma once

#include <string>

#include "cli/route_arguments.h"
#include "report/json.h"

namespace fredsim {

// Text: flows, then level by level the colours and the µSwitches in use, the bits, the row.
std::string route_text(const RouteOptions& options, const FredRoute& route, std::size_t columns);

// JSON: one object with the same content and every µSwitch; ends in a newline.
std::string route_json(const Origin& origin, const RouteOptions& options, const FredRoute& route);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Options of `fredsim route`, a row each: one switch, no machine file.
//
// Errors: BadInput with the option or flow, the found value and the allowed values.
#pragma once

#include <string>
#include <vector>

#include "base/flit.h"
#include "results/option_row.h"
#include "routing/fred_routing.h"

namespace fredsim {

// Numbers quoted in the help texts.
static_assert(kMaxPorts == 32 && kMinMiddle == 2 && kMaxMiddle == 4);

struct RouteOptions {
  FredSwitchShape shape;
  std::vector<std::string> flow_texts;  // as typed
  std::vector<Flow> flows;              // parallel to flow_texts
  int vc = kMp;                         // VC in the phase store's row
};

inline constexpr auto kRouteRows = rows::under(
    headings::kWork,
    rows::number<&RouteOptions::shape, &FredSwitchShape::ports>(
        "--ports", "P", "of the switch, 2 to 32", {.least = 1, .min = 2, .max = kMaxPorts}),
    rows::number<&RouteOptions::shape, &FredSwitchShape::middle>(
        "--middle", "M", "middle sub-networks, 2 to 4",
        {.least = 1, .min = kMinMiddle, .max = kMaxMiddle}),
    rows::word<&RouteOptions::vc>("--vc", "NAME",
                                  "virtual channel in the phase's row: mp (default), pp or dp",
                                  {.words = "mp pp dp", .initial = "mp"}),
    rows::text<&RouteOptions::flow_texts>(
        "FLOW", "",
        "input ports, a colon, output ports: 0,1,2:4,5 or 0-3:4-7; reduces over the inputs, "
        "delivers the sum to every output",
        {.least = 1, .most = kAnyNumber}));

}  // namespace fredsim

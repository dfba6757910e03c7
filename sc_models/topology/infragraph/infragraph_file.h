// SPDX-License-Identifier: Apache-2.0
// InfraGraph files (https://infragraph.dev, schema 1.x and 2.x): devices of components, links and
// edges, instances of devices, and edges between these; as YAML, at the top or under the key
// `infrastructure`.
//
//   Components: an xpu is an NPU; every other component (switch, nic, port, cpu, memory, custom)
//     forwards packets, and is left out if it does not lie between NPUs. A device is its own
//     components. Names in messages and of switches: host.0.xpu.3, as in InfraGraph's own graph.
//   Ends of edges: "xpu[0:4]", "nic[1]", "port", "cx5[0].port[0:2]" in Python's notation of slices;
//     one2one joins them in order, up to the length of the shorter side, many2many all pairs. As in
//     InfraGraph's own graph two components have one link, however many edges join them: the last
//     one counts.
//   Links: topology/infragraph/file_links.h.
//   Older dialect: components have a `type` in place of `choice`, `external` is skipped, and
//     `connections` (topology/infragraph/connection.h) replace `edges`; components and instances
//     without a count are as many as connections name, one at least.
//   `annotations` are skipped.
// Errors: BadInput with file and line: keys that are not in the schema; unknown devices,
//   components, instances and links; ends beyond a count; links without bandwidth or latency that
//   are in use.
#pragma once

#include <string>

#include "topology/graph/graph.h"
#include "topology/infragraph/file_links.h"

namespace fredsim {

GraphSpec read_infragraph(const std::string& path, const LinkDefaults& defaults);

}  // namespace fredsim

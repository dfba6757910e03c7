// SPDX-License-Identifier: Apache-2.0
// Lists of nodes and links of a graph, in a machine file or in one of their own.
//
//   nodes:                     links:
//     - name: a                  - from: a             all nodes called so, with all of `to`
//       kind: npu                  to: s
//       count: 4   a0 … a3         bandwidth: 50 GB/s
//     - name: s                    latency: 500 ns
//       kind: switch               count: 2            in parallel
//                                one_way: true       from `from` to `to` alone
// A link without latency has the machine file's fabric.link_latency, wherever the lists are.
// Errors: BadInput with file and line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/file_key.h"
#include "topology/fabric_keys.h"
#include "topology/graph/graph.h"

namespace fredsim {

// The machine file's latency of links, asked for where a link has none; none: it has none either.
using DefaultLatency = std::function<std::optional<std::uint64_t>()>;
DefaultLatency default_latency(const FabricKeys& keys);  // outlive it

// fabric.nodes and fabric.links.
GraphSpec read_graph(const FabricKeys& keys);
// Keys of a file with nodes and links: the keys of fabric.nodes and fabric.links.
const FileKeys& graph_file_keys();
GraphSpec read_graph_file(const std::string& path, const DefaultLatency& default_latency_ps);

}  // namespace fredsim

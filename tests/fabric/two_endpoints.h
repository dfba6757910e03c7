// SPDX-License-Identifier: Apache-2.0
// The smallest fabric: two NPUs of one port, npu0 and npu1, and a link each way between them.
#pragma once

#include <fmt/format.h>

#include "topology/topology.h"

namespace fredsim::test {

// Links 0 (npu0.0->npu1.0) and 1 (back) of `rate` flits per cycle and `latency` cycles; the NPUs
// receive into buffers of `receive_flits`. 1.5 GHz.
inline Topology two_endpoints(Rational rate, int latency, int receive_flits) {
  Topology t;
  t.name = "pair";
  t.clock_hz = 1'500'000'000;
  t.buffers.receive_flits = receive_flits;
  for (int i = 0; i < 2; ++i) {
    Node node{};
    node.kind = NodeKind::kNpu;
    node.name = fmt::format("npu{}", i);
    node.ports = 1;
    node.address = static_cast<std::uint16_t>(i);
    t.nodes.push_back(node);
    t.npus.push_back(i);
  }
  for (int i = 0; i < 2; ++i) {
    Link link{};
    link.name = fmt::format("npu{}.0->npu{}.0", i, 1 - i);
    link.from = i;
    link.to = 1 - i;
    link.rate = rate;
    link.latency = latency;
    t.links.push_back(link);
  }
  t.index_ports();
  return t;
}

}  // namespace fredsim::test

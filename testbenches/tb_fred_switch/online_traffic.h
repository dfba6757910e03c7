// SPDX-License-Identifier: Apache-2.0
// Latency, throughput and fairness of online unicasts through one switch, under uniform random
// traffic: a table on standard output (tb_fred_switch --online).
//
// Every input creates packets at random times (Bernoulli) for random outputs and queues them
// without limit; links take a flit per cycle, receivers never hold back. Latency: from a packet's
// creation until its tail is on the link. On the twin, which equals the RTL and takes every size.
#pragma once

namespace fredsim::tb {

void print_online_traffic();

}  // namespace fredsim::tb

// SPDX-License-Identifier: Apache-2.0
// Work recorded by `tb_fred_switch --wave FILE.fst`: a Fred_3(12) in five stages, each until all of
// it is delivered. Every flit is checked as in the tests.
//
//   0 registers     credits, two phases, routes are written
//   1 all-reduce    phase 0, DP: ports 0-3 all-reduce beside 4-7, whose sum goes to port 8
//   2 pre-emption   stage 1 again, and in its middle phase 1, MP, in pairs of ports
//   3 online        stage 1 again, with unicasts between the ports 6-11 beside it
//   4 stall         stage 1 again, to receivers with few credits that return them late: staging and
//                   inputs fill up
#pragma once

#include <string>

namespace fredsim::tb {

std::string record_wave(const std::string& file);  // returns a description of its content

}  // namespace fredsim::tb

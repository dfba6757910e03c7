// SPDX-License-Identifier: Apache-2.0
// Work recorded by `tb_fred_interconnect --wave FILE.fst`: Fred_3(5), the smallest size with all
// kinds of elements: two levels of R- and D-µSwitches, RD-µSwitches inside, an odd port with its
// demux and mux.
//
// Four configurations, each loaded as a wave, with random flits: every port to itself, all-reduce
// in pairs, all-reduce of all, then random configurations in mid-traffic; in some cycles online
// unicasts instead. Every output is checked as in the tests.
#pragma once

#include <string>

namespace tb {

std::string record_wave(const std::string& file);  // returns a description of its content

}  // namespace tb

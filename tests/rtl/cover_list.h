// SPDX-License-Identifier: Apache-2.0
// Cover points of the RTL, and the test that has to reach the points of each module
// (cover_points.txt).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace fredsim {

// Points by module, found in rtl/; tests run at the top of the checkout.
std::map<std::string, std::set<std::string>> cover_points();
// Modules of each test.
std::map<std::string, std::set<std::string>> modules_by_test();

// A failure for each point of the modules of a test that `counts`, by "module.sv label", has not or
// as zero.
void expect_reached(const std::map<std::string, std::uint64_t>& counts, const std::string& test);

}  // namespace fredsim

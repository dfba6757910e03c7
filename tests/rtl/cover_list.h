// SPDX-License-Identifier: Apache-2.0
// The cover points of the RTL, and which test has to reach those of a module (cover_points.txt).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace fredsim {

// By module, found in rtl/; tests run at the top of the checkout.
std::map<std::string, std::set<std::string>> cover_points();
// By test.
std::map<std::string, std::set<std::string>> modules_by_test();

// A failure for each point of the modules of a test that `counts`, by "module.sv label", has not or as zero.
void expect_reached(const std::map<std::string, std::uint64_t>& counts, const std::string& test);

}  // namespace fredsim

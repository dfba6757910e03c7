// What a plan would do, found by playing it through message by message or switch by switch: the
// independent opinion that the plan's own `order` is checked against.
#pragma once

#include <vector>

#include "collective/plan.h"

namespace fredsim::test {

// Expectations (GoogleTest) on every tree of an all-reduce plan: flit ranges cut the vector
// without gap or overlap; every rank contributes once, the sum is the one in `order`; every rank
// receives it once.
void expect_all_reduce(const Topology& topology, const Plan& plan);

// Flits that every rank sends in the whole plan.
std::vector<std::uint64_t> flits_sent(const Plan& plan);

}  // namespace fredsim::test

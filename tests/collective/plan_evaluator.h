// SPDX-License-Identifier: Apache-2.0
// Effect of a plan, found by playing it through message by message or switch by switch: the
// independent opinion that the plan's own `order` is checked against.
#pragma once

#include <span>
#include <vector>

#include "plan/collective_spec.h"
#include "plan/plan.h"

namespace fredsim::test {

// Expectations (GoogleTest) on a plan of this work: every rank receives exactly the bytes that its
// collective gives it, once, each from the operands that it must hold, added in the order that
// `order` says; nobody else gets anything through the switches.
void expect_plan(const Topology& topology, std::span<const CollectiveSpec> work, const Plan& plan);
// Variant of the check for a plan of one all-reduce.
void expect_all_reduce(const Topology& topology, const Plan& plan);

// Flits that every rank sends in the whole plan, which has one part.
std::vector<std::uint64_t> flits_sent(const Plan& plan);

}  // namespace fredsim::test

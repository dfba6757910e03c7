// SPDX-License-Identifier: Apache-2.0
// mesh_router as a whole: the assertion that binds its parts. Its behaviour: whole_router_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "Vmesh_router/Vmesh_router.h"
#include "Vmesh_router/Vmesh_router___024root.h"
#include "rtl/bench.h"

namespace fredsim {
namespace {

// A flit that the allocator says it let go, of which no buffer knows.
TEST(MeshRouter, AssertsACreditForEveryFlit) {
  Bench<Vmesh_router> bench;
  bench->in_valid_i = bench->reg_valid_i = 0;
  bench.reset();
  bench.edge();
  bench->rootp->mesh_router__DOT__i_allocator__DOT__granted_q = 1;
  const std::string names = bench.broken_by([&] { bench.edge(); });
  // The output's assertion of launches is broken too, in an order that is the simulator's.
  EXPECT_NE((" " + names + " ").find(" one_credit_per_flit "), std::string::npos) << names;
}

}  // namespace
}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <gtest/gtest.h>

namespace fredsim {
namespace {

TEST(Memory, IsReadFromTheKernelsText) {
  EXPECT_EQ(
      mem_available("MemTotal: 9 kB\nMemFree: 5 kB\nMemAvailable:    1234 kB\nBuffers: 1 kB\n"),
      1234U * 1024);
  EXPECT_FALSE(mem_available("MemTotal: 9 kB\n"));
  EXPECT_FALSE(mem_available("MemAvailable: none\n"));
}

TEST(Memory, ThereIsSome) { EXPECT_GT(available_memory(), 1U << 20); }

}  // namespace
}  // namespace fredsim

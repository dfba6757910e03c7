// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <systemc>

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

int main(int argc, char** argv) { return sc_core::sc_elab_and_sim(argc, argv); }

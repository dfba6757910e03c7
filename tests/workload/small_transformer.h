// SPDX-License-Identifier: Apache-2.0
// A transformer of tests, small enough for counts by hand, NPUs at which a FLOP or a byte is a
// picosecond, and runs of a graph in all implementations of the switches.
#pragma once

#include <gtest/gtest.h>

#include "support/comparable_results.h"
#include "support/simulation.h"
#include "workload/training_run.h"

namespace fredsim::test {

// Four query heads of 16 values on two of keys and values; a gated MLP.
inline constexpr TransformerShape kSmallTransformer{.layers = 4,
                                                    .hidden = 64,
                                                    .heads = 4,
                                                    .kv_heads = 2,
                                                    .head_size = 16,
                                                    .mlp = 96,
                                                    .mlp_matrices = 3,
                                                    .vocabulary = 1000,
                                                    .sequence = 128};
// A FLOP is a ps, and so is a byte: the larger counts.
inline constexpr ComputeSpeed kPicosecondSpeed{.npu = {.peak_gflops = 1000,
                                                       .memory_bandwidth = 1'000'000'000'000,
                                                       .memory_bytes = 80'000'000'000}};

// Twin, twin without skipping and RTL; the twin's result.
inline TrainingResult expect_same_in_every_implementation(const Topology& topology,
                                                          const TaskGraph& graph) {
  const ShapePlans plans = plan_shapes(topology, graph, OnConflict::kRefuse);
  Simulation simulation;
  Machine tlm("tlm", topology, {});
  Machine whole("whole", topology, {.skip = false});
  Machine rtl("rtl", topology, {.model = SwitchModel::kRtl});
  TrainingResult result;
  simulation.run([&] {
    result = run_training(tlm, graph, plans);
    EXPECT_EQ(result.run.payload, "exact");
    for (Machine* const other : {&whole, &rtl})
      EXPECT_EQ(comparable_results(result.run),
                comparable_results(run_training(*other, graph, plans).run));
  });
  return result;
}

}  // namespace fredsim::test

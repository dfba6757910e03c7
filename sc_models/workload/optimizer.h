// SPDX-License-Identifier: Apache-2.0
// Memory traffic of an update of the parameters of an NPU, and the state of the optimizer.
//
// Mixed precision (Micikevicius et al., "Mixed Precision Training", ICLR 2018, section 3.1): the
//   weights that layers compute with and the gradients are FP16 (weights: or as wide as the
//   machine's); the optimizer reads each gradient and an FP32 master copy of each weight, and
//   writes that copy and the weight. Adam (Kingma and Ba, ICLR 2015, algorithm 1) also reads and
//   writes two moments, in FP32 as ZeRO counts them (Rajbhandari et al., SC 2020, section 3.1: 12
//   bytes of state per parameter). SGD is without momentum, and has none.
// Time: bytes over the bandwidth of the NPU's memory. The arithmetic, some ten FLOPs per parameter,
//   is hidden behind it.
// Units: bytes per parameter; `weight`: of one that layers compute with.
#pragma once

#include <cstdint>

namespace fredsim {

enum class Optimizer : std::uint8_t { kNone, kSgd, kAdam };

struct OptimizerBytes {
  double load = 0, store = 0;
};

constexpr OptimizerBytes optimizer_bytes(Optimizer optimizer, double weight) {
  constexpr double kGradient = 2, kMaster = 4, kMoments = 2 * 4;
  switch (optimizer) {
    case Optimizer::kSgd:
      return {kGradient + kMaster, kMaster + weight};
    case Optimizer::kAdam:
      return {kGradient + kMaster + kMoments, kMaster + kMoments + weight};
    case Optimizer::kNone:
      break;
  }
  return {};
}

// State that stays between updates: the master copy, and moments.
constexpr std::uint64_t optimizer_state_bytes(Optimizer optimizer) {
  constexpr std::uint64_t kMaster = 4, kMoments = 2 * 4;
  switch (optimizer) {
    case Optimizer::kSgd:
      return kMaster;
    case Optimizer::kAdam:
      return kMaster + kMoments;
    case Optimizer::kNone:
      break;
  }
  return 0;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "wave.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "dut.h"
#include "harness.h"
#include "oracle.h"
#include "switch/fst_writer.h"

namespace tb {
namespace {

constexpr std::uint64_t kSeed = 4;  // one with flits in every part
constexpr int kFixedCycles = 40;    // with each of the known configurations
constexpr int kRandomCycles = 80;   // with random ones

}  // namespace

std::string record_wave(const std::string& file) {
  const auto& sizes = built_sizes();
  const Size& size = *std::ranges::find_if(sizes, &Size::wave);
  const Shape& shape = size.shape;
  VerilatedContext context;
  context.threads(1);
  context.traceEverOn(true);
  const auto dut = size.make(context);
  if (!dut->open_wave(file)) throw fredsim::BadInput("'" + file + "' cannot be written");
  const fredsim::FstErrors thrown;
  Harness harness(shape, *dut, kSeed);
  for (const ConfigBits& bits :
       {straight_config(shape), pair_config(shape), all_reduce_config(shape)}) {
    harness.run_fixed(bits, kFixedCycles);
  }
  harness.run(kRandomCycles);
  dut->close_wave();
  const Totals& totals = harness.totals();
  return fmt::format(
      "{}, {} cycles, 1 ns each; {} configurations loaded, {} flits out, {} of them sums, {} "
      "online",
      shape.name(), totals.cycles, totals.waves, totals.flits, totals.sums, totals.unicasts);
}

}  // namespace tb

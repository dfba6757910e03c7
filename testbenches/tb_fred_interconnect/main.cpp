// SPDX-License-Identifier: Apache-2.0
// Testbench of rtl/fred/fred_interconnect.sv (and of the µSwitches inside). See --help for options.
// Exit: 0 all equal; 1 a difference, with seed and cycle; 2 bad option.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "../run_wave.h"
#include "base/error.h"
#include "cli/program_options.h"
#include "dut.h"
#include "harness.h"
#include "oracle.h"
#include "routed_sets.h"
#include "wave.h"

namespace {

using tb::ConfigBits;
using tb::Network;
using tb::Shape;

struct Options {
  std::uint64_t seed = 1;
  int cycles = 0;  // 0: default of the mode
  std::string size;
  bool list = false;
  bool bench = false;
};

std::string key(const Shape& shape) {
  return std::to_string(shape.ports) + "," + std::to_string(shape.middle) + "," +
         std::to_string(shape.lanes) + "," + std::to_string(shape.format) +
         (shape.adder_stages == 1 ? "" : ",2");
}

// Known configurations must have the function that their names give; otherwise the oracle misreads
// the layout.
void check_meaning(const Shape& shape) {
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) throw tb::Mismatch(shape.name() + ": the oracle misreads " + what);
  };
  const auto ports_of = [](const Network& network, int port) {
    const int e = network.outputs[port];
    return e == Network::kNothing ? 0U : network.expressions[e].ports;
  };
  const std::uint32_t all = ~0U >> (32 - shape.ports);
  const ConfigBits straight = tb::straight_config(shape);
  expect(static_cast<int>(straight.size()) == tb::config_bits(shape.ports, shape.middle), "length");
  const Network by_port = tb::evaluate(shape, straight);
  const Network by_pair = tb::evaluate(shape, tb::pair_config(shape));
  const Network by_all = tb::evaluate(shape, tb::all_reduce_config(shape));
  for (int p = 0; p < shape.ports; ++p) {
    expect(ports_of(by_port, p) == 1U << p, "straight_config");
    expect(ports_of(by_pair, p) == ((3U << (p & ~1)) & all), "pair_config");
    expect(ports_of(by_all, p) == all, "all_reduce_config");
  }
}

constexpr int kRoutedSets = 6;  // per kind of flow

struct SizeTotals {
  tb::Totals harness;
  tb::RoutedSets sets;
};

SizeTotals run_size(const tb::Size& size, const Options& options) {
  const Shape& shape = size.shape;
  check_meaning(shape);
  VerilatedContext context;
  context.threads(1);
  const auto dut = size.make(context);
  tb::Harness harness(shape, *dut, options.seed);
  for (const ConfigBits& bits :
       {tb::straight_config(shape), tb::pair_config(shape), tb::all_reduce_config(shape)}) {
    harness.run_fixed(bits, 40);
  }
  const tb::RoutedSets sets = tb::run_routed_sets(shape, harness, options.seed, kRoutedSets);
  const int cycles = options.cycles != 0 ? options.cycles : shape.lanes > 16 ? 600 : 3000;
  constexpr int kResets = 30;  // flits and loads are in flight in most of them
  for (int part = 0; part < kResets; ++part) {
    harness.run(cycles / kResets);
    harness.reset();
  }
  harness.launch_unjoined();
  harness.run(cycles / 3);
  return {harness.totals(), sets};
}

// A sum with one input missing gives no flit, and asserts nothing: software can ask for it
// (fred_exit.sv finds it).
void check_broken_sum(const tb::Size& size) {
  VerilatedContext context;
  context.threads(1);
  context.fatalOnError(false);
  const auto dut = size.make(context);
  tb::Harness harness(size.shape, *dut, 1);
  harness.run_fixed(tb::all_reduce_config(size.shape), 8);
  if (context.gotError()) throw tb::Mismatch(size.shape.name() + ": asserts without a reason");
  dut->set_valid(1);
  dut->in_flits()[2] = 0;  // no unicast
  for (int edge = 0; edge < tb::stages(size.shape); ++edge) {
    dut->step();
    dut->set_valid(0);
  }
  if (dut->valid() != 0) throw tb::Mismatch(size.shape.name() + ": a broken sum gives a flit");
  if (context.gotError()) throw tb::Mismatch(size.shape.name() + ": a broken sum is asserted");
}

void bench(const tb::Size& size, const char* name, const ConfigBits& bits, bool loaded,
           int cycles) {
  const Shape& shape = size.shape;
  VerilatedContext context;
  context.threads(1);
  const auto dut = size.make(context);
  fredsim::Random random(1);
  dut->set_reset(true);
  dut->step();
  dut->set_reset(false);
  for (std::size_t b = 0; b < bits.size(); ++b) {
    if (bits[b]) dut->config()[b / 32] |= 1U << (b % 32);
  }
  dut->set_load(true);
  dut->step();
  dut->set_load(false);
  for (int edge = 0; edge < tb::stages(shape); ++edge) dut->step();
  // Finite operands of both signs around one.
  std::vector<std::uint32_t> data(4096);
  for (auto& word : data) {
    word = (static_cast<std::uint32_t>(random.next()) & 0x87FF87FFU) ^ 0x3C003C00U;
  }
  dut->set_valid(loaded ? ~0U >> (32 - shape.ports) : 0);
  std::uint64_t delivered = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int cycle = 0; cycle < cycles; ++cycle) {
    WData* flits = dut->in_flits();
    for (int p = 0; loaded && p < shape.ports; ++p) {
      WData* flit = flits + p * shape.flit_words();
      flit[0] = static_cast<std::uint32_t>(cycle);
      flit[3] = data[(cycle * 31 + p) % 4096];
    }
    dut->step();
    delivered += dut->valid() & 1U;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::printf("%s, %-22s %6.2f M cycles/s (port 0 delivered %llu)\n", shape.name().c_str(), name,
              1e-6 * cycles / wall.count(), static_cast<unsigned long long>(delivered));
}

int run_tests(const Options& options) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
  bool found = false;
  for (const tb::Size& size : tb::built_sizes()) {
    if (!options.size.empty() && options.size != key(size.shape)) continue;
    found = true;
    const auto [totals, sets] = run_size(size, options);
    if (!size.fast) check_broken_sum(size);
    std::printf(
        "%s: %llu cycles, %llu waves, %llu flits equal, %llu of them sums, %llu online; "
        "%d flow sets routed, %d conflicts\n",
        size.shape.name().c_str(), static_cast<unsigned long long>(totals.cycles),
        static_cast<unsigned long long>(totals.waves),
        static_cast<unsigned long long>(totals.flits), static_cast<unsigned long long>(totals.sums),
        static_cast<unsigned long long>(totals.unicasts), sets.routed, sets.conflicts);
    if (totals.flits == 0 || totals.sums == 0 || totals.unicasts == 0 || sets.flits == 0) {
      throw tb::Mismatch("nothing was tested");
    }
  }
  if (!found) {
    throw fredsim::BadInput("--size: found '" + options.size +
                            "'; allowed: one of those that --list prints");
  }
  return 0;
}

int run(int argc, char** argv) {
  Options options;
  fredsim::ProgramOptions program(
      "tb_fred_interconnect",
      "Checks rtl/fred/fred_interconnect.sv and its µSwitches, in every built size, against an\n"
      "independent model: known configurations, sets of flows as the routing library routes them,\n"
      "random configurations under random traffic with resets, and broken sums, which must give\n"
      "no flit.",
      "  build/tb_fred_interconnect --size 5,3,1,0 --seed 7\n"
      "  build/tb_fred_interconnect --wave w.fst\n"
      "  gtkwave w.fst testbenches/tb_fred_interconnect/tb_fred_interconnect.gtkw");
  std::string wave;
  program.add("--seed", options.seed, 0, "of the random work (default 1)");
  program.add("--cycles", options.cycles, 1,
              "per size (default 3000, with many lanes 600; --bench: 1000000)");
  program.add("--size", options.size, "P,M,LANES,FORMAT", "this size only (default: all)");
  program.add_flag("--list", options.list, "prints the built sizes instead of the check");
  program.add_flag("--bench", options.bench, "cycles per second instead of the check");
  program.add("--wave", wave, "FILE.fst", "Fred_3(5) as a waveform instead of the check");
  if (const auto end = program.parse({argv + 1, argv + argc})) return *end;
  if (!wave.empty()) return fredsim::tb::run_wave("tb_fred_interconnect", tb::record_wave, wave);
  if (options.list) {
    for (const tb::Size& size : tb::built_sizes()) std::printf("%s\n", key(size.shape).c_str());
    return 0;
  }
  if (options.bench) {
    const int cycles = options.cycles != 0 ? options.cycles : 1'000'000;
    for (const tb::Size& size : tb::built_sizes()) {
      if (!size.fast) continue;
      bench(size, "idle", tb::straight_config(size.shape), false, cycles);
      bench(size, "unicast on all ports", tb::straight_config(size.shape), true, cycles);
      bench(size, "all-reduce by pairs", tb::pair_config(size.shape), true, cycles);
      bench(size, "all-reduce of all", tb::all_reduce_config(size.shape), true, cycles);
    }
    return 0;
  }
  return run_tests(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const tb::Mismatch& mismatch) {
    std::fprintf(stderr, "FAIL %s\n", mismatch.what());
    return 1;
  } catch (const fredsim::Error& error) {
    return fredsim::report_error("tb_fred_interconnect", error);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Testbench of rtl/common/fp_add.sv: compares every sum bit for bit with a reference (reference.h).
// See --help for options. Exit: 0 all equal; 1 first difference, with operands; 2 bad option.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../run_wave.h"
#include "Vtb_fp_add_bf16/Vtb_fp_add_bf16.h"
#include "Vtb_fp_add_fp16/Vtb_fp_add_fp16.h"
#include "base/error.h"
#include "base/random.h"
#include "cli/program_options.h"
#include "reference.h"
#include "verilated.h"
#include "wave.h"

namespace {

constexpr int kAdders = 64;

struct Options {
  bool fp16 = true;
  bool bf16 = true;
  std::uint64_t seed = 1;
  std::uint64_t pairs = 12'000'000;
  bool exhaustive = false;
  bool bench = false;
};

// Collects pairs and checks them kAdders at a time.
template <class Model>
class Checker {
 public:
  Checker(VerilatedContext& context, const tb::Format& format)
      : format_(format), model_(&context, "dut") {
    model_.en_i = 1;
  }
  ~Checker() { model_.final(); }
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  void pair(std::uint16_t a, std::uint16_t b) {
    put(&model_.a_i[0], a);
    put(&model_.b_i[0], b);
    if (++filled_ == kAdders) flush();
  }
  void flush() {
    model_.eval();
    for (int n = 0; n < filled_; ++n) check(n);
    filled_ = 0;
  }
  // Operand isolation: disabled adders give 0 for any operands.
  void check_disabled() {
    model_.en_i = 0;
    model_.eval();
    for (int n = 0; n < kAdders; ++n) {
      if (get(&model_.sum_o[0], n) != 0) fail("en_i = 0", n, 0);
    }
    model_.en_i = 1;
  }
  std::uint64_t checked() const { return checked_; }

 private:
  void put(WData* vector, std::uint16_t value) const {
    WData& word = vector[filled_ / 2];
    const int shift = filled_ % 2 * 16;
    word = (word & ~(0xFFFFU << shift)) | std::uint32_t{value} << shift;
  }
  static std::uint16_t get(const WData* vector, int n) {
    return static_cast<std::uint16_t>(vector[n / 2] >> (n % 2 * 16));
  }
  void check(int n) {
    const std::uint16_t a = get(&model_.a_i[0], n);
    const std::uint16_t b = get(&model_.b_i[0], n);
    const std::uint16_t sum = get(&model_.sum_o[0], n);
    if (const std::uint16_t want = tb::reference_add(format_, a, b); sum != want) {
      fail("reference", n, want);
    }
    if (hardware_) {
      if (const std::uint16_t want = tb::hardware_add(a, b); sum != want) fail("F16C", n, want);
    }
    ++checked_;
  }
  [[noreturn]] void fail(const char* against, int n, std::uint16_t want) {
    std::fprintf(stderr, "FAIL %s: %04x + %04x = %04x, %s says %04x\n", format_.name,
                 get(&model_.a_i[0], n), get(&model_.b_i[0], n), get(&model_.sum_o[0], n), against,
                 want);
    std::exit(1);
  }

  const tb::Format& format_;
  const bool hardware_ = &format_ == &tb::kFp16 && tb::hardware_available();
  Model model_;
  int filled_ = 0;
  std::uint64_t checked_ = 0;
};

// Zero, infinities, NaNs of every kind, the ends of the subnormals and normals, one, a half ulp of
// one and their neighbours, each with both signs.
std::set<std::uint16_t> special_values(const tb::Format& f) {
  const unsigned man = f.mantissa_bits;
  const unsigned bias = (1U << (f.exponent_bits - 1)) - 1U;
  const unsigned inf = f.exponent_mask();
  const unsigned one = bias << man;
  const unsigned min_normal = 1U << man;
  const unsigned half_ulp_of_one = (bias - man - 1) << man;
  const std::array<unsigned, 24> positive{0,
                                          1,
                                          2,
                                          min_normal - 1,
                                          min_normal,
                                          min_normal + 1,
                                          inf - 2,
                                          inf - 1,
                                          inf,
                                          inf + 1,
                                          inf + 2,
                                          f.quiet_nan(),
                                          0x7FFF,
                                          0x7FFEU,
                                          one - 1,
                                          one,
                                          one + 1,
                                          one + min_normal,
                                          0x5555U,
                                          f.quiet_nan() | 1U,
                                          half_ulp_of_one - 1,
                                          half_ulp_of_one,
                                          half_ulp_of_one + 1,
                                          inf - min_normal};
  std::set<std::uint16_t> values;
  for (const unsigned v : positive) {
    values.insert(static_cast<std::uint16_t>(v));
    values.insert(static_cast<std::uint16_t>(v | 0x8000U));
  }
  return values;
}

template <class Model>
void run_format(const Options& options, const tb::Format& format) {
  VerilatedContext context;
  context.threads(1);
  Checker<Model> checker(context, format);
  if (options.exhaustive) {
    for (std::uint32_t a = 0; a < 0x10000; ++a) {
      for (std::uint32_t b = 0; b < 0x10000; ++b) {
        checker.pair(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
      }
    }
  } else {
    const std::set<std::uint16_t> specials = special_values(format);
    for (const std::uint16_t special : specials) {
      for (std::uint32_t other = 0; other < 0x10000; ++other) {
        checker.pair(special, static_cast<std::uint16_t>(other));
        checker.pair(static_cast<std::uint16_t>(other), special);
      }
    }
    std::printf("%s: %zu special values x 65536 x 2 orders\n", format.name, specials.size());
    fredsim::Random random(options.seed);
    for (std::uint64_t n = 0; n < options.pairs; ++n) {
      const std::uint64_t bits = random.next();
      const auto a = static_cast<std::uint16_t>(bits);
      auto b = static_cast<std::uint16_t>(bits >> 16);
      if (n % 2 == 1) {  // exponent of b: within -2 … +1 of the exponent of a, modulo the
                         // exponent's range
        const int step = static_cast<int>(bits >> 32 & 3U) - 2;
        const int near = (a & format.exponent_mask()) + step * (1 << format.mantissa_bits);
        b = static_cast<std::uint16_t>((b & ~format.exponent_mask()) |
                                       (near & format.exponent_mask()));
      }
      checker.pair(a, b);
    }
  }
  checker.flush();
  checker.check_disabled();
  std::printf("%s: %llu pairs equal to the reference%s\n", format.name,
              static_cast<unsigned long long>(checker.checked()),
              format.exponent_bits == 5 && tb::hardware_available() ? " and to F16C" : "");
}

template <class Model>
void bench_format(const char* name) {
  constexpr int kRounds = 200'000;
  VerilatedContext context;
  context.threads(1);
  Model model(&context, "dut");
  model.en_i = 1;
  fredsim::Random random(1);
  std::vector<std::uint32_t> data(4096);
  const std::uint32_t scale = 0x3C003C00U;  // exponents around the exponent of 1
  for (auto& word : data) word = (static_cast<std::uint32_t>(random.next()) & 0x87FF87FFU) ^ scale;
  std::uint32_t fold = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds; ++round) {
    for (int w = 0; w < kAdders / 2; ++w) {
      model.a_i[w] = data[(round * 7 + w) % 4096];
      model.b_i[w] = data[(round * 13 + w * 5) % 4096];
    }
    model.eval();
    fold ^= model.sum_o[round % (kAdders / 2)];
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::printf("%s: %.1f M additions/s (check %08x)\n", name,
              1e-6 * kAdders * kRounds / wall.count(), fold);
  model.final();
}

int run(int argc, char** argv) {
  Options options;
  fredsim::ProgramOptions program(
      "tb_fp_add",
      "Checks rtl/common/fp_add.sv, every answer bit for bit, against a reference: special\n"
      "values with all 65 536 values in both orders, then random pairs, FP16 and BF16.",
      "  build/tb_fp_add --format bf16 --seed 7\n"
      "  build/tb_fp_add --wave w.fst\n"
      "  gtkwave w.fst testbenches/tb_fp_add/tb_fp_add.gtkw");
  std::string format;
  std::string wave;
  program.add("--format", format, "NAME", "fp16 or bf16 (default: both)");
  program.add("--seed", options.seed, 0, "of the random pairs (default 1)");
  program.add("--pairs", options.pairs, 0,
              "random pairs, half of them with exponents close together\n(default 12000000)");
  program.add_flag("--exhaustive", options.exhaustive, "all 2^32 pairs instead, which takes hours");
  program.add_flag("--bench", options.bench, "additions per second instead of the check");
  program.add("--wave", wave, "FILE.fst", "one FP16 adder as a waveform instead of the check");
  if (const auto end = program.parse({argv + 1, argv + argc})) return *end;
  if (!wave.empty()) return fredsim::tb::run_wave("tb_fp_add", tb::record_wave, wave);
  if (!format.empty() && format != "fp16" && format != "bf16") {
    throw fredsim::BadInput("--format: found '" + format + "'; allowed: fp16 or bf16");
  }
  options.fp16 = format != "bf16";
  options.bf16 = format != "fp16";
  std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
  if (options.bench) {
    if (options.fp16) bench_format<Vtb_fp_add_fp16>("FP16");
    if (options.bf16) bench_format<Vtb_fp_add_bf16>("BF16");
    return 0;
  }
  if (options.fp16) run_format<Vtb_fp_add_fp16>(options, tb::kFp16);
  if (options.bf16) run_format<Vtb_fp_add_bf16>(options, tb::kBf16);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fredsim::Error& error) {
    return fredsim::report_error("tb_fp_add", error);
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "wave.h"

#include <fmt/format.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>

#include "Vtb_fp_add_wave/Vtb_fp_add_wave.h"
#include "base/error.h"
#include "base/random.h"
#include "reference.h"
#include "switch/fst_writer.h"

namespace tb {
namespace {

constexpr int kRandomPairs = 200;
constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kPicosecondsPerPair = 1000;

struct Pair {
  std::uint16_t a, b;
  bool enabled = true;
};

constexpr Pair kPairs[] = {
    {0x3C00, 0x3C00},         // 1 + 1
    {0x4000, 0x3800},         // 2 + 0.5
    {0x4200, 0xBC00},         // 3 - 1
    {0x3C00, 0x1000},         // 1 + half an ulp: a tie, to even, down
    {0x3C01, 0x1000},         // the next one: a tie, up
    {0x3C00, 0x1001},         // more than half an ulp: up
    {0x3C00, 0x0001},         // all of the smaller one is lost, but for the sticky bit
    {0x3FFF, 0x1000},         // rounding carries into the exponent
    {0x7BFF, 0x4C00},         // the largest number + half an ulp: infinity
    {0x7BFF, 0x7BFF},         // overflow
    {0x3C00, 0xBC00},         // x - x = +0
    {0x3C00, 0xBBFF},         // cancellation to one bit
    {0x8000, 0x8000},         // -0 + -0 = -0
    {0x0000, 0x8000},         // +0 + -0 = +0
    {0x0001, 0x0001},         // subnormals
    {0x03FF, 0x0001},         // the largest subnormal + the smallest: a normal
    {0x0400, 0x8001},         // and back
    {0x7C00, 0x3C00},         // infinity + 1
    {0x7C00, 0xFC00},         // infinity - infinity: NaN
    {0x7D00, 0x3C00},         // a signalling NaN: the quiet one
    {0x3C00, 0x3C00, false},  // disabled: 0
};

class Recorder {
 public:
  explicit Recorder(const std::string& file) {
    // The writer ends the process on a path that it cannot open.
    if (!std::ofstream(file, std::ios::binary)) {
      throw fredsim::BadInput("'" + file + "' cannot be written");
    }
    model_.trace(&wave_, 99);
    wave_.set_time_unit("1ps");
    wave_.set_time_resolution("1ps");
    wave_.open(file.c_str());
  }
  ~Recorder() { model_.final(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void add(const Pair& pair) {
    model_.en_i = pair.enabled;
    model_.a_i = pair.a;
    model_.b_i = pair.b;
    model_.eval();
    wave_.dump(pairs_++ * kPicosecondsPerPair);
    const std::uint16_t want = pair.enabled ? reference_add(kFp16, pair.a, pair.b) : 0;
    if (model_.sum_o != want) {
      throw std::runtime_error(fmt::format("{:04x} + {:04x} = {:04x}, reference says {:04x}",
                                           pair.a, pair.b, model_.sum_o, want));
    }
  }
  void close() { wave_.close(); }
  std::uint64_t pairs() const { return pairs_; }

 private:
  static VerilatedContext* prepared(VerilatedContext& context) {
    context.threads(1);
    context.traceEverOn(true);
    return &context;
  }

  VerilatedContext context_;
  Vtb_fp_add_wave model_{prepared(context_), "dut"};
  VerilatedFstC wave_;  // after the model: closed before it is gone
  std::uint64_t pairs_ = 0;
};

}  // namespace

std::string record_wave(const std::string& file) {
  Recorder recorder(file);
  const fredsim::FstErrors thrown;
  for (const Pair& pair : kPairs) recorder.add(pair);
  fredsim::Random random(kSeed);
  for (int n = 0; n < kRandomPairs; ++n) {
    const std::uint64_t bits = random.next();
    const auto a = static_cast<std::uint16_t>(bits & 0xBBFFU);  // exponent below the exponent of 1
    const auto sign_and_mantissa = static_cast<std::uint16_t>(bits >> 16 & 0x83FFU);
    const int exponent = (a >> 10 & 31) + static_cast<int>(bits >> 32 & 3U);
    recorder.add({a, static_cast<std::uint16_t>(sign_and_mantissa | exponent << 10)});
  }
  recorder.close();
  return fmt::format("one FP16 adder, {} pairs, 1 ns each, all sums equal to the reference",
                     recorder.pairs());
}

}  // namespace tb

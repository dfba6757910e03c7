// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "reference.h"

namespace tb {
namespace {

constexpr int kHeaderWords = 3;
constexpr std::uint32_t kLinkBits = 0x3'FFFF;  // bits of word 2: no path in the header

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", value);
  return text;
}

}  // namespace

Harness::Harness(const Shape& shape, Dut& dut, std::uint64_t seed)
    : shape_(shape),
      dut_(dut),
      random_(seed),
      seed_(seed),
      stages_(stages(shape)),
      config_words_((config_bits(shape.ports, shape.middle) + 31) / 32),
      quiet_edges_(stages_) {
  reset();
}

void Harness::reset() {
  const ConfigBits nothing(config_bits(shape_.ports, shape_.middle), false);
  network_ = evaluate(shape_, nothing);
  wave_left_ = 0;
  load_ = false;
  dut_.set_reset(true);
  dut_.set_load(random_.below(2) != 0);
  choose_launches();
  drive_flits();
  drive_config();
  dut_.set_valid(launch_);
  dut_.step();
  dut_.set_reset(false);
  pipeline_.assign(stages_ - 1, Expected{});
  quiet_edges_ = stages_;
  if (dut_.valid() != 0 || dut_.busy()) fail("not empty after reset");
  ++totals_.cycles;
}

void Harness::load(const ConfigBits& bits) {
  wave_bits_ = bits;
  wave_left_ = stages_;
  load_ = true;
  step();
  network_ = evaluate(shape_, bits);
  ++totals_.waves;
}

void Harness::run(int cycles) {
  const std::uint64_t end = totals_.cycles + cycles;
  while (totals_.cycles < end) {
    if (wave_left_ == 0 && random_.below(3 * stages_ + 4) == 0) {
      load(random_config(shape_, random_));
    } else {
      step();
    }
  }
}

void Harness::run_fixed(const ConfigBits& bits, int cycles) {
  while (wave_left_ > 0) step();
  load(bits);
  for (int cycle = 0; cycle < cycles; ++cycle) step();
}

// One edge: launch flits, record the expected outputs, compare the outputs of this edge.
void Harness::step() {
  choose_launches();
  drive_flits();
  drive_config();
  dut_.set_load(load_);
  dut_.set_valid(launch_);
  pipeline_.push_back(expect());
  dut_.step();
  ++totals_.cycles;
  quiet_edges_ = launch_ != 0 || load_ ? 0 : std::min(quiet_edges_ + 1, stages_);
  load_ = false;
  if (wave_left_ > 0) --wave_left_;
  compare(pipeline_.front());
  pipeline_.pop_front();
  if (dut_.busy() != (quiet_edges_ < stages_)) fail("busy_o is " + std::to_string(dut_.busy()));
}

void Harness::choose_launches() {
  if (mood_left_-- == 0) {
    mood_left_ = static_cast<int>(random_.below(4 * stages_ + 8));
    const std::uint64_t mood = random_.below(4);
    launch_percent_ = mood == 0 ? 0 : mood == 1 ? 100 : random_.below(100);
  }
  launch_ = 0;
  std::uint32_t decided = 0;
  for (int p = 0; p < shape_.ports; ++p) {
    const std::uint32_t group = unjoined_ ? 1U << p : network_.joined[p];
    if ((decided >> p & 1U) == 0 && random_.below(100) < launch_percent_) launch_ |= group;
    decided |= group;
  }
  unicasts_.clear();
  if (random_.below(100) < launch_percent_ / 4) {
    unicasts_ = random_unicasts(shape_, random_);
    launch_ = 0;
    for (const Unicast& unicast : unicasts_) launch_ |= 1U << unicast.input;
  }
}

void Harness::drive_flits() {
  WData* words = dut_.in_flits();
  for (int w = 0; w < shape_.ports * shape_.flit_words(); w += 2) {
    const std::uint64_t bits = random_.next();
    words[w] = static_cast<std::uint32_t>(bits);
    if (w + 1 < shape_.ports * shape_.flit_words()) {
      words[w + 1] = static_cast<std::uint32_t>(bits >> 32);
    }
  }
  // Half of the lanes near one another in exponent, where sums round and cancel.
  const std::uint32_t exponents = shape_.format == 0 ? 0x70007000U : 0x7F007F00U;
  const std::uint32_t centre = shape_.format == 0 ? 0x30003000U : 0x3F003F00U;
  for (int p = 0; p < shape_.ports; ++p) {
    if (random_.below(2) == 0) continue;
    for (int w = kHeaderWords; w < shape_.flit_words(); ++w) {
      WData& word = words[p * shape_.flit_words() + w];
      word = (word & ~exponents) | centre;
    }
  }
  for (int p = 0; p < shape_.ports; ++p) words[p * shape_.flit_words() + 2] &= kLinkBits;
  for (const Unicast& u : unicasts_)
    words[u.input * shape_.flit_words() + 2] |= u.header_bits << 18;
}

void Harness::drive_config() {
  WData* words = dut_.config();
  for (int w = 0; w < config_words_; ++w) words[w] = static_cast<std::uint32_t>(random_.next());
  if (wave_left_ == 0) return;
  for (std::size_t b = 0; b < wave_bits_.size(); ++b) {
    const std::uint32_t bit = 1U << (b % 32);
    words[b / 32] = wave_bits_[b] ? words[b / 32] | bit : words[b / 32] & ~bit;
  }
}

Harness::Expected Harness::expect() const {
  const int words = shape_.flit_words();
  Expected expected;
  if (launch_ == 0) return expected;
  expected.flits.resize(static_cast<std::size_t>(shape_.ports * words));
  // Expressions are in order of dependence: operands before sums.
  std::vector<std::uint32_t> values(network_.expressions.size() * words);
  const WData* inputs = dut_.in_flits();
  for (const Unicast& u : unicasts_) {
    expected.valid |= 1U << u.output;
    std::copy_n(inputs + u.input * words, words, &expected.flits[u.output * words]);
  }
  if (!unicasts_.empty()) return expected;
  std::copy(inputs, inputs + shape_.ports * words, values.begin());
  for (std::size_t e = shape_.ports; e < network_.expressions.size(); ++e) {
    const Network::Expression& expression = network_.expressions[e];
    if ((expression.ports & ~launch_) != 0) continue;
    add(&values[expression.left * words], &values[expression.right * words], &values[e * words]);
  }
  for (int p = 0; p < shape_.ports; ++p) {
    const int e = network_.outputs[p];
    if (e == Network::kNothing || (network_.expressions[e].ports & ~launch_) != 0) continue;
    expected.valid |= 1U << p;
    if (network_.expressions[e].left != Network::kNothing) expected.sums |= 1U << p;
    std::copy_n(&values[e * words], words, &expected.flits[p * words]);
  }
  return expected;
}

void Harness::add(const std::uint32_t* left, const std::uint32_t* right, std::uint32_t* sum) const {
  const Format& format = shape_.format == 0 ? kFp16 : kBf16;
  std::copy_n(left, kHeaderWords, sum);
  std::fill(sum + kHeaderWords, sum + shape_.flit_words(), 0U);
  for (int lane = 0; lane < shape_.lanes; ++lane) {
    const int word = kHeaderWords + lane / 2;
    const int shift = lane % 2 * 16;
    const auto value = reference_add(format, static_cast<std::uint16_t>(left[word] >> shift),
                                     static_cast<std::uint16_t>(right[word] >> shift));
    sum[word] |= std::uint32_t{value} << shift;
  }
}

void Harness::compare(const Expected& expected) {
  if (dut_.valid() != expected.valid) {
    fail("out_valid_o is " + hex(dut_.valid()) + ", expected " + hex(expected.valid));
  }
  totals_.unicasts += unicasts_.size();
  totals_.sums += static_cast<std::uint64_t>(std::popcount(expected.sums));
  const WData* flits = dut_.out_flits();
  for (int p = 0; p < shape_.ports; ++p) {
    if ((expected.valid >> p & 1U) == 0) continue;
    for (int w = 0; w < shape_.flit_words(); ++w) {
      const std::size_t at = static_cast<std::size_t>(p * shape_.flit_words() + w);
      if (flits[at] != expected.flits[at]) {
        fail("port " + std::to_string(p) + " word " + std::to_string(w) + " is " + hex(flits[at]) +
             ", expected " + hex(expected.flits[at]));
      }
    }
    ++totals_.flits;
  }
}

void Harness::fail(const std::string& what) const {
  throw Mismatch(shape_.name() + ", seed " + std::to_string(seed_) + ", cycle " +
                 std::to_string(totals_.cycles) + ": " + what);
}

}  // namespace tb

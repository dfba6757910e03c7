// SPDX-License-Identifier: Apache-2.0
// A Verilated module with clk_i and rst_ni, edge by edge. An assertion of the RTL that fails is a
// failure of the test, unless the test asks for it (broken_by).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>

#include "verilated.h"

namespace fredsim {

// Bits of a port of any width.
template <class Signal>
std::uint64_t bits(const Signal& signal, int lsb, int width) {
  if constexpr (std::is_integral_v<Signal>) {
    return static_cast<std::uint64_t>(signal) >> lsb & (~std::uint64_t{0} >> (64 - width));
  } else {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) {
      const int at = lsb + i;
      value |= std::uint64_t{signal[at / 32] >> (at % 32) & 1U} << i;
    }
    return value;
  }
}

template <class Signal>
bool bit(const Signal& signal, int at) {
  return bits(signal, at, 1) != 0;
}

template <class Signal>
void set_bits(Signal& signal, int lsb, int width, std::uint64_t value) {
  for (int i = 0; i < width; ++i) {
    const int at = lsb + i;
    if constexpr (std::is_integral_v<Signal>) {
      const std::uint64_t mask = std::uint64_t{1} << at;
      signal = static_cast<Signal>((signal & ~mask) | ((value >> i & 1U) != 0 ? mask : 0));
    } else {
      const std::uint32_t mask = 1U << (at % 32);
      signal[at / 32] = (value >> i & 1U) != 0 ? signal[at / 32] | mask : signal[at / 32] & ~mask;
    }
  }
}

template <class Signal>
void set_bit(Signal& signal, int at, bool value) {
  set_bits(signal, at, 1, value ? 1 : 0);
}

// The assertions that fail in `f`, by name, each once, in the order in which they do.
template <class F>
std::string broken_assertions(VerilatedContext& context, F f) {
  testing::internal::CaptureStderr();
  f();
  std::istringstream lines(testing::internal::GetCapturedStderr());
  context.gotError(false);
  context.gotFinish(false);
  std::string names;
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("Assertion failed in ");
    if (at == std::string::npos) continue;
    std::string name = line.substr(0, line.find(':', at));
    name = name.substr(name.find_last_of('.') + 1);
    if ((" " + names + " ").find(" " + name + " ") != std::string::npos) continue;
    names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

// Called for every Bench before it ends, while it is set: for who counts cover points.
inline std::function<void(VerilatedContext&)> at_end_of_bench;

template <class Model>
class Bench {
 public:
  Bench() : model_(context_.get(), "dut") {
    context_->fatalOnError(false);
    model_.rst_ni = 0;
  }
  ~Bench() {
    model_.final();
    if (at_end_of_bench) at_end_of_bench(*context_);
    Verilated::threadContextp(context_.get());  // context from which its destructor removes itself
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  VerilatedContext& context() { return *context_; }
  Model* operator->() { return &model_; }
  Model& operator*() { return model_; }

  // Outputs follow the inputs, before the edge.
  void settle() {
    Verilated::threadContextp(context_.get());
    model_.clk_i = 0;
    model_.eval();
  }
  void edge() {
    settle();
    model_.clk_i = 1;
    model_.eval();
    if (context_->gotError() && !expecting_) {
      ADD_FAILURE() << "an assertion of the RTL failed";
      context_->gotError(false);
    }
  }
  void reset() {
    model_.rst_ni = 0;
    edge();
    edge();
    model_.rst_ni = 1;
  }

  template <class F>
  std::string broken_by(F f) {
    expecting_ = true;
    std::string names = broken_assertions(*context_, f);
    expecting_ = false;
    return names;
  }

 private:
  // On the heap: globals of Verilator name it until there is another.
  const std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  Model model_;
  bool expecting_ = false;
};

}  // namespace fredsim

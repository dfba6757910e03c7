// SPDX-License-Identifier: Apache-2.0
// The commands that make the library of a switch size, in their order: Verilator, the compiler for three files at once, the
// linker.
//
// Use: start next() whenever commands may run, and say done() of each that has ended in order, until is_complete(). All that they
//   write is in one folder. Estimates are seconds of processor time on a machine like that of docs/user/install.md.
// Errors: BadInput where a file cannot be written.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "switch/on_demand/child_process.h"
#include "switch/on_demand/rtl_size.h"

namespace fredsim {

class SizeBuild {
 public:
  enum class Step : std::uint8_t { kVerilate, kFast, kSlow, kAround, kLink };
  static constexpr std::size_t kSteps = 5;

  // `folder`, absolute, is made anew.
  SizeBuild(const RtlSize& size, const RtlToolchain& tools, const RtlLocations& where,
            std::filesystem::path folder);

  const RtlSize& size() const { return size_; }
  // A step that may begin now, once; none: what goes before it has not ended.
  std::optional<Step> next();
  Command command(Step step) const;
  std::filesystem::path output(Step step) const;  // has what the command prints
  void done(Step step);
  bool is_done(Step step) const { return states_[index(step)] == State::kDone; }
  bool is_complete() const { return is_done(Step::kLink); }
  std::filesystem::path library() const { return folder_ / "switch.so"; }
  double expected_seconds(Step step) const { return seconds_[index(step)]; }

 private:
  enum class State : std::uint8_t { kWaits, kRuns, kDone };

  static std::size_t index(Step step) { return static_cast<std::size_t>(step); }
  void gather();

  const RtlSize& size_;
  const RtlToolchain& tools_;
  const RtlLocations& where_;
  std::filesystem::path folder_;
  std::array<State, kSteps> states_{};
  std::array<double, kSteps> seconds_{};
};

std::string_view step_name(SizeBuild::Step step);  // "Verilator", "compiler", "linker"

// Steps of a size before anything of it is known but its parameters.
std::array<double, SizeBuild::kSteps> expected_seconds(const RtlSize& size);

}  // namespace fredsim

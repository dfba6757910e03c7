// SPDX-License-Identifier: Apache-2.0
// The commands that make the library of a switch size, in their order: Verilator, the compiler for
// several files at once, the linker.
//
// Files: Verilator's output is compiled in parts of some megabytes, since a compiler's time grows
//   faster than its input.
// Use: start next() whenever commands may run, and call done() for each that has ended without
//   error, until is_complete(). All their output is in one folder. Estimates are seconds of
//   processor time on a machine like that of docs/user/install.md.
// Errors: BadInput if a file cannot be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "switch/on_demand/rtl_size.h"

namespace fredsim {

class SizeBuild {
 public:
  enum class Tool : std::uint8_t { kVerilator, kCompiler, kLinker };
  enum class State : std::uint8_t { kWaits, kRuns, kDone };
  struct Step {
    Tool tool = Tool::kVerilator;
    std::string name{};                                 // name of its files
    const std::vector<std::string>* options = nullptr;  // options of the compiler
    double seconds = 0;                                 // expected time; 0: done
    State state = State::kWaits;
  };

  // `folder`, absolute, is created anew.
  SizeBuild(const RtlSize& size, const RtlToolchain& tools, const RtlLocations& where,
            std::filesystem::path folder);

  const RtlSize& size() const { return size_; }
  // Steps known so far, by number: the compiler's are known once Verilator has ended. The last one
  // is the linker's.
  const std::vector<Step>& steps() const { return steps_; }
  // A step that may begin now, returned once; no value: its predecessors have not ended.
  std::optional<std::size_t> next();
  ChildCommand command(std::size_t step) const;
  std::filesystem::path output(std::size_t step) const;  // file with the command's output
  void done(std::size_t step);
  bool is_complete() const { return steps_.back().state == State::kDone; }
  std::filesystem::path library() const { return folder_ / "switch.so"; }

 private:
  void gather();
  std::vector<Step> gather(const std::vector<std::filesystem::path>& files, std::string_view name,
                           const std::vector<std::string>& options, double seconds_per_megabyte);
  bool are_done(Tool tool) const;

  const RtlSize& size_;
  const RtlToolchain& tools_;
  const RtlLocations& where_;
  std::filesystem::path folder_;
  std::vector<Step> steps_;
};

std::string_view tool_name(SizeBuild::Tool tool);  // "Verilator", "compiler", "linker"

// Steps of a size when only its parameters are known.
std::vector<SizeBuild::Step> expected_steps(const RtlSize& size);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// RTL of a switch, with every step in a waveform file: the --wave FILE.fst of the switch
// testbenches.
//
// Signals: all signals of the instance, and under "tb" cycle, steps since reset, and stage, the
//   current part of the work (set_stage).
// Time: a step is 1 ns. Registers and outputs have their values after its clock edge, input pins
//   their values at the edge.
// Errors: BadInput for a file that cannot be opened, RunFailed for one that cannot be written to
//   its end.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "switch/rtl_switch.h"
#include "switch/wave_file.h"

namespace fredsim::tb {

class RecordedSwitch final : public SwitchCore {
 public:
  RecordedSwitch(std::unique_ptr<RtlSwitch> rtl, const std::string& file)
      : rtl_(std::move(rtl)), file_(file) {
    file_.add(*rtl_);
    file_.add({{"tb", "cycle", 32, &cycle_}, {"tb", "stage", 3, &stage_}});
    file_.open();
  }
  void finish() { file_.close(); }  // after the last step
  void set_stage(std::uint32_t stage) { stage_ = stage; }
  // "729 cycles, 1 ns each; 1678 flits in, 1102 flits out"
  std::string summary() const {
    SwitchCounters counters;
    rtl_->peek_counters(counters);
    const auto sum = [](const std::vector<std::uint64_t>& of_ports) {
      return std::accumulate(of_ports.begin(), of_ports.end(), std::uint64_t{0});
    };
    return fmt::format("{} cycles, 1 ns each; {} flits in, {} flits out", steps_,
                       sum(counters.flits_in), sum(counters.flits_out));
  }

  void reset() override { rtl_->reset(); }
  void step(SwitchPins& pins) override {
    rtl_->step(pins);
    cycle_ = static_cast<std::uint32_t>(steps_);
    file_.dump(steps_ * kPicosecondsPerStep);
    ++steps_;
  }
  bool idle() const override { return rtl_->idle(); }
  std::uint32_t error() const override { return rtl_->error(); }
  std::string_view model() const override { return rtl_->model(); }
  bool peek_counters(SwitchCounters& into) const override { return rtl_->peek_counters(into); }

 private:
  static constexpr std::uint64_t kPicosecondsPerStep = 1000;

  std::unique_ptr<RtlSwitch> rtl_;
  std::uint64_t steps_ = 0;
  std::uint32_t cycle_ = 0, stage_ = 0;
  WaveFile file_;  // last member: the file is closed before the traced objects are destroyed
};

}  // namespace fredsim::tb

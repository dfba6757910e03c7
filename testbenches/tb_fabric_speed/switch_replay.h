// SPDX-License-Identifier: Apache-2.0
// Replay of the switches of a machine alone: the input pins of each switch are recorded in a run
// and played back into switches of the same size, RTL or twins, without links and endpoints.
//
// Played back from reset, a switch sees the same inputs in the same steps, including register
// accesses, and behaves identically. Steps that the fabric skipped because the switch was idle are
// not recorded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "switch/switch_core.h"

namespace fredsim::speed {

// Inputs of one switch, step by step since its last reset.
struct PinRecording {
  struct Step {
    std::uint32_t in_valid = 0;
    std::uint32_t out_ready = 0;
    std::array<std::uint32_t, kNumVcs> out_credit{};
    RegisterRequest reg;
  };
  std::vector<Step> steps;
  std::vector<std::uint32_t> words;  // words of the flits, in order of step and port
  std::uint64_t flits_out = 0;       // flits that left in the recorded steps
};

// Switch that records its input pins.
class PinRecorder final : public SwitchCore {
 public:
  PinRecorder(SwitchCore& core, int lanes)
      : core_(core), words_(static_cast<std::size_t>(flit_words(lanes))) {}

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override { return core_.idle(); }
  std::uint32_t error() const override { return core_.error(); }
  std::string_view model() const override { return core_.model(); }
  int launch_edges() const override { return core_.launch_edges(); }

  PinRecording recording;

 private:
  SwitchCore& core_;
  std::size_t words_;
};

// A switch to play back into, with `ports` and `lanes` of the one recorded.
struct Replayed {
  const PinRecording* recording = nullptr;
  SwitchCore* core = nullptr;
  int ports = 0;
};

// Resets the switches and plays all recordings back, a step of every switch in turn. Result:
// processor time of the steps, in seconds. RunFailed: another number of flits left a switch than
// when it was recorded.
double replay(std::span<const Replayed> switches, int lanes);

}  // namespace fredsim::speed

// SPDX-License-Identifier: Apache-2.0
#include "switch_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <ctime>

#include "base/error.h"

namespace fredsim::speed {
namespace {

// Position of a playback.
class Playback {
 public:
  Playback(const Replayed& of, int lanes)
      : of_(of), words_(static_cast<std::size_t>(flit_words(lanes))), pins_(of.ports, lanes) {}

  bool done() const { return next_step_ == of_.recording->steps.size(); }
  std::uint64_t flits_out() const { return flits_out_; }

  void step() {
    const PinRecording::Step& step = of_.recording->steps[next_step_++];
    pins_.in_valid = step.in_valid;
    pins_.out_ready = step.out_ready;
    pins_.out_credit = step.out_credit;
    pins_.reg = step.reg;
    for (std::uint32_t left = step.in_valid; left != 0; left &= left - 1) {
      const std::size_t first = static_cast<std::size_t>(std::countr_zero(left)) * words_;
      std::copy_n(&of_.recording->words[next_word_], words_, &pins_.in_flit[first]);
      next_word_ += words_;
    }
    of_.core->step(pins_);
    flits_out_ += static_cast<std::uint64_t>(std::popcount(pins_.out_valid));
  }

 private:
  Replayed of_;
  std::size_t words_;
  SwitchPins pins_;
  std::size_t next_step_ = 0;
  std::size_t next_word_ = 0;
  std::uint64_t flits_out_ = 0;
};

}  // namespace

void PinRecorder::reset() {
  recording = {};
  core_.reset();
}

void PinRecorder::step(SwitchPins& pins) {
  recording.steps.push_back({pins.in_valid, pins.out_ready, pins.out_credit, pins.reg});
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const std::size_t first = static_cast<std::size_t>(std::countr_zero(left)) * words_;
    const auto flit = pins.in_flit.begin() + static_cast<std::ptrdiff_t>(first);
    recording.words.insert(recording.words.end(), flit, flit + static_cast<std::ptrdiff_t>(words_));
  }
  core_.step(pins);
  recording.flits_out += static_cast<std::uint64_t>(std::popcount(pins.out_valid));
}

double replay(std::span<const Replayed> switches, int lanes) {
  std::vector<Playback> playbacks;
  playbacks.reserve(switches.size());
  for (const Replayed& of : switches) {
    of.core->reset();
    playbacks.emplace_back(of, lanes);
  }
  const std::clock_t start = std::clock();
  for (bool busy = true; busy;) {
    busy = false;
    for (Playback& playback : playbacks) {
      if (playback.done()) continue;
      playback.step();
      busy = true;
    }
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const std::uint64_t recorded = switches[i].recording->flits_out;
    if (playbacks[i].flits_out() == recorded) continue;
    throw RunFailed(fmt::format("switch {} played back alone, {}: {} flits left it, not {}", i,
                                switches[i].core->model(), playbacks[i].flits_out(), recorded));
  }
  return seconds;
}

}  // namespace fredsim::speed

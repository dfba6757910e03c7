// SPDX-License-Identifier: Apache-2.0
// TIMELY: the gradient of round-trip times, a sample per round.
//
// Source: R. Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015.
#include <algorithm>

#include "ethernet/congestion_control.h"

namespace fredsim {
namespace {

class Timely final : public CongestionControl {
 public:
  using CongestionControl::CongestionControl;

  void acknowledged(const Acknowledgement& news) override {
    if (!ends_round(news)) return;
    const TimelyConstants& constants = settings_->timely;
    const double time = static_cast<double>(news.now - news.sent);
    if (last_ > 0)
      difference_ =
          (1 - constants.new_weight) * difference_ + constants.new_weight * (time - last_);
    const bool has_gradient = last_ > 0;
    last_ = time;
    if (!has_gradient) return;
    const auto low = static_cast<double>(constants.low);
    const auto high = static_cast<double>(constants.high);
    if (time < low) {
      raise();
    } else if (time > high) {
      cut(1 - constants.beta * (1 - high / time));
    } else if (difference_ <= 0) {
      raise();
    } else {
      cut(1 - constants.beta * difference_ / static_cast<double>(constants.shortest));
    }
  }

 private:
  void raise() {
    const TimelyConstants& constants = settings_->timely;
    ++raises_;
    set_rate(rate_ + (raises_ > constants.patience ? constants.steeper_raise : constants.raise));
  }

  void cut(double factor) {
    raises_ = 0;
    set_rate(rate_ * std::max(0.0, factor));
  }

  double last_ = 0;        // round-trip time of the last round, ps; 0: none
  double difference_ = 0;  // smoothed, ps
  int raises_ = 0;         // count of raises without a cut between them
};

}  // namespace

const CongestionControlKind& timely_control() {
  static const CongestionControlKind kind{"timely", Telemetry::kNone, make_control<Timely>};
  return kind;
}

}  // namespace fredsim

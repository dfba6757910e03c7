// SPDX-License-Identifier: Apache-2.0
// DCQCN: cuts at marks, recovery by timers. A marked acknowledgement is a congestion notification.
//
// Timers: none is an event. catch_up() runs those that are due, in order of time; alpha first, then
//   cuts, then raises where several are due at once.
// Source: Y. Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ethernet/congestion_control.h"

namespace fredsim {
namespace {

class Dcqcn final : public CongestionControl {
 public:
  using CongestionControl::CongestionControl;

  void acknowledged(const Acknowledgement& news) override {
    catch_up(news.now);
    if (!news.marked) return;
    const DcqcnConstants& constants = settings_->dcqcn;
    if (had_notification_ && news.now - last_notification_ < constants.cnp_interval) return;
    last_notification_ = news.now;
    alpha_notified_ = cut_notified_ = true;
    if (had_notification_) return;
    had_notification_ = true;
    alpha_ = 1;
    target_ = rate_;
    alpha_notified_ = false;
    next_alpha_ = news.now + constants.alpha_interval;
    next_cut_ = news.now + constants.cut_interval;
  }

  double rate(Picoseconds now) override {
    catch_up(now);
    return rate_;
  }

 private:
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  void catch_up(Picoseconds now) {
    if (!had_notification_) return;
    while (true) {
      // Cuts without a notification change nothing.
      if (!cut_notified_) skip_cuts(now);
      const Picoseconds next = std::min(next_cut_, next_raise_);
      if (next > now) break;
      if (next_cut_ <= next_raise_) {
        check_cut();
      } else {
        raise();
      }
    }
    decay_alpha(now);
  }

  // The notification of an interval counts at its end.
  void decay_alpha(Picoseconds now) {
    const DcqcnConstants& constants = settings_->dcqcn;
    if (next_alpha_ > now) return;
    alpha_ = (1 - constants.g) * alpha_ + (alpha_notified_ ? constants.g : 0);
    alpha_notified_ = false;
    const Picoseconds more = (now - next_alpha_) / constants.alpha_interval;
    alpha_ *= std::pow(1 - constants.g, static_cast<double>(more));
    next_alpha_ += (more + 1) * constants.alpha_interval;
  }

  void skip_cuts(Picoseconds now) {
    if (next_cut_ > now) return;
    const Picoseconds interval = settings_->dcqcn.cut_interval;
    next_cut_ += ((now - next_cut_) / interval + 1) * interval;
  }

  void check_cut() {
    const DcqcnConstants& constants = settings_->dcqcn;
    decay_alpha(next_cut_);
    if (was_raised_) target_ = rate_;
    was_raised_ = false;
    set_rate(rate_ * (1 - alpha_ / 2));
    cut_notified_ = false;
    stage_ = 0;
    next_raise_ = next_cut_ + constants.raise_interval;
    next_cut_ += constants.cut_interval;
  }

  void raise() {
    const DcqcnConstants& constants = settings_->dcqcn;
    if (stage_ == 1) target_ += constants.raise;
    if (stage_ > 1) target_ += constants.steeper_raise;
    target_ = std::min(target_, path_.line_rate);
    ++stage_;
    was_raised_ = true;
    set_rate((rate_ + target_) / 2);
    next_raise_ += constants.raise_interval;
  }

  bool had_notification_ = false;
  Picoseconds last_notification_ = 0;
  double alpha_ = 1;
  double target_ = 0;
  bool alpha_notified_ = false, cut_notified_ = false;  // since the last check
  bool was_raised_ = false;                             // since the last cut
  int stage_ = 0;                                       // raises since the last cut
  Picoseconds next_alpha_ = kNever, next_cut_ = kNever, next_raise_ = kNever;
};

}  // namespace

const CongestionControlKind& dcqcn_control() {
  static const CongestionControlKind kind{"dcqcn", Telemetry::kNone, make_control<Dcqcn>};
  return kind;
}

}  // namespace fredsim

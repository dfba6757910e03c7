// SPDX-License-Identifier: Apache-2.0
// DCTCP for rates: cuts by the share of marked acknowledgements.
//
// Source: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010.
#include "ethernet/congestion_control.h"

namespace fredsim {
namespace {

class Dctcp final : public CongestionControl {
 public:
  using CongestionControl::CongestionControl;

  void acknowledged(const Acknowledgement& news) override {
    const DctcpConstants& constants = settings_->dctcp;
    ++acknowledgements_;
    marked_ += news.marked ? 1 : 0;
    const bool is_first = !began_;
    began_ = true;
    const bool ended = ends_round(news) && !is_first;
    if (ended) {
      const double share = static_cast<double>(marked_) / static_cast<double>(acknowledgements_);
      alpha_ = (1 - constants.g) * alpha_ + constants.g * share;
      acknowledgements_ = marked_ = 0;
    }
    if (is_cut_ && news.acknowledged > cut_until_) is_cut_ = false;
    if (is_cut_) return;
    if (news.marked) {
      set_rate(rate_ * (1 - alpha_ / 2));
      is_cut_ = true;
      cut_until_ = news.next;
    } else if (ended) {
      set_rate(rate_ + constants.raise);
    }
  }

 private:
  double alpha_ = 0;
  std::uint64_t acknowledgements_ = 0, marked_ = 0;  // counts of this round
  bool began_ = false;
  bool is_cut_ = false;  // a cut holds for a round
  std::uint64_t cut_until_ = 0;
};

}  // namespace

const CongestionControlKind& dctcp_control() {
  static const CongestionControlKind kind{"dctcp", Telemetry::kNone, make_control<Dctcp>};
  return kind;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// HPCC-PINT: HPCC with a byte of telemetry, the load of the busiest port on the path.
//
// Source: R. Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020.
#include <cmath>

#include "ethernet/congestion_control.h"
#include "ethernet/detail/pint.h"

namespace fredsim {
namespace {

class HpccPint final : public CongestionControl {
 public:
  using CongestionControl::CongestionControl;

  void acknowledged(const Acknowledgement& news) override {
    const bool is_first = !began_;
    began_ = true;
    const bool ended = ends_round(news);
    if (is_first) return;
    const double use = pint_use(news.pint, settings_->hpcc.pint_base);
    set_rate(base_ * settings_->hpcc.use / use + settings_->hpcc.raise);
    if (ended) base_ = rate_;
  }

 private:
  bool began_ = false;
  double base_ = rate_;
};

}  // namespace

const CongestionControlKind& hpcc_pint_control() {
  static const CongestionControlKind kind{"hpcc_pint", Telemetry::kPint, make_control<HpccPint>};
  return kind;
}

}  // namespace fredsim

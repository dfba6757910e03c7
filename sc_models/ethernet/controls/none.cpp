// SPDX-License-Identifier: Apache-2.0
// No control: pauses and windows alone.
#include "ethernet/congestion_control.h"

namespace fredsim {
namespace {

class NoControl final : public CongestionControl {
 public:
  using CongestionControl::CongestionControl;
  void acknowledged(const Acknowledgement& /*news*/) override {}
};

}  // namespace

const CongestionControlKind& none_control() {
  static const CongestionControlKind kind{"none", Telemetry::kNone, make_control<NoControl>};
  return kind;
}

}  // namespace fredsim

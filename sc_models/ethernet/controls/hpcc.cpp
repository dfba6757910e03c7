// SPDX-License-Identifier: Apache-2.0
// HPCC: rates from the load of every port on the path, which acknowledgements carry.
//
// Source: Y. Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019.
#include <algorithm>
#include <array>

#include "ethernet/congestion_control.h"

namespace fredsim {
namespace {

class Hpcc final : public CongestionControl {
 public:
  using CongestionControl::CongestionControl;

  void acknowledged(const Acknowledgement& news) override {
    const bool is_first = ports_ == 0;
    const bool ended = ends_round(news);
    if (!is_first) {
      measure(news);
      set_rate(base_ * settings_->hpcc.use / use_ + settings_->hpcc.raise);
      if (ended) base_ = rate_;
    }
    ports_ = static_cast<int>(news.ports.size());
    std::ranges::copy(news.ports, last_.begin());
  }

 private:
  void measure(const Acknowledgement& news) {
    const auto longest = static_cast<double>(path_.longest);
    double most = 0, most_time = 0;
    for (std::size_t hop = 0; hop < news.ports.size(); ++hop) {
      const PortRecord& now = news.ports[hop];
      const PortRecord& last = last_[hop];
      const auto time = static_cast<double>(now.time - last.time);
      if (time <= 0) continue;
      const double bits_per_ps = static_cast<double>(now.bits_per_second) * 1e-12;
      const auto bits = static_cast<double>(8 * (now.bytes_sent - last.bytes_sent));
      const auto queue = static_cast<double>(8 * std::min(now.queue, last.queue));
      const double use = bits / time / bits_per_ps + queue / (bits_per_ps * longest);
      if (use > most) {
        most = use;
        most_time = time;
      }
    }
    const double part = std::min(most_time, longest) / longest;
    use_ = use_ * (1 - part) + most * part;
  }

  int ports_ = 0;  // 0: no acknowledgement yet
  std::array<PortRecord, kMaxEthernetHops> last_{};
  double use_ = 1;
  double base_ = rate_;
};

}  // namespace

const CongestionControlKind& hpcc_control() {
  static const CongestionControlKind kind{"hpcc", Telemetry::kPorts, make_control<Hpcc>};
  return kind;
}

}  // namespace fredsim

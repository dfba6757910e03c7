// SPDX-License-Identifier: Apache-2.0
// Protocol overhead on links: headers of packets, requests and acknowledgements that the model does
// not send as flits take a share of the rate. A flit takes longer on the wire accordingly.
#include <fmt/format.h>

#include <array>

#include "base/units.h"
#include "links/link_scheme.h"

namespace fredsim {
namespace {

constexpr std::string_view kEfficiency = "link.efficiency";

class ProtocolScheme final : public LinkScheme {
 public:
  std::string_view name() const override { return "protocol"; }

  std::span<const FabricKey> keys() const override {
    static constexpr std::array kKeys = {FabricKey{
        .path = kEfficiency,
        .meaning = "share of the link rate that carries payload; the rest is protocol overhead",
        .holds = Holds::kText,
        .default_value = "1"}};
    return kKeys;
  }

  LinkChange change(const FabricKeys& keys) const override {
    if (!keys.has(kEfficiency)) return {};
    const Rational share = parse_share(keys.text(kEfficiency), keys.label(kEfficiency));
    if (share == Rational{1, 1}) return {};
    return [share](Topology& topology) {
      for (Link& link : topology.links)
        if (!link.on_die) lengthen_flits(link, share.num, share.den);
      topology.notes.push_back(fmt::format(
          "links carry payload in {:.6g} of their rate, the rest is protocol", share.value()));
    };
  }
};

}  // namespace

const LinkScheme& protocol_scheme() {
  static const ProtocolScheme kScheme;
  return kScheme;
}

}  // namespace fredsim

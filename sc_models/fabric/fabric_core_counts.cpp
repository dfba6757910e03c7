// SPDX-License-Identifier: Apache-2.0
// Flits and credits of a FabricCore that are under way, or in buffers.
#include <utility>

#include "fabric/fabric_core.h"

namespace fredsim {

int FabricCore::flits_on_links() const {
  if (ranks() != nullptr) return static_cast<int>(state().flits);
  int flits = 0;
  for (const auto& partition : partitions_) flits += partition->links().flits_in_flight();
  return flits;
}

int FabricCore::credits_on_links() const {
  if (ranks() != nullptr) return static_cast<int>(state().credits);
  int credits = 0;
  for (const auto& partition : partitions_) credits += partition->links().credits_in_flight();
  return credits;
}

// Flits of a link that have left the serialiser and whose credits have not returned, as the sender
// counts them.
int FabricCore::sent_and_not_back(int link, int vc) const {
  const Link& l = topology_.links[link];
  const auto [partition, node] = places_[l.from];
  const PartitionLinks& from = by_number_[partition]->links();
  return from.output(node, l.from_port).outstanding(vc) - from.credits_to(node, l.from_port, vc) -
         from.flits_in_serialiser(node, l.from_port, vc);
}

void FabricCore::report_outstanding() {
  outstanding_elsewhere_.clear();
  if (ranks() == nullptr) return;
  RankMessage mine;
  for (int link = 0; link < std::ssize(topology_.links); ++link) {
    const Link& l = topology_.links[link];
    if (!owns(l.from) || owns(l.to)) continue;
    VcDepths flits{};
    for (int vc = 0; vc < kNumVcs; ++vc) flits[vc] = sent_and_not_back(link, vc);
    mine.put(link);
    mine.put(flits);
  }
  for (RankMessage& of_rank : ranks()->gather(Ranks::Purpose::kFabric, std::move(mine))) {
    while (!of_rank.is_read()) {
      const int link = of_rank.get<int>();
      outstanding_elsewhere_[link] = of_rank.get<VcDepths>();
    }
  }
}

int FabricCore::buffered(NodeId node, int port, int vc) const {
  const int link = topology_.link_in(node, port);
  if (link < 0) return 0;
  const int sent = owns(topology_.links[link].from) ? sent_and_not_back(link, vc)
                                                    : outstanding_elsewhere_.at(link)[vc];
  return sent - owner(node).links().flits_to(places_[node].node, port, vc);
}

int FabricCore::outstanding(int link, int vc) const {
  return owns(topology_.links[link].from) ? output(link).outstanding(vc) : 0;
}

}  // namespace fredsim

// Links of a Partition that find errors and send again (fabric/reliable_link.h).
#include <algorithm>

#include "fabric/partition.h"

namespace fredsim {

void Partition::activate(std::size_t place) {
  if (reliable_[place]->set_active()) active_links_.push_back(static_cast<std::uint32_t>(place));
}

void Partition::step_reliable_links() {
  std::erase_if(active_links_, [&](std::uint32_t place) {
    LinkTx& tx = outputs_[place];
    ReliableLink& link = *reliable_[place];
    const ReliableLink::Out out = link.step(edge_, tx);
    if (out.is_sending) quiet_ = 0;
    if (out.flit != nullptr) std::copy_n(out.flit, words_, wheel_.add_flit(1, tx.target_pin()));
    for (std::uint32_t vc = 0; vc < kNumVcs; ++vc) {
      if ((out.credits >> vc & 1U) != 0) wheel_.add_credit(1, link.credit(vc));
    }
    return !link.is_active();
  });
}

LinkCount Partition::count(std::uint32_t node, int port) const {
  LinkCount count = output(node, port).count(edge_);
  if (const ReliableLink* const link =
          reliable(nodes_[node].first + static_cast<std::uint32_t>(port));
      link != nullptr) {
    count.resent = link->counts().resent;
    count.damaged = link->counts().damaged;
    count.lost = link->counts().lost;
    count.sent += static_cast<double>(count.resent);
  }
  return count;
}

const ReliableLink* Partition::reliable_to(std::uint32_t node, int port) const {
  const LinkTarget& from = input(node, port).sender;
  return reliable_.empty() || !input(node, port).exists()
             ? nullptr
             : reliable(nodes_[from.node].first + from.port);
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Policy of links with a channel, such as retransmission: makes their channels and names their
// counters, as a scheme (links/link_scheme.h) has set it up for a machine. Equal links share one
// policy (Link::policy).
//
// Links with a policy do not cross from one partition of a fabric to another
// (links/link_channel.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "links/link_channel.h"
#include "topology/topology.h"

namespace fredsim {

class LinkPolicy {
 public:
  LinkPolicy() = default;
  virtual ~LinkPolicy() = default;
  LinkPolicy(const LinkPolicy&) = delete;
  LinkPolicy& operator=(const LinkPolicy&) = delete;

  // Title in messages, with the key that asked for it: "links retransmit (link.reliability)".
  virtual std::string_view title() const = 0;
  // `number`: index in the topology's links; `words`: 32-bit words of a flit.
  virtual std::unique_ptr<LinkChannel> make_channel(const Link& link, int number,
                                                    std::size_t words) const = 0;
  // Names of the channels' counters, which are fields of links in the results
  // (results/fields/fabric.h), at most as many as LinkCount::of_policy holds.
  virtual std::span<const std::string_view> counters() const { return {}; }
};

// Counters of a link between two counts, by name; none for a plain link.
std::vector<std::pair<std::string, std::uint64_t>> policy_counters(const Link& link,
                                                                   const LinkCount& before,
                                                                   const LinkCount& after);

// Gives all wafer links this policy. BadInput if one has another.
void set_wafer_policy(Topology& topology, const std::shared_ptr<const LinkPolicy>& policy);
// Policy of the first link that has one; null: no link has.
const LinkPolicy* find_link_policy(const Topology& topology);

}  // namespace fredsim

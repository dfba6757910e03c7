// SPDX-License-Identifier: Apache-2.0
// Both ends of links with a channel, such as retransmission, and their counters, as a scheme (links/link_scheme.h)
// has set them up for a machine. Links that are alike share one (Link::policy).
//
// Links with a policy do not cross from one partition of a fabric to another (links/link_channel.h).
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

  // For messages, with the key that asked for it: "links retransmit (link.reliability)".
  virtual std::string_view title() const = 0;
  // `number` is the link's in the topology; `words` of a flit.
  virtual std::unique_ptr<LinkChannel> make_channel(const Link& link, int number,
                                                    std::size_t words) const = 0;
  // Counters of the channels, by the names of fields of links in the results (results/fields/fabric.h), as many as
  // LinkCount::of_policy has room for.
  virtual std::span<const std::string_view> counters() const { return {}; }
};

// Counters of a link between two counts, by name; none of a plain link.
std::vector<std::pair<std::string, std::uint64_t>> policy_counters(const Link& link,
                                                                   const LinkCount& before,
                                                                   const LinkCount& after);

// Gives it to all wafer links. BadInput: one has another.
void set_wafer_policy(Topology& topology, const std::shared_ptr<const LinkPolicy>& policy);
// Policy of any link; null: none has one.
const LinkPolicy* find_link_policy(const Topology& topology);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Paths through switches that are joined in any way: up*/down* (Schroeder et al., Autonet, 1991).
//
// Rule: switches have an order; a link to an earlier one leads up, to a later one down. A switch
//   sends down, by the fewest links, where links that all lead down end at the destination; else
//   up, by the fewest links.
// Order: by distance from the switch with the most links in its plane; or from all that have links
//   to the same switches as it has, and no NPUs; or by distance from the switches that have NPUs,
//   farthest first. That with the fewest links on paths is taken, of these that with the most equal
//   paths, of these the first one named, then by number.
// Equal paths: of several links that are as good, paths behind them counted, the widest are used:
//   so many that their number times the least of their bandwidths is the most. Destinations are
//   dealt out over them: each takes, in order of addresses, the path whose busiest link has the
//   least to carry of an all-to-all among all NPUs; then, up to 2^20 routes, switches take other
//   exits, one by one, while that makes times of links more even. Of NIC ports the same are used,
//   and flows are cut over them (nic_ports()). Beyond kMaxDealtRoutes routes (destinations x
//   switches) an address takes the link of its number, modulo their number.
// Deadlock: none; what has gone down never goes up again, and links have the order in which they
//   are used.
// Not all paths are shortest ones: where two switches are joined by way of later ones alone,
//   packets go round by an earlier one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "topology/topology.h"
#include "topology/unicast_paths.h"

namespace fredsim {

inline constexpr std::size_t kMaxDealtRoutes = std::size_t{1} << 25;

class GraphPaths final : public UnicastPaths {
 public:
  // Nodes and links suffice; ports need not be indexed yet.
  explicit GraphPaths(const Topology& topology);

  int port(int chiplet, std::uint16_t address) const override;
  std::vector<int> nic_ports(NodeId from, std::uint16_t address) const override;

  // Shares into which what goes between two NPUs is cut, so that NIC ports carry the same: the
  // fewest that are even between any two of them, or the most even number up to kMaxShares.
  int shares() const;

 private:
  struct Exit {
    int port = 0;
    NodeId to = 0;
    float rate = 0;  // bytes/s
    int link = 0;
  };
  // Switches with a link to an endpoint, and its bandwidth.
  using Ends = std::vector<std::pair<NodeId, float>>;
  // By node, to a destination. Links: 2 x their number, + 1 where the first of them leads up;
  // kNone: no path. Widths: bandwidth of the narrowest link of the widest path.
  struct Costs {
    std::vector<std::int32_t> links;
    std::vector<float> width;
  };
  struct OrderQuality {
    std::uint64_t links = 0;
    double paths = 0;
  };
  // Routes to a destination: exits of switches, nearest first.
  using Deal = std::vector<std::pair<NodeId, Exit>>;
  using Dealer = Deal (GraphPaths::*)(std::uint16_t, const std::vector<double>&) const;
  struct Deals {
    std::vector<Deal> deals{};  // by address
    double squares = 0;         // sum of those of links' times
  };
  static constexpr std::int32_t kNone = -1;

  void choose_order(const std::vector<NodeId>& switches);
  std::vector<NodeId> by_distance(const std::vector<NodeId>& switches, bool with_twins) const;
  std::vector<NodeId> by_height() const;
  bool are_twins(NodeId a, NodeId b) const;
  bool leads_up(NodeId from, NodeId to) const { return order_[to] < order_[from]; }
  void set_order(std::vector<NodeId> by_order);
  // Over all sources and destinations.
  OrderQuality quality() const;
  const Costs& costs(std::uint16_t address) const;
  Costs find_costs(const Ends& ends) const;
  void find_widths(const Ends& ends, Costs& costs) const;
  // Switches with a path.
  std::vector<NodeId> nearest_first(const Costs& costs) const;
  // Links by which packets may go on; the widest of them.
  std::vector<Exit> next_exits(NodeId at, const Costs& costs) const;
  std::vector<Exit> equal_exits(NodeId at, const Costs& costs) const;
  // Null: the switch has no link to the endpoint.
  const Exit* last_exit(NodeId at, std::uint16_t address) const;
  void deal_routes() const;
  Deals deal_all(Dealer first) const;
  Deal deal_by_load(std::uint16_t address, const std::vector<double>& load) const;
  Deal deal_by_digits(std::uint16_t address, const std::vector<double>& load) const;
  std::vector<Exit> exits_to_deal(NodeId at, const Costs& costs) const;
  void set_routes(std::size_t address, const Deal& deal) const;
  void add_load(const Deal& deal, std::vector<double>& load) const;
  bool deal_anew(std::uint16_t address, Deal& deal, std::vector<double>& load) const;

  std::vector<std::vector<Exit>> exits_;  // by node: a switch's to switches, an endpoint's
  std::vector<std::vector<Exit>> last_;   // by address: Exit::to is the switch, the port its own
  std::vector<Ends> ends_;                // by address
  std::map<Ends, std::uint64_t> alike_;   // endpoints
  std::vector<double> sources_;           // by node: endpoints that it has links from
  std::vector<int> order_;                // by node
  std::vector<NodeId> by_order_;
  std::vector<NodeId> endpoints_;  // by address
  int links_ = 0;
  mutable std::mutex mutex_;
  mutable std::map<Ends, std::unique_ptr<const Costs>> costs_;
  mutable std::vector<const Costs*> costs_of_;  // by address
  mutable std::once_flag is_dealt_;
  mutable std::vector<std::vector<std::int16_t>> dealt_;  // port by node and address; empty: none
};

}  // namespace fredsim

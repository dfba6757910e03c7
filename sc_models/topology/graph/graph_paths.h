// SPDX-License-Identifier: Apache-2.0
// Up*/down* routing in arbitrary networks of switches (Schroeder et al., Autonet, 1991).
//
// Rule: switches have an order; a link to an earlier one leads up, to a later one down. A switch
//   sends down, by the fewest links, if a path that only leads down reaches the destination; else
//   up, by the fewest links.
// Order: one of three candidates: by distance from the switch with the most links in its plane; by
//   distance from this switch and all switches that have links to the same switches and no NPUs; or
//   by distance from the switches that have NPUs, farthest first. The order with the fewest links
//   on paths is taken; ties: the most equal paths, then the first candidate in this list, then by
//   number.
// Equal paths: of equally short links, including the paths behind them, the widest are used: the
//   number that maximises number x minimum bandwidth. Destinations are distributed over them: in
//   order of addresses, each takes the path whose busiest link has the least load of an all-to-all
//   among all NPUs; then, up to 2^20 routes, switches change exits one by one while that balances
//   the links' times. NIC ports are selected by the same rule, and flows are split over them
//   (nic_ports()). Beyond kMaxDealtRoutes routes (destinations x switches) an address takes the
//   link of its number, modulo the number of links.
// Deadlock: none; a packet that has gone down never goes up again, so links are used in a fixed
//   order.
// Limits: not all paths are shortest: if two switches are joined only through later ones, packets
//   detour through an earlier one.
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
  // Requires nodes and links only; ports need not be indexed yet.
  explicit GraphPaths(const Topology& topology);

  int port(int chiplet, std::uint16_t address) const override;
  std::vector<int> nic_ports(NodeId from, std::uint16_t address) const override;

  // Number of shares into which traffic between two NPUs is split, so that NIC ports carry equal
  // loads: the minimum that is even between all pairs, or the most even number up to kMaxShares.
  int shares() const;

 private:
  struct Exit {
    int port = 0;
    NodeId to = 0;
    float rate = 0;  // bytes/s
    int link = 0;
  };
  // Switches with a link to an endpoint, and the link's bandwidth.
  using Ends = std::vector<std::pair<NodeId, float>>;
  // Costs to a destination, by node. Links: 2 x their number, + 1 if the first one leads up; kNone:
  // no path. Widths: bandwidth of the narrowest link of the widest path.
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
    double squares = 0;         // sum of the squared times of links
  };
  static constexpr std::int32_t kNone = -1;

  void choose_order(const std::vector<NodeId>& switches);
  std::vector<NodeId> by_distance(const std::vector<NodeId>& switches, bool with_twins) const;
  std::vector<NodeId> by_height() const;
  bool are_twins(NodeId a, NodeId b) const;
  bool leads_up(NodeId from, NodeId to) const { return order_[to] < order_[from]; }
  void set_order(std::vector<NodeId> by_order);
  // Loads over all sources and destinations.
  OrderQuality quality() const;
  const Costs& costs(std::uint16_t address) const;
  Costs find_costs(const Ends& ends) const;
  void find_widths(const Ends& ends, Costs& costs) const;
  // Switches with a path.
  std::vector<NodeId> nearest_first(const Costs& costs) const;
  // Links that packets may take next; the widest of them.
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

// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/graph_paths.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

namespace fredsim {
namespace {

// Maximum of groups of destinations x links over which orders are compared.
constexpr std::uint64_t kMaxOrderWork = std::uint64_t{1} << 28;
// Maximum number of NPUs whose shares are found over all pairs; of more NPUs, only this many are
// examined, each with the first and the next NPU.
constexpr std::size_t kMaxPairedNpus = 512;
constexpr int kMaxShares = 16;
// Maximum number of rounds that assign all destinations anew
constexpr int kMaxDeals = 16;
constexpr std::size_t kMaxRoutesDealtAnew = std::size_t{1} << 20;
// Threshold of an improvement, above rounding errors.
constexpr double kClearlyLess = 1e-9;

// Widest paths that share a load evenly, in the given order: the number that maximises number x
// width of the narrowest path; ties: the fewest.
template <typename Way, typename Width>
std::vector<Way> widest(std::vector<Way> ways, const Width& width) {
  if (ways.size() < 2) return ways;
  std::vector<double> widths;
  widths.reserve(ways.size());
  for (const Way& way : ways) widths.push_back(width(way));
  std::ranges::sort(widths, std::greater{});
  std::size_t best = 0;
  for (std::size_t i = 1; i < widths.size(); ++i)
    if (static_cast<double>(i + 1) * widths[i] > static_cast<double>(best + 1) * widths[best])
      best = i;
  // Keeps all paths as wide as the narrowest one: they are equal.
  std::erase_if(ways, [&](const Way& way) { return width(way) < widths[best]; });
  return ways;
}

}  // namespace

GraphPaths::GraphPaths(const Topology& topology)
    : exits_(topology.nodes.size()),
      last_(topology.npus.size() + topology.adders.size()),
      ends_(topology.npus.size() + topology.adders.size()),
      sources_(topology.nodes.size()),
      order_(topology.nodes.size(), -1),
      endpoints_(topology.npus),
      links_(static_cast<int>(topology.links.size())),
      costs_of_(topology.npus.size() + topology.adders.size()) {
  endpoints_.insert(endpoints_.end(), topology.adders.begin(), topology.adders.end());
  for (int l = 0; l < links_; ++l) {
    const Link& link = topology.links[l];
    const Node& from = topology.nodes[link.from];
    const Node& to = topology.nodes[link.to];
    const auto rate = static_cast<float>(link.bytes_per_second);
    if (to.is_switch()) exits_[link.from].push_back({link.from_port, link.to, rate, l});
    if (!from.is_switch()) {
      ++sources_[link.to];
    } else if (!to.is_switch()) {
      last_[to.address].push_back({link.from_port, link.from, rate, l});
      ends_[to.address].emplace_back(link.from, rate);
    }
  }
  for (auto& exits : exits_) std::ranges::sort(exits, {}, &Exit::port);
  for (Ends& ends : ends_) {
    std::ranges::sort(ends);
    ++alike_[ends];
  }
  std::vector<NodeId> switches;
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id)
    if (topology.nodes[id].is_switch()) switches.push_back(id);
  choose_order(switches);
}

void GraphPaths::choose_order(const std::vector<NodeId>& switches) {
  set_order(by_distance(switches, false));
  if (alike_.size() * static_cast<std::uint64_t>(links_) > kMaxOrderWork) return;
  std::optional<OrderQuality> best;  // none: the first order is the only one so far
  std::vector<NodeId> kept = by_order_;
  for (std::vector<NodeId> order : {by_height(), by_distance(switches, true)}) {
    if (order == kept) continue;
    if (!best) best = quality();
    set_order(std::move(order));
    const OrderQuality found = quality();
    if (found.links > best->links || (found.links == best->links && found.paths <= best->paths))
      continue;
    best = found;
    kept = by_order_;
  }
  set_order(std::move(kept));
}

void GraphPaths::set_order(std::vector<NodeId> by_order) {
  by_order_ = std::move(by_order);
  for (int i = 0; i < std::ssize(by_order_); ++i) order_[by_order_[i]] = i;
}

std::vector<NodeId> GraphPaths::by_distance(const std::vector<NodeId>& switches,
                                            bool with_twins) const {
  std::vector<int> distance(exits_.size(), -1);
  std::vector<NodeId> roots = switches;
  std::ranges::stable_sort(roots, std::greater{}, [&](NodeId id) { return exits_[id].size(); });
  for (const NodeId root : roots) {
    if (distance[root] >= 0) continue;  // already reached: its plane has a root
    std::deque<NodeId> open;
    for (const NodeId id : roots) {
      if (id != root && (!with_twins || distance[id] >= 0 || !are_twins(id, root))) continue;
      distance[id] = 0;
      open.push_back(id);
    }
    while (!open.empty()) {
      const NodeId at = open.front();
      open.pop_front();
      for (const Exit& exit : exits_[at]) {
        if (distance[exit.to] >= 0) continue;
        distance[exit.to] = distance[at] + 1;
        open.push_back(exit.to);
      }
    }
  }
  std::vector<NodeId> order = switches;
  std::ranges::stable_sort(order, {}, [&](NodeId id) { return distance[id]; });
  return order;
}

// True for switches without NPUs that have links to the same nodes.
bool GraphPaths::are_twins(NodeId a, NodeId b) const {
  if (sources_[a] > 0 || sources_[b] > 0 || exits_[a].size() != exits_[b].size()) return false;
  const auto next_to = [&](NodeId id) {
    std::vector<NodeId> next;
    for (const Exit& exit : exits_[id]) next.push_back(exit.to);
    std::ranges::sort(next);
    return next;
  };
  return next_to(a) == next_to(b);
}

// Order by height above the NPUs. A root's advantage is that every switch is joined to every other
// one through it; trees with several tops have more paths.
std::vector<NodeId> GraphPaths::by_height() const {
  std::vector<int> height(exits_.size(), -1);
  std::deque<NodeId> open;
  for (const NodeId id : by_order_) {
    if (sources_[id] == 0) continue;
    height[id] = 0;
    open.push_back(id);
  }
  while (!open.empty()) {
    const NodeId at = open.front();
    open.pop_front();
    for (const Exit& exit : exits_[at]) {
      if (height[exit.to] >= 0) continue;
      height[exit.to] = height[at] + 1;
      open.push_back(exit.to);
    }
  }
  std::vector<NodeId> order = by_order_;
  std::ranges::stable_sort(order, std::greater{}, [&](NodeId id) { return height[id]; });
  return order;
}

GraphPaths::OrderQuality GraphPaths::quality() const {
  // Exceeds any path: an order that lacks a path is worse than any order that has it.
  const std::uint64_t no_path = 4 * exits_.size();
  OrderQuality quality;
  std::vector<double> paths(exits_.size());  // equal ones, by switch
  for (const auto& [ends, destinations] : alike_) {
    const Costs all = find_costs(ends);
    for (const NodeId at : nearest_first(all)) {
      paths[at] = all.links[at] < 2 ? 1 : 0;
      if (all.links[at] < 2) continue;
      for (const Exit& exit : next_exits(at, all)) paths[at] += paths[exit.to];
    }
    for (const NodeId at : by_order_) {
      if (sources_[at] == 0) continue;
      const bool has_path = all.links[at] != kNone;
      const std::uint64_t links =
          has_path ? static_cast<std::uint64_t>(all.links[at]) / 2 : no_path;
      const auto pairs = destinations * static_cast<std::uint64_t>(sources_[at]);
      quality.links += pairs * links;
      if (has_path) quality.paths += static_cast<double>(pairs) * paths[at];
    }
  }
  return quality;
}

GraphPaths::Costs GraphPaths::find_costs(const Ends& ends) const {
  Costs found{std::vector<std::int32_t>(exits_.size(), kNone), {}};
  std::vector<std::int32_t>& costs = found.links;
  // Breadth first, against the links that lead down.
  std::deque<NodeId> open;
  for (const auto& [id, rate] : ends) {
    if (costs[id] == kNone) open.push_back(id);
    costs[id] = 0;
  }
  while (!open.empty()) {
    const NodeId at = open.front();
    open.pop_front();
    for (const Exit& exit : exits_[at]) {
      if (!leads_up(at, exit.to) || costs[exit.to] != kNone) continue;
      costs[exit.to] = costs[at] + 2;
      open.push_back(exit.to);
    }
  }
  for (const NodeId id : by_order_) {
    if (costs[id] != kNone) continue;
    for (const Exit& exit : exits_[id]) {
      if (!leads_up(id, exit.to) || costs[exit.to] == kNone) continue;
      const std::int32_t here = (costs[exit.to] / 2 + 1) * 2 + 1;
      if (costs[id] == kNone || here < costs[id]) costs[id] = here;
    }
  }
  return found;
}

std::vector<NodeId> GraphPaths::nearest_first(const Costs& costs) const {
  std::vector<NodeId> nearest;
  for (const NodeId id : by_order_)
    if (costs.links[id] != kNone) nearest.push_back(id);
  std::ranges::stable_sort(nearest, {}, [&](NodeId id) { return costs.links[id] / 2; });
  return nearest;
}

void GraphPaths::find_widths(const Ends& ends, Costs& costs) const {
  costs.width.assign(exits_.size(), 0);
  for (const auto& [id, rate] : ends) costs.width[id] = std::max(costs.width[id], rate);
  for (const NodeId id : nearest_first(costs)) {
    if (costs.links[id] < 2) continue;
    for (const Exit& exit : next_exits(id, costs))
      costs.width[id] = std::max(costs.width[id], std::min(exit.rate, costs.width[exit.to]));
  }
}

const GraphPaths::Costs& GraphPaths::costs(std::uint16_t address) const {
  const std::lock_guard lock(mutex_);
  const Costs*& of_address = costs_of_[address];
  if (of_address == nullptr) {
    auto& known = costs_[ends_[address]];
    if (!known) {
      Costs found = find_costs(ends_[address]);
      find_widths(ends_[address], found);
      known = std::make_unique<const Costs>(std::move(found));
    }
    of_address = known.get();
  }
  return *of_address;
}

std::vector<GraphPaths::Exit> GraphPaths::next_exits(NodeId at, const Costs& costs) const {
  const std::int32_t here = costs.links[at];
  const bool goes_up = here % 2 == 1;
  std::vector<Exit> next;
  for (const Exit& exit : exits_[at]) {
    const std::int32_t there = costs.links[exit.to];
    if (leads_up(at, exit.to) == goes_up && there != kNone && there / 2 == here / 2 - 1 &&
        (goes_up || there % 2 == 0))
      next.push_back(exit);
  }
  return next;
}

std::vector<GraphPaths::Exit> GraphPaths::equal_exits(NodeId at, const Costs& costs) const {
  return widest(next_exits(at, costs),
                [&](const Exit& exit) { return std::min(exit.rate, costs.width[exit.to]); });
}

const GraphPaths::Exit* GraphPaths::last_exit(NodeId at, std::uint16_t address) const {
  const auto last = std::ranges::find(last_[address], at, &Exit::to);
  return last == last_[address].end() ? nullptr : &*last;
}

std::vector<int> GraphPaths::nic_ports(NodeId from, std::uint16_t address) const {
  const std::vector<Exit>& all = exits_[from];
  if (all.size() < 2) return {};
  const Costs& to = costs(address);
  std::int32_t least = kNone;
  for (const Exit& exit : all) {
    const std::int32_t links = to.links[exit.to];
    if (links != kNone && (least == kNone || links / 2 < least)) least = links / 2;
  }
  std::vector<Exit> nearest;
  std::ranges::copy_if(all, std::back_inserter(nearest), [&](const Exit& exit) {
    return to.links[exit.to] != kNone && to.links[exit.to] / 2 == least;
  });
  std::vector<int> ports;
  for (const Exit& exit :
       widest(nearest, [&](const Exit& one) { return std::min(one.rate, to.width[one.to]); }))
    ports.push_back(exit.port);
  return ports;
}

int GraphPaths::shares() const {
  const std::size_t npus = endpoints_.size();
  std::set<int> numbers{1};  // numbers of equal NIC ports over pairs of NPUs
  const auto add = [&](std::size_t from, std::size_t to) {
    if (from != to)
      numbers.insert(
          static_cast<int>(nic_ports(endpoints_[from], static_cast<std::uint16_t>(to)).size()));
  };
  for (std::size_t from = 0; from < std::min(npus, kMaxPairedNpus); ++from) {
    if (exits_[endpoints_[from]].size() < 2) continue;
    add(from, 0);
    add(from, (from + 1) % npus);
    for (std::size_t to = 0; to < npus && npus <= kMaxPairedNpus; ++to) add(from, to);
  }
  numbers.erase(0);  // any port
  // Load of the busiest port, relative to the mean over all ports.
  const auto unevenness = [&](int shares) {
    double most = 0;
    for (const int ports : numbers) {
      const int of_busiest = (shares + ports - 1) / ports;
      most = std::max(most, static_cast<double>(of_busiest * ports) / shares);
    }
    return most;
  };
  int best = 1;
  for (int shares = 2; shares <= std::max(kMaxShares, *numbers.rbegin()); ++shares)
    if (unevenness(shares) < unevenness(best)) best = shares;
  return best;
}

// Assigns exits by the load so far, nearest switches first, so that the paths behind an exit are
// known.
GraphPaths::Deal GraphPaths::deal_by_load(std::uint16_t address,
                                          const std::vector<double>& load) const {
  const Costs& to = costs(address);
  Deal deal;
  std::vector<double> behind(exits_.size());  // time of the busiest link from a node on
  for (const NodeId at : nearest_first(to)) {
    if (to.links[at] < 2) continue;
    const std::vector<Exit> kept = exits_to_deal(at, to);
    const std::size_t first = address % kept.size();
    const Exit* best = nullptr;
    std::tuple<double, double> least{};
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Exit& exit = kept[(first + i) % kept.size()];
      const std::tuple<double, double> here{load[exit.link] / exit.rate, behind[exit.to]};
      if (best != nullptr && here >= least) continue;
      best = &exit;
      least = here;
    }
    behind[at] = std::max(std::get<0>(least), std::get<1>(least));
    deal.emplace_back(at, *best);
  }
  return deal;
}

// Assigns exits by digits of the address, one digit per switch on the path, least significant next
// to the destination, and starts again when the digits of one set of switches are used up. In a
// tree, all switches of a level so take the same exits, and addresses take all combinations.
GraphPaths::Deal GraphPaths::deal_by_digits(std::uint16_t address,
                                            const std::vector<double>& /*load*/) const {
  const Costs& to = costs(address);
  Deal deal;
  const std::size_t alike = alike_.at(ends_[address]);
  std::vector<std::size_t> units(exits_.size(),
                                 1);  // the next switch divides by its unit for its digit
  for (const NodeId at : nearest_first(to)) {
    if (to.links[at] < 2) continue;
    const std::vector<Exit> kept = exits_to_deal(at, to);
    std::size_t unit = 1;
    for (const Exit& exit : kept) unit = std::max(unit, units[exit.to]);
    deal.emplace_back(at, kept[address / unit % kept.size()]);
    units[at] = unit * kept.size() < alike ? unit * kept.size() : 1;
  }
  return deal;
}

std::vector<GraphPaths::Exit> GraphPaths::exits_to_deal(NodeId at, const Costs& costs) const {
  std::vector<Exit> kept = equal_exits(at, costs);
  if (kept.empty()) throw std::logic_error("a switch has no link to go on by");
  return kept;
}

// Adds the traffic of all endpoints on these routes to the load.
void GraphPaths::add_load(const Deal& deal, std::vector<double>& load) const {
  std::vector<double> flow = sources_;
  for (auto route = deal.rbegin(); route != deal.rend(); ++route) {
    const auto& [at, exit] = *route;
    load[exit.link] += flow[at];
    flow[exit.to] += flow[at];
  }
}

void GraphPaths::deal_routes() const {
  const std::size_t routes = by_order_.size() * endpoints_.size();
  if (routes > kMaxDealtRoutes) return;
  dealt_.resize(exits_.size());
  for (const NodeId id : by_order_) dealt_[id].assign(endpoints_.size(), -1);
  for (std::size_t address = 0; address < endpoints_.size(); ++address)
    for (const Exit& last : last_[address])
      dealt_[last.to][address] = static_cast<std::int16_t>(last.port);
  if (routes > kMaxRoutesDealtAnew) {
    std::vector<double> load(static_cast<std::size_t>(links_));
    for (std::size_t address = 0; address < endpoints_.size(); ++address) {
      const Deal deal = deal_by_load(static_cast<std::uint16_t>(address), load);
      add_load(deal, load);
      set_routes(address, deal);
    }
    return;
  }
  Deals best = deal_all(&GraphPaths::deal_by_load);
  Deals digits = deal_all(&GraphPaths::deal_by_digits);
  if (digits.squares < best.squares * (1 - kClearlyLess)) best = std::move(digits);
  for (std::size_t address = 0; address < endpoints_.size(); ++address)
    set_routes(address, best.deals[address]);
}

GraphPaths::Deals GraphPaths::deal_all(Dealer first) const {
  std::vector<double> load(static_cast<std::size_t>(links_));
  Deals all;
  for (std::size_t address = 0; address < endpoints_.size(); ++address) {
    all.deals.push_back((this->*first)(static_cast<std::uint16_t>(address), load));
    add_load(all.deals.back(), load);
  }
  bool has_changed = true;
  for (int k = 0; k < kMaxDeals && has_changed; ++k) {
    has_changed = false;
    for (std::size_t address = 0; address < endpoints_.size(); ++address)
      has_changed |= deal_anew(static_cast<std::uint16_t>(address), all.deals[address], load);
  }
  for (const NodeId at : by_order_)
    for (const Exit& exit : exits_[at]) all.squares += std::pow(load[exit.link] / exit.rate, 2);
  return all;
}

// Changes exits switch by switch if that reduces the sum of the squared times of links. False: no
//   change.
bool GraphPaths::deal_anew(std::uint16_t address, Deal& deal, std::vector<double>& load) const {
  const Costs& to = costs(address);
  std::vector<Exit*> chosen(exits_.size(), nullptr);
  for (auto& [at, exit] : deal) chosen[at] = &exit;
  std::vector<double> flow = sources_;
  for (auto route = deal.rbegin(); route != deal.rend(); ++route)
    flow[route->second.to] += flow[route->first];
  // Change of the sum if `more` takes this exit and then the chosen path.
  const auto add = [&](const Exit& first, double more) {
    double change = 0;
    for (const Exit* exit = &first; exit != nullptr; exit = chosen[exit->to]) {
      const double before = load[exit->link] / exit->rate, after = before + more / exit->rate;
      load[exit->link] += more;
      flow[exit->to] += more;
      change += (after - before) * (after + before);
    }
    return change;
  };
  bool has_changed = false;
  for (auto& [at, exit] : deal) {
    const double own = flow[at];
    if (own == 0) continue;
    for (const Exit& other : equal_exits(at, to)) {
      if (other.link == exit.link) continue;
      const double less = add(exit, -own);
      const double more = add(other, own);
      if (less + more < -kClearlyLess * std::abs(less)) {
        exit = other;
        has_changed = true;
      } else {
        add(other, -own);
        add(exit, own);
      }
    }
  }
  return has_changed;
}

void GraphPaths::set_routes(std::size_t address, const Deal& deal) const {
  for (const auto& [at, exit] : deal) dealt_[at][address] = static_cast<std::int16_t>(exit.port);
}

int GraphPaths::port(int chiplet, std::uint16_t address) const {
  std::call_once(is_dealt_, [this] { deal_routes(); });
  if (!dealt_.empty()) return dealt_[chiplet][address];
  if (const Exit* const last = last_exit(chiplet, address); last != nullptr) return last->port;
  const Costs& to = costs(address);
  if (to.links[chiplet] == kNone) return -1;
  const std::vector<Exit> exits = exits_to_deal(chiplet, to);
  return exits[address % exits.size()].port;
}

}  // namespace fredsim

#include "collective/endpoint_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

#include "base/error.h"
#include "collective/channels.h"
#include "collective/endpoint_trees.h"
#include "collective/mesh_rings.h"

namespace fredsim {
namespace {

// Packets under way per source and tree: enough that credits, not the window, set the pace. A source
// takes part in a tree or two per rank; chains have one tree for all and are as long as the group.
constexpr int kRingWindow = 24;
constexpr int kChainWindow = 64;
constexpr int kChainWindowPerRank = 32;
constexpr int kDirectWindow = 1024;

enum class Family : std::uint8_t { kRing, kChain, kDirect };

Family family_of(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
    case Collective::kAllGather:
      return Family::kRing;
    case Collective::kReduce:
    case Collective::kBroadcast:
    case Collective::kMulticast:
      return Family::kChain;
    default:
      return Family::kDirect;
  }
}

Roles roles_of(Collective collective) {
  switch (collective) {
    case Collective::kReduceScatter:
    case Collective::kReduce:
      return Roles::kToRoot;
    case Collective::kAllGather:
    case Collective::kBroadcast:
      return Roles::kFromRoot;
    case Collective::kMulticast:
      return Roles::kToOthers;
    default:
      return Roles::kAllToAll;
  }
}

class EndpointPlanner {
 public:
  EndpointPlanner(const Topology& topology, const CollectiveSpec& spec, int part, Plan& plan)
      : topology_(topology),
        spec_(spec),
        part_(part),
        plan_(plan),
        slices_(endpoint_slices(topology)),
        ranks_(static_cast<int>(plan.parts[part].members.size())),
        roles_(roles_of(spec.collective)) {}

  void run(std::vector<ChainSpec>& chains) {
    Part& part = plan_.parts[part_];
    switch (family_of(spec_.collective)) {
      case Family::kRing: {
        const bool hierarchical = choose_ring();
        part.algorithm = hierarchical ? "hier_ring" : "ring";
        part.window = kRingWindow;
        if (hierarchical && topology_.is_grid()) {
          mesh_hierarchy();
        } else if (hierarchical) {
          RingBox box = tree_box();
          spread(box);
          rings(box);
        } else {
          rings(flat_box());
        }
        break;
      }
      case Family::kChain:
        accept({"chain", "ring"});
        part.algorithm = "chain";
        part.window = kChainWindow + kChainWindowPerRank * ranks_;
        chains.push_back({part_, flat_box().ranks, roles_});
        break;
      case Family::kDirect:
        accept({"direct"});
        part.algorithm = "direct";
        part.window = kDirectWindow;
        direct();
        break;
    }
  }

 private:
  void accept(std::initializer_list<const char*> names) const {
    if (spec_.algorithm == "auto" || std::ranges::find(names, spec_.algorithm) != names.end())
      return;
    throw BadInput(fmt::format("algorithm: {} found, {} on {} allows: {}", spec_.algorithm,
                               to_string(spec_.collective), topology_.name,
                               endpoint_algorithms(spec_.collective)));
  }

  // True: the hierarchical ring.
  bool choose_ring() const {
    accept({"ring", "hier_ring"});
    if (spec_.algorithm == "ring") return false;
    const bool mesh = topology_.is_grid();
    const bool possible = mesh ? ranks_ == std::ssize(topology_.npus) && topology_.mesh.width > 1 &&
                                     topology_.mesh.height > 1
                               : tree_box().sides.size() > 1;
    if (possible || spec_.algorithm == "auto") return possible;
    if (mesh) {
      throw BadInput(
          fmt::format("algorithm: hier_ring needs all {} NPUs of a mesh of more than one row and "
                      "column, this group has {} on {} × {}, allowed: auto or ring",
                      topology_.npus.size(), ranks_, topology_.mesh.width, topology_.mesh.height));
    }
    throw BadInput(
        fmt::format("algorithm: hier_ring on {} needs as many members, two or more, on each of two "
                    "or more L1 switches, this group has {} members otherwise, allowed: auto or "
                    "ring",
                    topology_.name, ranks_));
  }

  void add(Tree tree) {
    if (tree.flits > 0) plan_.trees.push_back(std::move(tree));
  }
  TreeBuilder builder(int slice) const { return {topology_, plan_, part_, slice}; }
  std::uint64_t bytes() const { return plan_.parts[part_].bytes; }

  RingBox flat_box() const {
    RingBox box{{ranks_}, std::vector<int>(ranks_)};
    std::iota(box.ranks.begin(), box.ranks.end(), 0);
    if (topology_.is_grid() && ranks_ == std::ssize(topology_.npus)) {
      const RingBox rows = rows_first_box(topology_, plan_.parts[part_].members);
      box.ranks = mesh_ring(topology_.mesh.width, topology_.mesh.height);
      for (int& place : box.ranks) place = rows.ranks[place];
    }
    return box;
  }

  // The lowest of the switches of a level that a node reaches going up stands for all of them.
  NodeId above(NodeId node, int level) const {
    std::set<NodeId> here{node};
    for (int l = 0; l < level; ++l) {
      std::set<NodeId> next;
      for (const NodeId id : here) {
        for (int port = 0; port < (l == 0 ? 1 : topology_.nodes[id].ports); ++port) {
          const int link = topology_.link_out(id, port);
          if (link < 0) continue;
          const NodeId to = topology_.links[link].to;
          if (topology_.nodes[to].level == l + 1) next.insert(to);
        }
      }
      if (next.empty()) return *here.begin();
      here = std::move(next);
    }
    return *here.begin();
  }

  // Some link between switches is slower than the NPUs' own.
  bool slow_uplinks() const {
    const auto between = [&](const Link& link) {
      return topology_.nodes[link.from].is_switch() && topology_.nodes[link.to].is_switch();
    };
    const NodeId npu = topology_.npus.front();
    const Link& port = topology_.links[topology_.link_out(npu, 0)];
    return std::ranges::any_of(topology_.links, [&](const Link& link) {
      return between(link) && link.bytes_per_second < port.bytes_per_second;
    });
  }

  // The rings of a tree are spread over the VCs that their part may use: on one, packets that wait for an
  // uplink at the front of an L1 chiplet's input hold up those behind them that stay below it, and the
  // sums and results inside an L1 switch each other. What crosses levels goes first. With two VCs it has
  // one for itself where uplinks are slow; else sums go with it, for they wait little.
  void spread(RingBox& box) {
    const std::vector<int> channels = channels_of(topology_, plan_, part_);
    if (channels.size() < 2) return;
    const int across = channels.front();
    const int results = channels.back();
    const int sums = channels.size() > 2 ? channels[1] : slow_uplinks() ? results : across;
    box.reduce_vcs.assign(box.sides.size(), across);
    box.broadcast_vcs = box.reduce_vcs;
    box.reduce_vcs.front() = sums;
    box.broadcast_vcs.front() = results;
    plan_.note(fmt::format(
        "hier_ring: across L1 switches on virtual channel {}, inside them sums on {}, results on "
        "{}",
        priority_name(across), priority_name(sums), priority_name(results)));
  }

  // Members by switch and level; of one dimension where they are not as many everywhere.
  RingBox tree_box() const {
    int levels = 0;
    for (const Node& node : topology_.nodes) levels = std::max(levels, node.level);
    // Units of a level: sets of members in order; at first each member is one.
    std::vector<std::vector<int>> units(static_cast<std::size_t>(ranks_));
    for (int r = 0; r < ranks_; ++r) units[r] = {r};
    RingBox box;
    for (int level = 1; level <= levels; ++level) {
      std::vector<std::vector<std::vector<int>>>
          groups;  // of units, in order of their first member
      std::map<NodeId, std::size_t> group_of;
      for (std::vector<int>& unit : units) {
        const NodeId parent = above(plan_.parts[part_].members[unit.front()], level);
        const auto [at, added] = group_of.emplace(parent, groups.size());
        if (added) groups.emplace_back();
        groups[at->second].push_back(std::move(unit));
      }
      const std::size_t side = groups.front().size();
      if (!std::ranges::all_of(groups, [side](const auto& g) { return g.size() == side; }))
        return flat_box();
      if (side > 1) box.sides.push_back(static_cast<int>(side));
      units.clear();
      for (const auto& group : groups) {
        std::vector<int>& unit = units.emplace_back();
        for (const auto& below : group) unit.insert(unit.end(), below.begin(), below.end());
      }
    }
    if (units.size() != 1) return flat_box();
    box.ranks = std::move(units.front());
    return box;
  }

  // A tree per slice and owner. All-reduce: owners are places of the box and share the vector;
  // otherwise each rank owns its block.
  void rings(const RingBox& box) {
    std::vector<int> place_of(ranks_);
    for (int p = 0; p < ranks_; ++p) place_of[box.ranks[p]] = p;
    const auto tree = [&](int slice, int place, const FlitRange& range) {
      if (range.flits > 0) add(hierarchical_tree(builder(slice), box, place, roles_, range));
    };
    if (spec_.collective == Collective::kAllReduce) {
      const FlitRange whole = whole_range(0, bytes());
      for (int s = 0; s < slices_; ++s) {
        const FlitRange share = share_of(whole, slices_, s);
        // The first owners have a flit more: others in every slice.
        for (int k = 0; k < ranks_; ++k)
          tree(s, (k + s * ranks_ / slices_) % ranks_, share_of(share, ranks_, k));
      }
      return;
    }
    const std::vector<FlitRange> blocks = padded_blocks(block_sizes(bytes(), ranks_));
    for (int s = 0; s < slices_; ++s) {
      for (int k = 0; k < ranks_; ++k)
        tree(s, place_of[k], share_of(blocks[k], slices_, (s + k) % slices_));
    }
  }

  void mesh_hierarchy() {
    const int width = topology_.mesh.width;
    const int height = topology_.mesh.height;
    const RingBox rows = rows_first_box(topology_, plan_.parts[part_].members);
    const RingBox columns = columns_first_box(topology_, plan_.parts[part_].members);
    const auto rows_tree = [&](int cell, const FlitRange& range) {
      if (range.flits > 0) add(hierarchical_tree(builder(0), rows, cell, roles_, range));
    };
    const auto columns_tree = [&](int cell, const FlitRange& range) {
      if (range.flits > 0)
        add(hierarchical_tree(builder(0), columns, columns_first_position(width, height, cell),
                              roles_, range));
    };
    if (spec_.collective == Collective::kAllReduce) {
      const FlitRange whole = whole_range(0, bytes());
      const std::uint64_t split = rows_first_flits(width, height, whole.flits);
      for (int k = 0; k < ranks_; ++k)
        rows_tree(diagonal_cell(width, height, k), share_of(part_of(whole, 0, split), ranks_, k));
      // Half a round on: where one order has the owner of its few flits, the other has another.
      for (int k = 0; k < ranks_; ++k)
        columns_tree(diagonal_cell(width, height, (k + ranks_ / 2) % ranks_),
                     share_of(part_of(whole, split, whole.flits), ranks_, k));
      return;
    }
    std::vector<int> cell_of(ranks_);
    for (int cell = 0; cell < ranks_; ++cell) cell_of[rows.ranks[cell]] = cell;
    const std::vector<FlitRange> blocks = padded_blocks(block_sizes(bytes(), ranks_));
    for (int k = 0; k < ranks_; ++k) {
      const FlitRange& block = blocks[k];
      // Rounded along the vector, so that short blocks balance each other.
      const std::uint64_t split = rows_first_flits(width, height, block.first_flit + block.flits) -
                                  rows_first_flits(width, height, block.first_flit);
      rows_tree(cell_of[k], part_of(block, 0, split));
      columns_tree(cell_of[k], part_of(block, split, block.flits));
    }
  }

  void pair(int from, int to, const FlitRange& block) {
    pair(from, to, block, plan_.parts[part_].vc);
  }
  void pair(int from, int to, const FlitRange& block, int vc) {
    for (int s = 0; s < slices_; ++s) {
      const FlitRange range = share_of(block, slices_, (s + from + to) % slices_);
      if (range.flits > 0) add(direct_tree(topology_, plan_, part_, from, to, s, vc, range));
    }
  }

  void direct() {
    const int root = plan_.parts[part_].root;
    if (spec_.collective == Collective::kUnicast) {
      pair(0, 1, whole_range(0, bytes()));
      return;
    }
    if (spec_.collective == Collective::kAllToAllV) {
      all_to_all([&](int i) {
        const auto row = spec_.matrix.begin() + static_cast<std::ptrdiff_t>(i) * ranks_;
        return padded_blocks({row, row + ranks_});
      });
      return;
    }
    const std::vector<FlitRange> blocks = padded_blocks(block_sizes(bytes(), ranks_));
    if (spec_.collective == Collective::kAllToAll) {
      all_to_all([&](int) -> const std::vector<FlitRange>& { return blocks; });
      return;
    }
    for (int k = 1; k < ranks_; ++k) {
      const int other = (root + k) % ranks_;
      if (spec_.collective == Collective::kGather) {
        pair(other, root, blocks[other]);
      } else {
        pair(root, other, blocks[other]);
      }
    }
  }

  // Every rank begins with the one after it, so that no receiver is everybody's first. On a mesh what goes to
  // different ranks is spread over the VCs that the part may use: on one, packets at the front of a buffer
  // hold up those behind them that go elsewhere. (Measured: a torus and a tree gain nothing by it.)
  void all_to_all(const auto& blocks_of) {
    std::vector<std::vector<FlitRange>> rows;
    rows.reserve(static_cast<std::size_t>(ranks_));
    for (int i = 0; i < ranks_; ++i) rows.push_back(blocks_of(i));
    std::vector<int> channels{plan_.parts[part_].vc};
    if (topology_.kind == FabricKind::kMesh2d && ranks_ > 2) {
      channels = channels_of(topology_, plan_, part_);
      if (channels.size() > 1) {
        plan_.note(fmt::format("{}: to the ranks in turn on virtual channels {}",
                               to_string(spec_.collective),
                               fmt::join(channels | std::views::transform(priority_name), ", ")));
      }
    }
    for (int offset = 1; offset < ranks_; ++offset) {
      const int vc = channels[static_cast<std::size_t>(offset) % channels.size()];
      for (int i = 0; i < ranks_; ++i) {
        const int to = (i + offset) % ranks_;
        pair(i, to, rows[i][to], vc);
      }
    }
  }

  const Topology& topology_;
  const CollectiveSpec& spec_;
  int part_;
  Plan& plan_;
  int slices_;
  int ranks_;
  Roles roles_;
};

}  // namespace

void plan_endpoint(const Topology& topology, const CollectiveSpec& spec, int part, Plan& plan,
                   std::vector<ChainSpec>& chains) {
  EndpointPlanner(topology, spec, part, plan).run(chains);
}

std::string plain_algorithm(Collective collective) {
  switch (family_of(collective)) {
    case Family::kRing:
      return "ring";
    case Family::kChain:
      return "chain";
    case Family::kDirect:
      break;
  }
  return "direct";
}

std::string endpoint_algorithms(Collective collective) {
  switch (family_of(collective)) {
    case Family::kRing:
      return "auto, ring or hier_ring";
    case Family::kChain:
      return "auto, chain or ring";
    case Family::kDirect:
      break;
  }
  return "auto or direct";
}

}  // namespace fredsim

#include "collective/endpoint_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "collective/channels.h"
#include "collective/edge_tree.h"
#include "collective/endpoint_trees.h"
#include "collective/member_boxes.h"
#include "collective/members.h"
#include "collective/mesh_rings.h"
#include "collective/multi_tree.h"
#include "collective/packed_trees.h"
#include "collective/port_balance.h"
#include "collective/slice_shares.h"
#include "collective/streams.h"

namespace fredsim {
namespace {

// Packets under way per source and tree: enough that credits, not the window, set the pace. A source
// takes part in a tree or two per rank; chains have one tree for all and are as long as the group.
constexpr int kRingWindow = 24;
constexpr int kAcknowledgedRingWindow =
    64;  // sources hear of results later than they would see them
constexpr int kChainWindow = 64;
constexpr int kChainWindowPerRank = 32;
constexpr int kDirectWindow = 1024;
constexpr int kTreeWindow = 96;

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
        shares_(shares(topology, plan.parts[part])),
        slices_(shares_.slices()),
        ranks_(static_cast<int>(plan.parts[part].members.size())),
        roles_(roles_of(spec.collective)) {}

  bool fits() const {
    const std::string& name = spec_.algorithm;
    return (name != "hier_ring" && name != "hier_direct" && name != "multi_tree" &&
            name != "edge_tree") ||
           has_levels(name);
  }

  void run(std::vector<ChainSpec>& chains) {
    Part& part = plan_.parts[part_];
    if (part.roots > 0) {
      std::ranges::move(stream_trees(topology_, spec_.algorithm, part_, plan_),
                        std::back_inserter(plan_.trees));
      return;
    }
    switch (family_of(spec_.collective)) {
      case Family::kRing:
        part.algorithm = name_of_ring();
        part.window = roles_ == Roles::kAllToAll ? kRingWindow : kAcknowledgedRingWindow;
        ring_family(part.algorithm);
        break;
      case Family::kChain:
        part.algorithm = name_of_chain();
        part.window = kChainWindow + kChainWindowPerRank * ranks_;
        if (part.algorithm == "chain") {
          chains.push_back({part_, flat_box(topology_, members()).ranks, roles_});
        } else {
          rooted(part.algorithm);
        }
        break;
      case Family::kDirect:
        accept();
        part.algorithm = "direct";
        part.window = kDirectWindow;
        direct();
        break;
    }
  }

 private:
  static SliceShares shares(const Topology& topology, const Part& part) {
    if (!part.slice_weights.empty()) return {topology, part.slice_weights};
    const bool is_one =
        family_of(part.collective) == Family::kChain || part.collective == Collective::kUnicast;
    const std::uint64_t trees = is_one ? 1 : part.members.size();
    return SliceShares(slice_cuts(topology, trees, part.bytes / kFlitBytes / trees));
  }

  bool by_rule() const { return spec_.algorithm == "auto" || spec_.algorithm == "paper"; }

  void accept() const {
    const std::vector<std::string> names = algorithms_of(spec_.collective);
    if (by_rule() || std::ranges::find(names, spec_.algorithm) != names.end()) return;
    throw BadInput(fmt::format("algorithm: {} found, {} on {} allows: {}", spec_.algorithm,
                               to_string(spec_.collective), topology_.name,
                               endpoint_algorithms(spec_.collective)));
  }

  bool whole_grid() const {
    return is_whole_grid(topology_, members()) && topology_.mesh.width > 1 &&
           topology_.mesh.height > 1;
  }

  std::string name_of_ring() const {
    accept();
    check_levels();
    if (!by_rule()) return spec_.algorithm;
    return has_levels("hier_ring") ? "hier_ring" : "ring";
  }

  std::string name_of_chain() const {
    accept();
    check_levels();
    if (by_rule() && has_levels("edge_tree")) return "edge_tree";
    return by_rule() || spec_.algorithm == "ring" ? "chain" : spec_.algorithm;
  }

  // The group has what a hierarchical algorithm is hierarchical in, or multi_tree its rectangle.
  bool has_levels(const std::string& algorithm) const {
    if (algorithm == "multi_tree") {
      const std::optional<GridBox> box = grid_box(topology_, members());
      const bool rings = box && (box->ring_x || box->ring_y);
      if (takes_packed_trees(box)) return can_pack_trees(topology_, members());
      // From or to one root on a torus: measured, slower than a chain or a tree.
      return box && (family_of(spec_.collective) == Family::kRing || !rings);
    }
    if (algorithm == "edge_tree")
      return edge_tree_of(topology_, plan_.parts[part_], plan_.parts[part_].root).has_value();
    if (!topology_.is_grid()) return level_box(topology_, members()).sides.size() > 1;
    return algorithm == "hier_ring" && whole_grid();
  }

  // Combs are for rectangles on links of one rate.
  bool takes_packed_trees(const std::optional<GridBox>& box) const {
    return spec_.collective == Collective::kAllReduce && !(box && grid_is_even(topology_));
  }

  void check_levels() const {
    if (fits()) return;
    const std::string& name = spec_.algorithm;
    if (name == "multi_tree") {
      throw BadInput(fmt::format(
          "algorithm: multi_tree needs a group that fills a rectangle of a mesh, or of a "
          "torus if the collective has no root, or, for an all_reduce, NPUs next to each other, "
          "{} of this group of {} on {} is not that, allowed: {}",
          to_string(spec_.collective), ranks_, topology_.name,
          endpoint_algorithms(spec_.collective)));
    }
    if (name == "edge_tree") {
      throw BadInput(fmt::format(
          "algorithm: edge_tree needs an I/O controller of a mesh or torus for a root and NPUs "
          "that fill a "
          "rectangle with its router, {} of this group of {} on {} is not that, allowed: {}",
          to_string(spec_.collective), ranks_, topology_.name,
          endpoint_algorithms(spec_.collective)));
    }
    if (topology_.is_grid() && name == "hier_direct") {
      throw BadInput(
          fmt::format("algorithm: hier_direct needs a tree of switches, {} has none, allowed: {}",
                      topology_.name, endpoint_algorithms(spec_.collective)));
    }
    if (topology_.is_grid()) {
      throw BadInput(
          fmt::format("algorithm: hier_ring needs all {} NPUs of a mesh of more than one row and "
                      "column, this group has {} on {} × {}, allowed: auto or ring",
                      topology_.npus.size(), ranks_, topology_.mesh.width, topology_.mesh.height));
    }
    throw BadInput(
        fmt::format("algorithm: {} on {} needs as many members, two or more, on each of two "
                    "or more L1 switches, this group has {} members otherwise, allowed: auto or "
                    "{}",
                    name, topology_.name, ranks_, name == "hier_ring" ? "ring" : "direct"));
  }

  void ring_family(const std::string& algorithm) {
    if (algorithm == "multi_tree") {
      plan_.parts[part_].window = kTreeWindow;
      const std::optional<GridBox> box = grid_box(topology_, members());
      if (takes_packed_trees(box)) {
        packed();
      } else {
        multi_tree(*box);
      }
    } else if (algorithm == "hier_ring" && topology_.is_grid()) {
      mesh_hierarchy();
    } else if (algorithm == "ring") {
      rings(flat_box(topology_, members()));
    } else {
      RingBox box = shaped_box(algorithm);
      if (box.sides.size() > 1 && topology_.is_tree()) spread(box, algorithm);
      rings(box);
    }
  }

  // Of tree, direct, hier_direct and a FRED tree's hier_ring.
  RingBox shaped_box(const std::string& algorithm) const {
    RingBox box;
    if (algorithm == "direct") {
      box = middle_first_box(topology_, members());
    } else {
      box = topology_.is_grid() ? rectangle_box(topology_, members())
                                : level_box(topology_, members());
    }
    if (algorithm == "tree") {
      box.shape = LineShape::kBinaryTree;
    } else if (algorithm != "hier_ring") {
      box.shape = LineShape::kStar;
    }
    return box;
  }

  void multi_tree(const GridBox& box) {
    if (spec_.collective == Collective::kAllReduce) {
      const FlitRange whole = whole_range(0, bytes());
      const std::vector<WeightedComb> combs = all_reduce_combs(box);
      const std::vector<std::uint64_t> flits = comb_flits(combs, whole.flits);
      std::uint64_t begin = 0;
      for (std::size_t k = 0; k < combs.size(); ++k) {
        comb(box, combs[k].comb, part_of(whole, begin, begin + flits[k]));
        begin += flits[k];
      }
      return;
    }
    const std::vector<FlitRange> blocks = padded_blocks(block_sizes(bytes(), ranks_));
    for (int cell = 0; cell < ranks_; ++cell) both_combs(box, cell, blocks[box.ranks[cell]]);
  }

  // Shares of the vector by tree, the longer ones over the shorter trees.
  void packed() {
    const FlitRange whole = whole_range(0, bytes());
    const std::vector<PackedTree> trees = packed_trees(topology_, members());
    const std::uint64_t each = whole.flits / trees.size();
    const std::uint64_t longer = whole.flits % trees.size();
    std::uint64_t begin = 0;
    for (std::size_t k = 0; k < trees.size(); ++k) {
      const std::uint64_t end = begin + each + (k < longer ? 1 : 0);
      if (end == begin) return;
      TreeBuilder tree = builder(0);
      for (const auto& [above, below] : trees[k].hops) {
        tree.reduce(below, above, tree.vc());
        tree.pass_on(above, below, tree.vc());
      }
      add(tree.finish(roles_, trees[k].root, part_of(whole, begin, end)));
      begin = end;
    }
  }

  // Two combs with their root in a cell, each for its share of the data.
  void both_combs(const GridBox& box, int cell, const FlitRange& range) {
    const int x = cell % box.width;
    const int y = cell / box.width;
    const bool odd = (x + y) % 2 != 0;
    const Comb rows{x, y, true, odd};
    const Comb columns{x, y, false, odd};
    const Rational share = comb_share(box, true);
    // Rounded along the vector, so that short blocks balance each other.
    const auto by_rows = [&](std::uint64_t flits) {
      return flits / share.den * share.num +
             (flits % share.den * share.num + share.den / 2) / share.den;
    };
    const std::uint64_t split = by_rows(range.first_flit + range.flits) - by_rows(range.first_flit);
    comb(box, rows, part_of(range, 0, split));
    comb(box, columns, part_of(range, split, range.flits));
  }

  void comb(const GridBox& box, const Comb& comb, const FlitRange& range) {
    if (range.flits > 0) add(comb_tree(builder(0), box, comb, roles_, range));
  }

  // One tree per slice, from or to the root of the collective, on one VC.
  void rooted(const std::string& algorithm) {
    const int root = plan_.parts[part_].root;
    const FlitRange whole = whole_range(0, bytes());
    if (algorithm == "edge_tree") {
      add(edge_tree(builder(0), *edge_tree_of(topology_, plan_.parts[part_], root), roles_, root,
                    whole));
      return;
    }
    if (algorithm == "multi_tree") {
      const GridBox box = *grid_box(topology_, members());
      const auto cell = std::ranges::find(box.ranks, root) - box.ranks.begin();
      both_combs(box, static_cast<int>(cell), whole);
      return;
    }
    const RingBox box = shaped_box(algorithm);
    const auto place = std::ranges::find(box.ranks, root) - box.ranks.begin();
    for (int s = 0; s < slices_; ++s) {
      const FlitRange share = shares_.of(whole, s);
      if (share.flits > 0)
        add(hierarchical_tree(builder(s), box, static_cast<int>(place), roles_, share));
    }
  }

  const std::vector<NodeId>& members() const { return plan_.parts[part_].members; }

  void add(Tree tree) {
    if (tree.flits > 0) plan_.trees.push_back(std::move(tree));
  }
  TreeBuilder builder(int slice) const { return {topology_, plan_, part_, slice}; }
  std::uint64_t bytes() const { return plan_.parts[part_].bytes; }

  // What goes through the levels of a tree of switches is spread over the VCs that its part may use: on one,
  // packets that wait for an uplink at the front of an L1 chiplet's input hold up those behind them that stay
  // below it, and the sums and results inside an L1 switch each other. What crosses levels goes first. With two
  // VCs it has one for itself where uplinks are slow; else sums go with it, for they wait little.
  void spread(RingBox& box, const std::string& algorithm) {
    const std::vector<int> channels = channels_of(topology_, plan_, part_);
    if (channels.size() < 2) return;
    const int across = channels.front();
    const int results = channels.back();
    const int sums = channels.size() > 2 ? channels[1] : slow_uplinks(topology_) ? results : across;
    box.reduce_vcs.assign(box.sides.size(), across);
    box.broadcast_vcs = box.reduce_vcs;
    box.reduce_vcs.front() = sums;
    box.broadcast_vcs.front() = results;
    plan_.note(fmt::format(
        "{}: across L1 switches on virtual channel {}, inside them sums on {}, results on "
        "{}",
        algorithm, priority_name(across), priority_name(sums), priority_name(results)));
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
        const FlitRange share = shares_.of(whole, s);
        for (int k = 0; k < ranks_; ++k) tree(s, k, share_of(share, ranks_, k));
      }
      return;
    }
    const std::vector<FlitRange> blocks = padded_blocks(block_sizes(bytes(), ranks_));
    for (int s = 0; s < slices_; ++s) {
      for (int k = 0; k < ranks_; ++k) tree(s, place_of[k], shares_.of(blocks[k], s, k));
    }
  }

  void mesh_hierarchy() {
    const int width = topology_.mesh.width;
    const int height = topology_.mesh.height;
    const RingBox rows = rows_first_box(topology_, members());
    const RingBox columns = columns_first_box(topology_, members());
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
      const FlitRange range = shares_.of(block, s, from + to);
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
        std::vector<std::string> names(channels.size());
        std::ranges::transform(channels, names.begin(), priority_name);
        plan_.note(fmt::format("{}: to the ranks in turn on virtual channels {}",
                               to_string(spec_.collective), fmt::join(names, ", ")));
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
  SliceShares shares_;
  int slices_;
  int ranks_;
  Roles roles_;
};

}  // namespace

void plan_endpoint(const Topology& topology, const CollectiveSpec& spec, int part, Plan& plan,
                   std::vector<ChainSpec>& chains) {
  EndpointPlanner(topology, spec, part, plan).run(chains);
}

bool endpoint_algorithm_fits(const Topology& topology, const CollectiveSpec& spec, int part,
                             Plan& plan) {
  return EndpointPlanner(topology, spec, part, plan).fits();
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

std::vector<std::string> algorithms_of(Collective collective) {
  switch (family_of(collective)) {
    case Family::kRing:
      return {"ring", "hier_ring", "tree", "direct", "hier_direct", "multi_tree"};
    case Family::kChain:
      return {"chain", "ring", "tree", "direct", "hier_direct", "multi_tree", "edge_tree"};
    case Family::kDirect:
      break;
  }
  return {"direct"};
}

std::string endpoint_algorithms(Collective collective) {
  const std::vector<std::string> names = algorithms_of(collective);
  return fmt::format(
      "auto, paper{}",
      names.size() == 1 ? " or direct"
                        : fmt::format(", {} or {}", fmt::join(names.begin(), names.end() - 1, ", "),
                                      names.back()));
}

}  // namespace fredsim

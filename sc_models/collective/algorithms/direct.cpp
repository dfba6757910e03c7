// SPDX-License-Identifier: Apache-2.0
// direct: every sum or block straight to its owner, and results straight from there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collective/algorithm.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/member_boxes.h"
#include "plan/channels.h"

namespace fredsim {
namespace {

class Direct final : public Algorithm {
 public:
  Direct() : Algorithm("direct") {}
  std::string_view aliases() const override { return "pairwise all_pairs"; }
  bool has(Collective /*collective*/) const override { return true; }
  bool is_papers(const Topology& /*topology*/, Collective collective) const override {
    return pattern_of(collective) == Pattern::kPairs;
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& /*chains*/) const override {
    if (part.pattern() == Pattern::kPairs) {
      plan_pairs(part);
      return;
    }
    RingBox box = middle_first_box(part.topology(), part.members());
    box.shape = LineShape::kStar;
    part.add_box(box);
  }
  Layout layout() const override { return Layout::kStar; }

 private:
  static void plan_pairs(const EndpointPart& part) {
    const CollectiveSpec& spec = part.spec();
    const int ranks = part.ranks();
    const int vc = part.part().vc;
    if (spec.collective == Collective::kUnicast) {
      part.add_pair(0, 1, part.vector(), vc);
      return;
    }
    if (spec.collective == Collective::kAllToAll || spec.collective == Collective::kAllToAllV) {
      all_to_all(part);
      return;
    }
    const std::vector<FlitRange> blocks = part.blocks();
    const int root = part.part().root;
    for (int k = 1; k < ranks; ++k) {
      const int other = (root + k) % ranks;
      if (spec.collective == Collective::kGather) {
        part.add_pair(other, root, blocks[other], vc);
      } else {
        part.add_pair(root, other, blocks[other], vc);
      }
    }
  }

  // Every rank begins with its successor, so that the first receivers all differ. On a mesh, blocks
  // to different ranks are spread over the VCs of the part, to avoid head-of-line blocking on a
  // single VC. (Measured: a torus and a tree gain nothing by it.)
  static void all_to_all(const EndpointPart& part) {
    const int ranks = part.ranks();
    const std::vector<std::vector<FlitRange>> rows = part.pair_blocks();
    std::vector<int> channels{part.part().vc};
    if (part.topology().has_places() && !part.topology().has_rings() && ranks > 2) {
      channels = channels_of(part.topology(), part.plan(), part.number());
      if (channels.size() > 1) {
        std::vector<std::string> names(channels.size());
        std::ranges::transform(channels, names.begin(), priority_name);
        part.plan().note(fmt::format("{}: to the ranks in turn on virtual channels {}",
                                     to_string(part.spec().collective), fmt::join(names, ", ")));
      }
    }
    for (int offset = 1; offset < ranks; ++offset) {
      const int vc = channels[static_cast<std::size_t>(offset) % channels.size()];
      for (int i = 0; i < ranks; ++i) {
        const int to = (i + offset) % ranks;
        part.add_pair(i, to, rows[i][to], vc);
      }
    }
  }
};

}  // namespace

const Algorithm& direct_algorithm() {
  static const Direct algorithm;
  return algorithm;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// chain: from or to the root in ring order, in two halves that go the same way round or one each,
// whatever is faster (collective/detail/chains.h). It is a ring without the closing hop, so that
// "ring" is an alternative name.
#include "collective/algorithm.h"
#include "collective/detail/chains.h"
#include "collective/detail/endpoint_part.h"
#include "collective/detail/member_boxes.h"
#include "collective/detail/streams.h"

namespace fredsim {
namespace {

class Chain final : public Algorithm {
 public:
  Chain() : Algorithm("chain") {}
  std::string_view aliases() const override { return "pipeline line"; }
  std::string_view other_name() const override { return "ring"; }
  bool has(Collective collective) const override {
    return pattern_of(collective) == Pattern::kOneRoot;
  }
  bool has_streams() const override { return true; }
  bool is_papers(const Topology& /*topology*/, Collective /*collective*/) const override {
    return true;
  }
  void plan(EndpointPart& part, std::vector<ChainSpec>& chains) const override {
    if (part.part().roots > 0) {
      add_chain_streams(part.topology(), part.number(), part.plan());
      return;
    }
    chains.push_back(
        {part.number(), flat_box(part.topology(), part.members()).ranks, part.roles()});
  }
};

}  // namespace

const Algorithm& chain_algorithm() {
  static const Chain algorithm;
  return algorithm;
}

}  // namespace fredsim

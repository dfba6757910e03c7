// SPDX-License-Identifier: Apache-2.0
#include "workload_files/stream_order.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "workload_files/chakra_reader.h"

namespace fredsim {
namespace {

constexpr int kNoStream = -1;

struct StreamedNode {
  std::uint64_t id = 0, begin_ps = 0;
  int lane = kNoStream;  // number of its device and stream
  std::vector<std::size_t> before{}, next{};
  // Operations by lane, up to the last one that a chain of dependencies leads to, itself included.
  std::vector<std::uint32_t> reached{};
};

class RecordedGraph {
 public:
  RecordedGraph(const std::string& path, TraceDependencies dependencies) {
    ChakraReader reader(path, dependencies);
    std::vector<std::vector<std::uint64_t>> after;
    std::unordered_map<std::uint64_t, std::size_t> at;
    std::map<std::pair<int, int>, int> lanes;
    for (TraceNode node; reader.next(node);) {
      at.emplace(node.id, nodes_.size());
      StreamedNode& one =
          nodes_.emplace_back(StreamedNode{.id = node.id, .begin_ps = node.start_ps});
      if (has_stream_place(node))
        one.lane = lanes.try_emplace({node.device, node.stream}, static_cast<int>(lanes.size()))
                       .first->second;
      after.push_back(std::move(node.after));
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      for (const std::uint64_t id : after[n]) {
        const std::size_t before = at.at(id);
        nodes_[n].before.push_back(before);
        nodes_[before].next.push_back(n);
      }
    last_.assign(lanes.size(), nodes_.size());
  }

  StreamOrder restored() {
    using Place = std::pair<std::uint64_t, std::size_t>;  // begin, node
    std::priority_queue<Place, std::vector<Place>, std::greater<>> ready;
    std::vector<std::size_t> lacks;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      lacks.push_back(nodes_[n].before.size());
      if (lacks[n] == 0) ready.emplace(nodes_[n].begin_ps, n);
    }
    StreamOrder order;
    while (!ready.empty()) {
      const std::size_t n = ready.top().second;
      ready.pop();
      visit(n, order);
      for (const std::size_t next : nodes_[n].next)
        if (--lacks[next] == 0) ready.emplace(nodes_[next].begin_ps, next);
    }
    return order;
  }

 private:
  // Nodes come in an order that dependencies allow, and by their begins as far as they do.
  void visit(std::size_t n, StreamOrder& order) {
    StreamedNode& node = nodes_[n];
    node.reached.assign(last_.size(), 0);
    for (const std::size_t before : node.before) reach(node, nodes_[before]);
    if (node.lane == kNoStream) return;
    const auto lane = static_cast<std::size_t>(node.lane);
    if (last_[lane] != nodes_.size()) {
      const StreamedNode& last = nodes_[last_[lane]];
      if (node.reached[lane] < last.reached[lane]) {
        order.emplace(node.id, last.id);
        reach(node, last);
      }
    }
    ++node.reached[lane];
    last_[lane] = n;
  }

  static void reach(StreamedNode& node, const StreamedNode& before) {
    std::ranges::transform(node.reached, before.reached, node.reached.begin(),
                           [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  }

  std::vector<StreamedNode> nodes_;
  std::vector<std::size_t> last_;  // by lane: its last operation so far
};

}  // namespace

bool has_stream_place(const TraceNode& node) {
  return !node.on_cpu && node.type != TraceNodeType::kMetadata &&
         node.stream != TraceNode::kNobody && node.start_ps > 0;
}

StreamOrder restored_stream_order(const std::string& path, TraceDependencies dependencies) {
  return RecordedGraph(path, dependencies).restored();
}

}  // namespace fredsim

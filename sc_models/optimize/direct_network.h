// SPDX-License-Identifier: Apache-2.0
// Nodes that are joined to each other without switches: links one way, several in parallel counted.
//
// Lengths of paths are numbers of links, whatever is parallel.
#pragma once

#include <cstdint>
#include <vector>

namespace fredsim {

struct DirectLink {
  int from = 0, to = 0;
  int count = 1;  // in parallel
};

class DirectNetwork {
 public:
  explicit DirectNetwork(int nodes) : out_(static_cast<std::size_t>(nodes)) {}

  int nodes() const { return static_cast<int>(out_.size()); }
  const std::vector<DirectLink>& links() const { return links_; }
  // Its number; one more in parallel to one that is there has the number of that.
  int add(int from, int to);
  // -1: there is none.
  int link(int from, int to) const;
  // Numbers of the links that leave a node.
  const std::vector<int>& out(int node) const { return out_[node]; }

  // By node; -1: no path leads there.
  std::vector<int> distances(int from) const;
  // Longest of the shortest paths; -1: not each node has a path to each.
  int diameter() const;
  bool joins_all() const;
  // Links that leave a node, and that enter it, parallel ones counted: the interfaces that it
  // needs.
  int interfaces(int node) const;

 private:
  std::vector<DirectLink> links_;
  std::vector<std::vector<int>> out_;
};

// Up to `count` loopless paths, shortest first (J. Y. Yen, 1971), each as numbers of links; none
// where there is no path. Paths as long as each other come in the order of the nodes on them.
std::vector<std::vector<int>> shortest_paths(const DirectNetwork& network, int from, int to,
                                             int count);

}  // namespace fredsim

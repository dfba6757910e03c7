// SPDX-License-Identifier: Apache-2.0
// Direct network: nodes joined without switches by one-way links; parallel links are counted.
//
// Path lengths are in hops; parallel links do not shorten them.
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
  // Returns the link's number; a parallel link gets the number of the existing one.
  int add(int from, int to);
  // Number of the link between two nodes; -1: none.
  int link(int from, int to) const;
  // Numbers of the links that leave a node.
  const std::vector<int>& out(int node) const { return out_[node]; }

  // Distances by node; -1: unreachable.
  std::vector<int> distances(int from) const;
  // Diameter in hops; -1: the network is not strongly connected.
  int diameter() const;
  bool joins_all() const;
  // Links that leave or enter a node, parallel links included: the number of interfaces it needs.
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

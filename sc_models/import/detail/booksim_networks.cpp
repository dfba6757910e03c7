// SPDX-License-Identifier: Apache-2.0
#include "import/detail/booksim_networks.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr int kMaxK = 1024, kMaxTreeLevels = 16;

// Adds nodes and routers by number, and links in cycles.
class RouterGraph {
 public:
  explicit RouterGraph(const BooksimNetwork& network)
      : network_(network), graph_(network.path), label_(network.config.label("topology")) {}

  void add(int nodes, int routers) {
    for (int n = 0; n < nodes; ++n) nodes_.push_back(graph_.add_npu(fmt::format("n{}", n), label_));
    for (int r = 0; r < routers; ++r)
      routers_.push_back(graph_.add_switch(fmt::format("r{}", r), label_));
  }
  void join_node(int node, int router, int cycles = 1) {
    join(nodes_[node], routers_[router], cycles);
  }
  void join_routers(int from, int to, int cycles = 1) {
    join(routers_[from], routers_[to], cycles);
  }
  GraphSpec take() { return graph_.take(); }

 private:
  void join(int from, int to, int cycles) {
    graph_.join(from, to, network_.clock.link_bandwidth(),
                network_.clock.latency_ps(static_cast<std::uint64_t>(cycles)), 1, label_);
  }

  const BooksimNetwork& network_;
  GraphBuilder graph_;
  std::string label_;
  std::vector<int> nodes_, routers_;
};

// base^exponent, at most the number of nodes that a graph has.
int power(const BooksimNetwork& network, int base, int exponent) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent; ++i) {
    result *= base;
    if (result > kMaxGraphNpus)
      throw BadInput(fmt::format("{}: found {}^{} nodes; allowed: up to {}",
                                 network.config.label("k"), base, exponent, kMaxGraphNpus));
  }
  return static_cast<int>(result);
}

int times(const BooksimNetwork& network, int nodes, int each) {
  if (std::int64_t{nodes} * each > kMaxGraphNpus)
    throw BadInput(fmt::format("{}: found {} x {} nodes; allowed: up to {}",
                               network.config.label("c"), nodes, each, kMaxGraphNpus));
  return nodes * each;
}

bool has_lengths(const BooksimNetwork& network) {
  return network.config.integer("use_noc_latency", 0, 1, 1) == 1;
}

// Nodes of a grid of routers, `x` times `y` at each, numbered row by row over the whole grid.
void join_concentrated(RouterGraph& graph, int columns, int nodes, int x, int y) {
  for (int node = 0; node < nodes; ++node) {
    const int column = node % (columns * x) / x, row = node / (columns * x) / y;
    graph.join_node(node, row * columns + column);
  }
}

}  // namespace

GraphSpec booksim_cube(const BooksimNetwork& network, bool is_torus) {
  const int k = network.config.integer("k", 2, kMaxGraphNpus, 8);
  const int n = network.config.integer("n", 1, kMaxTreeLevels, 2);
  const int nodes = power(network, k, n);
  const int cycles = is_torus && has_lengths(network) ? 2 : 1;
  RouterGraph graph(network);
  graph.add(nodes, nodes);
  for (int here = 0; here < nodes; ++here) {
    graph.join_node(here, here);
    for (int d = 0, stride = 1; d < n; ++d, stride *= k) {
      const int place = here / stride % k;
      if (place + 1 < k) graph.join_routers(here, here + stride, cycles);
      // Both links of a ring of two lead to the same router.
      if (is_torus && place + 1 == k) graph.join_routers(here, here - place * stride, cycles);
    }
  }
  return graph.take();
}

GraphSpec booksim_cmesh(const BooksimNetwork& network) {
  const BooksimConfig& config = network.config;
  const int k = config.integer("k", 2, kMaxK, 8), n = config.integer("n", 2, 2, 2);
  const int c = config.integer("c", n, kMaxK, 1);
  const int x_nodes = c / n, y_nodes = c / x_nodes;
  if (x_nodes * y_nodes != c || k % 2 != 0)
    throw BadInput(
        fmt::format("{}: found {}, with k = {}; allowed: a product of two numbers, and "
                    "k even",
                    config.label("c"), c, k));
  const int routers = power(network, k, n), nodes = times(network, routers, c);
  RouterGraph graph(network);
  graph.add(nodes, routers);
  join_concentrated(graph, k, nodes, x_nodes, y_nodes);
  const bool is_long = has_lengths(network);
  const bool has_express =
      config.text("routing_function", "").find("no_express") == std::string::npos;
  for (int y = 0; y < k; ++y) {
    for (int x = 0; x < k; ++x) {
      const int here = y * k + x;
      if (x + 1 < k) graph.join_routers(here, here + 1, is_long ? x_nodes : 1);
      if (y + 1 < k) graph.join_routers(here, here + k, is_long ? y_nodes : 1);
      if (!has_express) continue;
      // Routers at an edge are joined to routers of the same edge, half of it away.
      if ((x == 0 || x == k - 1) && y < k / 2)
        graph.join_routers(here, here + k / 2 * k, is_long ? y_nodes * k / 2 : 1);
      if ((y == 0 || y == k - 1) && x < k / 2)
        graph.join_routers(here, here + k / 2, is_long ? x_nodes * k / 2 : 1);
    }
  }
  return graph.take();
}

GraphSpec booksim_flatfly(const BooksimNetwork& network) {
  constexpr int kMaxFlatflyDimensions = 4;
  const BooksimConfig& config = network.config;
  const int k = config.integer("k", 2, kMaxK, 8);
  const int n = config.integer("n", 1, kMaxFlatflyDimensions, 2);
  const int c = config.integer("c", 1, kMaxK, 1);
  const int x_routers = config.integer("x", 1, kMaxGraphNpus, 8);
  const int x_nodes = config.integer("xr", 1, kMaxK, 1),
            y_nodes = config.integer("yr", 1, kMaxK, 1);
  const int routers = power(network, k, n), nodes = times(network, routers, c);
  if (x_nodes * y_nodes != c || routers % x_routers != 0)
    throw BadInput(
        fmt::format("{}: found {}, with xr = {}, yr = {}, x = {}; allowed: xr times yr, "
                    "and routers in whole rows of x",
                    config.label("c"), c, x_nodes, y_nodes, x_routers));
  RouterGraph graph(network);
  graph.add(nodes, routers);
  join_concentrated(graph, x_routers, nodes, x_nodes, y_nodes);
  const bool is_long = has_lengths(network);
  for (int here = 0; here < routers; ++here) {
    for (int d = 0, stride = 1; d < n; ++d, stride *= k) {
      for (int other = here + stride; other / (stride * k) == here / (stride * k);
           other += stride) {
        const int length = x_nodes * std::abs(here % x_routers - other % x_routers) +
                           y_nodes * std::abs(here / x_routers - other / x_routers);
        graph.join_routers(here, other, is_long ? length : 1);
      }
    }
  }
  return graph.take();
}

// The k-ary n-tree: n levels of k^(n-1) routers, level 0 at the top.
GraphSpec booksim_fat_tree(const BooksimNetwork& network) {
  const int k = network.config.integer("k", 2, kMaxK, 8);
  const int n = network.config.integer("n", 1, kMaxTreeLevels, 2);
  const int nodes = power(network, k, n), width = nodes / k;
  RouterGraph graph(network);
  graph.add(nodes, n * width);
  for (int node = 0; node < nodes; ++node) graph.join_node(node, (n - 1) * width + node / k);
  int region = width;  // routers of a level that share the routers above
  for (int level = 0; level + 1 < n; ++level, region /= k) {
    for (int place = 0; place < width; ++place) {
      const int first = place / region * region, branch = region / k;
      for (int port = 0; port < k; ++port)
        graph.join_routers(level * width + place,
                           (level + 1) * width + first + port * branch + place % branch);
    }
  }
  return graph.take();
}

GraphSpec booksim_dragonfly(const BooksimNetwork& network) {
  const int p = network.config.integer("k", 1, kMaxK, 8);
  network.config.integer("n", 1, 1, 1);
  const int a = 2 * p, groups = a * p + 1;
  const int routers = times(network, a, groups), nodes = times(network, routers, p);
  RouterGraph graph(network);
  graph.add(nodes, routers);
  for (int node = 0; node < nodes; ++node) graph.join_node(node, node / p);
  // Port `out` of a group leads to the group of this number, itself left out.
  const auto port_to = [](int from, int to) { return to < from ? to : to - 1; };
  for (int group = 0; group < groups; ++group) {
    for (int r = 0; r < a; ++r)
      for (int other = 0; other < r; ++other) graph.join_routers(group * a + other, group * a + r);
    for (int other = 0; other < group; ++other)
      graph.join_routers(group * a + port_to(group, other) / p,
                         other * a + port_to(other, group) / p);
  }
  return graph.take();
}

// A tree of one router at the top and k below each: k^n nodes.
GraphSpec booksim_quad_tree(const BooksimNetwork& network) {
  const int k = network.config.integer("k", 4, 4, 4), n = network.config.integer("n", 3, 3, 3);
  const int nodes = power(network, k, n);
  RouterGraph graph(network);
  int routers = 0;
  for (int level = 0, width = 1; level < n; ++level, width *= k) routers += width;
  graph.add(nodes, routers);
  for (int router = 1; router < routers; ++router) graph.join_routers((router - 1) / k, router);
  for (int node = 0; node < nodes; ++node) graph.join_node(node, routers - nodes / k + node / k);
  return graph.take();
}

GraphSpec booksim_crossbar(const BooksimNetwork& network) {
  const int nodes = network.config.integer("k", 2, kMaxGraphNpus, 8);
  if (const int stages = network.config.integer("n", 1, kMaxTreeLevels, 2); stages > 1)
    throw BadInput(
        fmt::format("{}: found {} stages of a fly; allowed: 1, since links between stages "
                    "lead one way",
                    network.config.label("n"), stages));
  RouterGraph graph(network);
  graph.add(nodes, 1);
  for (int node = 0; node < nodes; ++node) graph.join_node(node, 0);
  return graph.take();
}

}  // namespace fredsim

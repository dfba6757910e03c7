// SPDX-License-Identifier: Apache-2.0
// Listings of BookSim2's anynet:
//
//   router 0 node 0 node 1 router 1 10      a router, and what it is joined to; a number behind it
//   router 1 node 2 3                       is the latency of the channel in cycles, else 1
// A line says the channels from its first router; channels back that no line says have 1 cycle.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/config_tree.h"
#include "base/error.h"
#include "import/detail/booksim_networks.h"
#include "import/detail/text_words.h"

namespace fredsim {
namespace {

constexpr int kMaxNumber = 1 << 20, kMaxChannelCycles = 1 << 20;

class AnynetReader {
 public:
  AnynetReader(const std::string& path, const NocClock& clock, ImportedMachine& machine)
      : path_(path), clock_(clock), machine_(machine) {}

  GraphSpec read(const std::string& text) {
    for (const TextLine& line : lines_of(text)) read_line(line);
    check_nodes();
    GraphBuilder graph(path_);
    std::map<int, int> routers;
    for (const auto& [node, at] : nodes_)
      graph.add_npu(fmt::format("n{}", node), line_label(path_, at.line));
    for (const auto& [router, line] : routers_)
      routers[router] = graph.add_switch(fmt::format("r{}", router), line_label(path_, line));
    for (const auto& [node, at] : nodes_)
      join(graph, node, routers.at(at.router), at.cycles, at.line);
    for (const auto& [ends, channel] : channels_) {
      const auto back = channels_.find({ends.second, ends.first});
      const bool has_back = back != channels_.end();
      if (has_back && ends.first > ends.second) continue;
      const int other = has_back ? back->second.cycles : 1;
      if (channel.cycles != other)
        machine_.note("latency", "differs by direction of a channel; the longer one counts");
      join(graph, routers.at(ends.first), routers.at(ends.second), std::max(channel.cycles, other),
           channel.line);
    }
    return graph.take();
  }

 private:
  struct Place {
    int router = 0, cycles = 1, line = 0;
  };
  struct Channel {
    int cycles = 1, line = 0;
  };
  struct Item {
    bool is_router = false;
    int number = 0, cycles = 1;
  };

  std::vector<Item> items_of(const TextLine& line) const {
    std::vector<Item> items;
    for (std::size_t at = 0; at < line.size();) {
      const std::string& kind = line[at].text;
      if (kind != "router" && kind != "node")
        throw BadInput(fmt::format("{}: found '{}'; allowed: router or node, with its number",
                                   line_label(path_, line[at].line), shown(kind)));
      if (++at == line.size())
        throw BadInput(fmt::format("{}: found the end of the line after '{}'; allowed: its number",
                                   line_label(path_, line.front().line), kind));
      Item item{kind == "router", whole_number(path_, line[at], kind, 0, kMaxNumber)};
      if (++at < line.size() && line[at].text != "router" && line[at].text != "node")
        item.cycles = whole_number(path_, line[at++], "latency in cycles", 1, kMaxChannelCycles);
      items.push_back(item);
    }
    return items;
  }

  void read_line(const TextLine& line) {
    const int number = line.front().line;
    const std::vector<Item> items = items_of(line);
    const Item& head = items.front();
    if (head.is_router) routers_.try_emplace(head.number, number);
    for (std::size_t i = 1; i < items.size(); ++i) {
      const Item& item = items[i];
      if (item.is_router) routers_.try_emplace(item.number, number);
      if (!head.is_router && !item.is_router)
        throw BadInput(fmt::format("{}: found a link from node {} to node {}; allowed: to routers",
                                   line_label(path_, number), head.number, item.number));
      if (head.is_router && item.is_router)
        add_channel(head.number, item.number, {item.cycles, number});
      else if (head.is_router)
        add_node(item.number, {head.number, item.cycles, number});
      else
        add_node(head.number, {item.number, item.cycles, number});
    }
  }

  void add_channel(int from, int to, const Channel& channel) {
    if (from == to)
      throw BadInput(fmt::format("{}: found a link from router {} to itself; allowed: to another",
                                 line_label(path_, channel.line), from));
    channels_[{from, to}] = channel;
  }

  void add_node(int node, const Place& place) {
    const auto [at, is_new] = nodes_.emplace(node, place);
    if (!is_new && at->second.router != place.router)
      throw BadInput(fmt::format(
          "{}: found node {} at router {}, which line {} has at router {}; "
          "allowed: one router",
          line_label(path_, place.line), node, place.router, at->second.line, at->second.router));
    at->second.cycles = std::max(at->second.cycles, place.cycles);
  }

  void check_nodes() const {
    int next = 0;
    for (const auto& [node, place] : nodes_) {
      if (node != next)
        throw BadInput(
            fmt::format("{}: found node {}, but no node {}; allowed: nodes numbered from "
                        "0 on",
                        line_label(path_, place.line), node, next));
      ++next;
    }
  }

  void join(GraphBuilder& graph, int from, int to, int cycles, int line) const {
    graph.join(from, to, clock_.link_bandwidth(),
               clock_.latency_ps(static_cast<std::uint64_t>(cycles)), 1, line_label(path_, line));
  }

  const std::string& path_;
  const NocClock& clock_;
  ImportedMachine& machine_;
  std::map<int, Place> nodes_;
  std::map<int, int> routers_;  // by number: line
  std::map<std::pair<int, int>, Channel> channels_;
};

}  // namespace

GraphSpec booksim_anynet(const std::string& path, const std::string& text, const NocClock& clock,
                         ImportedMachine& machine) {
  return AnynetReader(path, clock, machine).read(text);
}

}  // namespace fredsim

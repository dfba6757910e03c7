// SPDX-License-Identifier: Apache-2.0
#include "synthesis/synthesize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "synthesis/detail/meetings.h"
#include "synthesis/detail/symbol_drawing.h"
#include "synthesis/detail/synthetic_ranks.h"
#include "workload/task_graph.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

std::uint64_t scaled(std::uint64_t value, double scale) {
  if (value == 0 || scale == 1) return value;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(value) * scale));
}

std::string_view synthetic_name(const TraceToken& token) {
  if (token.type == TraceNodeType::kCollective) return to_string(token.collective);
  static constexpr std::array<std::string_view, 8> kNames{
      "", "", "load", "store", "computation", "send", "receive", ""};
  return kNames[static_cast<std::size_t>(token.type)];
}

// Writes the nodes of all ranks, operation by operation.
class Writing {
 public:
  Writing(const TraceModel& model, const SyntheticRanks& ranks, const SynthesisScale& scale,
          std::uint64_t max_nodes, Random& random)
      : ranks_(ranks),
        meetings_(model, ranks),
        scale_(scale),
        max_nodes_(max_nodes),
        random_(random),
        writers_(static_cast<std::size_t>(ranks.count())),
        ids_(static_cast<std::size_t>(ranks.count())),
        lanes_(static_cast<std::size_t>(ranks.count())) {}

  void add(const TraceToken& token, std::uint64_t size) {
    const bool computes = token.type == TraceNodeType::kCompute;
    TraceNode node{.name = std::string(synthetic_name(token)), .type = token.type};
    node.duration_ps = draw_value(token.durations, random_);
    if (token.type < TraceNodeType::kSend) {
      node.duration_ps = scaled(node.duration_ps, scale_.compute);
      node.operations = scaled(draw_value(token.operations, random_), scale_.compute);
      node.tensor_bytes = scaled(size, computes ? scale_.compute : scale_.bytes);
    } else {
      node.priority = token.priority;
      node.bytes = scaled(size, scale_.bytes);
      node.collective = token.collective;
    }
    for (const TokenPart& part : token.parts)
      for (const int rank : ranks_.members(part.role)) add_to(rank, token, part, node);
  }

  // Receives what nobody has received.
  void finish() {
    for (auto& [ends, messages] : pending_)
      for (; !messages.empty(); messages.pop_front()) {
        TraceNode node{.name = "receive", .type = TraceNodeType::kReceive};
        node.bytes = messages.front();
        node.peer = ends.first;
        write(ends.second, {.type = node.type, .root = ranks_.role(ends.first)}, node, {});
      }
  }

  SyntheticJob job() {
    SyntheticJob made;
    const std::size_t head = ChakraWriter().text().size();
    std::map<std::set<int>, std::string> heads;  // by shapes
    for (int rank = 0; rank < ranks_.count(); ++rank) {
      const auto [own, is_new] = heads.try_emplace(meetings_.numbers_of(rank));
      if (is_new) own->second = ChakraWriter(meetings_.shapes(own->first)).text();
      made.ranks.push_back(own->second);
      made.ranks.back().append(writers_[static_cast<std::size_t>(rank)].text(), head);
    }
    made.groups = ranks_.named();
    made.nodes = nodes_;
    made.communications = communications_;
    return made;
  }

 private:
  void add_to(int rank, const TraceToken& token, const TokenPart& part, TraceNode node) {
    if (token.type == TraceNodeType::kCollective) collect(rank, token, part, node);
    if (token.type == TraceNodeType::kSend) send(rank, token, node);
    if (token.type == TraceNodeType::kReceive) receive(rank, token, node);
    write(rank, token, node, part);
  }

  void collect(int rank, const TraceToken& token, const TokenPart& part, TraceNode& node) {
    if (!meetings_.meet(rank, token, node)) {
      node = idle(node);
      return;
    }
    node.bytes *= static_cast<std::uint64_t>(token.times);
    if (node.shape == TraceNode::kNobody) {
      if (token.collective == TraceCollective::kAllToAll && token.is_unequal())
        split(rank, token, part, node);
      return;
    }
    node.times = static_cast<std::uint64_t>(token.times);
    if (token.category != TraceNode::kNobody)
      node.category = kTimeCategories[static_cast<std::size_t>(token.category)];
  }

  // Has a rank send its share of an all-to-all, as much to each rank of the group.
  void split(int rank, const TraceToken& token, const TokenPart& part, TraceNode& node) const {
    constexpr std::uint64_t kWhole = 1000;
    const SyntheticGroup& group =
        ranks_.groups(token.family).at(ranks_.group_of(token.family, rank));
    const std::uint64_t each =
        node.bytes / kWhole * static_cast<std::uint64_t>(part.share) / group.ranks.size();
    const std::uint64_t rest =
        node.bytes % kWhole * static_cast<std::uint64_t>(part.share) / kWhole / group.ranks.size();
    node.splits.assign(group.ranks.size(), each + rest);
    node.bytes = (each + rest) * group.ranks.size();
  }

  // Stands for a communication without another rank.
  static TraceNode idle(const TraceNode& of) {
    return {.name = of.name, .type = TraceNodeType::kCompute};
  }

  void send(int rank, const TraceToken& token, TraceNode& node) {
    const std::vector<int>& others = ranks_.members(token.root);
    const std::vector<int>& own = ranks_.members(ranks_.role(rank));
    const auto size = static_cast<std::int64_t>(others.size());
    if (size == 0) {
      node = idle(node);
      return;
    }
    const std::int64_t place = std::ranges::lower_bound(own, rank) - own.begin() + token.offset;
    node.peer = others[static_cast<std::size_t>(((place % size) + size) % size)];
    if (node.peer == rank) {
      node = idle(node);
      return;
    }
    pending_[{rank, node.peer}].push_back(node.bytes);
  }

  void receive(int rank, const TraceToken& token, TraceNode& node) {
    for (const int from : ranks_.members(token.root))
      if (const auto sent = pending_.find({from, rank});
          sent != pending_.end() && !sent->second.empty()) {
        node.peer = from;
        node.bytes = sent->second.front();
        sent->second.pop_front();
        return;
      }
    node = idle(node);
  }

  void write(int rank, const TraceToken& token, TraceNode& node, const TokenPart& part) {
    const auto r = static_cast<std::size_t>(rank);
    node.id = ids_[r]++;
    node.on_cpu = part.lane.on_cpu;
    node.stream = part.lane.stream;
    node.after.clear();
    for (const LaneDistance& one : part.after) {
      const std::vector<std::uint64_t>& lane = lanes_[r][one.lane];
      if (lane.empty()) continue;
      const auto back = std::min(static_cast<std::size_t>(one.distance), lane.size());
      node.after.push_back(lane[lane.size() - back]);
    }
    std::ranges::sort(node.after);
    node.after.erase(std::unique(node.after.begin(), node.after.end()), node.after.end());
    lanes_[r][token.lane_of(part)].push_back(node.id);
    writers_[r].add(node);
    if (++nodes_ > max_nodes_)
      throw BadInput(fmt::format("--scale: found over {} nodes; allowed: fewer", max_nodes_));
    if (node.type >= TraceNodeType::kSend) ++communications_;
  }

  const SyntheticRanks& ranks_;
  Meetings meetings_;
  const SynthesisScale& scale_;
  std::uint64_t max_nodes_;
  Random& random_;
  std::vector<ChakraWriter> writers_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::map<std::int64_t, std::vector<std::uint64_t>>> lanes_;
  std::map<std::pair<int, int>, std::deque<std::uint64_t>> pending_;
  std::uint64_t nodes_ = 0, communications_ = 0;
};

struct LayoutTurn {
  std::size_t layout = 0;
  std::uint64_t turn = 0;  // of the layout
};

// A layout for so many ranks: the nearest number, one that divides `ranks` or that `ranks` divides
// first. Consecutive seeds take these in turn, each as often as it was learned.
LayoutTurn layout_of_seed(const TraceModel& model, int ranks, std::uint64_t seed) {
  const auto distance = [&](std::size_t layout) {
    const auto learned = static_cast<int>(model.layouts[layout].role_of.size());
    const int more = std::max(learned, ranks), less = std::min(learned, ranks);
    return std::pair(more % less != 0, static_cast<double>(more) / less);
  };
  std::pair best = distance(0);
  for (std::size_t l = 0; l < model.layouts.size(); ++l) best = std::min(best, distance(l));
  std::uint64_t divisor = 0, total = 0;
  for (std::size_t l = 0; l < model.weights.size(); ++l)
    if (distance(l) == best) {
      divisor = std::gcd(divisor, model.weights[l]);
      total += model.weights[l];
    }
  const std::uint64_t period = total / divisor;
  std::uint64_t at = seed % period;
  for (std::size_t l = 0; l < model.weights.size(); ++l) {
    if (distance(l) != best) continue;
    const std::uint64_t own = model.weights[l] / divisor;
    if (at < own) return {l, seed / period * own + at};
    at -= own;
  }
  return {};
}

}  // namespace

SynthesisScale parse_scale(const std::string& text, const std::string& option) {
  SynthesisScale scale;
  const auto refuse = [&](const std::string& found) {
    throw BadInput(fmt::format(
        "{}: found '{}'; allowed: layers=X, bytes=X, compute=X (0.001 to 1000), ranks=N (1 to "
        "1024), with commas",
        option, found));
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equal = std::min(one.find('='), one.size());
    const std::string name = one.substr(0, equal);
    double value = 0;
    const char* const last = one.data() + one.size();
    const char* const first = std::min(one.data() + equal + 1, last);
    const auto [stop, error] = std::from_chars(first, last, value);
    if (first == last || error != std::errc() || stop != last) refuse(one);
    constexpr double kLeast = 0.001, kMost = 1000;
    constexpr int kMostCopies = 1024;
    const bool is_copies = name == "ranks";
    if (is_copies ? value < 1 || value > kMostCopies || std::trunc(value) != value
                  : !(value >= kLeast && value <= kMost))
      refuse(one);
    if (name == "layers")
      scale.layers = value;
    else if (name == "bytes")
      scale.bytes = value;
    else if (name == "compute")
      scale.compute = value;
    else if (is_copies)
      scale.ranks = static_cast<int>(value);
    else
      refuse(one);
  }
  return scale;
}

SyntheticJob synthesize(const TraceModel& model, int ranks, std::uint64_t seed,
                        const SynthesisScale& scale, std::uint64_t max_nodes) {
  Random random(seed);
  const LayoutTurn at = layout_of_seed(model, ranks, seed);
  SymbolDrawing drawing(model, scale.layers, max_nodes, random);
  const std::vector<DrawnToken> tokens = drawing.sequence(at.layout, at.turn);
  const SyntheticRanks placed(model.layouts[at.layout], ranks * scale.ranks, !model.shapes.empty());
  Writing writing(model, placed, scale, max_nodes, random);
  for (const DrawnToken& one : tokens)
    writing.add(model.tokens[static_cast<std::size_t>(one.token)], one.size);
  writing.finish();
  SyntheticJob job = writing.job();
  job.repeats = drawing.repeats();
  return job;
}

std::string groups_text(const SyntheticJob& job) {
  return nlohmann::json(job.groups).dump(1) + "\n";
}

}  // namespace fredsim

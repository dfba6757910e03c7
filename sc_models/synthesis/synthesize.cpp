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
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "workload_files/chakra_writer.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kMostSyntheticNodes = 50'000'000;

template <typename Weights>
std::size_t draw(const Weights& weights, Random& random) {
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights) total += weight;
  std::uint64_t at = random.below(total);
  std::size_t n = 0;
  while (at >= weights[n]) at -= weights[n++];
  return n;
}

std::uint64_t draw(const DrawnValues& from, Random& random) {
  return from.values.empty() ? 0 : from.values[draw(from.weights, random)];
}

std::uint64_t scaled(std::uint64_t value, double scale) {
  if (value == 0 || scale == 1) return value;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(value) * scale));
}

struct DrawnToken {
  int token = 0;
  std::uint64_t size = 0;
};

// Draws sequences of tokens.
class Drawing {
 public:
  Drawing(const TraceModel& model, double layers, Random& random)
      : model_(model), layers_(layers), random_(random) {}

  std::uint64_t repeats() const { return repeats_; }

  // Appends a sequence of a scope; true if it has a repeat.
  bool sequence(std::size_t scope, std::vector<DrawnToken>& into) {
    const ContextCounts& contexts = model_.scopes[scope];
    const auto tokens = static_cast<int>(model_.tokens.size());
    std::vector<int> before{kSequenceStart};
    bool has_repeat = false;
    while (true) {
      const SymbolCounts& next = next_symbols(contexts, before, model_.order);
      std::uint64_t total = 0;
      for (const auto& [symbol, count] : next) total += count;
      std::uint64_t at = random_.below(total);
      auto drawn = next.begin();
      for (; at >= drawn->second; ++drawn) at -= drawn->second;
      const int symbol = drawn->first;
      if (symbol == kSequenceEnd) return has_repeat;
      if (symbol < tokens) {
        into.push_back(
            {symbol, draw(model_.tokens[static_cast<std::size_t>(symbol)].sizes, random_)});
      } else {
        repeat(model_.repeats[static_cast<std::size_t>(symbol - tokens)], into);
        has_repeat = true;
      }
      if (into.size() > kMostSyntheticNodes)
        throw BadInput(
            fmt::format("--scale: found over {} nodes; allowed: fewer", kMostSyntheticNodes));
      before.push_back(symbol);
      if (before.size() > TraceModel::kMaxOrder) before.erase(before.begin());
    }
  }

 private:
  void repeat(const TraceRepeat& repeat, std::vector<DrawnToken>& into) {
    std::vector<DrawnToken> body;
    const bool is_outer =
        sequence(model_.layouts.size() + static_cast<std::size_t>(repeat.block), body);
    ++repeats_;
    const auto count = is_outer
                           ? repeat.count
                           : std::max(1, static_cast<int>(std::lround(repeat.count * layers_)));
    for (int n = 0; n < count && into.size() <= kMostSyntheticNodes; ++n)
      into.insert(into.end(), body.begin(), body.end());
  }

  const TraceModel& model_;
  double layers_;
  Random& random_;
  std::uint64_t repeats_ = 0;
};

// Ranks, roles and groups of the job, from a layout that was learned.
class Ranks {
 public:
  // `count`: ranks that take part, out of `copies` of the layout.
  Ranks(const TraceLayout& layout, int count) : layout_(layout), count_(count) {
    const auto learned = static_cast<int>(layout.role_of.size());
    members_.resize(static_cast<std::size_t>(layout.roles()));
    for (int rank = 0; rank < count; ++rank)
      members_[static_cast<std::size_t>(layout.role_of[at(rank)])].push_back(rank);
    for (const GroupFamily& family : layout.families) {
      const int groups = *std::ranges::max_element(family.group_of) + 1;
      auto& own = groups_.emplace_back();
      std::map<int, std::vector<int>> by_number;
      for (int rank = 0; rank < count; ++rank) {
        int group = family.group_of[at(rank)];
        if (group >= 0 && !family.grows) group += rank / learned * groups;
        own.push_back(group);
        if (group >= 0) by_number[group].push_back(rank);
      }
      names_.emplace_back();
      for (auto& [number, ranks] : by_number) {
        const std::string name =
            static_cast<int>(ranks.size()) == count ? "" : fmt::format("g{}", all_.size());
        names_.back()[number] = {name, ranks};
        if (!name.empty()) all_[name] = std::move(ranks);
      }
    }
  }

  const std::vector<int>& members(int role) const {
    return members_[static_cast<std::size_t>(role)];
  }
  int role(int rank) const { return layout_.role_of[at(rank)]; }
  // Name and ranks of the group of a rank; a family may leave a rank alone.
  const std::pair<std::string, std::vector<int>>& group(int family, int rank) const {
    static const std::pair<std::string, std::vector<int>> kAlone{"", {0}};
    const auto f = static_cast<std::size_t>(family);
    const auto found = names_[f].find(groups_[f][static_cast<std::size_t>(rank)]);
    return found == names_[f].end() ? kAlone : found->second;
  }
  const std::map<std::string, std::vector<int>>& all() const { return all_; }
  int count() const { return count_; }

 private:
  std::size_t at(int rank) const { return static_cast<std::size_t>(rank) % layout_.role_of.size(); }

  const TraceLayout& layout_;
  int count_;
  std::vector<std::vector<int>> members_;
  std::vector<std::vector<int>> groups_;  // by family and rank
  std::vector<std::map<int, std::pair<std::string, std::vector<int>>>> names_;
  std::map<std::string, std::vector<int>> all_;
};

std::string_view synthetic_name(const TraceToken& token) {
  if (token.type == TraceNodeType::kCollective) return to_string(token.collective);
  static constexpr std::array<std::string_view, 8> kNames{
      "", "", "load", "store", "computation", "send", "receive", ""};
  return kNames[static_cast<std::size_t>(token.type)];
}

// Writes the nodes of all ranks, operation by operation.
class Writing {
 public:
  Writing(const Ranks& ranks, const SynthesisScale& scale, Random& random)
      : ranks_(ranks),
        scale_(scale),
        random_(random),
        writers_(static_cast<std::size_t>(ranks.count())),
        ids_(static_cast<std::size_t>(ranks.count())),
        lanes_(static_cast<std::size_t>(ranks.count())) {}

  void add(const TraceToken& token, std::uint64_t size) {
    const bool computes = token.type == TraceNodeType::kCompute;
    TraceNode node{.name = std::string(synthetic_name(token)), .type = token.type};
    node.duration_ps = draw(token.durations, random_);
    if (token.type < TraceNodeType::kSend) {
      node.duration_ps = scaled(node.duration_ps, scale_.compute);
      node.operations = scaled(draw(token.operations, random_), scale_.compute);
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
        write(ends.second, node, {.lane = {.is_communication = true}});
      }
  }

  SyntheticJob job() {
    SyntheticJob made;
    for (const ChakraWriter& writer : writers_) made.ranks.push_back(writer.text());
    made.groups = ranks_.all();
    made.nodes = nodes_;
    made.communications = communications_;
    return made;
  }

 private:
  void add_to(int rank, const TraceToken& token, const TokenPart& part, TraceNode node) {
    if (token.type == TraceNodeType::kCollective) {
      const auto& [name, members] = ranks_.group(token.family, rank);
      node.group = name;
      for (const int one : members)
        if (token.root >= 0 && node.peer < 0 && ranks_.role(one) == token.root) node.peer = one;
      if (members.size() == 1) node = idle(node);
    }
    if (token.type == TraceNodeType::kSend) send(rank, token, node);
    if (token.type == TraceNodeType::kReceive) receive(rank, token, node);
    write(rank, node, part);
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

  void write(int rank, TraceNode& node, const TokenPart& part) {
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
    lanes_[r][part.lane.number()].push_back(node.id);
    writers_[r].add(node);
    if (++nodes_ > kMostSyntheticNodes)
      throw BadInput(
          fmt::format("--scale: found over {} nodes; allowed: fewer", kMostSyntheticNodes));
    if (node.type >= TraceNodeType::kSend) ++communications_;
  }

  const Ranks& ranks_;
  const SynthesisScale& scale_;
  Random& random_;
  std::vector<ChakraWriter> writers_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::map<int, std::vector<std::uint64_t>>> lanes_;
  std::map<std::pair<int, int>, std::deque<std::uint64_t>> pending_;
  std::uint64_t nodes_ = 0, communications_ = 0;
};

// A layout for so many ranks: the nearest number, one that divides `ranks` or that `ranks` divides
// first. Consecutive seeds take these in turn, each as often as it was learned.
std::size_t layout_of_seed(const TraceModel& model, int ranks, std::uint64_t seed) {
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
  std::uint64_t at = seed % (total / divisor);
  std::size_t layout = 0;
  for (; layout < model.weights.size(); ++layout) {
    if (distance(layout) != best) continue;
    if (at < model.weights[layout] / divisor) break;
    at -= model.weights[layout] / divisor;
  }
  return layout;
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

const SymbolCounts& next_symbols(const ContextCounts& contexts, const std::vector<int>& before,
                                 int order) {
  std::vector<int> key(before.end() - static_cast<std::ptrdiff_t>(
                                          std::min(before.size(), static_cast<std::size_t>(order))),
                       before.end());
  while (true) {
    if (const auto found = contexts.find(key); found != contexts.end()) return found->second;
    key.erase(key.begin());
  }
}

SyntheticJob synthesize(const TraceModel& model, int ranks, std::uint64_t seed,
                        const SynthesisScale& scale) {
  Random random(seed);
  const std::size_t layout = layout_of_seed(model, ranks, seed);
  Drawing drawing(model, scale.layers, random);
  std::vector<DrawnToken> tokens;
  drawing.sequence(layout, tokens);
  const Ranks placed(model.layouts[layout], ranks * scale.ranks);
  Writing writing(placed, scale, random);
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

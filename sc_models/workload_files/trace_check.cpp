// SPDX-License-Identifier: Apache-2.0
#include "workload_files/trace_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "workload_files/chakra_reader.h"
#include "workload_files/id_ranges.h"
#include "workload_files/node_place.h"

namespace fredsim {
namespace {

// A control dependency on a node that is not in its file.
struct MissingCaller {
  std::string message;
};

// Ids and dependencies of one file that is wrong, or not in the order of its dependencies.
class Graph {
 public:
  Graph(const std::string& path, TraceDependencies dependencies)
      : path_(path), dependencies_(dependencies) {}

  void add(const TraceNode& node) {
    if (!index_.try_emplace(node.id, ids_.size()).second) {
      throw BadInput(node_place(path_, node.id, node.name, "id: comes twice"));
    }
    ids_.push_back(node.id);
    after_.insert(after_.end(), node.after.begin(), node.after.end());
    ends_.push_back(after_.size());
    callers_.insert(callers_.end(), node.callers.begin(), node.callers.end());
  }

  // Number of control dependencies on nodes that are not there.
  std::uint64_t missing_callers() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        callers_, [this](std::uint64_t caller) { return !index_.contains(caller); }));
  }

  void check() {
    for (std::size_t node = 0; node < ids_.size(); ++node) {
      for (std::size_t k = begin(node); k < ends_[node]; ++k) {
        const auto at = index_.find(after_[k]);
        if (at == index_.end()) {
          std::string message = node_place(
              path_, ids_[node], "",
              fmt::format("dependencies: found {}, which is no node of this file", after_[k]));
          if (dependencies_ == TraceDependencies::kAll &&
              std::ranges::count(callers_, after_[k]) != 0)
            throw MissingCaller{std::move(message)};
          throw BadInput(message);
        }
        after_[k] = at->second;  // an index from here on
      }
    }
    look_for_circle();
  }

 private:
  std::size_t begin(std::size_t node) const { return node == 0 ? 0 : ends_[node - 1]; }

  // Depth-first search; `path` has the nodes that were entered and not left.
  void look_for_circle() {
    enum class State : std::uint8_t { kNew, kEntered, kLeft };
    std::vector<State> states(ids_.size(), State::kNew);
    std::vector<std::pair<std::size_t, std::size_t>> path;  // node, its next dependency
    for (std::size_t first = 0; first < ids_.size(); ++first) {
      if (states[first] != State::kNew) continue;
      states[first] = State::kEntered;
      path.emplace_back(first, begin(first));
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == ends_[node]) {
          states[node] = State::kLeft;
          path.pop_back();
          continue;
        }
        const std::size_t before = after_[next++];
        if (states[before] == State::kEntered) refuse_circle(path, before);
        if (states[before] == State::kNew) {
          states[before] = State::kEntered;
          path.emplace_back(before, begin(before));
        }
      }
    }
  }

  [[noreturn]] void refuse_circle(const std::vector<std::pair<std::size_t, std::size_t>>& path,
                                  std::size_t closes) const {
    constexpr std::size_t kMaxShown = 12;
    std::vector<std::string> ids;
    auto at = std::ranges::find(path, closes, [](const auto& entry) { return entry.first; });
    for (; at != path.end() && ids.size() < kMaxShown; ++at) {
      ids.push_back(fmt::format("{}", ids_[at->first]));
    }
    if (at != path.end()) ids.emplace_back("…");
    ids.push_back(fmt::format("{}", ids_[closes]));
    throw BadInput(node_place(
        path_, ids_[closes], "",
        fmt::format("dependencies: a circle, each after the next: {}", fmt::join(ids, ", "))));
  }

  const std::string& path_;
  const TraceDependencies dependencies_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<std::uint64_t> ids_, callers_;
  std::vector<std::uint64_t> after_;  // dependencies of all nodes, one after the other: ids, then
                                      // indices
  std::vector<std::size_t> ends_;     // index: node; end of its part of `after_`
};

// Returns the number of control dependencies on nodes that are not there.
std::uint64_t check_whole(const std::string& path, TraceDependencies dependencies) {
  ChakraReader reader(path, dependencies);
  Graph graph(path, dependencies);
  TraceNode node;
  while (reader.next(node)) graph.add(node);
  graph.check();
  return graph.missing_callers();
}

// Reading of a file: in order each node comes once, and after its dependencies, of which only ids
// are held.
class Reading {
 public:
  Reading(const std::string& path, TraceDependencies dependencies) : reader_(path, dependencies) {}

  bool next(TraceNode& node) {
    if (!reader_.next(node)) return false;
    if (!is_in_order_) return true;
    const auto is_there = [this](std::uint64_t before) { return ids_.has(before); };
    is_in_order_ = std::ranges::all_of(node.after, is_there) && ids_.add(node.id);
    if (!is_in_order_) ids_ = {};
    return true;
  }
  bool is_in_order() const { return is_in_order_; }
  const CommGroups& groups() const { return reader_.groups(); }

 private:
  ChakraReader reader_;
  IdRanges ids_;
  bool is_in_order_ = true;
};

// Matching of sends and receives of all ranks, in their order: the n-th send of a (source,
// destination, tag) is for the n-th receive.
class Messages {
 public:
  void add(const std::string& path, int rank, const TraceNode& node) {
    const bool sends = node.type == TraceNodeType::kSend;
    if (!sends && node.type != TraceNodeType::kReceive) return;
    const Key key = sends ? Key{rank, node.peer, node.tag} : Key{node.peer, rank, node.tag};
    Ends& ends = by_key_[key];
    auto& own = sends ? ends.sends : ends.receives;
    auto& other = sends ? ends.receives : ends.sends;
    if (other.empty()) {
      own.push_back({rank, node.id, node.bytes});
      return;
    }
    const End met = other.front();
    other.pop_front();
    if (met.bytes != node.bytes) {
      throw BadInput(fmt::format("{}: found {}, but its counterpart, node {} of rank {}, has {}",
                                 node_place(path, node.id, node.name, "comm_size"), node.bytes,
                                 met.node, met.rank, met.bytes));
    }
    if (ends.sends.empty() && ends.receives.empty()) by_key_.erase(key);
  }

  void check(const std::vector<std::string>& paths) const {
    if (by_key_.empty()) return;
    const auto& [key, ends] = *by_key_.begin();
    const auto& [source, destination, tag] = key;
    const bool sends = !ends.sends.empty();
    const End& end = sends ? ends.sends.front() : ends.receives.front();
    throw BadInput(
        fmt::format("{}: found rank {}, which has no {} with tag {} for it",
                    node_place(paths[end.rank], end.node, "", sends ? "comm_dst" : "comm_src"),
                    sends ? destination : source, sends ? "receive" : "send", tag));
  }

 private:
  using Key = std::tuple<int, int, std::uint32_t>;
  struct End {
    int rank = 0;
    std::uint64_t node = 0, bytes = 0;
  };
  struct Ends {
    std::deque<End> sends, receives;  // ends without a counterpart so far
  };
  std::map<Key, Ends> by_key_;
};

// Kinds of lanes that the traces have.
struct Lanes {
  bool of_cpu = false, of_accelerator = false, are_told = false;
};

// Counts a node of a file that so many ranks have.
void count(const TraceNode& node, std::uint64_t ranks, TraceFiles& files, Lanes& lanes) {
  files.nodes += ranks;
  if (node.type == TraceNodeType::kMetadata) return;
  if (node.type >= TraceNodeType::kSend) {
    files.communications += ranks;
    files.has_splits = files.has_splits || !node.splits.empty();
    if (node.duration_ps > 0) files.timed_communications += ranks;
    return;
  }
  files.computations += ranks;
  (node.on_cpu ? lanes.of_cpu : lanes.of_accelerator) = true;
  lanes.are_told = lanes.are_told || node.stream != TraceNode::kNobody;
  const bool has_time = node.duration_ps > 0 || node.tensor_bytes > 0 ||
                        (node.type == TraceNodeType::kCompute && node.operations > 0);
  if (!has_time) files.untimed += ranks;
}

// Groups of a rank's metadata.
void add_groups(const std::string& path, const CommGroups& groups, TraceFiles& files) {
  const int ranks = static_cast<int>(files.paths.size());
  for (const auto& [name, members] : groups) {
    if (std::ranges::any_of(members, [ranks](int rank) { return rank >= ranks; })) continue;
    const auto [known, is_new] = files.groups.emplace(name, members);
    if (!is_new && known->second != members)
      throw BadInput(fmt::format(
          "{}: process group '{}': found ranks {}, and {} in another rank's trace; allowed: groups "
          "of a file, --comm-groups",
          path, name, fmt::join(members, ", "), fmt::join(known->second, ", ")));
  }
}

// `has_order`: by the first rank of each file.
void restore_orders(const std::vector<bool>& has_order, TraceFiles& files) {
  std::vector<StreamOrder> orders(files.paths.size());
  std::map<std::string, std::size_t> owners;
  for (std::size_t rank = 0; rank < orders.size(); ++rank) {
    const std::size_t owner = owners.emplace(files.paths[rank], rank).first->second;
    if (!has_order[owner]) continue;
    orders[rank] = owner == rank ? restored_stream_order(files.paths[rank], files.dependencies)
                                 : orders[owner];
    files.restored += orders[rank].size();
  }
  if (files.restored > 0) files.orders = std::move(orders);
}

TraceFiles checked(const TraceName& name, TraceDependencies dependencies) {
  constexpr std::size_t kSideBySide = 256;  // files that are open
  TraceFiles files{.paths = trace_files(name), .dependencies = dependencies};
  const auto ranks = static_cast<int>(files.paths.size());
  Messages messages;
  Lanes lanes;
  TraceNode node;
  std::map<std::string, std::uint64_t> sharers;
  std::vector<int> owners;  // first rank of each file
  for (int r = 0; r < ranks; ++r)
    if (++sharers[files.paths[r]] == 1) owners.push_back(r);
  std::vector<bool> has_order(files.paths.size());  // by owner: operations have places in streams
  for (std::size_t first = 0; first < owners.size(); first += kSideBySide) {
    std::vector<std::unique_ptr<Reading>> readings;
    for (std::size_t n = first; n < owners.size() && readings.size() < kSideBySide; ++n)
      readings.push_back(std::make_unique<Reading>(files.paths[owners[n]], dependencies));
    std::vector<bool> at_end(readings.size());
    while (std::ranges::count(at_end, false) > 0) {
      for (std::size_t i = 0; i < readings.size(); ++i) {
        if (at_end[i]) continue;
        const int rank = owners[first + i];
        const std::string& path = files.paths[rank];
        const std::uint64_t shared_by = sharers.at(path);
        if (!readings[i]->next(node)) {
          at_end[i] = true;
          add_groups(path, readings[i]->groups(), files);
          if (!readings[i]->is_in_order() || dependencies == TraceDependencies::kData)
            files.missing_callers += check_whole(path, dependencies);
          continue;
        }
        const bool is_message =
            node.type == TraceNodeType::kSend || node.type == TraceNodeType::kReceive;
        if (is_message && shared_by > 1)
          throw BadInput(fmt::format(
              "{}: found {} in a file of {} ranks, of which one is its peer; allowed: collectives",
              node_place(path, node.id, node.name, "type"), to_string(node.type), shared_by));
        messages.add(path, rank, node);
        if (has_stream_place(node)) has_order[static_cast<std::size_t>(rank)] = true;
        if (node.peer >= ranks) {
          throw BadInput(fmt::format("{}: found {}; there are {} ranks",
                                     node_place(path, node.id, node.name, "rank"), node.peer,
                                     ranks));
        }
        count(node, shared_by, files, lanes);
      }
    }
  }
  messages.check(files.paths);
  restore_orders(has_order, files);
  files.has_lanes = lanes.are_told || (lanes.of_cpu && lanes.of_accelerator);
  return files;
}

}  // namespace

TraceFiles check_traces(const TraceName& name, std::optional<TraceDependencies> dependencies) {
  try {
    return checked(name, dependencies.value_or(TraceDependencies::kAll));
  } catch (const MissingCaller& missing) {
    if (dependencies)
      throw BadInput(missing.message + "; allowed in recorded traces: --dependencies data");
    return checked(name, TraceDependencies::kData);
  }
}

TraceFiles check_traces(const std::string& prefix) {
  return check_traces(TraceName{prefix, ".et"});
}

void check_takes_time(const TraceFiles& files) {
  if (files.communications > 0 || files.untimed < files.computations) return;
  throw BadInput(fmt::format(
      "{}: found {} nodes of {} rank{}, {} of them computations, loads and stores, and nothing "
      "that takes time; allowed: duration_micros, num_ops or tensor_size, as PyTorch's have after "
      "chakra_trace_link --chakra-device-trace (docs/user/traces.md)",
      files.paths.front(), files.nodes, files.paths.size(), files.paths.size() == 1 ? "" : "s",
      files.computations));
}

}  // namespace fredsim

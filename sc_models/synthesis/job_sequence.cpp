// SPDX-License-Identifier: Apache-2.0
#include "synthesis/job_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "synthesis/detail/joint_shape.h"
#include "synthesis/detail/layout_of_job.h"
#include "workload/task_graph.h"
#include "workload_files/chakra_reader.h"
#include "workload_files/trace_check.h"
#include "workload_files/trace_files.h"

namespace fredsim {
namespace {

constexpr std::size_t kMostSequences = 8;  // of a job
constexpr std::size_t kMostAfter = 8;      // dependencies of a node, the nearest
constexpr int kWholeShare = 1000;
constexpr std::uint64_t kMostTimes = 1 << 20;
constexpr int kExactDistance = 64;  // larger ones keep their three leading bits

struct Job {
  JobNodes nodes{};
  CommGroups groups{};
  TraceShapes said{};
  LayoutOfJob at{};
  std::vector<JointShape> shapes{};
  std::map<int, int> shape_numbers{};  // by the number in the traces
};

// The file of rank 0 in place of a pattern.
std::string first_of(std::string path) {
  const std::size_t pattern = path.rfind(".%d.");
  if (pattern != std::string::npos) path.replace(pattern, 4, ".0.");
  return path;
}

// Reads the nodes of all ranks that have some, and numbers these ranks anew.
Job read_job(const std::string& path) {
  const TraceName name = trace_name(first_of(path));
  const TraceFiles files = check_traces(name);
  Job job;
  std::vector<int> number(files.paths.size(), TraceNode::kNobody);
  for (std::size_t r = 0; r < files.paths.size(); ++r) {
    ChakraReader reader(files.paths[r], files.dependencies);
    std::vector<TraceNode> nodes;
    TraceNode node;
    while (reader.next(node))
      if (node.type != TraceNodeType::kMetadata) nodes.push_back(node);
    job.said.insert(reader.shapes().begin(), reader.shapes().end());
    if (nodes.empty()) continue;
    number[r] = static_cast<int>(job.nodes.size());
    job.nodes.push_back(std::move(nodes));
  }
  if (job.nodes.empty())
    throw BadInput(fmt::format("{}: found no computation or communication; allowed: some", path));
  job.groups = files.groups;
  const std::string groups = name.prefix + ".groups.json";
  if (std::FILE* const file = std::fopen(groups.c_str(), "r")) {
    std::fclose(file);
    job.groups = read_comm_groups(groups, static_cast<int>(files.paths.size()));
  }
  for (auto& [name, ranks] : job.groups) {
    for (int& rank : ranks) rank = number[static_cast<std::size_t>(rank)];
    std::erase(ranks, TraceNode::kNobody);
  }
  for (auto& nodes : job.nodes)
    for (TraceNode& node : nodes)
      if (node.peer >= 0)
        node.peer = node.peer < static_cast<int>(number.size())
                        ? number[static_cast<std::size_t>(node.peer)]
                        : TraceNode::kNobody;
  job.at = layout_of(job.nodes, job.groups, job.said);
  for (const auto& [n, said] : job.said)
    if (const auto shape = joint_shape(said, job.groups, job.at)) {
      const auto known = std::ranges::find(job.shapes, *shape);
      job.shape_numbers[n] = static_cast<int>(known - job.shapes.begin());
      if (known == job.shapes.end()) job.shapes.push_back(*shape);
    }
  return job;
}

// Parts of a communication, or one of a computation: role and index of its node.
struct Event {
  std::vector<std::pair<int, std::size_t>> parts{};
  std::size_t missing = 0;  // events before it that have not come
  std::vector<std::size_t> then{};
};

// The operations of one rank of each role, in an order in which they can run.
class Sequence {
 public:
  Sequence(const Job& job, std::size_t variant) : job_(job) {
    for (const std::vector<int>& members : job.at.members)
      leaders_.push_back(members[variant % members.size()]);
    make_events();
    make_order();
  }

  std::vector<JobOperation> operations(const std::string& path) {
    std::vector<JobOperation> all;
    std::vector<History> histories(leaders_.size());
    std::size_t role = 0;
    while (all.size() < events_.size()) {
      const std::size_t event = next(role);
      if (event == events_.size())
        throw BadInput(
            fmt::format("{}: found communications that wait for each other; allowed: traces that "
                        "can run",
                        path));
      all.push_back(operation(events_[event], histories));
      done_[event] = true;
      for (const std::size_t then : events_[event].then)
        if (--events_[then].missing == 0) ready_.insert(then);
      ready_.erase(event);
    }
    return all;
  }

 private:
  struct History {
    std::map<std::uint64_t, std::pair<std::int64_t, int>> places{};  // by id: lane, number in it
    std::map<std::int64_t, int> counts{};                            // by lane
    std::map<std::pair<bool, int>, int> streams{};
  };

  const std::vector<TraceNode>& nodes(std::size_t role) const {
    return job_.nodes[static_cast<std::size_t>(leaders_[role])];
  }

  void make_events() {
    std::map<std::tuple<int, int>, std::size_t> meetings;  // family, number
    event_of_.resize(leaders_.size());
    for (std::size_t role = 0; role < leaders_.size(); ++role) {
      std::map<int, int> counts;
      for (std::size_t n = 0; n < nodes(role).size(); ++n) {
        const TraceNode& node = nodes(role)[n];
        std::size_t event = events_.size();
        if (node.type == TraceNodeType::kCollective) {
          const int family = family_of(node);
          event = meetings.emplace(std::tuple(family, counts[family]++), event).first->second;
        }
        if (event == events_.size()) events_.emplace_back();
        events_[event].parts.emplace_back(static_cast<int>(role), n);
        event_of_[role].push_back(event);
      }
    }
  }

  void edge(std::size_t before, std::size_t after) {
    if (before == after) return;
    events_[before].then.push_back(after);
    ++events_[after].missing;
  }

  void make_order() {
    std::map<std::pair<int, int>, std::vector<std::size_t>> sends, receives;  // by roles
    for (std::size_t role = 0; role < leaders_.size(); ++role) {
      std::map<std::uint64_t, std::size_t> by_id;
      std::map<std::pair<int, int>, std::size_t> last;  // communication of a kind and family
      for (std::size_t n = 0; n < nodes(role).size(); ++n) by_id[nodes(role)[n].id] = n;
      for (std::size_t n = 0; n < nodes(role).size(); ++n) {
        const TraceNode& node = nodes(role)[n];
        const std::size_t event = event_of_[role][n];
        for (const std::uint64_t id : node.after)
          if (const auto at = by_id.find(id); at != by_id.end())
            edge(event_of_[role][at->second], event);
        if (node.type < TraceNodeType::kSend) continue;
        const std::pair key(static_cast<int>(node.type),
                            node.type == TraceNodeType::kCollective ? family_of(node) : node.peer);
        if (const auto at = last.find(key); at != last.end()) edge(at->second, event);
        last[key] = event;
        const auto here = static_cast<int>(role);
        if (node.type == TraceNodeType::kSend) sends[{here, role_of(node.peer)}].push_back(event);
        if (node.type == TraceNodeType::kReceive)
          receives[{role_of(node.peer), here}].push_back(event);
      }
    }
    for (const auto& [roles, from] : sends) {
      const std::vector<std::size_t>& to = receives[roles];
      for (std::size_t n = 0; n < std::min(from.size(), to.size()); ++n) edge(from[n], to[n]);
    }
    heads_.assign(leaders_.size(), 0);
    done_.assign(events_.size(), false);
    for (std::size_t e = 0; e < events_.size(); ++e)
      if (events_[e].missing == 0) ready_.insert(e);
  }

  // The next event: that of the same role, else of the first role that can go on, else any.
  std::size_t next(std::size_t& role) {
    for (std::size_t step = 0; step <= leaders_.size(); ++step) {
      const std::size_t one = step == 0 ? role : step - 1;
      std::size_t& head = heads_[one];
      while (head < event_of_[one].size() && done_[event_of_[one][head]]) ++head;
      if (head == event_of_[one].size() || events_[event_of_[one][head]].missing > 0) continue;
      role = one;
      return event_of_[one][head];
    }
    return ready_.empty() ? events_.size() : *ready_.begin();
  }

  int family_of(const TraceNode& node) const {
    return job_.at.family_of.at(
        ranks_of_group(node, job_.groups, static_cast<int>(job_.nodes.size())));
  }
  int role_of(int rank) const {
    return rank < 0 ? TraceNode::kNobody : job_.at.layout.role_of[static_cast<std::size_t>(rank)];
  }

  // Steps from a rank to its peer among the ranks of the peer's role, the shorter way around.
  int offset_of(int rank, int peer) const {
    const auto size =
        static_cast<int>(job_.at.members[static_cast<std::size_t>(role_of(peer))].size());
    int offset = (job_.at.place[static_cast<std::size_t>(peer)] -
                  job_.at.place[static_cast<std::size_t>(rank)]) %
                 size;
    if (offset < 0) offset += size;
    return offset > size / 2 ? offset - size : offset;
  }

  static TokenPart part_of(int role, const TraceToken& token, const TraceNode& node,
                           History& history) {
    TokenPart part{.role = role};
    part.lane.on_cpu = node.on_cpu;
    if (node.stream != TraceNode::kNobody)
      part.lane.stream = history.streams
                             .emplace(std::pair(node.on_cpu, node.stream),
                                      static_cast<int>(history.streams.size()))
                             .first->second;
    for (const std::uint64_t id : node.after)
      if (const auto at = history.places.find(id); at != history.places.end()) {
        int distance = history.counts[at->second.first] - at->second.second;
        int step = 1;
        while (distance / step >= kExactDistance) step *= 2;
        if (step > 1) distance = distance / (step * 8) * (step * 8);
        part.after.push_back({at->second.first, distance});
      }
    std::ranges::sort(part.after, {}, &LaneDistance::distance);
    if (part.after.size() > kMostAfter) part.after.resize(kMostAfter);
    std::ranges::sort(part.after);
    const std::int64_t lane = token.lane_of(part);
    history.places[node.id] = {lane, history.counts[lane]++};
    return part;
  }

  JobOperation operation(const Event& event, std::vector<History>& histories) const {
    JobOperation made;
    TraceToken& token = made.token;
    describe(event, made);
    for (const auto& [role, n] : event.parts) {
      const auto r = static_cast<std::size_t>(role);
      const TraceNode& node = nodes(r)[n];
      token.parts.push_back(part_of(role, token, node, histories[r]));
      made.duration_ps = std::max(made.duration_ps, node.duration_ps);
    }
    if (token.type == TraceNodeType::kCollective &&
        token.collective == TraceCollective::kAllToAll && token.shape == TraceNode::kNobody)
      share_out(event, made);
    return made;
  }

  // The largest size of an all-to-all, and what part of it each role sends.
  void share_out(const Event& event, JobOperation& made) const {
    std::vector<std::uint64_t> bytes;
    for (const auto& [role, n] : event.parts)
      bytes.push_back(nodes(static_cast<std::size_t>(role))[n].bytes);
    made.bytes = *std::ranges::max_element(bytes);
    for (std::size_t p = 0; p < bytes.size() && made.bytes > 0; ++p)
      made.token.parts[p].share = static_cast<int>(std::lround(
          kWholeShare * static_cast<double>(bytes[p]) / static_cast<double>(made.bytes)));
  }

  // Sets the fields that all parts of an event share.
  void describe(const Event& event, JobOperation& made) const {
    const auto r = static_cast<std::size_t>(event.parts.front().first);
    const TraceNode& node = nodes(r)[event.parts.front().second];
    TraceToken& token = made.token;
    token.type = node.type;
    token.priority = std::clamp<std::int64_t>(node.priority, 0, 2);
    made.bytes = token.type >= TraceNodeType::kSend ? node.bytes : node.tensor_bytes;
    if (node.duration_ps == 0) made.operations = node.operations;
    if (token.type < TraceNodeType::kSend) return;
    if (token.type == TraceNodeType::kCollective) {
      token.collective = node.collective;
      token.family = family_of(node);
      if (const auto shape = job_.shape_numbers.find(node.shape);
          shape != job_.shape_numbers.end()) {
        token.shape = shape->second;
        token.times = static_cast<int>(std::clamp<std::uint64_t>(node.times, 1, kMostTimes));
        made.bytes = node.bytes / static_cast<std::uint64_t>(token.times);
        const auto category = std::ranges::find(kTimeCategories, node.category);
        if (category != kTimeCategories.end())
          token.category = static_cast<int>(category - kTimeCategories.begin());
      }
    }
    if (node.peer < 0) return;
    token.root = role_of(node.peer);
    if (token.type != TraceNodeType::kCollective) token.offset = offset_of(leaders_[r], node.peer);
  }

  const Job& job_;
  std::vector<int> leaders_;
  std::vector<Event> events_;
  std::vector<std::vector<std::size_t>> event_of_;
  std::vector<std::size_t> heads_;
  std::vector<bool> done_;
  std::set<std::size_t> ready_;
};

bool are_equal(const std::vector<JobOperation>& a, const std::vector<JobOperation>& b) {
  return std::ranges::equal(a, b, [](const JobOperation& x, const JobOperation& y) {
    return x.duration_ps == y.duration_ps && x.bytes == y.bytes && x.operations == y.operations &&
           x.token.type == y.token.type && x.token.family == y.token.family &&
           x.token.shape == y.token.shape;
  });
}

}  // namespace

std::int64_t TraceToken::lane_of(const TokenPart& part) const {
  constexpr std::int64_t kOthers = 1 << 12;  // families, or roles of other ends
  std::int64_t lane = (part.lane.stream + 1) * 2 + (part.lane.on_cpu ? 1 : 0);
  const bool communicates = type >= TraceNodeType::kSend;
  const int other = type == TraceNodeType::kCollective ? family : root;
  lane = lane * kOthers + (communicates ? other % kOthers : 0);
  return lane * 4 + (communicates ? static_cast<int>(type) - 4 : 0);
}

bool TraceToken::is_unequal() const {
  return std::ranges::any_of(parts,
                             [](const TokenPart& part) { return part.share != kWholeShare; });
}

int TraceLayout::roles() const {
  return role_of.empty() ? 0 : *std::ranges::max_element(role_of) + 1;
}

JobSequences job_sequences(const std::string& path) {
  const Job job = read_job(path);
  JobSequences found;
  found.layout = job.at.layout;
  found.shapes = job.shapes;
  std::size_t variants = 1;
  for (const auto& members : job.at.members) variants = std::max(variants, members.size());
  for (const auto& nodes : job.nodes) found.nodes += nodes.size();
  for (std::size_t v = 0; v < std::min(variants, kMostSequences); ++v) {
    std::vector<JobOperation> sequence = Sequence(job, v).operations(path);
    if (std::ranges::none_of(found.sequences,
                             [&](const auto& known) { return are_equal(known, sequence); }))
      found.sequences.push_back(std::move(sequence));
  }
  return found;
}

}  // namespace fredsim

// The jobs of an NPU: how they come and go, and how far they are.
#include <fmt/format.h>

#include <algorithm>

#include "endpoint/npu.h"

namespace fredsim {

void Npu::add(CollectiveJob& job, const std::vector<Share>& shares) {
  auto work = std::make_unique<Work>();
  Work& w = *work;
  w.job = &job;
  const std::size_t parts = job.plan().parts.size();
  w.allowed.assign(parts, false);
  w.left.assign(parts, 0);
  w.rank.assign(parts, -1);
  w.trees.resize(shares.size());
  for (int local = 0; local < std::ssize(shares); ++local) {
    w.trees[local].tree = shares[local].tree;
    w.trees[local].part = shares[local].rank;
    prepare(w, local);
  }
  for (Channel& channel : channels_) {
    for (Source& source : channel.sources) {
      if (source.work != &w) continue;
      std::ranges::stable_sort(source.trees, {},
                               [&](int local) { return plan_tree(w, local).step; });
      while (source.end < source.trees.size() &&
             plan_tree(w, source.trees[source.end]).step == plan_tree(w, source.trees.front()).step)
        ++source.end;
    }
  }
  const auto behind = [&](const auto& other) {
    return other->job->first_tree() > job.first_tree();
  };
  works_.insert(std::ranges::find_if(works_, behind), std::move(work));
}

void Npu::remove(const CollectiveJob& job) {
  const auto of_job = [&](const auto& work) { return work->job == &job; };
  const auto found = std::ranges::find_if(works_, of_job);
  if (found == works_.end()) return;
  for (Channel& channel : channels_) {
    for (std::size_t i = channel.sources.size(); i-- > 0;) {
      if (channel.sources[i].work != found->get()) continue;
      channel.sources.erase(channel.sources.begin() + static_cast<std::ptrdiff_t>(i));
      if (channel.next > i) --channel.next;
    }
    if (channel.next >= channel.sources.size()) channel.next = 0;
  }
  works_.erase(found);
  if (works_.empty()) multicast_ = {};
}

void Npu::prepare(Work& w, int local) {
  TreeState& s = w.trees[local];
  const TreeRank& part = *s.part;
  const Tree& tree = plan_tree(w, local);
  const Part& plan_part = w.job->plan().parts[tree.part];
  s.part_number = tree.part;
  w.rank[tree.part] = part.rank;
  s.vc = static_cast<std::uint8_t>(plan_part.vc);
  s.window = static_cast<std::uint64_t>(plan_part.window);
  s.packets = w.job->packets(s.tree);
  s.held.resize(part.reduce_from.size());
  s.arrived.resize(part.reduce_from.size());
  const bool in_switch = tree.transport == Transport::kInSwitch;
  s.sees_results = part.receives || !part.broadcast_to.empty();
  s.waits_for_results = CollectiveJob::waits_for_results(tree, part);
  if (s.sees_results) w.left[tree.part] += s.packets;
  if (!part.reduce_from.empty()) w.left[tree.part] += s.packets;
  if (!part.contributes || !part.reduce_from.empty()) return;
  if (in_switch) {
    s.channel = channel_of(part.switch_port, s.vc);
  } else if (!part.reduce_to.empty()) {
    s.channel = channel_of(part.reduce_to.front());
  } else if (!part.broadcast_to.empty()) {
    const Send& to = part.broadcast_to.front();
    s.channel = channel_of(to);
    multicast_[to.vc] |= 1U << to.port;
  } else {
    return;  // nobody to send to
  }
  w.left[tree.part] += s.packets;
  add_source(w, local, in_switch);
}

void Npu::add_source(Work& w, int local, bool in_switch) {
  std::vector<Source>& sources = channels_[w.trees[local].channel].sources;
  const int part = w.trees[local].part_number;
  const auto same = std::ranges::find_if(sources, [&](const Source& source) {
    return in_switch && source.in_switch && source.work == &w && source.part == part;
  });
  if (same != sources.end()) {
    same->trees.push_back(local);
  } else {
    sources.push_back({.work = &w, .part = part, .in_switch = in_switch, .trees = {local}});
  }
}

bool Npu::is_done(const CollectiveJob& job, int part) const {
  const Work* const w = work_of(job);
  return w == nullptr || w->left[part] == 0;
}

void Npu::stop() {
  works_.clear();  // packets held belong to the NIC, which has taken them back
  stray_.clear();
  for (Channel& channel : channels_) {
    channel.sources.clear();
    channel.next = 0;
    while (!channel.own.empty()) channel.own.pop();
    while (!channel.forward.empty()) channel.forward.pop();
  }
  pool_.reclaim();
  dirty_ = blocked_ = multicast_ = {};
}

bool Npu::complete() const {
  const auto is_complete = [](const TreeState& s) {
    return std::ranges::all_of(s.held, [](const auto& q) { return q.empty(); }) &&
           (s.channel < 0 || s.started == s.packets) &&
           (s.held.empty() || s.reduced == s.packets) &&
           (!s.sees_results || s.results == s.packets);
  };
  return std::ranges::all_of(
             works_,
             [&](const auto& work) { return std::ranges::all_of(work->trees, is_complete); }) &&
         std::ranges::all_of(channels_,
                             [](const Channel& c) { return c.own.empty() && c.forward.empty(); });
}

void Npu::describe_missing(std::vector<std::string>& lines) const {
  for (const auto& work : works_) {
    for (const TreeState& s : work->trees) {
      const int rank = s.part->rank;
      const int tree = work->job->first_tree() + s.tree;
      const std::uint64_t out = work->job->left_out(s.tree);
      const std::uint64_t packets = s.packets + out;
      for (std::size_t i = 0; i < s.held.size(); ++i) {
        if (s.arrived[i] == s.packets) continue;
        lines.push_back(fmt::format("rank {} tree {}: partial sum {} of {} from rank {} is missing",
                                    rank, tree, s.arrived[i] + out, packets,
                                    s.part->reduce_from[i]));
      }
      if (s.sees_results && s.results < s.packets) {
        lines.push_back(fmt::format("rank {} tree {}: result {} of {} is missing", rank, tree,
                                    s.results + out, packets));
      }
      if (s.channel >= 0 && s.started < s.packets) {
        lines.push_back(fmt::format("rank {} tree {}: sent {} of {} packets, window {}", rank, tree,
                                    s.started + out, packets, s.window));
      }
    }
  }
}

Npu::Work* Npu::work_of(const CollectiveJob& job) const {
  const auto found =
      std::ranges::find_if(works_, [&](const auto& work) { return work->job == &job; });
  return found != works_.end() ? found->get() : nullptr;
}

}  // namespace fredsim

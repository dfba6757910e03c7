// SPDX-License-Identifier: Apache-2.0
#include "npu/npu_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plan/acknowledgements.h"

namespace fredsim {

Role role_of(const TreeRank& rank) {
  const bool sends_on = !rank.reduce_to.empty();
  if (rank.switch_port >= 0 && rank.contributes) return Role::kSwitchLeaf;
  if (!rank.reduce_from.empty()) return sends_on ? Role::kCombiner : Role::kRoot;
  if (!rank.contributes) return Role::kReceiver;
  if (sends_on) return Role::kLeaf;
  return rank.broadcast_to.empty() ? Role::kAlone : Role::kHead;
}

Role role_of(const Tree& tree, const TreeRank& rank) {
  return tree.operands > 0 ? Role::kRoot : role_of(rank);
}

Work::Work(CollectiveJob& of, const std::vector<Share>& shares, int ports) : job(&of) {
  const std::size_t parts = of.plan().parts.size();
  allowed.assign(parts, false);
  left.assign(parts, 0);
  to_receive.assign(parts, 0);
  rank.assign(parts, -1);
  trees.resize(shares.size());
  for (int local = 0; local < std::ssize(shares); ++local) prepare(local, shares[local], ports);
}

void Work::prepare(int local, const Share& share, int ports) {
  TreeState& s = trees[local];
  s.tree = share.tree;
  s.part = share.rank;
  const TreeRank& part = *s.part;
  const Tree& tree = plan_tree(local);
  const Part& plan_part = job->plan().parts[tree.part];
  s.part_number = tree.part;
  rank[tree.part] = part.rank;
  s.window = static_cast<std::uint64_t>(plan_part.window);
  s.packets = job->packets(s.tree);
  s.role = role_of(tree, part);
  s.in_switch = part.switch_port >= 0;
  s.sees_results = part.receives || !part.broadcast_to.empty();
  s.acknowledged_window = acknowledged_window(plan_part, tree);
  const std::size_t inputs = part.reduce_from.size() + static_cast<std::size_t>(tree.operands);
  s.set_sizes(inputs, (part.results_acknowledged ? part.broadcast_to.size() : 0) +
                          (part.sums_acknowledged ? 1 : 0));
  s.goes_by_acknowledgements = !s.acknowledged().empty() && waits_for_acknowledgements(tree, part);
  if (s.goes_by_acknowledgements) s.window = s.acknowledged_window;
  if (s.role == Role::kSwitchLeaf) {
    s.channel = channel_of(ports, part.switch_port, plan_part.vc);
  } else if (is_source(s.role)) {
    const Send& to = s.role == Role::kHead ? part.broadcast_to.front() : part.reduce_to.front();
    s.channel = channel_of(ports, to.port, to.vc);
  }
  if (is_source(s.role) && plan_part.frame != 0) {
    s.pace = std::make_unique<TreePace>(TreePace{.interval = plan_part.frame / tree.in_frame,
                                                 .rest = plan_part.frame % tree.in_frame,
                                                 .in_frame = tree.in_frame});
    if (s.pace->interval == 0) s.pace.reset();
  }
  const int times = (s.sees_results ? 1 : 0) + (adds(s.role) ? 1 : 0) + (is_source(s.role) ? 1 : 0);
  left[tree.part] += s.packets * static_cast<std::uint64_t>(times);
  if (part.receives) to_receive[tree.part] += s.packets;
}

void Work::shorten() {
  for (TreeState& s : trees) {
    const std::uint64_t less = s.packets - job->packets(s.tree);
    s.packets -= less;
    // Counts as in prepare().
    const int times =
        (s.sees_results ? 1 : 0) + (adds(s.role) ? 1 : 0) + (is_source(s.role) ? 1 : 0);
    left[s.part_number] -= less * static_cast<std::uint64_t>(times);
    if (s.part->receives) to_receive[s.part_number] -= less;
    acknowledgements += job->copies(s.tree) *
                        (less / job->plan().trees[s.tree].acknowledge_packets) *
                        (s.part->acknowledge_results.size() + s.part->acknowledge_sums.size());
  }
}

bool Work::complete() const {
  return std::ranges::all_of(trees, [](const TreeState& s) {
    return std::ranges::all_of(s.inputs(), [](const auto& i) { return i.held.empty(); }) &&
           (!is_source(s.role) || s.started == s.packets) &&
           (!adds(s.role) || s.reduced == s.packets) && (!s.sees_results || s.results == s.packets);
  });
}

void TreeState::set_sizes(std::size_t inputs, std::size_t acknowledged) {
  inputs_ = inputs == 0 ? nullptr : std::make_unique<Input[]>(inputs);
  input_count_ = static_cast<std::uint32_t>(inputs);
  acknowledged_ = acknowledged == 0 ? nullptr : std::make_unique<std::uint64_t[]>(acknowledged);
  acknowledged_count_ = static_cast<std::uint32_t>(acknowledged);
}

bool TreeState::has_inputs_for_one() const {
  return std::ranges::none_of(inputs(), [](const Input& input) { return input.held.empty(); });
}

void TreePace::keep(std::uint64_t now) {
  if (is_late(now)) {
    not_before = now;
    fraction = 0;
  }
  not_before += interval;
  fraction += rest;
  if (fraction >= in_frame) {
    fraction -= in_frame;
    ++not_before;
  }
}

void TreePace::add_state(std::uint64_t now, StateDigest& digest) const {
  const bool counts = has_begun && !is_late(now);
  digest.add((has_begun ? 1U : 0U) | (is_waited_for ? 2U : 0U));
  digest.add(counts ? not_before + max_late() + 1 - now : 0);
  digest.add(counts ? fraction : 0);
}

void Work::add_state(const std::vector<std::uint64_t>& furthest, std::uint64_t now,
                     StateDigest& digest) const {
  for (const TreeState& s : trees) {
    const std::uint64_t from = furthest[static_cast<std::size_t>(s.tree)];
    digest.add(is_source(s.role) ? from - s.started : 0);
    digest.add(s.sees_results ? from - s.results : 0);
    digest.add(adds(s.role) ? from - s.reduced : 0);
    for (const TreeState::Input& input : s.inputs()) {
      digest.add(from - input.arrived);
      digest.add(input.held.size());
    }
    for (const std::uint64_t acknowledged : s.acknowledged()) digest.add(from - acknowledged);
    if (s.goes_by_acknowledgements) digest.add(from - s.reached);
    if (!s.part->acknowledge_results.empty()) digest.add(from - s.results_announced);
    if (!s.part->acknowledge_sums.empty()) digest.add(from - s.sums_announced);
    if (s.pace && s.started != s.packets) s.pace->add_state(now, digest);
  }
  digest.add_all(allowed);
}

void Work::describe_missing(std::vector<std::string>& lines) const {
  for (const TreeState& s : trees) {
    const int number = job->first_tree() + s.tree;
    const std::uint64_t out = job->left_out(s.tree);
    const std::uint64_t all = s.packets + out;
    for (std::size_t i = 0; i < s.inputs().size(); ++i) {
      const std::uint64_t arrived = s.inputs()[i].arrived;
      if (arrived == s.packets) continue;
      const bool is_operand = s.part->reduce_from.empty();
      lines.push_back(fmt::format("rank {} tree {}: {} {} of {} from rank {} is missing",
                                  s.part->rank, number, is_operand ? "operand" : "partial sum",
                                  arrived + out, all,
                                  is_operand ? static_cast<int>(i) : s.part->reduce_from[i]));
    }
    if (s.sees_results && s.results < s.packets) {
      lines.push_back(fmt::format("rank {} tree {}: result {} of {} is missing", s.part->rank,
                                  number, s.results + out, all));
    }
    if (is_source(s.role) && s.started < s.packets) {
      lines.push_back(fmt::format("rank {} tree {}: sent {} of {} packets, window {}", s.part->rank,
                                  number, s.started + out, all, s.window));
    }
  }
}

// Most NPUs have a share of every tree, and most runs are one job.
Works::Place Works::find(std::uint32_t stream) const {
  const int number = static_cast<int>(stream >> 1);
  for (std::size_t i = works_.size(); i-- > 0;) {
    Work& w = *works_[i];
    const int tree = number - w.job->first_tree();
    if (tree < 0) continue;
    if (tree < std::ssize(w.trees) && w.trees[tree].tree == tree) return {&w, tree};
    const auto found = std::ranges::lower_bound(w.trees, tree, {}, &TreeState::tree);
    if (found == w.trees.end() || found->tree != tree) return {};
    return {&w, static_cast<int>(found - w.trees.begin())};
  }
  return {};
}

Work* Works::of(const CollectiveJob& job) const {
  const auto found =
      std::ranges::find_if(works_, [&](const auto& work) { return work->job == &job; });
  return found != works_.end() ? found->get() : nullptr;
}

Work& Works::add(std::unique_ptr<Work> work) {
  const auto behind = [&](const auto& other) {
    return other->job->first_tree() > work->job->first_tree();
  };
  return **works_.insert(std::ranges::find_if(works_, behind), std::move(work));
}

void Works::remove(const Work& work) {
  std::erase_if(works_, [&](const auto& other) { return other.get() == &work; });
}

bool Works::failed() const {
  return std::ranges::any_of(works_, [](const auto& work) { return work->job->failed(); });
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "import/detail/gpu_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/units.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kLatencyPs = 500'000;  // of a link, where nothing says it

// Parts of a graph that links join.
class Parts {
 public:
  explicit Parts(std::size_t nodes) : parent_(nodes) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int of(int node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void join(int a, int b) { parent_[of(a)] = of(b); }

 private:
  std::vector<int> parent_;
};

}  // namespace

int GpuBox::add_gpu(const std::string& label) {
  nodes_.push_back({"gpu", label, true});
  return static_cast<int>(nodes_.size()) - 1;
}

int GpuBox::add_switch(std::string_view word, const std::string& label) {
  nodes_.push_back({std::string(word), label, false});
  return static_cast<int>(nodes_.size()) - 1;
}

void GpuBox::add_nvlink(int from, int to, std::uint64_t bandwidth, int count,
                        const std::string& label) {
  links_.push_back({from, to, bandwidth, count, true, label});
}

void GpuBox::add_pcie(int from, int to, std::uint64_t bandwidth, const std::string& label) {
  links_.push_back({from, to, bandwidth, 1, false, label});
}

bool GpuBox::nvlinks_join_all() const {
  Parts parts(nodes_.size());
  for (const BoxLink& link : links_)
    if (link.is_nvlink) parts.join(link.from, link.to);
  int first = -1;
  for (int i = 0; i < std::ssize(nodes_); ++i) {
    if (!nodes_[i].is_gpu) continue;
    if (first < 0) first = i;
    if (parts.of(i) != parts.of(first)) return false;
  }
  return true;
}

// Nodes that are GPUs or have two neighbours of this sort.
std::vector<bool> GpuBox::between_gpus(const std::vector<BoxLink>& links) const {
  std::vector<std::vector<int>> next(nodes_.size());
  for (const BoxLink& link : links) {
    next[link.from].push_back(link.to);
    next[link.to].push_back(link.from);
  }
  std::vector<bool> stays(nodes_.size(), true);
  std::vector<int> open;
  const auto check = [&](int node) {
    const auto left = std::ranges::count_if(next[node], [&](int other) { return stays[other]; });
    if (nodes_[node].is_gpu || left >= 2 || !stays[node]) return;
    stays[node] = false;
    open.push_back(node);
  };
  for (int i = 0; i < std::ssize(nodes_); ++i) check(i);
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const int other : next[node]) check(other);
  }
  return stays;
}

void GpuBox::build(const std::string& path, const ImportOptions& options, std::string_view pcie_key,
                   ImportedMachine& machine) const {
  const bool is_joined = nvlinks_join_all();
  std::vector<BoxLink> links = links_;
  if (is_joined) std::erase_if(links, [](const BoxLink& link) { return !link.is_nvlink; });
  if (links.size() != links_.size())
    machine.note(pcie_key,
                 "left out: GPU-to-GPU links join all GPUs, and NCCL then sends over these alone");
  if (!options.latency_ps)
    machine.note("latency", fmt::format("the file has none: links have {}; --link-latency sets it",
                                        format_time_ps(kLatencyPs)));
  const std::vector<bool> stays = between_gpus(links);
  GraphBuilder graph(path);
  std::map<std::string, int> counts;
  std::vector<int> number(nodes_.size(), -1);
  for (const bool of_gpus : {true, false}) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const BoxNode& node = nodes_[i];
      if (!stays[i] || node.is_gpu != of_gpus) continue;
      const std::string name = fmt::format("{}{}", node.word, counts[node.word]++);
      number[i] = of_gpus ? graph.add_npu(name, node.label) : graph.add_switch(name, node.label);
    }
  }
  std::map<std::tuple<int, int, std::uint64_t>, BoxLink> parallel;
  for (const BoxLink& link : links) {
    if (!stays[link.from] || !stays[link.to]) continue;
    const auto [from, to] = std::minmax(link.from, link.to);
    const auto [at, is_new] = parallel.emplace(std::tuple(from, to, link.bandwidth), link);
    if (!is_new) at->second.count += link.count;
  }
  for (const auto& [ends, link] : parallel)
    graph.join(number[link.from], number[link.to], link.bandwidth,
               options.latency_ps.value_or(kLatencyPs), link.count, link.label);
  machine.graph = graph.take();
}

}  // namespace fredsim

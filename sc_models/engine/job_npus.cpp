// SPDX-License-Identifier: Apache-2.0
#include "engine/job_npus.h"

namespace fredsim {

JobNpus::JobNpus(CollectiveJob& job, std::span<const std::unique_ptr<Npu>> npus)
    : job_(job), npus_(npus) {
  const Plan& plan = job.plan();
  std::vector<std::vector<Npu::Share>> shares(npus.size());
  for (int t = 0; t < std::ssize(plan.trees); ++t) {
    const Tree& tree = plan.trees[t];
    for (const TreeRank& rank : tree.ranks) {
      const NodeId node = plan.parts[tree.part].members[rank.rank];
      if (npus[node] != nullptr) shares[node].push_back({t, &rank});
    }
  }
  for (NodeId node = 0; node < std::ssize(shares); ++node) {
    if (shares[node].empty()) continue;
    all_.push_back(npus[node].get());
    npus[node]->add(job, shares[node]);
  }
}

void JobNpus::release(std::span<const CollectiveJob::RankOfPart> ranks) {
  for (const CollectiveJob::RankOfPart& at : ranks)
    if (npu(at) != nullptr) npu(at)->allow(job_, at.part);
  for (const CollectiveJob::RankOfPart& at : ranks) {
    if (npu(at) == nullptr) continue;
    npu(at)->release(job_, at.part);
    if (npu(at)->is_done(job_, at.part)) job_.rank_complete(at.part, at.rank);
  }
}

void JobNpus::remove() {
  for (Npu* npu : all_) npu->remove(job_);
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// A job (npu/collective_job.h) on the NPUs of a machine: gives each its share of the plan's trees, and tells them, between
// two edges, which parts start.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "npu/collective_job.h"
#include "npu/npu.h"

namespace fredsim {

class JobNpus {
 public:
  // `npus`: by node, of the endpoints of this process. They and the job outlive this. Nothing is sent before release().
  JobNpus(CollectiveJob& job, std::span<const std::unique_ptr<Npu>> npus);

  // These ranks may send from now on; all take turns from their first packets on. A rank that has nothing to do is
  // complete at once.
  void release(std::span<const CollectiveJob::RankOfPart> ranks);
  void remove();  // everything of the job has been received

 private:
  Npu* npu(const CollectiveJob::RankOfPart& at) const {  // null: another process's
    return npus_[job_.plan().parts[at.part].members[at.rank]].get();
  }

  CollectiveJob& job_;
  std::span<const std::unique_ptr<Npu>> npus_;
  std::vector<Npu*> all_;  // those with a share
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// A job (npu/collective_job.h) on the NPUs of a machine: gives each NPU its share of the plan's
// trees, and starts their parts between two edges.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "npu/collective_job.h"
#include "npu/npu.h"

namespace fredsim {

class JobNpus {
 public:
  // `npus`: by node, of this process's endpoints. They and the job outlive this. No packet is sent
  // before release().
  JobNpus(CollectiveJob& job, std::span<const std::unique_ptr<Npu>> npus);

  // Lets these ranks send from now on; all take turns from their first packets on. A rank without
  // work is complete at once.
  void release(std::span<const CollectiveJob::RankOfPart> ranks);
  void remove();  // call when all packets of the job have been received

 private:
  Npu* npu(const CollectiveJob::RankOfPart& at) const {  // null: another process's
    return npus_[job_.plan().parts[at.part].members[at.rank]].get();
  }

  CollectiveJob& job_;
  std::span<const std::unique_ptr<Npu>> npus_;
  std::vector<Npu*> all_;  // NPUs with a share
};

}  // namespace fredsim

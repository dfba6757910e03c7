// SPDX-License-Identifier: Apache-2.0
// Type, bytes and arithmetic of an operation of the GPU, by what its thread did at its launch.
#pragma once

#include <map>
#include <vector>

#include "profile/profiled_nodes.h"

namespace fredsim {

// Operations of a CPU thread that say what its launches are, by begin.
struct ThreadOps {
  std::vector<const Kineto::CpuOp*> calls{};   // record_param_comms with a meaning or marker
  Kineto::Ps launched = -1;                    // begin of the last of them that launched a kernel
  std::vector<const Kineto::CpuOp*> matrix{};  // operations whose arithmetic is known
};

// Innermost of `ops` on the thread that contains a time; null: none.
const Kineto::CpuOp* around(const std::vector<const Kineto::CpuOp*>& ops, Kineto::Ps at);

// Fills `node.node` and `node.call`, without duration and arithmetic. `by`: of the thread that
// launched it at `launched`; launches of a thread come in order. `others`: nodes of further sends
// and receives that the kernel does: all calls of the thread since its last kernel of a call.
// False: an unknown collective, a computation by `options`.
// Errors: BadInput with file and event: an unknown collective; one without size.
bool describe_operation(const Kineto& profile, const ProfileOptions& options,
                        const Kineto::GpuOp& op, ThreadOps& by, Kineto::Ps launched,
                        ProfiledNode& node, std::vector<ProfiledNode>& others);

// Arithmetic of CPU operations goes to the longest of the kernels that each launched: the others
// transpose, copy or reduce.
class ArithmeticOwners {
 public:
  void add(const Kineto::CpuOp* op, int node, Kineto::Ps duration);
  void write(const Kineto& profile, std::vector<ProfiledNode>& nodes) const;

 private:
  struct Owner {
    int node = 0;
    Kineto::Ps duration = -1;
  };
  std::map<const Kineto::CpuOp*, Owner> owners_;
};

}  // namespace fredsim

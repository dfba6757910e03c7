// SPDX-License-Identifier: Apache-2.0
// Split of a minibatch over replicas, and of a replica's samples over microbatches: as even as
// possible, the first shares one larger.
#pragma once

#include <cstdint>
#include <vector>

namespace fredsim {

class MinibatchSplit {
 public:
  MinibatchSplit(std::uint64_t minibatch, int replicas, std::uint64_t microbatches)
      : minibatch_(minibatch), replicas_(replicas), microbatches_(microbatches) {}

  std::uint64_t samples(int replica, int microbatch) const {
    return share_of(share_of(minibatch_, static_cast<std::uint64_t>(replicas_), replica),
                    microbatches_, microbatch);
  }
  // Replicas with samples in a microbatch.
  std::vector<int> replicas(int microbatch) const {
    std::vector<int> found;
    for (int replica = 0; replica < replicas_; ++replica)
      if (samples(replica, microbatch) > 0) found.push_back(replica);
    return found;
  }

 private:
  // Share of one of `places`.
  static std::uint64_t share_of(std::uint64_t samples, std::uint64_t places, int place) {
    return samples / places + (static_cast<std::uint64_t>(place) < samples % places ? 1 : 0);
  }

  std::uint64_t minibatch_;
  int replicas_;
  std::uint64_t microbatches_;
};

}  // namespace fredsim

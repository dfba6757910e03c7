// SPDX-License-Identifier: Apache-2.0
// Observer of every clock edge of a fabric (Fabric::observe), such as a recorder of waveforms.
#pragma once

namespace fredsim {

class EdgeObserver {
 public:
  EdgeObserver() = default;
  EdgeObserver(const EdgeObserver&) = delete;
  EdgeObserver& operator=(const EdgeObserver&) = delete;
  virtual ~EdgeObserver() = default;

  virtual void before_edge() = 0;
  virtual void after_edge() = 0;  // called after an edge that failed, too
};

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Way of messages between the processes of a run: in order between any two, whole, with as many bytes as they have.
#pragma once

#include <cstddef>
#include <vector>

namespace fredsim {

class RankTransport {
 public:
  RankTransport() = default;
  RankTransport(const RankTransport&) = delete;
  RankTransport& operator=(const RankTransport&) = delete;
  virtual ~RankTransport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Begins to send; `bytes` stay as they are until flushed() is true.
  virtual void send(int to, const std::vector<std::byte>& bytes) = 0;
  virtual bool flushed() = 0;  // all that was sent has left
  // The next message of a process, in place of what is in `bytes`; false: it is not here yet. Neither waits.
  virtual bool receive(int from, std::vector<std::byte>& bytes) = 0;
  // Nothing more is sent or received; `in_order`: by all processes.
  virtual void close(bool in_order) = 0;
};

}  // namespace fredsim

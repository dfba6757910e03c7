// SPDX-License-Identifier: Apache-2.0
// Transport of messages between the processes of a run: in order between any two, whole, of any
// length.
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
  virtual bool flushed() = 0;  // all messages have been sent
  // Receives the next message of a process into `bytes`, whose contents it replaces; false: none is
  // here yet. Neither function waits.
  virtual bool receive(int from, std::vector<std::byte>& bytes) = 0;
  // Ends sending and receiving; `in_order`: all processes end without error.
  virtual void close(bool in_order) = 0;
};

}  // namespace fredsim

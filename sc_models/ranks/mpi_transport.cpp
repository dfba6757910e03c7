// SPDX-License-Identifier: Apache-2.0
#include "ranks/mpi_transport.h"

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace fredsim {
namespace {

class MpiTransport final : public RankTransport {
 public:
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, const std::vector<std::byte>& bytes) override {
    ::MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, kTag, MPI_COMM_WORLD,
                &sending_.emplace_back());
  }
  bool flushed() override {
    int done = 0;
    ::MPI_Testall(static_cast<int>(sending_.size()), sending_.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) sending_.clear();
    return done != 0;
  }
  bool receive(int from, std::vector<std::byte>& bytes) override {
    int is_here = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    ::MPI_Improbe(from, kTag, MPI_COMM_WORLD, &is_here, &message, &status);
    if (is_here == 0) return false;
    int size = 0;
    ::MPI_Get_count(&status, MPI_BYTE, &size);
    bytes.resize(static_cast<std::size_t>(size));
    ::MPI_Mrecv(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return true;
  }
  void close(bool in_order) override {
    if (!in_order) ::MPI_Abort(MPI_COMM_WORLD, 1);
    ::MPI_Finalize();
  }

  MpiTransport() {
    ::MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    ::MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

 private:
  static constexpr int kTag = 0;

  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> sending_;
};

}  // namespace

std::unique_ptr<RankTransport> mpi_transport() {
  ::MPI_Init(nullptr, nullptr);
  auto transport = std::make_unique<MpiTransport>();
  if (transport->size() > 1) return transport;
  ::MPI_Finalize();
  return nullptr;
}

}  // namespace fredsim

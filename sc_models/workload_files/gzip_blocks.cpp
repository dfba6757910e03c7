// SPDX-License-Identifier: Apache-2.0
#include "workload_files/gzip_blocks.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace fredsim {

struct GzipBlocks::File {
  gzFile handle = nullptr;
};

GzipBlocks::GzipBlocks(std::string path)
    : path_(std::move(path)), file_(std::make_unique<File>(File{gzopen(path_.c_str(), "rb")})) {
  constexpr unsigned kBlock = 1U << 18;
  if (file_->handle == nullptr)
    throw BadInput(fmt::format("{}: {}", path_, std::generic_category().message(errno)));
  gzbuffer(file_->handle, kBlock);
  block_.resize(kBlock);
}

GzipBlocks::~GzipBlocks() { gzclose(file_->handle); }

GzipBlocks::int_type GzipBlocks::underflow() {
  const int count = gzread(file_->handle, block_.data(), static_cast<unsigned>(block_.size()));
  int error = Z_OK;
  const char* const message = gzerror(file_->handle, &error);
  if (count < 0 || error == Z_BUF_ERROR) {
    if (error == Z_ERRNO)
      throw BadInput(fmt::format("{}: {}", path_, std::generic_category().message(errno)));
    throw BadInput(error == Z_BUF_ERROR
                       ? fmt::format("{}: its gzip data ends in the middle", path_)
                       : fmt::format("{}: its gzip data is damaged ({})", path_, message));
  }
  if (count == 0) return traits_type::eof();
  end_ += static_cast<std::uint64_t>(count);
  setg(block_.data(), block_.data(), block_.data() + count);
  return traits_type::to_int_type(block_[0]);
}

std::string_view GzipBlocks::ahead() {
  if (traits_type::eq_int_type(sgetc(), traits_type::eof())) return {};
  return {gptr(), egptr()};
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Bytes of a file, block by block, decompressed if it is gzip's.
//
// Errors: BadInput with the file: it cannot be read; its gzip data is damaged or ends early.
#pragma once

#include <cstdint>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace fredsim {

class GzipBlocks final : public std::streambuf {
 public:
  explicit GzipBlocks(std::string path);
  ~GzipBlocks() override;

  // Position of the next byte in the decompressed data.
  std::uint64_t offset() const { return end_ - static_cast<std::uint64_t>(egptr() - gptr()); }
  // Bytes that were read from the file and not consumed; reads a block if there are none. Empty: at
  // the end.
  std::string_view ahead();

 protected:
  int_type underflow() override;

 private:
  struct File;
  std::string path_;
  std::unique_ptr<File> file_;
  std::vector<char> block_;
  std::uint64_t end_ = 0;  // position behind the block
};

}  // namespace fredsim

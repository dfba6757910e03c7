// SPDX-License-Identifier: Apache-2.0
#include "switch/vcd_file.h"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/error.h"

namespace fredsim {
namespace {

[[noreturn]] void fail(const std::string& vcd, int error) {
  throw RunFailed(fmt::format("waveform file '{}' cannot be written: {}; removed", vcd,
                              std::generic_category().message(error)));
}

}  // namespace

bool is_vcd(const std::string& path) { return path.ends_with(".vcd"); }

std::string recorded_fst(const std::string& path) { return is_vcd(path) ? path + ".fst" : path; }

void write_vcd(const std::string& fst, const std::string& vcd) {
  const std::unique_ptr<void, decltype(&::fstReaderClose)> reader(::fstReaderOpen(fst.c_str()),
                                                                  &::fstReaderClose);
  if (reader == nullptr)
    throw RunFailed(fmt::format("waveform file '{}' cannot be read back from '{}'", vcd, fst));
  std::FILE* const file = std::fopen(vcd.c_str(), "we");
  if (file == nullptr) fail(vcd, errno);
  ::fstReaderProcessHier(reader.get(), file);
  ::fstReaderSetFacProcessMaskAll(reader.get());  // the hierarchy resets it
  ::fstReaderIterBlocks(reader.get(), nullptr, nullptr, file);
  const bool is_short = std::fflush(file) != 0 || std::ferror(file) != 0;
  const int error = errno;
  if (std::fclose(file) != 0 || is_short) fail(vcd, error);
}

}  // namespace fredsim

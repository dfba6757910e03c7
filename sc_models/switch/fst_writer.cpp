// SPDX-License-Identifier: Apache-2.0
#include "switch/fst_writer.h"

// All that Verilator's source includes, before the names below mean something else in it.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <verilated.h>
#include <verilated_fst_c.h>
#include <verilated_intrinsics.h>
#include <verilated_threads.h>
#include <verilated_trace.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <iterator>
#include <list>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace fredsim::fst {
namespace {

thread_local int throwing = 0;              // FstErrors that live
thread_local std::string waveform;          // opened last for writing
constexpr std::size_t kFramesPerBlock = 8;  // all values stand at the head of every block

void failed(int error) {
  if (throwing > 0) throw std::system_error(error, std::generic_category());
}

std::FILE* in_memory() {
  const int descriptor = ::memfd_create("fst", MFD_CLOEXEC);
  return descriptor < 0 ? std::tmpfile() : ::fdopen(descriptor, "w+b");
}

std::FILE* in_its_place(const char* name) {
  const int descriptor = ::open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0 || ::ftruncate(descriptor, 0) != 0) {
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    failed(error);
    return nullptr;
  }
  waveform = name;
  return ::fdopen(descriptor, "w+b");
}

std::FILE* open(const char* name, const char* mode) {
  if (*mode == 'r') return std::fopen(name, mode);
  // FILE.hier of the writer, FILE.hier_… of the reader.
  const bool is_beside =
      !waveform.empty() && std::string_view(name).starts_with(waveform + ".hier");
  return is_beside ? in_memory() : in_its_place(name);
}

int close(std::FILE* file) {
  const int result = std::fclose(file);
  if (result != 0) failed(errno);
  return result;
}

std::size_t write(const void* from, std::size_t size, std::size_t count, std::FILE* file) {
  const std::size_t written = std::fwrite(from, size, count, file);
  if (written != count && size != 0) failed(errno);
  return written;
}

int put(int byte, std::FILE* file) {
  const int result = std::fputc(byte, file);
  if (result == EOF) failed(errno);
  return result;
}

int flush(std::FILE* file) {
  const int result = std::fflush(file);
  if (result != 0) failed(errno);
  return result;
}

int seek(std::FILE* file, off_t offset, int whence) {
  const int result = ::fseeko(file, offset, whence);
  if (result != 0) failed(errno);
  return result;
}

int leave(const char*) { return 0; }

// Beyond the end of the file there is memory, too, if only of zeros.
void* map(void* at, std::size_t length, int protection, int flags, int file, off_t offset) {
  struct stat status = {};
  if (::fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= length)
    return ::mmap(at, length, protection, flags, file, offset);
  failed(ENOSPC);
  return ::mmap(at, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

}  // namespace
}  // namespace fredsim::fst

#define fopen(...) fredsim::fst::open(__VA_ARGS__)
#define tmpfile() fredsim::fst::in_memory()
#define fclose(...) fredsim::fst::close(__VA_ARGS__)
#define fwrite(...) fredsim::fst::write(__VA_ARGS__)
#define fputc(...) fredsim::fst::put(__VA_ARGS__)
#define fflush(...) fredsim::fst::flush(__VA_ARGS__)
#define fseeko(...) fredsim::fst::seek(__VA_ARGS__)
#define unlink(...) fredsim::fst::leave(__VA_ARGS__)
#define mmap(...) fredsim::fst::map(__VA_ARGS__)

#include <verilated_fst_c.cpp>  // NOLINT(bugprone-suspicious-include)

namespace {

// The writer's own handle is private to Verilator's class; naming a member in an instantiation is allowed.
template <auto kMember>
struct Handle {
  friend void* handle_of(VerilatedFst& writer) { return writer.*kMember; }
};
void* handle_of(VerilatedFst& writer);
template struct Handle<&VerilatedFst::m_fst>;

}  // namespace

namespace fredsim {

FstErrors::FstErrors() { ++fst::throwing; }
FstErrors::~FstErrors() { --fst::throwing; }

void limit_fst_blocks(VerilatedFst& writer, std::size_t bytes) {
  auto* const context = static_cast<fstWriterContext*>(handle_of(writer));
  if (context == nullptr) return;
  context->fst_break_size =
      std::min(context->fst_break_size, std::max(bytes, fst::kFramesPerBlock * context->maxvalpos));
}

}  // namespace fredsim

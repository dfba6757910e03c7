// SPDX-License-Identifier: Apache-2.0
#include "switch/fst_writer.h"

// All headers that Verilator's source includes, before the macros below replace names in it.
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
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fredsim::fst {
namespace {

thread_local int throwing = 0;              // number of live FstErrors
thread_local std::string waveform;          // file last opened for writing
constexpr std::size_t kFramesPerBlock = 8;  // every block begins with all values

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
  // FILE.hier is the writer's, FILE.hier_… the reader's.
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

void* allocated(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* allocate(std::size_t bytes) {
  return allocated(std::malloc(std::max<std::size_t>(bytes, 1)));
}
void* allocate(std::size_t count, std::size_t bytes) {
  return allocated(std::calloc(std::max<std::size_t>(count, 1), std::max<std::size_t>(bytes, 1)));
}
void* reallocate(void* memory, std::size_t bytes) {
  return allocated(std::realloc(memory, std::max<std::size_t>(bytes, 1)));
}

// Maps zeros beyond the end of the file, so that the writer finds memory there.
void* map(void* at, std::size_t length, int protection, int flags, int file, off_t offset) {
  struct stat status = {};
  const bool is_there =
      ::fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= length;
  if (!is_there) failed(ENOSPC);
  void* const mapped = is_there
                           ? ::mmap(at, length, protection, flags, file, offset)
                           : ::mmap(at, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  return mapped;
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
#define malloc(...) fredsim::fst::allocate(__VA_ARGS__)
#define calloc(...) fredsim::fst::allocate(__VA_ARGS__)
#define realloc(...) fredsim::fst::reallocate(__VA_ARGS__)

// GTKWave's readers keep the alias of a signal from one block to the next, in which it may have no
// changes.
#define FST_DYNAMIC_ALIAS_DISABLE

#include <verilated_fst_c.cpp>  // NOLINT(bugprone-suspicious-include)

namespace {

// The writer's own handle is private to Verilator's class; naming a member in an instantiation is
// allowed.
template <auto kMember>
struct Handle {
  friend void* handle_of(VerilatedFst& writer) { return writer.*kMember; }
};
void* handle_of(VerilatedFst& writer);
template struct Handle<&VerilatedFst::m_fst>;

}  // namespace

namespace fredsim {
namespace {

fstWriterContext* context_of(VerilatedFst& writer) {
  return static_cast<fstWriterContext*>(handle_of(writer));
}

std::vector<char> packed(const std::vector<char>& text) {
  const int bytes = static_cast<int>(text.size());
  std::vector<char> result(static_cast<std::size_t>(LZ4_compressBound(bytes)));
  result.resize(static_cast<std::size_t>(LZ4_compress(text.data(), result.data(), bytes)));
  return result;
}

}  // namespace

FstErrors::FstErrors() { ++fst::throwing; }
FstErrors::~FstErrors() { --fst::throwing; }

void limit_fst_blocks(VerilatedFst& writer, std::size_t bytes) {
  fstWriterContext* const context = context_of(writer);
  if (context == nullptr) return;
  context->fst_break_size =
      std::min(context->fst_break_size, std::max(bytes, fst::kFramesPerBlock * context->maxvalpos));
}

// Readers look for the section anywhere in the file.
void write_fst_hierarchy(VerilatedFst& writer) {
  fstWriterContext* const context = context_of(writer);
  if (context == nullptr) return;
  std::vector<char> text(static_cast<std::size_t>(context->hier_file_len));
  fst::flush(context->hier_handle);
  fst::seek(context->hier_handle, 0, SEEK_SET);
  if (std::fread(text.data(), 1, text.size(), context->hier_handle) != text.size()) {
    fst::failed(EIO);
    return;  // the hierarchy is written at the end
  }
  const bool is_packed_twice = text.size() > FST_HDR_FOURPACK_DUO_SIZE;
  const std::vector<char> once = packed(text);
  const std::vector<char> all = is_packed_twice ? packed(once) : once;
  std::FILE* const file = context->handle;
  const off_t start = ::ftello(file);
  fst::put(FST_BL_SKIP, file);  // skipped by readers until the section is complete
  fstWriterUint64(file, 0);     // length of the section
  fstWriterUint64(file, text.size());
  if (is_packed_twice) fstWriterVarint(file, once.size());
  fst::write(all.data(), 1, all.size(), file);
  const off_t end = ::ftello(file);
  fst::seek(file, start + 1, SEEK_SET);
  fstWriterUint64(file, static_cast<std::uint64_t>(end - start - 1));
  fst::seek(file, start, SEEK_SET);
  fst::put(is_packed_twice ? FST_BL_HIER_LZ4DUO : FST_BL_HIER_LZ4, file);
  fst::seek(file, end, SEEK_SET);
  fst::flush(file);
  context->compress_hier = 0;  // prevents a second hierarchy at the end
}

// Flushes like the writer itself before a time, once a block is full.
void end_fst_block(VerilatedFst& writer) {
  fstWriterContext* const context = context_of(writer);
  if (context == nullptr || context->is_initial_time || context->vchg_siz <= 1) return;
  fstWriterFlushContextPrivate(context);
  ++context->tchn_cnt;
  fstWriterVarint(context->tchn_handle, context->curtime);
}

}  // namespace fredsim

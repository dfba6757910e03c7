// SPDX-License-Identifier: Apache-2.0
#include "switch/wave_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtkwave/fstapi.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <verilated_fst_c.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "switch/fst_writer.h"
#include "switch/vcd_file.h"

namespace fredsim {

namespace {

// A block of this size takes about 0.2 s to write, and is not larger in the file than a part of one
// of the 128 MB that the writer would collect.
constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
constexpr std::chrono::seconds kBlockTime{1};  // max time from one block to the next

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

// Lock with a descriptor of its own, beside the writer's: it is released however the program ends.
class WaveFile::Lock {
 public:
  explicit Lock(const std::string& path) : descriptor_(open(path)) {
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) refuse(path, reason(errno));
    if (!S_ISREG(status.st_mode)) refuse(path, "is no regular file");
    // A file system without locks excludes nobody.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      refuse(path, "another run is writing it; allowed: a file for each run");
  }
  ~Lock() { ::close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  std::uint64_t bytes() const {
    struct stat status = {};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

 private:
  static int open(const std::string& path) {
    // A pipe would wait for its other end.
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor < 0)
      throw BadInput(fmt::format("waveform file '{}' cannot be written: {}", path, reason(errno)));
    return descriptor;
  }
  [[noreturn]] void refuse(const std::string& path, const std::string& why) const {
    ::close(descriptor_);
    throw BadInput(fmt::format("waveform file '{}' cannot be written: {}", path, why));
  }

  int descriptor_;
};

struct WaveFile::Callbacks {
  static WaveFile& self(void* user) { return *static_cast<WaveFile*>(user); }

  static void declare(void* user, VerilatedFst* writer, std::uint32_t code) {
    self(user).first_code_ = code;
    for (const WaveSignal& signal : self(user).signals_) {
      writer->pushNamePrefix(signal.scope + " ");
      if (signal.bits == 1) {
        writer->declBit(code++, signal.name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false,
                        -1);
      } else {
        writer->declBus(code++, signal.name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false,
                        -1, signal.bits - 1, 0);
      }
      writer->popNamePrefix();
    }
  }

  static void write_all(void* user, VerilatedFst::Buffer* buffer) {
    std::uint32_t* old = buffer->oldp(self(user).first_code_);
    for (const WaveSignal& signal : self(user).signals_) {
      buffer->fullIData(old++, *signal.value, signal.bits);
    }
  }

  static void write_changes(void* user, VerilatedFst::Buffer* buffer) {
    std::uint32_t* old = buffer->oldp(self(user).first_code_);
    for (const WaveSignal& signal : self(user).signals_) {
      buffer->chgIData(old++, *signal.value, signal.bits);
    }
  }
};

WaveFile::WaveFile(std::string path, std::vector<std::string> beside,
                   std::function<Clock::time_point()> now)
    : path_(std::move(path)),
      recorded_(recorded_fst(path_)),
      beside_(std::move(beside)),
      now_(std::move(now)),
      file_(std::make_unique<VerilatedFstC>()) {}

WaveFile::~WaveFile() {
  try {
    if (file_->isOpen()) file_->close();
  } catch (const std::bad_alloc&) {  // the file is short
  }
}

void WaveFile::add(RtlSwitch& instance) {
  instance.trace(*file_);
  has_instances_ = true;
}

void WaveFile::add(std::vector<WaveSignal> signals) {
  signals_ = std::move(signals);
  file_->spTrace()->addInitCb(&Callbacks::declare, this);
  file_->spTrace()->addFullCb(&Callbacks::write_all, this);
  file_->spTrace()->addChgCb(&Callbacks::write_changes, this);
}

// Translates errors of the disk, which the writer throws.
template <typename Action>
void WaveFile::guarded(const Action& action) {
  if (has_failed_) return;
  int error = 0;
  try {
    const FstErrors thrown;
    action();
  } catch (const std::system_error& caught) {
    error = caught.code().value();
  } catch (const std::bad_alloc&) {
    remove();
    throw;
  }
  if (error != 0) fail(error);
}

void WaveFile::fail(int error) {
  has_failed_ = true;
  const std::uint64_t bytes = lock_ ? lock_->bytes() : 0;
  remove();
  throw RunFailed(fmt::format("waveform file '{}' cannot be written: {}, after {} bytes; removed",
                              path_, reason(error), bytes));
}

void WaveFile::remove() {
  has_failed_ = true;
  if (!lock_) return;  // the file was never opened
  const auto remove_file = [](const std::string& path) {
    std::error_code ignored;
    const std::filesystem::path target = std::filesystem::canonical(path, ignored);
    if (std::filesystem::is_regular_file(target, ignored)) std::filesystem::remove(target, ignored);
  };
  remove_file(path_);
  if (recorded_ != path_) remove_file(recorded_);
  for (const std::string& beside : beside_) remove_file(beside);
}

void WaveFile::open() {
  lock_ = std::make_unique<Lock>(path_);
  file_->set_time_unit("1ps");
  file_->set_time_resolution("1ps");
  guarded([this] {
    open_writer();
    if (!has_instances_) return;
    // Only a complete file lists the signals that Verilator has declared.
    file_->close();
    read_names();
    open_writer();
  });
}

void WaveFile::open_writer() {
  file_->open(recorded_.c_str());
  if (!file_->isOpen()) throw BadInput("waveform file '" + path_ + "' cannot be written");
  limit_fst_blocks(*file_->spTrace(), kBlockBytes);
  write_fst_hierarchy(*file_->spTrace());
}

void WaveFile::read_names() {
  const std::unique_ptr<void, decltype(&::fstReaderClose)> reader(
      ::fstReaderOpen(recorded_.c_str()), &::fstReaderClose);
  if (reader == nullptr) throw BadInput("waveform file '" + path_ + "' cannot be read back");
  std::vector<std::string> scopes{""};  // paths, each with a dot at its end
  while (const fstHier* const item = ::fstReaderIterateHier(reader.get())) {
    if (item->htyp == FST_HT_SCOPE) {
      scopes.push_back(scopes.back() + item->u.scope.name + ".");
    } else if (item->htyp == FST_HT_UPSCOPE) {
      scopes.pop_back();
    } else if (item->htyp == FST_HT_VAR) {
      const std::string name = item->u.var.name;  // example: "vc_q [1:0]"
      const std::size_t space = name.find(' ');
      names_.push_back({scopes.back() + name.substr(0, space),
                        space == std::string::npos ? "" : name.substr(space + 1),
                        static_cast<int>(item->u.var.length)});
    }
  }
}

void WaveFile::dump(std::uint64_t time_ps) {
  guarded([&] { file_->dump(time_ps); });
  if (!block_ended_ || now_() - *block_ended_ >= kBlockTime) end_block();
}

void WaveFile::write_as_vcd() {
  try {
    write_vcd(recorded_, path_);
  } catch (const RunFailed&) {
    remove();
    throw;
  }
  std::error_code ignored;
  std::filesystem::remove(recorded_, ignored);
}

void WaveFile::end_block() {
  guarded([this] {
    if (file_->isOpen()) end_fst_block(*file_->spTrace());
  });
  block_ended_ = now_();
}

void WaveFile::close() {
  const bool was_open = file_->isOpen();
  guarded([this] {
    if (file_->isOpen()) file_->close();
  });
  if (was_open && !has_failed_ && recorded_ != path_) write_as_vcd();
  lock_.reset();
}

}  // namespace fredsim

#include "switch/wave_file.h"

#include <gtkwave/fstapi.h>
#include <verilated_fst_c.h>

#include <fstream>
#include <utility>

#include "base/error.h"

namespace fredsim {

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

WaveFile::WaveFile(std::string path)
    : path_(std::move(path)), file_(std::make_unique<VerilatedFstC>()) {}

WaveFile::~WaveFile() = default;

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

void WaveFile::open() {
  // Verilator's writer ends the process on an unwritable path, so try it first.
  if (!std::ofstream(path_, std::ios::binary)) {
    throw BadInput("waveform file '" + path_ + "' cannot be written");
  }
  file_->set_time_unit("1ps");
  file_->set_time_resolution("1ps");
  file_->open(path_.c_str());
  if (has_instances_) {
    // Only a file that is complete tells what Verilator has declared in it.
    file_->close();
    read_names();
    file_->open(path_.c_str());
  }
  if (!file_->isOpen()) throw BadInput("waveform file '" + path_ + "' cannot be written");
}

void WaveFile::read_names() {
  const std::unique_ptr<void, decltype(&::fstReaderClose)> reader(::fstReaderOpen(path_.c_str()),
                                                                  &::fstReaderClose);
  if (reader == nullptr) throw BadInput("waveform file '" + path_ + "' cannot be read back");
  std::vector<std::string> scopes{""};  // paths, each with a dot at its end
  while (const fstHier* const item = ::fstReaderIterateHier(reader.get())) {
    if (item->htyp == FST_HT_SCOPE) {
      scopes.push_back(scopes.back() + item->u.scope.name + ".");
    } else if (item->htyp == FST_HT_UPSCOPE) {
      scopes.pop_back();
    } else if (item->htyp == FST_HT_VAR) {
      const std::string name = item->u.var.name;  // "vc_q [1:0]"
      const std::size_t space = name.find(' ');
      names_.push_back({scopes.back() + name.substr(0, space),
                        space == std::string::npos ? "" : name.substr(space + 1),
                        static_cast<int>(item->u.var.length)});
    }
  }
}

void WaveFile::dump(std::uint64_t time_ps) { file_->dump(time_ps); }

}  // namespace fredsim

#include "switch/wave_file.h"

#include <verilated_fst_c.h>

#include <fstream>
#include <utility>

#include "base/error.h"

namespace fredsim {

WaveFile::WaveFile(std::string path)
    : path_(std::move(path)), file_(std::make_unique<VerilatedFstC>()) {}

WaveFile::~WaveFile() = default;

void WaveFile::add(RtlSwitch& instance) { instance.trace(*file_); }

void WaveFile::open() {
  // Verilator's writer ends the process on an unwritable path, so try it first.
  if (!std::ofstream(path_, std::ios::binary)) {
    throw BadInput("waveform file '" + path_ + "' cannot be written");
  }
  file_->set_time_unit("1ps");
  file_->set_time_resolution("1ps");
  file_->open(path_.c_str());
  if (!file_->isOpen()) throw BadInput("waveform file '" + path_ + "' cannot be written");
}

void WaveFile::dump(std::uint64_t time_ps) { file_->dump(time_ps); }

}  // namespace fredsim

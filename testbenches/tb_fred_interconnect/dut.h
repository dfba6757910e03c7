// SPDX-License-Identifier: Apache-2.0
// A Verilated fred_interconnect of any size behind one interface.
//
// Pins are 32-bit words: flits of port p at word p * flit_words(), the configuration from bit 0 of
// config(). step() is one rising clock edge: inputs are set before it, outputs read after it.
// Waves: an edge is 1 ns. clk_i is low in its first half, when the inputs have changed, and high in
// its second.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "verilated.h"
#include "verilated_fst_c.h"

namespace tb {

struct Shape {
  int ports = 0;
  int middle = 0;
  int lanes = 1;
  int format = 0;  // 0 FP16, 1 BF16
  int adder_stages = 1;
  int flit_words() const { return 3 + (lanes + 1) / 2; }
  std::string name() const {
    return "Fred_" + std::to_string(middle) + "(" + std::to_string(ports) + "), " +
           std::to_string(lanes) + " lanes " + (format == 0 ? "FP16" : "BF16") +
           (adder_stages == 1 ? "" : ", adders of two stages");
  }
};

class Dut {
 public:
  virtual ~Dut() = default;
  Dut(const Dut&) = delete;
  Dut& operator=(const Dut&) = delete;

  virtual void step() = 0;
  virtual void set_reset(bool active) = 0;
  virtual void set_load(bool load) = 0;
  virtual void set_valid(std::uint32_t mask) = 0;
  virtual WData* config() = 0;
  virtual WData* in_flits() = 0;
  virtual std::uint32_t valid() const = 0;
  virtual const WData* out_flits() const = 0;
  virtual bool busy() const = 0;
  // Writes every step from now on to an FST file. Before the first step; false: not possible for
  // this size, or the file cannot be written.
  virtual bool open_wave(const std::string& file) = 0;
  virtual void close_wave() = 0;

 protected:
  Dut() = default;
};

template <class Model>
class VerilatedDut : public Dut {
 public:
  explicit VerilatedDut(VerilatedContext& context) : model_(&context, "dut") {}
  ~VerilatedDut() override { model_.final(); }

  void step() override {
    set_clock(0);
    set_clock(1);
  }
  void set_reset(bool active) override { model_.rst_ni = active ? 0 : 1; }
  void set_load(bool load) override { model_.load_i = load ? 1 : 0; }
  void set_valid(std::uint32_t mask) override { model_.in_valid_i = mask; }
  WData* config() override { return &model_.config_i[0]; }
  WData* in_flits() override { return &model_.in_flit_i[0]; }
  std::uint32_t valid() const override { return model_.out_valid_o; }
  const WData* out_flits() const override { return &model_.out_flit_o[0]; }
  bool busy() const override { return model_.busy_o != 0; }
  bool open_wave(const std::string& file) override {
    if constexpr (requires(VerilatedFstC * fst) { model_.trace(fst, 99); }) {
      // The writer ends the process on a path that it cannot open.
      if (!std::ofstream(file, std::ios::binary)) return false;
      wave_ = std::make_unique<VerilatedFstC>();
      model_.trace(wave_.get(), 99);
      wave_->set_time_unit("1ps");
      wave_->set_time_resolution("1ps");
      wave_->open(file.c_str());
      return wave_->isOpen();
    }
    return false;
  }
  void close_wave() override { wave_->close(); }

 private:
  void set_clock(CData level) {
    model_.clk_i = level;
    model_.eval();
    if (!wave_) return;
    wave_->dump(time_ps_);
    time_ps_ += 500;
  }

  Model model_;
  std::unique_ptr<VerilatedFstC> wave_;  // after the model: closed before it is gone
  std::uint64_t time_ps_ = 0;
};

struct Size {
  Shape shape;
  bool fast;  // optimised, without assertions
  bool wave;  // can write one
  std::unique_ptr<Dut> (*make)(VerilatedContext& context);
};

const std::vector<Size>& built_sizes();  // generated from the list in sizes.cmake

}  // namespace tb

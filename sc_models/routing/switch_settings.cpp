// SPDX-License-Identifier: Apache-2.0
#include "routing/switch_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace fredsim {
namespace {

constexpr int kSumCodeBits = fred_pkg::USEL_W;

class Reader {
 public:
  Reader(int middle, const std::vector<bool>& bits)
      : middle_(middle), select_bits_(static_cast<int>(fred_pkg::sel_w(middle))), bits_(bits) {}

  void read(int ports) {
    if (ports == 2) {
      take(SwitchBlock::kRd, 0, kSumCodeBits, 2);
      return;
    }
    const int pairs = ports / 2;
    const bool odd = ports % 2 != 0;
    for (int i = 0; i < pairs; ++i) take(SwitchBlock::kR, i, kSumCodeBits, middle_);
    if (odd) take(SwitchBlock::kDemux, 0, select_bits_, 1);
    for (int j = 0; j < middle_; ++j) {
      path_.push_back(j);
      read(ports - pairs);
      path_.pop_back();
    }
    for (int i = 0; i < pairs; ++i) take(SwitchBlock::kD, i, select_bits_, 2);
    if (odd) take(SwitchBlock::kMux, 0, select_bits_, 1);
  }
  std::vector<SwitchSetting> settings() {
    assert(next_ == static_cast<int>(bits_.size()));
    return std::move(settings_);
  }

 private:
  void take(SwitchBlock block, int index, int code_bits, int count) {
    SwitchSetting setting{.block = block,
                          .path = path_,
                          .index = index,
                          .first_bit = next_,
                          .code_bits = code_bits,
                          .codes = std::vector<int>(count)};
    for (int& code : setting.codes)
      for (int b = 0; b < code_bits; ++b) code |= static_cast<int>(bits_[next_++]) << b;
    settings_.push_back(std::move(setting));
  }

  int middle_;
  int select_bits_;
  const std::vector<bool>& bits_;
  int next_ = 0;
  std::vector<int> path_;
  std::vector<SwitchSetting> settings_;
};

bool adds(SwitchBlock block) { return block == SwitchBlock::kR || block == SwitchBlock::kRd; }

std::string code_in_words(SwitchBlock block, int code) {
  if (code == fred_pkg::USEL_NONE) return "nothing";
  if (!adds(block)) return fmt::format("sub-network {}", code - 1);
  return code == fred_pkg::USEL_SUM ? "sum" : fmt::format("input {}", code - 1);
}

}  // namespace

bool SwitchSetting::idle() const {
  return std::ranges::all_of(codes, [](int code) { return code == 0; });
}

std::vector<SwitchSetting> switch_settings(const FredSwitchShape& shape,
                                           const std::vector<bool>& bits) {
  assert(static_cast<int>(bits.size()) == fred_config_bits(shape));
  Reader reader(shape.middle, bits);
  reader.read(shape.ports);
  return reader.settings();
}

std::string_view to_string(SwitchBlock block) {
  constexpr std::array<std::string_view, 5> kNames{"R-µSwitch", "demux", "RD-µSwitch", "D-µSwitch",
                                                   "mux"};
  return kNames[static_cast<std::size_t>(block)];
}

std::vector<std::string> in_words(const SwitchSetting& setting) {
  std::vector<std::string> words;
  words.reserve(setting.codes.size());
  for (const int code : setting.codes) words.push_back(code_in_words(setting.block, code));
  return words;
}

std::string binary(const SwitchSetting& setting) {
  std::string text;
  for (auto code = setting.codes.rbegin(); code != setting.codes.rend(); ++code)
    text += fmt::format("{}{:0{}b}", text.empty() ? "" : " ", *code, setting.code_bits);
  return text;
}

}  // namespace fredsim

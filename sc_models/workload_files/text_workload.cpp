// SPDX-License-Identifier: Apache-2.0
#include "workload_files/text_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_text.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

constexpr auto kTypes = std::to_array<std::string_view>(
    {"DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_TRANSFORMER",
     "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "HYBRID_CUSTOMIZED",
     "MICRO", "DISTRIBUTED_INFERENCE"});
// Same order as kCollectives' values below.
constexpr auto kCollectiveNames = std::to_array<std::string_view>(
    {"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "BROADCAST"});
constexpr auto kCollectives = std::to_array<std::optional<TraceCollective>>(
    {std::nullopt, TraceCollective::kAllReduce, TraceCollective::kAllGather,
     TraceCollective::kReduceScatter, TraceCollective::kAllToAll, TraceCollective::kBroadcast});

constexpr int kMaxLayers = 1'000'000;
constexpr std::uint64_t kMaxNs = std::uint64_t{1} << 53;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;

using Words = std::vector<std::string>;

class TextReader {
 public:
  explicit TextReader(const std::string& path) : path_(path) {
    std::optional<std::string> text = file_text(path);
    if (!text) throw BadInput(fmt::format("{}: {}", path, std::generic_category().message(errno)));
    std::istringstream file(std::move(*text));
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      std::istringstream words(line);
      Words found;
      for (std::string word; words >> word;) found.push_back(word);
      if (!found.empty()) lines_.emplace_back(number, std::move(found));
    }
    if (lines_.empty()) throw BadInput(path + ": an empty file; a workload begins with its type");
  }

  TextWorkload read() {
    TextWorkload workload;
    read_head(workload);
    if (lines_.size() < 2) throw BadInput(path_ + ": ends before the number of layers");
    at_ = 1;
    if (words().size() != 1)
      fail(fmt::format("found {}; allowed: the number of layers", fmt::join(words(), " ")));
    const auto layers = number(words()[0], "layers", 1, kMaxLayers);
    if (lines_.size() - 2 != layers) {
      throw BadInput(fmt::format("{}: has {} lines of layers; line {} says {}", path_,
                                 lines_.size() - 2, lines_[1].first, layers));
    }
    for (at_ = 2; at_ < lines_.size(); ++at_) workload.layers.push_back(layer(workload.type));
    check_indices(workload);
    return workload;
  }

 private:
  const Words& words() const { return lines_[at_].second; }

  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("{}:{}: {}", path_, lines_[at_].first, what));
  }

  std::uint64_t number(const std::string& text, std::string_view column, std::uint64_t min,
                       std::uint64_t max) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max) {
      fail(fmt::format("{}: found {}; allowed: {} to {}", column, text, min, max));
    }
    return value;
  }

  TextWorkloadType type(const std::string& word) const {
    const auto at = std::ranges::find(kTypes, word);
    if (at == kTypes.end()) {
      fail(fmt::format("type: found {}; {}", word, advice(word, kTypes)));
    }
    return static_cast<TextWorkloadType>(at - kTypes.begin());
  }

  void read_head(TextWorkload& workload) {
    at_ = 0;
    workload.type = type(words()[0]);
    std::span<const std::string> rest(words().begin() + 1, words().end());
    const auto take = [&](std::string_view what, std::uint64_t max) {
      if (rest.empty()) fail(fmt::format("{}: ends before its number", what));
      const auto value = static_cast<int>(number(rest.front(), what, 0, max));
      rest = rest.subspan(1);
      return value;
    };
    const auto take_list = [&](std::string_view what) {
      std::vector<int> list;
      for (int n = take(what, kMaxLayers); n > 0; --n) list.push_back(take(what, kMaxLayers - 1));
      std::ranges::sort(list);
      return list;
    };
    if (workload.type == TextWorkloadType::kHybridDlrm ||
        workload.type == TextWorkloadType::kHybridDlrmEnhanced) {
      if (!rest.empty()) workload.last_bottom_layer = take("last bottom layer", kMaxLayers - 1);
    }
    while (!rest.empty()) {
      const std::string option = rest.front();
      rest = rest.subspan(1);
      if (option == "model_parallel_NPU_group:") {
        workload.model_group = take(option, 1 << 20);
      } else if (option == "checkpoints:") {
        workload.checkpoints = take_list(option);
      } else if (option == "checkpoint_initiates:") {
        workload.recomputations = take_list(option);
      } else {
        fail(
            fmt::format("option: found {}; allowed: model_parallel_NPU_group:, checkpoints:, "
                        "checkpoint_initiates:",
                        option));
      }
    }
  }

  TextPass pass(std::size_t first, std::string_view name) const {
    TextPass pass;
    pass.compute_ns = number(words()[first], fmt::format("{} compute", name), 0, kMaxNs);
    const std::string& word = words()[first + 1];
    const auto at = std::ranges::find(kCollectiveNames, word);
    if (at == kCollectiveNames.end()) {
      fail(fmt::format("{} collective: found {}; {}", name, word, advice(word, kCollectiveNames)));
    }
    pass.collective = kCollectives[static_cast<std::size_t>(at - kCollectiveNames.begin())];
    pass.bytes = number(words()[first + 2], fmt::format("{} bytes", name), 0, kMaxBytes);
    if (pass.bytes == 0) pass.collective.reset();
    return pass;
  }

  TextLayer layer(TextWorkloadType of_file) const {
    constexpr std::size_t kFields = 12;
    const std::size_t fields = kFields + (of_file == TextWorkloadType::kHybridCustomized ? 1 : 0);
    if (words().size() != fields) {
      fail(fmt::format("layer {}: found {} fields; allowed: {}", words()[0], words().size(),
                       fields));
    }
    TextLayer layer;
    layer.name = words()[0];
    layer.forward = pass(2, "forward");
    layer.input_gradient = pass(5, "input gradient");
    layer.weight_gradient = pass(8, "weight gradient");
    layer.update_ns = number(words()[11], "update", 0, kMaxNs);
    layer.type = fields > kFields ? type(words()[12]) : of_file;
    return layer;
  }

  void check_indices(const TextWorkload& workload) {
    at_ = 0;
    const auto check = [&](std::string_view what, int index) {
      if (index < std::ssize(workload.layers)) return;
      fail(fmt::format("{}: found layer {}; allowed: 0 to {}", what, index,
                       workload.layers.size() - 1));
    };
    for (const int index : workload.checkpoints) check("checkpoints", index);
    for (const int index : workload.recomputations) check("checkpoint_initiates", index);
    check("last bottom layer", workload.last_bottom_layer);
  }

  const std::string& path_;
  std::vector<std::pair<int, Words>> lines_;  // lines that are not blank
  std::size_t at_ = 0;
};

}  // namespace

std::string_view to_string(TextWorkloadType type) { return kTypes[static_cast<std::size_t>(type)]; }

TextWorkload read_text_workload(const std::string& path) { return TextReader(path).read(); }

}  // namespace fredsim

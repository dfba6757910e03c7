// SPDX-License-Identifier: Apache-2.0
#include "workload_files/text_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/file_text.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

constexpr auto kTypes = std::to_array<std::string_view>(
    {"DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_TRANSFORMER",
     "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "HYBRID_CUSTOMIZED",
     "MICRO", "DISTRIBUTED_INFERENCE"});

struct CollectiveRow {
  std::string_view word;
  std::optional<TraceCollective> collective;
};
constexpr auto kCollectives =
    std::to_array<CollectiveRow>({{"NONE", std::nullopt},
                                  {"ALLREDUCE", TraceCollective::kAllReduce},
                                  {"ALLGATHER", TraceCollective::kAllGather},
                                  {"REDUCESCATTER", TraceCollective::kReduceScatter},
                                  {"ALLTOALL", TraceCollective::kAllToAll},
                                  {"BROADCAST", TraceCollective::kBroadcast}});
struct GroupRow {
  std::string_view ending;
  TextGroup group;
};
constexpr auto kGroups = std::to_array<GroupRow>({{"", TextGroup::kUsual},
                                                  {"_EP", TextGroup::kExperts},
                                                  {"_DP_EP", TextGroup::kExpertReplicas}});

constexpr int kMaxLayers = 1'000'000;
constexpr int kMaxNpus = 1 << 20;
constexpr std::uint64_t kMaxNs = std::uint64_t{1} << 53;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;

// Words of line 1 that have a number.
struct WordRow {
  using Member = std::variant<int TextWorkload::*, std::optional<int> TextWorkload::*,
                              std::optional<std::uint64_t> TextWorkload::*>;
  std::string_view word;
  bool of_transformers;  // else of all types
  Member member;
  std::uint64_t min, max;
};
constexpr auto kHeadWords = std::to_array<WordRow>({
    {"model_parallel_NPU_group:", false, &TextWorkload::model_group, 0, kMaxNpus},
    {"ep:", true, &TextWorkload::ep, 1, kMaxNpus},
    {"pp:", true, &TextWorkload::pp, 1, kMaxNpus},
    {"vpp:", true, &TextWorkload::vpp, 1, kMaxLayers},
    {"ga:", true, &TextWorkload::ga, 1, kMaxLayers},
    {"all_gpus:", true, &TextWorkload::npus, 1, kMaxNpus},
    {"mode:", true, &TextWorkload::mode, 0, 1},
    {"pp_comm:", true, &TextWorkload::pp_bytes, 0, kMaxBytes},
});
// Words of line 1 that have a list of layers.
struct ListRow {
  std::string_view word;
  std::vector<int> TextWorkload::*member;
};
constexpr auto kLists =
    std::to_array<ListRow>({{"checkpoints:", &TextWorkload::checkpoints},
                            {"checkpoint_initiates:", &TextWorkload::recomputations}});
constexpr std::string_view kBottomLayer = "DLRM_LAST_BOTTOM_LAYER:";

bool is_transformer(TextWorkloadType type) {
  return type == TextWorkloadType::kHybridTransformer ||
         type == TextWorkloadType::kHybridTransformerFwdInBckwd;
}
bool is_dlrm(TextWorkloadType type) {
  return type == TextWorkloadType::kHybridDlrm || type == TextWorkloadType::kHybridDlrmEnhanced;
}

// "did you mean 'NONE'? allowed: NONE, ALLREDUCE or …"
std::string choices(std::string_view found, std::span<const std::string_view> words) {
  const std::string_view near = nearest_word(found, words);
  return fmt::format("{}allowed: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                     join_words(words));
}

struct Word {
  std::string text{};
  std::size_t column = 1;  // of its first character
};
struct Line {
  std::size_t number = 0, end = 1;  // end: the column behind it
  std::vector<Word> words{};
};

Line line_of(std::string_view text, std::size_t number) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  Line line{.number = number, .end = text.size() + 1};
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    line.words.push_back({std::string(text.substr(at, end - at)), at + 1});
    at = text.find_first_not_of(kBlanks, end);
  }
  return line;
}

class TextReader {
 public:
  explicit TextReader(const std::string& path) : path_(path) {
    const std::optional<std::string> text = file_text(path);
    if (!text) throw BadInput(fmt::format("{}: {}", path, std::generic_category().message(errno)));
    std::string_view rest = *text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (Line line = line_of(rest.substr(0, end), number); !line.words.empty())
        lines_.push_back(std::move(line));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (lines_.empty()) throw BadInput(path + ": an empty file; a workload begins with its type");
  }

  TextWorkload read() {
    read_head();
    if (lines_.size() < 2) throw BadInput(path_ + ": ends before the number of layers");
    at_ = 1;
    const Word& count = words()[0];
    const auto layers = number(count, "layers", 1, kMaxLayers);
    if (words().size() != 1)
      fail(words()[1].column, fmt::format("layers: found {} behind {}; allowed: the number alone",
                                          words()[1].text, count.text));
    if (lines_.size() - 2 != layers) {
      throw BadInput(fmt::format("{}: has {} lines of layers; line {} says {}", path_,
                                 lines_.size() - 2, lines_[1].number, layers));
    }
    at_ = 0;
    for (const auto& [name, index] : indices_) number(*index, name, 0, layers - 1);
    for (at_ = 2; at_ < lines_.size(); ++at_) workload_.layers.push_back(layer());
    return std::move(workload_);
  }

 private:
  const std::vector<Word>& words() const { return lines_[at_].words; }

  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw BadInput(fmt::format("{}:{}:{}: {}", path_, lines_[at_].number, column, what));
  }

  std::uint64_t number(const Word& word, std::string_view name, std::uint64_t min,
                       std::uint64_t max) const {
    std::uint64_t value = 0;
    const char* const begin = word.text.data();
    const char* const end = begin + word.text.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end || value < min || value > max) {
      fail(word.column, fmt::format("{}: found {}; allowed: {} to {}", name, word.text, min, max));
    }
    return value;
  }

  TextWorkloadType type(const Word& word) const {
    const auto at = std::ranges::find(kTypes, word.text);
    if (at == kTypes.end())
      fail(word.column, fmt::format("type: found {}; {}", word.text, choices(word.text, kTypes)));
    return static_cast<TextWorkloadType>(at - kTypes.begin());
  }

  // ---- line 1

  const Word& take(std::string_view name) {
    if (taken_ == words().size())
      fail(lines_[at_].end, fmt::format("{}: ends before its number", name));
    return words()[taken_++];
  }
  // Reads a number that may be written as a floating-point one, as AICB writes sizes that it has
  // divided.
  std::uint64_t take_whole(std::string_view name, std::uint64_t min, std::uint64_t max) {
    Word word = take(name);
    const std::size_t point = word.text.find('.');
    if (point != std::string::npos && point > 0 && point + 1 < word.text.size() &&
        word.text.find_first_not_of('0', point + 1) == std::string::npos)
      word.text.resize(point);
    return number(word, name, min, max);
  }

  void read_head() {
    at_ = 0;
    taken_ = 0;
    workload_.type = type(words()[taken_++]);
    const auto is_number = [](const Word& word) {
      return word.text.find_first_not_of("0123456789") == std::string::npos;
    };
    if (is_dlrm(workload_.type) && taken_ < words().size() && is_number(words()[taken_]))
      take_bottom_layer();
    std::vector<std::string_view> seen;
    while (taken_ < words().size()) {
      const Word& found = words()[taken_++];
      const std::string_view written = found.text;
      const std::string_view word = written == "pp_comm" ? "pp_comm:" : written;
      if (std::ranges::count(seen, word) > 0)
        fail(found.column, fmt::format("{} found twice; allowed: once", word));
      seen.push_back(word);
      read_word(found, word);
    }
  }

  void take_bottom_layer() { workload_.last_bottom_layer = take_layer("last bottom layer"); }
  int take_layer(std::string_view name) {
    const Word& index = take(name);
    indices_.emplace_back(name, &index);
    return static_cast<int>(number(index, name, 0, kMaxLayers - 1));
  }

  std::vector<std::string_view> allowed_words() const {
    std::vector<std::string_view> all;
    for (const WordRow& row : kHeadWords)
      if (!row.of_transformers || is_transformer(workload_.type)) all.push_back(row.word);
    for (const ListRow& row : kLists) all.push_back(row.word);
    if (is_dlrm(workload_.type)) all.push_back(kBottomLayer);
    return all;
  }

  void read_word(const Word& found, std::string_view word) {
    const std::vector<std::string_view> allowed = allowed_words();
    if (std::ranges::find(allowed, word) == allowed.end())
      fail(found.column, fmt::format("word of {}: found {}; {}", to_string(workload_.type),
                                     found.text, choices(word, allowed)));
    if (word == kBottomLayer) take_bottom_layer();
    for (const ListRow& row : kLists)
      if (row.word == word) read_list(row);
    for (const WordRow& row : kHeadWords) {
      if (row.word != word) continue;
      const std::uint64_t value = take_whole(word, row.min, row.max);
      std::visit(
          [&](auto member) {
            using Value = std::remove_cvref_t<decltype(workload_.*member)>;
            if constexpr (std::is_same_v<Value, std::optional<std::uint64_t>>)
              workload_.*member = value;
            else
              workload_.*member = static_cast<int>(value);
          },
          row.member);
    }
  }

  void read_list(const ListRow& row) {
    std::vector<int>& list = workload_.*row.member;
    for (std::uint64_t n = number(take(row.word), row.word, 0, kMaxLayers); n > 0; --n)
      list.push_back(take_layer(row.word));
    std::ranges::sort(list);
  }

  // ---- a layer

  static std::vector<std::string> collective_words(std::span<const GroupRow> groups) {
    std::vector<std::string> all;
    for (const GroupRow& group : groups)
      for (const CollectiveRow& row : kCollectives)
        if (row.collective || group.ending.empty())
          all.push_back(fmt::format("{}{}", row.word, group.ending));
    return all;
  }

  // Reads a collective into `pass`; without `ep:` a file has the usual groups only.
  void read_collective(const Word& word, std::string_view name, TextPass& pass) const {
    for (auto at = kGroups.rbegin(); at != kGroups.rend(); ++at) {  // _DP_EP before _EP
      const GroupRow& group = *at;
      if (!word.text.ends_with(group.ending)) continue;
      const std::string_view base(word.text.data(), word.text.size() - group.ending.size());
      for (const CollectiveRow& row : kCollectives) {
        if (row.word != base || (!row.collective && !group.ending.empty())) continue;
        if (group.group != TextGroup::kUsual && !workload_.ep)
          fail(word.column, fmt::format("{} collective: found {}, and line {} without ep:; "
                                        "allowed: {} with ep: N there, or {}",
                                        name, word.text, lines_[0].number, word.text, row.word));
        pass.collective = row.collective;
        pass.group = group.group;
        return;
      }
    }
    const std::span<const GroupRow> all = kGroups;
    const std::vector<std::string> texts = collective_words(workload_.ep ? all : all.first(1));
    const std::vector<std::string_view> allowed(texts.begin(), texts.end());
    fail(word.column,
         fmt::format("{} collective: found {}; {}", name, word.text, choices(word.text, allowed)));
  }

  TextPass pass(std::size_t first, std::string_view name) const {
    TextPass pass;
    pass.compute_ns = number(words()[first], fmt::format("{} compute", name), 0, kMaxNs);
    read_collective(words()[first + 1], name, pass);
    pass.bytes = number(words()[first + 2], fmt::format("{} bytes", name), 0, kMaxBytes);
    if (pass.bytes == 0) pass.collective.reset();
    return pass;
  }

  TextLayer layer() const {
    constexpr std::size_t kFields = 12;
    const std::size_t fields =
        kFields + (workload_.type == TextWorkloadType::kHybridCustomized ? 1 : 0);
    if (words().size() != fields) {
      fail(words().size() > fields ? words()[fields].column : lines_[at_].end,
           fmt::format("layer {}: found {} fields; allowed: {}", words()[0].text, words().size(),
                       fields));
    }
    TextLayer layer;
    layer.name = words()[0].text;
    layer.forward = pass(2, "forward");
    layer.input_gradient = pass(5, "input gradient");
    layer.weight_gradient = pass(8, "weight gradient");
    layer.update_ns = number(words()[11], "update", 0, kMaxNs);
    layer.type = fields > kFields ? type(words()[12]) : workload_.type;
    return layer;
  }

  const std::string& path_;
  std::vector<Line> lines_{};  // lines that are not blank
  std::size_t at_ = 0;
  std::size_t taken_ = 0;                                            // words of line 1
  std::vector<std::pair<std::string_view, const Word*>> indices_{};  // of layers, in line 1
  TextWorkload workload_{};
};

}  // namespace

std::string_view to_string(TextWorkloadType type) { return kTypes[static_cast<std::size_t>(type)]; }

TextWorkload read_text_workload(const std::string& path) { return TextReader(path).read(); }

}  // namespace fredsim

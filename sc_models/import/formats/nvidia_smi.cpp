// SPDX-License-Identifier: Apache-2.0
// The matrix that `nvidia-smi topo -m` prints.
//
//           GPU0  GPU1  NIC0  CPU Affinity …
//   GPU0     X    NV12  PXB   0-31
//   NV#: # NVLinks. A GPU of which the row adds up to more NVLinks than any GPU has (18) has all of
//     them to an NVSwitch, with the largest number of its row.
//   PIX, PXB, PHB, NODE, SYS: a PCIe bridge, several, a host bridge, a NUMA node, the whole system
//     lie between; they become a tree of switches.
// Text around the matrix has no meaning. NICs are left out: they lead out of the box.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/suggest.h"
#include "import/detail/gpu_box.h"
#include "import/detail/text_words.h"
#include "import/import_format.h"
#include "import/machine_text.h"

namespace fredsim {
namespace {

constexpr std::array<std::string_view, 5> kLevels = {"PIX", "PXB", "PHB", "NODE", "SYS"};
constexpr std::array<std::string_view, 5> kSwitches = {"pcie", "pcie", "host", "numa", "system"};
constexpr int kMaxNvlinks = 18;  // of a GPU: H100, B200
constexpr std::uint64_t kNvlinkRate = 25'000'000'000, kPcieRate = 24'000'000'000;
constexpr int kSelf = -1, kUnknown = -2;

// Text without the escape sequences of a terminal, which underline the heading.
std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    while (i + 1 < text.size() && text[i] != 'm' && text[i + 1] != '\n') ++i;
  }
  return plain;
}

bool is_gpu(const std::string& word) {
  return word.size() > 3 && word.starts_with("GPU") &&
         std::ranges::all_of(word.substr(3), [](char c) { return c >= '0' && c <= '9'; });
}

// Path between two GPUs: NVLinks, or a level of PCIe.
struct Cell {
  int nvlinks = 0;
  int level = kSelf;
  bool operator==(const Cell&) const = default;
};

class TopoMatrix {
 public:
  explicit TopoMatrix(const std::string& path) : path_(path) {
    const std::vector<TextLine> lines = lines_of(without_escapes(import_text(path)));
    const auto head = std::ranges::find_if(
        lines, [](const TextLine& line) { return is_gpu(line[0].text) && is_heading(line); });
    if (head == lines.end())
      throw BadInput(
          fmt::format("{}: found no line GPU0 GPU1 …; allowed: the output of "
                      "`nvidia-smi topo -m`",
                      path));
    for (const TextWord& word : *head) {
      if (word.text == "CPU") break;
      columns_.push_back(word.text);
    }
    for (int c = 0; c < std::ssize(columns_); ++c)
      if (is_gpu(columns_[c]) && !gpus_.emplace(columns_[c], gpus_.size()).second)
        throw BadInput(fmt::format("{}: found {} twice; allowed: each once",
                                   line_label(path, head->front().line), columns_[c]));
    cells_.assign(gpus_.size(), {});
    for (auto line = head + 1; line != lines.end(); ++line) read_row(*line);
    check(head->front().line);
  }

  int gpus() const { return static_cast<int>(gpus_.size()); }
  int nics() const { return static_cast<int>(columns_.size() - gpus_.size()); }
  const Cell& cell(int from, int to) const { return cells_[from][to]; }
  std::string label(int gpu) const { return fmt::format("{}: GPU {}", path_, gpu); }

 private:
  // The heading has GPUs, and no path, beside each other.
  static bool is_heading(const TextLine& line) {
    return line.size() > 1 && line[1].text != "X" && is_gpu(line[1].text);
  }

  void read_row(const TextLine& line) {
    const auto gpu = gpus_.find(line[0].text);
    if (gpu == gpus_.end() || !cells_[gpu->second].empty()) return;
    const std::string label = line_label(path_, line[0].line);
    if (line.size() <= columns_.size())
      throw BadInput(
          fmt::format("{}: found {} values after {}; allowed: {}, as many as the heading "
                      "has",
                      label, line.size() - 1, line[0].text, columns_.size()));
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (is_gpu(columns_[c])) cells_[gpu->second].push_back(parse(line[c + 1]));
  }

  Cell parse(const TextWord& word) const {
    if (word.text == "X") return {};
    if (word.text.starts_with("NV") && word.text.size() > 2)
      return {whole_number(path_, {word.text.substr(2), word.line}, "NVLinks", 1, kMaxNvlinks),
              kUnknown};
    const std::string_view name = word.text == "SOC" ? "SYS" : std::string_view(word.text);
    const auto* const level = std::ranges::find(kLevels, name);
    if (level == kLevels.end())
      throw BadInput(fmt::format("{}: found '{}'; allowed: X, NV1 to NV{}, {}",
                                 line_label(path_, word.line), shown(word.text), kMaxNvlinks,
                                 join_words(kLevels)));
    return {0, static_cast<int>(level - kLevels.begin())};
  }

  void check(int heading) const {
    for (int a = 0; a < gpus(); ++a) {
      if (cells_[a].empty())
        throw BadInput(
            fmt::format("{}: found no row of GPU number {} of the heading; allowed: one "
                        "of each",
                        line_label(path_, heading), a));
      for (int b = 0; b <= a; ++b) {
        if ((cell(a, b).level == kSelf) == (a == b) && cell(a, b) == cell(b, a)) continue;
        throw BadInput(
            fmt::format("{}: found other paths from GPU number {} to {} than back; "
                        "allowed: the same, and X from a GPU to itself",
                        line_label(path_, heading), a, b));
      }
    }
  }

  const std::string& path_;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t> gpus_;
  std::vector<std::vector<Cell>> cells_;
};

class BoxOfMatrix {
 public:
  BoxOfMatrix(const TopoMatrix& matrix, const ImportOptions& options)
      : matrix_(matrix), nvlink_(options.bandwidth.value_or(kNvlinkRate)) {
    for (int g = 0; g < matrix.gpus(); ++g) box_.add_gpu(matrix.label(g));
    add_nvlinks();
    add_tree();
  }

  const GpuBox& box() const { return box_; }
  bool has_nvlinks() const { return has_nvlinks_; }
  bool has_nvswitch() const { return nvswitch_ >= 0; }

 private:
  int row_sum(int gpu) const {
    int sum = 0;
    for (int other = 0; other < matrix_.gpus(); ++other) sum += matrix_.cell(gpu, other).nvlinks;
    return sum;
  }

  void add_nvlinks() {
    for (int a = 0; a < matrix_.gpus(); ++a) {
      int most = 0;
      for (int b = 0; b < matrix_.gpus(); ++b) {
        const int count = matrix_.cell(a, b).nvlinks;
        most = std::max(most, count);
        const bool is_direct = row_sum(a) <= kMaxNvlinks && row_sum(b) <= kMaxNvlinks;
        if (b < a && count > 0 && is_direct)
          box_.add_nvlink(b, a, nvlink_, count, matrix_.label(a));
      }
      has_nvlinks_ = has_nvlinks_ || most > 0;
      if (row_sum(a) <= kMaxNvlinks) continue;
      if (nvswitch_ < 0) nvswitch_ = box_.add_switch("nvswitch", matrix_.label(a));
      box_.add_nvlink(a, nvswitch_, nvlink_, most, matrix_.label(a));
    }
  }

  // Level by level, nodes with a path of at most this level get a switch.
  void add_tree() {
    std::vector<int> top(matrix_.gpus());  // by GPU: its highest switch so far, or itself
    std::iota(top.begin(), top.end(), 0);
    for (int level = 0; level < std::ssize(kLevels); ++level) {
      std::vector<int> part = top;  // by GPU: any number that its part has
      for (int a = 0; a < matrix_.gpus(); ++a)
        for (int b = 0; b < a; ++b)
          if (matrix_.cell(a, b).nvlinks == 0 && matrix_.cell(a, b).level <= level)
            std::ranges::replace(part, int{part[a]}, int{part[b]});
      for (const int one : std::set<int>(part.begin(), part.end())) {
        std::set<int> below;
        for (int g = 0; g < matrix_.gpus(); ++g)
          if (part[g] == one) below.insert(top[g]);
        if (below.size() < 2) continue;
        const int node = box_.add_switch(kSwitches[level], matrix_.label(0));
        for (const int child : below) box_.add_pcie(child, node, kPcieRate, matrix_.label(0));
        for (int g = 0; g < matrix_.gpus(); ++g)
          if (part[g] == one) top[g] = node;
      }
    }
  }

  const TopoMatrix& matrix_;
  std::uint64_t nvlink_;
  GpuBox box_;
  int nvswitch_ = -1;
  bool has_nvlinks_ = false;
};

ImportedMachine read_nvidia_smi(const std::string& path, const ImportOptions& options) {
  const TopoMatrix matrix(path);
  const BoxOfMatrix box(matrix, options);
  ImportedMachine machine;
  machine.name = machine_name_of(path);
  machine.facts.push_back(fmt::format("{} GPUs.", matrix.gpus()));
  if (box.has_nvlinks() && !options.bandwidth)
    machine.note("NV#", fmt::format("the matrix has no rates: an NVLink has {}; --link-bandwidth "
                                    "sets it",
                                    bandwidth_text(kNvlinkRate)));
  if (box.has_nvswitch()) machine.note("NV#", "the NVLinks of all GPUs lead to one NVSwitch");
  if (matrix.nics() > 0)
    machine.note(
        "NIC", fmt::format("NICs, {} here, are left out: they lead out of the box", matrix.nics()));
  box.box().build(path, options, "PIX, PXB, PHB, NODE, SYS", machine);
  const bool has_pcie = std::ranges::any_of(
      machine.graph.links, [](const GraphLink& link) { return link.bandwidth == kPcieRate; });
  if (has_pcie)
    machine.note("PIX, PXB, PHB, NODE, SYS",
                 fmt::format("the matrix has no rates: links of the tree have {}, PCIe 4.0 x16 as "
                             "NCCL counts it",
                             bandwidth_text(kPcieRate)));
  return machine;
}

}  // namespace

const ImportFormat& nvidia_smi_format() {
  static constexpr ImportFormat kFormat{.name = "nvidia_smi",
                                        .aliases = "nvidia topo smi",
                                        .reads = "the output of nvidia-smi topo -m",
                                        .read = read_nvidia_smi};
  return kFormat;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Topology lists of ns-3 as HPCC, ASTRA-sim's backend and SimAI have them.
//
//   9 1 8                                   nodes, switches, links
//   144 8 16 20 192 H100                    SimAI: nodes, GPUs per server, NVSwitches, switches,
//                                           links, GPU type
//   8                                       numbers of the switches, NVSwitches first
//   8 0 400Gbps 0.0005ms 0                  a link: both ends, rate, delay, error rate
// Line breaks after the first line have no meaning. Other nodes than switches are NPUs, in the order
// of their numbers.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/text_width.h"
#include "base/units.h"
#include "import/detail/text_words.h"
#include "import/import_format.h"

namespace fredsim {
namespace {

constexpr int kMaxNodes = kMaxGraphNpus + kMaxGraphSwitches;
constexpr int kMaxListedLinks = 1 << 20;

class Ns3Reader {
 public:
  Ns3Reader(const std::string& path, const std::vector<TextLine>& lines)
      : path_(path), graph_(path) {
    machine_.name = machine_name_of(path);
    read_head(lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i)
      words_.insert(words_.end(), lines[i].begin(), lines[i].end());
  }

  ImportedMachine read() {
    read_switches();
    add_nodes();
    for (int l = 0; l < links_; ++l) read_link(l);
    if (at_ < words_.size())
      machine_.note(
          fmt::format("line {}", words_[at_].line),
          fmt::format("the {} words from here on have no effect, as in ns-3: line {} says "
                      "{} links",
                      words_.size() - at_, head_line_, links_));
    machine_.graph = graph_.take();
    return std::move(machine_);
  }

 private:
  void read_head(const TextLine& head) {
    constexpr std::size_t kPlain = 3, kSimai = 6;
    if (head.size() != kPlain && head.size() != kSimai)
      throw BadInput(fmt::format(
          "{}: found {} words; allowed: nodes, switches and links, or SimAI's nodes, GPUs per "
          "server, NVSwitches, switches, links and GPU type",
          line_label(path_, head.front().line), head.size()));
    const bool is_simai = head.size() == kSimai;
    nodes_ = whole_number(path_, head[0], "nodes", 2, kMaxNodes);
    if (is_simai) {
      whole_number(path_, head[1], "GPUs per server", 1, kMaxGraphNpus);
      nv_switches_ = whole_number(path_, head[2], "NVSwitches", 0, kMaxGraphSwitches);
      machine_.note("GPU type",
                    fmt::format("{} sets no npu.peak and no npu.memory: set them for `train`",
                                printable(head[5].text)));
    }
    switches_ = nv_switches_ +
                whole_number(path_, head[is_simai ? 3 : 1], "switches", 0, kMaxGraphSwitches);
    links_ = whole_number(path_, head[is_simai ? 4 : 2], "links", 1, kMaxListedLinks);
    head_line_ = head.front().line;
  }

  const TextWord& next(std::string_view what) {
    if (at_ < words_.size()) return words_[at_++];
    throw BadInput(
        fmt::format("{}: found the end of the file in place of {}; allowed: {} switches "
                    "and {} links, as line {} says",
                    line_label(path_, words_.empty() ? head_line_ : words_.back().line), what,
                    switches_, links_, head_line_));
  }

  void read_switches() {
    numbers_.assign(nodes_, 0);
    for (int s = 0; s < switches_; ++s) {
      const TextWord& word = next(fmt::format("switch {}", s + 1));
      const int node = whole_number(path_, word, "switch", 0, nodes_ - 1);
      if (numbers_[node] != 0)
        throw BadInput(fmt::format("{}: found the switch {} twice; allowed: each once",
                                   line_label(path_, word.line), node));
      numbers_[node] = s < nv_switches_ ? kNvSwitch : kSwitch;
    }
  }

  // Names: npu0, …; nv0, … and sw0, …, in the order of their numbers in the file.
  void add_nodes() {
    const std::string label = line_label(path_, head_line_);
    const std::vector<int> kinds = numbers_;
    for (int node = 0; node < nodes_; ++node)
      if (kinds[node] == 0) numbers_[node] = graph_.add_npu(fmt::format("n{}", node), label);
    for (const int kind : {kNvSwitch, kSwitch}) {
      const std::string_view word = kind == kNvSwitch ? "nv" : "sw";
      int count = 0, first = -1, last = -1;
      for (int node = 0; node < nodes_; ++node) {
        if (kinds[node] != kind) continue;
        numbers_[node] = graph_.add_switch(fmt::format("{}{}", word, count++), label);
        if (first < 0) first = node;
        last = node;
      }
      if (count > 0)
        machine_.facts.push_back(fmt::format(
            "Switches {}0 to {}{}: the nodes {} to {} of the file "
            "that are {}.",
            word, word, count - 1, first, last, kind == kNvSwitch ? "NVSwitches" : "switches"));
    }
  }

  void read_link(int number) {
    const std::string what = fmt::format("link {}", number + 1);
    const TextWord &from = next(what), &to = next(what), &rate = next(what), &delay = next(what),
                   &error = next(what);
    const std::string label = fmt::format("{}: {}", line_label(path_, from.line), what);
    const auto end = [&](const TextWord& word) {
      return numbers_[whole_number(path_, word, "node", 0, nodes_ - 1)];
    };
    if (decimal_number(path_, error, "error rate") > 0)
      machine_.note("error rate", "links lose nothing; errors are keys under `link`");
    graph_.join(end(from), end(to), parse_bandwidth(rate.text, label + ": rate"),
                parse_time_ps(delay.text, label + ": delay"), 1, label);
  }

  static constexpr int kNvSwitch = 1, kSwitch = 2;

  const std::string& path_;
  GraphBuilder graph_;
  ImportedMachine machine_;
  std::vector<TextWord> words_;
  std::vector<int> numbers_;  // by node: its kind, then its index in the graph
  std::size_t at_ = 0;
  int nodes_ = 0, switches_ = 0, nv_switches_ = 0, links_ = 0, head_line_ = 1;
};

ImportedMachine read_ns3(const std::string& path, const ImportOptions& /*options*/) {
  const std::vector<TextLine> lines = lines_of(import_text(path));
  if (lines.empty())
    throw BadInput(fmt::format("{}: found an empty file; allowed: a topology list of ns-3", path));
  return Ns3Reader(path, lines).read();
}

}  // namespace

const ImportFormat& ns3_format() {
  static constexpr ImportFormat kFormat{.name = "ns3",
                                        .aliases = "ns-3 simai hpcc astra_sim_ns3",
                                        .reads = "topology lists of ns-3 (HPCC, ASTRA-sim, SimAI)",
                                        .read = read_ns3};
  return kFormat;
}

}  // namespace fredsim

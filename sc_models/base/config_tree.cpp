// SPDX-License-Identifier: Apache-2.0
#include "base/config_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/node/node.h>
#include <yaml-cpp/node/parse.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/detail/yaml_problem.h"
#include "base/error.h"
#include "base/file_text.h"

namespace fredsim {
namespace {

std::string number_after(const std::vector<ConfigEntry>& entries) {
  return std::to_string(entries.size() + 1);
}

// Builds the tree from the parser's events, which carry the line of every node.
class TreeBuilder : public YAML::EventHandler {
 public:
  // `fixed_place`: replaces file and line in messages (an override); else empty. `takes_aliases`:
  // aliases are copies of their anchors.
  TreeBuilder(std::string source, std::string fixed_place, bool takes_aliases)
      : source_(std::move(source)),
        fixed_place_(std::move(fixed_place)),
        takes_aliases_(takes_aliases) {}

  ConfigNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      throw BadInput(fmt::format("{}: a second YAML document; one is allowed", place(mark)));
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (wants_key()) throw BadInput(fmt::format("{}: a key is empty", place(mark)));
    add(mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    constexpr std::size_t kMaxCopied = 1'000'000;
    const auto found = anchors_.find(anchor);
    if (!takes_aliases_ || wants_key() || found == anchors_.end())
      throw BadInput(fmt::format("{}: found a YAML alias; write the value out", place(mark)));
    copied_ += nodes_in(found->second);
    if (copied_ > kMaxCopied)
      throw BadInput(fmt::format("{}: found YAML aliases of more than {} values; allowed: fewer",
                                 place(mark), kMaxCopied));
    ConfigNode& node = add(mark);
    node.kind = found->second.kind;
    node.text = found->second.text;
    node.entries = found->second.entries;
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    if (wants_key()) {
      take_key(mark, value);
      return;
    }
    ConfigNode& node = add(mark);
    node.kind = ConfigNode::Kind::kValue;
    node.text = value;
    keep(anchor, node);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, ConfigNode::Kind::kList, '[');
    open_anchors_.push_back(anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, ConfigNode::Kind::kMap, '{');
    open_anchors_.push_back(anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  void close() {
    keep(open_anchors_.back(), *open_.back());
    open_anchors_.pop_back();
    open_.pop_back();
  }

  void keep(YAML::anchor_t anchor, const ConfigNode& node) {
    if (takes_aliases_ && anchor != YAML::NullAnchor) anchors_[anchor] = node;
  }

  static std::size_t nodes_in(const ConfigNode& node) {
    std::size_t count = 1;
    for (const ConfigEntry& entry : node.entries) count += nodes_in(entry.node);
    return count;
  }

  std::string place(const YAML::Mark& mark) const {
    return fixed_place_.empty() ? fmt::format("{}:{}", source_, mark.line + 1) : fixed_place_;
  }

  // True: the next event is the name of a key.
  bool wants_key() const {
    return !open_.empty() && open_.back()->kind == ConfigNode::Kind::kMap && !key_;
  }

  void open(const YAML::Mark& mark, ConfigNode::Kind kind, char bracket) {
    constexpr std::size_t kMaxLevels = 16;
    if (wants_key()) {
      throw BadInput(
          fmt::format("{}: found '{}' where the name of a key is wanted, or it is not closed",
                      place(mark), bracket));
    }
    if (open_.size() == kMaxLevels) {
      throw BadInput(
          fmt::format("{}: keys inside keys, deeper than any configuration", place(mark)));
    }
    ConfigNode& node = add(mark);
    node.kind = kind;
    open_.push_back(&node);
  }

  void take_key(const YAML::Mark& mark, const std::string& key) {
    if (const ConfigNode* before = open_.back()->find(key)) {
      throw BadInput(fmt::format("{}: duplicate key '{}'; first at {}", place(mark), shown(key),
                                 before->where));
    }
    key_ = key;
    key_place_ = place(mark);
  }

  // Adds the node of the key just read, the next one of a list, or the root. Pointers to open
  // parents stay valid: only the innermost open node grows.
  ConfigNode& add(const YAML::Mark& mark) {
    if (open_.empty()) {
      root_.where = place(mark);
      root_.line = mark.line + 1;
      return root_;
    }
    std::vector<ConfigEntry>& entries = open_.back()->entries;
    if (open_.back()->kind == ConfigNode::Kind::kList) {
      ConfigNode& node = entries.emplace_back(ConfigEntry{number_after(entries), {}}).node;
      node.where = place(mark);
      node.line = mark.line + 1;
      return node;
    }
    ConfigNode& node = entries.emplace_back(ConfigEntry{std::move(*key_), {}}).node;
    node.where = key_place_;
    node.line = mark.line + 1;
    key_.reset();
    return node;
  }

  std::string source_;
  std::string fixed_place_;
  bool takes_aliases_;
  ConfigNode root_;
  std::vector<ConfigNode*> open_;
  std::vector<YAML::anchor_t> open_anchors_;  // parallel to open_
  std::map<YAML::anchor_t, ConfigNode> anchors_;
  std::size_t copied_ = 0;  // number of nodes
  std::optional<std::string> key_;
  std::string key_place_;
  int documents_ = 0;
};

// First line, counted from 0, up to the line of an error, that is indented by a tab; -1: none.
int line_with_tab(const std::string& text, int last) {
  std::istringstream lines(text);
  std::string line;
  for (int n = 0; n <= last && std::getline(lines, line); ++n)
    if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string::npos) return n;
  return -1;
}

// Reports invalid YAML, with `fixed_place` or line and column.
[[noreturn]] void refuse_yaml(const YAML::Exception& error, const std::string& text,
                              const std::string& source, const std::string& fixed_place) {
  if (!fixed_place.empty())
    throw BadInput(fmt::format("{}: the value is not YAML: {}", fixed_place, yaml_problem(error)));
  if (const int line = line_with_tab(text, error.mark.line); line >= 0)
    throw BadInput(
        fmt::format("{}:{}: found a tab before the first word; allowed: blanks, as YAML indents",
                    source, line + 1));
  throw BadInput(fmt::format("{}:{}:{}: not YAML: {}", source, error.mark.line + 1,
                             error.mark.column + 1, yaml_problem(error)));
}

ConfigNode parse_yaml(const std::string& text, const std::string& source,
                      const std::string& fixed_place, bool takes_aliases = false) {
  TreeBuilder builder(source, fixed_place, takes_aliases);
  try {
    // Trailing blanks are removed, since the parser accepts an unclosed quote that they follow.
    std::istringstream stream(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    refuse_yaml(error, text, source, fixed_place);
  }
  return builder.take();
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& candidate) { return candidate.key == key; });
  return entry == entries.end() ? nullptr : &entry->node;
}

ConfigNode parse_any_text(const std::string& text, const std::string& source) {
  try {
    return parse_yaml(text, source, "", true);
  } catch (const BadInput&) {
    // An unclosed list looks like an invalid key.
    try {
      YAML::Load(text);  // LoadAll() finds endless documents in ", 0"
    } catch (const YAML::Exception& error) {
      refuse_yaml(error, text, source, "");
    }
    throw;
  }
}

ConfigNode parse_config_text(const std::string& text, const std::string& source) {
  ConfigNode root = parse_yaml(text, source, "");
  if (root.kind == ConfigNode::Kind::kEmpty) {
    throw BadInput(fmt::format("{}: is empty; a configuration is wanted", source));
  }
  if (root.kind == ConfigNode::Kind::kValue) {
    throw BadInput(
        fmt::format("{}: found the value '{}'; keys are wanted", root.where, shown(root.text)));
  }
  if (root.kind == ConfigNode::Kind::kList) {
    throw BadInput(fmt::format("{}: found a list; keys are wanted", root.where));
  }
  return root;
}

std::string read_config_text(const std::string& path) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw BadInput(fmt::format("{}: is a directory; a configuration file is wanted", path));
  }
  std::optional<std::string> text = file_text(path, kMaxBytes);
  if (!text && errno == EFBIG)
    throw BadInput(fmt::format("{}: larger than 1 MiB; that is no configuration", path));
  if (!text) {
    throw BadInput(
        fmt::format("{}: cannot be read: {}", path, std::generic_category().message(errno)));
  }
  return std::move(*text);
}

ConfigNode read_config_file(const std::string& path) {
  return parse_config_text(read_config_text(path), path);
}

void apply_override(ConfigNode& root, const std::string& override_text, const std::string& from) {
  const std::string place = from + shown(override_text);
  const std::size_t equals = override_text.find('=');
  const std::string path = override_text.substr(0, equals);
  if (equals == std::string::npos || path.empty() || path.front() == '.' || path.back() == '.' ||
      path.find("..") != std::string::npos) {
    throw BadInput(fmt::format("{}: key.path=value is wanted, such as npu.count=20", place));
  }
  ConfigNode* node = &root;
  std::istringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) {
    if (node->kind == ConfigNode::Kind::kValue) {
      throw BadInput(
          fmt::format("{}: found the key '{}'; allowed: none, before '.{}' is a single value",
                      place, shown(path), shown(key)));
    }
    if (node->kind == ConfigNode::Kind::kEmpty) node->kind = ConfigNode::Kind::kMap;
    const auto entry = std::find_if(node->entries.begin(), node->entries.end(),
                                    [&](const auto& candidate) { return candidate.key == key; });
    if (entry != node->entries.end()) {
      node = &entry->node;
      continue;
    }
    if (node->kind == ConfigNode::Kind::kList && key != number_after(node->entries)) {
      throw BadInput(fmt::format(
          "{}: found '{}' in '{}' as the number of an entry of a list of {}; "
          "allowed: 1 to {}",
          place, shown(key), shown(path), node->entries.size(), node->entries.size() + 1));
    }
    node = &node->entries.emplace_back(ConfigEntry{key, {}}).node;
    node->where = place;
  }
  *node = parse_yaml(override_text.substr(equals + 1), place, place);
  node->where = place;
}

void append_to_list(ConfigNode& root, const std::string& key, const std::string& text,
                    const std::string& from) {
  auto list = std::ranges::find(root.entries, key, &ConfigEntry::key);
  if (list == root.entries.end()) {
    root.entries.push_back(
        {key, {.kind = ConfigNode::Kind::kList, .where = from, .text = {}, .entries = {}}});
    list = root.entries.end() - 1;
  }
  ConfigNode& node = list->node;
  ConfigNode value{.kind = ConfigNode::Kind::kValue, .where = from, .text = text, .entries = {}};
  node.entries.push_back({std::to_string(node.entries.size() + 1), std::move(value)});
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMaxShown = 60;
  std::string result(text.substr(0, kMaxShown));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
  if (text.size() > kMaxShown) result += "…";
  return result;
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "study/detail/yaml_value.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace fredsim {
namespace {

const ConfigNode& only(const ConfigNode& root) { return root.entries.front().node; }

std::string one_line(const std::string& text) {
  return yaml_value(only(parse_config_text("key: " + text + "\n", "test")));
}

TEST(YamlValue, PlainTextsStayAsTheyAre) {
  for (const char* text : {"16 KiB", "750 GB/s", "fred", "configs/mesh.yaml", "1.5e3", "0,1"})
    EXPECT_EQ(one_line(text).find(text), one_line(text).front() == '"' ? 1U : 0U) << text;
  EXPECT_EQ(one_line("16 KiB"), "16 KiB");
  EXPECT_EQ(one_line("'- 1'"), "\"- 1\"");
  EXPECT_EQ(one_line("'a: b'"), "\"a: b\"");
  EXPECT_EQ(one_line("'~'"), "\"~\"");
}

TEST(YamlValue, ListsAndMapsAreInOneLine) {
  EXPECT_EQ(one_line("\n  - mp\n  - [pp, dp]\n"), "[mp, [pp, dp]]");
  EXPECT_EQ(one_line("\n  below: 4\n  uplinks: 2\n"), "{below: 4, uplinks: 2}");
}

bool is_same(const ConfigNode& a, const ConfigNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.entries.size() != b.entries.size()) return false;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    if (a.entries[i].key != b.entries[i].key || !is_same(a.entries[i].node, b.entries[i].node))
      return false;
  }
  return true;
}

std::string random_text(Random& random) {
  static constexpr std::string_view kLetters = "ab1 :-#'\"{}[],&*?|>%@`\\!=~./\n\t\xc3\xa9";
  std::string text;
  for (std::uint64_t n = 1 + random.below(6); n > 0; --n) {
    const std::size_t at = random.below(kLetters.size());
    text += kLetters[at] == '\xc3' || kLetters[at] == '\xa9' ? std::string("\xc3\xa9")
                                                             : std::string(1, kLetters[at]);
  }
  return text;
}

ConfigNode random_node(Random& random, int depth) {
  ConfigNode node;
  const std::uint64_t form = depth > 2 ? 0 : random.below(3);
  node.kind = form == 0   ? ConfigNode::Kind::kValue
              : form == 1 ? ConfigNode::Kind::kList
                          : ConfigNode::Kind::kMap;
  if (form == 0) node.text = random_text(random);
  for (std::uint64_t n = form == 0 ? 0 : 1 + random.below(3); n > 0; --n) {
    const std::string number = std::to_string(node.entries.size() + 1);
    // Keys in a map are all different.
    node.entries.push_back(
        {form == 1 ? number : random_text(random) + number, random_node(random, depth + 1)});
  }
  return node;
}

TEST(YamlValue, IsReadBackAsItWas) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    const ConfigNode node = random_node(random, 0);
    const std::string text = yaml_value(node);
    ConfigNode root;
    root.kind = ConfigNode::Kind::kMap;
    ASSERT_NO_THROW(apply_override(root, "key=" + text)) << "seed " << seed << ": " << text;
    EXPECT_TRUE(is_same(only(root), node)) << "seed " << seed << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fredsim

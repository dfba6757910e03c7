// SPDX-License-Identifier: Apache-2.0
#include "base/config_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "topology/support.h"

namespace fredsim {
namespace {

TEST(ConfigTree, KeepsOrderTextAndPlace) {
  const ConfigNode root = parse_config_text("name: wafer\nnpu:\n  count: 20 # all\n", "m.yaml");
  ASSERT_EQ(root.entries.size(), 2U);
  EXPECT_EQ(root.entries[0].key, "name");
  EXPECT_EQ(root.find("name")->text, "wafer");
  const ConfigNode* count = root.find("npu")->find("count");
  ASSERT_NE(count, nullptr);
  EXPECT_EQ(count->text, "20");
  EXPECT_EQ(count->where, "m.yaml:3");
  EXPECT_EQ(root.find("cpu"), nullptr);
}

TEST(ConfigTree, Lists) {
  ConfigNode root = parse_config_text("a:\n  - {x: 1}\n  - x: 2\n    y: [3, [4]]\n  -\n", "m.yaml");
  const ConfigNode& list = *root.find("a");
  EXPECT_EQ(list.kind, ConfigNode::Kind::kList);
  ASSERT_EQ(list.entries.size(), 3U);
  EXPECT_EQ(list.find("1")->find("x")->text, "1");
  EXPECT_EQ(list.find("2")->where, "m.yaml:3");
  EXPECT_EQ(list.find("2")->find("y")->where, "m.yaml:4");
  EXPECT_EQ(list.find("2")->find("y")->find("2")->find("1")->text, "4");
  EXPECT_EQ(list.find("3")->kind, ConfigNode::Kind::kEmpty);
  apply_override(root, "a.2.x=5");
  apply_override(root, "a.4.x=6");
  EXPECT_EQ(root.find("a")->find("2")->find("x")->text, "5");
  EXPECT_EQ(root.find("a")->find("4")->find("x")->where, "--set a.4.x=6");
  EXPECT_EQ(root.find("a")->kind, ConfigNode::Kind::kList);
  expect_parts(refusal([&] { apply_override(root, "a.6.x=1"); }),
               {"found '6' in 'a.6.x'", "a list of 4; allowed: 1 to 5"});
}

TEST(ConfigTree, AliasesOfListsAreCopies) {
  const ConfigNode root =
      parse_any_text("- {groups: &g [[0, 1], [2]], size: &s 4}\n- {groups: *g, size: *s}\n", "w");
  ASSERT_EQ(root.entries.size(), 2U);
  const ConfigNode& first = root.entries[0].node;
  const ConfigNode& second = root.entries[1].node;
  ASSERT_EQ(second.find("groups")->entries.size(), 2U);
  EXPECT_EQ(second.find("groups")->entries[0].node.entries[1].node.text, "1");
  EXPECT_EQ(second.find("groups")->entries[1].node.entries[0].node.where,
            first.find("groups")->entries[1].node.entries[0].node.where);
  EXPECT_EQ(second.find("groups")->where, "w:2");
  EXPECT_EQ(second.find("size")->text, "4");
}

// An alias inside its own anchor, an alias as a key, and aliases that multiply without end.
TEST(ConfigTree, AliasesThatAreNoCopiesAreRefused) {
  const auto of = [](const std::string& text) {
    return refusal([&] { parse_any_text(text, "w.yaml"); });
  };
  expect_parts(of("- &a [1, *a]\n"), {"w.yaml:1: found a YAML alias"});
  expect_parts(of("- &a b\n- {*a : 1}\n"), {"w.yaml:2: found a YAML alias"});
  std::string many = "- &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    many += fmt::format("- &a{} [", i);
    for (int k = 0; k < 10; ++k) many += fmt::format("{}*a{}", k > 0 ? ", " : "", i - 1);
    many += "]\n";
  }
  expect_parts(of(many), {"w.yaml:", "found YAML aliases of more than 1000000 values"});
}

TEST(ConfigTree, Refusals) {
  const auto of = [](const std::string& text) {
    return refusal([&] { parse_config_text(text, "m.yaml"); });
  };
  expect_parts(of(""), {"m.yaml: is empty"});
  expect_parts(of("# only a comment\n\n"), {"m.yaml: is empty"});
  expect_parts(of("~"), {"m.yaml: is empty"});
  expect_parts(of("wafer"), {"m.yaml:1: found the value 'wafer'; keys are wanted"});
  expect_parts(of("- a\n- b\n"), {"m.yaml:1: found a list; keys are wanted"});
  expect_parts(of("? [a]\n: 2\n"), {"found '[' where the name of a key is wanted"});
  expect_parts(of("npu:\n  count: 1\n  bandwidth: 2\n  count: 3\n"),
               {"m.yaml:4: duplicate key 'count'; first at m.yaml:2"});
  expect_parts(of("a: &x {b: 1}\nc: *x\n"), {"m.yaml:2: found a YAML alias"});
  expect_parts(of("a: 1\n---\nb: 2\n"), {"m.yaml:2: a second YAML document"});
  expect_parts(of("npu:\n  count: 1\n bandwidth: 2\n"), {"m.yaml:3:2: not YAML: "});
  expect_parts(of("name: 'wafer\n"), {"not YAML"});
  expect_parts(of("? {a: 1}\n: 2\n"), {"where the name of a key is wanted"});
  expect_parts(of("~: 2\n"), {"m.yaml:1: a key is empty"});
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "{a: ";
  expect_parts(of(deep + "1" + std::string(20, '}')), {"m.yaml:1: ", "deeper than any"});
  for (int i = 0; i < 100'000; ++i) deep += "{a: ";
  expect_parts(of(deep), {"m.yaml:1:"});
  expect_parts(of("name: \"wafer\nclock: 1 GHz\n"), {"m.yaml:", "not YAML"});
}

TEST(ConfigTree, Files) {
  expect_parts(refusal([] { read_config_file("tests"); }), {"tests: is a directory"});
  expect_parts(refusal([] { read_config_file("tests/none.yaml"); }),
               {"tests/none.yaml: cannot be read: No such file or directory"});
  expect_parts(refusal([] { read_config_file("/dev/null"); }), {"/dev/null: is empty"});
  expect_parts(refusal([] { read_config_file("/dev/zero"); }), {"larger than 1 MiB"});
  expect_parts(refusal([] { read_config_file(""); }), {"cannot be read"});
}

TEST(ConfigTree, OverridesReplaceAndAdd) {
  ConfigNode root = parse_config_text("name: wafer\nnpu:\n  count: 20\n", "m.yaml");
  apply_override(root, "npu.count=16");
  apply_override(root, "switch.format=bf16");
  apply_override(root, "io={count: 4, bandwidth: 1 GB/s}");
  apply_override(root, "clock=1.5 GHz");
  apply_override(root, "name=a=b");
  EXPECT_EQ(root.find("npu")->find("count")->text, "16");
  EXPECT_EQ(root.find("npu")->find("count")->where, "--set npu.count=16");
  EXPECT_EQ(root.find("switch")->find("format")->text, "bf16");
  EXPECT_EQ(root.find("io")->find("bandwidth")->text, "1 GB/s");
  EXPECT_EQ(root.find("clock")->text, "1.5 GHz");
  EXPECT_EQ(root.find("name")->text, "a=b");
}

TEST(ConfigTree, OverrideRefusals) {
  const auto of = [](const std::string& text) {
    ConfigNode root = parse_config_text("name: wafer\nnpu:\n  count: 20\n", "m.yaml");
    return refusal([&] { apply_override(root, text); });
  };
  for (const char* text : {"", "=", "=3", "npu.count", ".npu=3", "npu.=3", "npu..count=3"}) {
    expect_parts(of(text), {std::string("--set ") + text + ": key.path=value is wanted"});
  }
  expect_parts(of("name.x=3"), {"--set name.x=3: found the key 'name.x'", "single value"});
  expect_parts(of("npu={list: [1, 2}"), {"the value is not YAML"});
  expect_parts(of("npu.count='1"), {"--set npu.count='1: the value is not YAML"});
  expect_parts(of("npu={count: 1, count: 2}"), {"duplicate key 'count'"});
}

TEST(ConfigTree, RandomBytesAreNeverAnotherError) {
  constexpr std::uint64_t kSeed = 21;
  constexpr std::string_view kAlphabet = "ab:- \n\t{}[],&*!|>'\"%@`#?~.=\\\x01\x80\xFF";
  Random random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(40); n > 0; --n) {
      text += kAlphabet[random.below(kAlphabet.size())];
    }
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", case " << i);
    try {
      EXPECT_EQ(parse_config_text(text, "m.yaml").kind, ConfigNode::Kind::kMap);
    } catch (const BadInput& error) {
      EXPECT_EQ(std::string(error.what()).rfind("m.yaml", 0), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
// Model files: the example, and refused input, with file, line and key.
#include "workload/model_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "support/simulation.h"
#include "support/temporary_folder.h"

namespace fredsim::test {
namespace {

TEST(ModelFile, TheExampleIsRead) {
  const ModelShape model = read_model_file("configs/models/small.yaml");
  EXPECT_EQ(model.name, "model_small");
  EXPECT_EQ(model.sample_bytes, 4096U);
  ASSERT_EQ(model.layers.size(), 4U);
  EXPECT_EQ(model.layers[0].parameters, 40'000U);
  EXPECT_EQ(model.layers[0].flops, 80e6);
  EXPECT_FALSE(model.layers[0].reduces);
  EXPECT_EQ(model.layers[1].name, "block 0");
  EXPECT_EQ(model.layers[2].name, "block 1");
  EXPECT_EQ(model.layers[2].output_bytes, 8192U);
  EXPECT_TRUE(model.layers[2].reduces);
  EXPECT_EQ(model.layers[3].forward_ps, 200'000U);
  EXPECT_TRUE(model.layers[3].has_times());
}

class RefusedModel : public testing::Test {
 protected:
  std::string refusal(const std::string& text) const {
    std::ofstream(folder_.file("model.yaml")) << text;
    return message_of<BadInput>([&] { read_model_file(folder_.file("model.yaml")); });
  }
  TemporaryFolder folder_;
};

TEST_F(RefusedModel, NamesFileLineAndKey) {
  const std::string head = "name: a\nsample: 4 KiB\nlayers:\n";
  const std::string layer = "  - {parameters: 10, flops: 1e6, output: 1 KiB";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"name: a\nsampel: 4 KiB\n",
       {"model.yaml:2: found the key 'sampel'", "did you mean 'sample'?"}},
      {"name: a\nsample: 4\nlayers: []\n", {"model.yaml:2: sample: found '4', which has no unit"}},
      {"name: a\nsample: 4 KiB\n", {"the key 'layers' is missing"}},
      {head, {"model.yaml:3: layers: found no list"}},
      {"name: a\nsample: 4 KiB\nlayers: [3]\n", {"layers: found no keys"}},
      {head + "  - {flops: 1e6, output: 1 KiB}\n",
       {"model.yaml:4: the key 'parameters' is missing"}},
      {head + "  - {parameters: 1.5, flops: 1, output: 1 KiB}\n", {"parameters: found '1.5'"}},
      {head + "  - {parameters: -1, flops: 1, output: 1 KiB}\n", {"parameters: found '-1'"}},
      {head + layer + ", flop: 3}\n", {"found the key 'flop'", "did you mean 'flops'?"}},
      {head + layer + ", reduces: yes}\n", {"reduces: found 'yes'; allowed: true or false"}},
      {"name: a\ntransformer: {layers: 2, hidden: 64, heads: 4, mlp: 96, sequence: 8}\n",
       {"the key 'vocabulary' is missing"}},
      {"name: a\ntransformer: {layers: 2, hidden: 64, heads: 4, kv_heads: 3}\n",
       {"model.yaml:2: kv_heads: found 3; allowed: a divisor of the 4 heads"}},
      {"name: a\ntransformer: {layers: 2, hidden: 64, heads: 3}\n", {"hidden: found 64"}},
      {"name: a\nsample: 4 KiB\ntransformer: {layers: 2}\n", {"sample: not together"}},
      {head + layer + ", repeat: 0}\n", {"repeat: found '0'"}},
      {head + layer + ", forward: 3 GB}\n", {"forward: found '3 GB', which is a size, not a time"}},
  };
  for (const auto& [text, words] : cases) {
    const std::string found = refusal(text);
    for (const std::string& word : words)
      EXPECT_NE(found.find(word), std::string::npos) << text << found;
  }
  EXPECT_EQ(refusal(head + layer + "}\n"), "");
}

}  // namespace
}  // namespace fredsim::test

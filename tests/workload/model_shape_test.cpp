// SPDX-License-Identifier: Apache-2.0
// Built-in models against their published sizes.
#include "workload/model_shape.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace fredsim::test {
namespace {

TEST(ModelShape, ResNet152IsThePublishedOne) {
  const ModelShape model = built_in_model("resnet152");
  EXPECT_EQ(model.layers.size(), 156U);
  EXPECT_EQ(model.parameters(), 60'192'808U);       // torchvision
  EXPECT_NEAR(model.flops() / 2, 11.51e9, 0.03e9);  // multiplications, torchvision
  EXPECT_EQ(model.sample_bytes, 224U * 224 * 3 * 2);
}

TEST(ModelShape, TransformersHaveTheirPublishedSizes) {
  EXPECT_NEAR(static_cast<double>(built_in_model("transformer_17b").parameters()), 17e9, 0.05e9);
  EXPECT_NEAR(static_cast<double>(built_in_model("gpt3").parameters()), 174e9, 0.5e9);
  EXPECT_NEAR(static_cast<double>(built_in_model("transformer_1t").parameters()), 1.007e12, 1e9);
  const ModelShape gpt3 = built_in_model("gpt3");
  ASSERT_EQ(gpt3.layers.size(), 192U);
  // 2 FLOPs per parameter and token, plus the FLOPs of attention.
  EXPECT_NEAR(gpt3.flops() / (2.0 * static_cast<double>(gpt3.parameters()) * 2048), 1, 0.04);
  EXPECT_TRUE(std::ranges::all_of(gpt3.layers, &ModelLayer::reduces));
  EXPECT_EQ(gpt3.layers.front().output_bytes, 2048U * 12288 * 2);
}

TEST(ModelShape, OthersAreRefused) {
  EXPECT_FALSE(is_built_in_model("resnet151"));
  EXPECT_THROW(built_in_model("resnet151"), BadInput);
}

}  // namespace
}  // namespace fredsim::test

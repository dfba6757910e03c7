// SPDX-License-Identifier: Apache-2.0
#include "profile/detail/operation_shapes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>

namespace fredsim {
namespace {

using Dimensions = std::vector<std::uint64_t>;
constexpr std::uint64_t kElementBytes = 2;

std::uint64_t product(std::span<const std::uint64_t> dimensions) {
  return std::accumulate(dimensions.begin(), dimensions.end(), std::uint64_t{1},
                         std::multiplies<>());
}

// rows x inner by inner x columns, `batch` times.
Arithmetic matrices(std::uint64_t batch, std::uint64_t rows, std::uint64_t inner,
                    std::uint64_t columns) {
  return {2 * batch * rows * inner * columns,
          kElementBytes * batch * (rows * inner + inner * columns + rows * columns)};
}

// The last two dimensions of each are a matrix, the earlier ones a batch.
Arithmetic multiplied(const Dimensions& a, const Dimensions& b) {
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) return {};
  return matrices(product(std::span(a).first(a.size() - 2)), a[a.size() - 2], a.back(), b.back());
}

Arithmetic first_two(const Kineto::Shape& in) {
  return in.size() < 2 ? Arithmetic() : multiplied(in[0], in[1]);
}

Arithmetic second_two(const Kineto::Shape& in) {
  return in.size() < 3 ? Arithmetic() : multiplied(in[1], in[2]);
}

// in x (out, in)
Arithmetic linear(const Kineto::Shape& in) {
  if (in.size() < 2 || in[0].empty() || in[1].size() != 2 || in[0].back() != in[1][1]) return {};
  return matrices(1, product(std::span(in[0]).first(in[0].size() - 1)), in[1][1], in[1][0]);
}

// (batch, in, …) by (out, in / groups, kernel …), as large as its input: strides and padding are no
// dimensions.
Arithmetic convolution(const Kineto::Shape& in) {
  if (in.size() < 2 || in[0].size() < 3 || in[0].size() != in[1].size()) return {};
  const std::uint64_t places = in[0][0] * product(std::span(in[0]).subspan(2));
  const std::uint64_t each = product(std::span(in[1]).subspan(1));
  return {2 * places * each * in[1][0],
          kElementBytes * (product(in[0]) + product(in[1]) + places * in[1][0])};
}

// (batch, heads, sequence, head) three times: scores and weighted values.
Arithmetic attention(const Kineto::Shape& in) {
  if (in.size() < 3 || in[0].size() != 4 || in[1].size() != 4 || in[2].size() != 4) return {};
  const std::uint64_t batch = in[0][0] * in[0][1];
  const Arithmetic scores = matrices(batch, in[0][2], in[0][3], in[1][2]);
  const Arithmetic values = matrices(batch, in[0][2], in[1][2], in[2][3]);
  return {scores.operations + values.operations,
          kElementBytes * (product(in[0]) + product(in[1]) + product(in[2]) + product(in[0]))};
}

struct Known {
  std::string_view name;
  Arithmetic (*of)(const Kineto::Shape&);
};
constexpr std::array kKnown{Known{"aten::mm", first_two},
                            Known{"aten::bmm", first_two},
                            Known{"aten::matmul", first_two},
                            Known{"aten::addmm", second_two},
                            Known{"aten::baddbmm", second_two},
                            Known{"aten::linear", linear},
                            Known{"aten::convolution", convolution},
                            Known{"aten::_convolution", convolution},
                            Known{"aten::conv2d", convolution},
                            Known{"aten::cudnn_convolution", convolution},
                            Known{"aten::miopen_convolution", convolution},
                            Known{"aten::_flash_attention_forward", attention},
                            Known{"aten::_efficient_attention_forward", attention},
                            Known{"aten::_scaled_dot_product_flash_attention", attention},
                            Known{"aten::_scaled_dot_product_efficient_attention", attention}};

}  // namespace

bool has_arithmetic(std::string_view name) {
  return std::ranges::find(kKnown, name, &Known::name) != kKnown.end();
}

Arithmetic arithmetic_of(std::string_view name, const Kineto::Shape& inputs) {
  const auto* const known = std::ranges::find(kKnown, name, &Known::name);
  return known == kKnown.end() ? Arithmetic() : known->of(inputs);
}

}  // namespace fredsim

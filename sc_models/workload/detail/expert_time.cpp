// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/expert_time.h"

namespace fredsim {
namespace {

double of_width_ps(const ComputeSpeed& speed, const TransformerShape& s, std::uint64_t width,
                   std::uint64_t tokens) {
  if (tokens == 0 || width == 0) return 0;
  return product_ps(speed, (s.mlp_matrices - 1) * s.hidden * width, tokens, s.hidden, width) +
         product_ps(speed, s.hidden * width, tokens, width, s.hidden);
}

std::uint64_t shared_width(const TransformerShape& s) {
  return static_cast<std::uint64_t>(s.shared_experts) * s.expert_mlp;
}

std::uint64_t gate_parameters(const TransformerShape& s) {
  return s.hidden * static_cast<std::uint64_t>(s.experts);
}

}  // namespace

std::uint64_t expert_parameters(const TransformerShape& s) {
  return s.mlp_matrices * s.hidden * s.expert_mlp;
}

std::uint64_t common_expert_parameters(const TransformerShape& s) {
  return gate_parameters(s) + s.mlp_matrices * s.hidden * shared_width(s);
}

double gate_ps(const ComputeSpeed& speed, const TransformerShape& s, std::uint64_t tokens) {
  if (tokens == 0) return 0;
  return product_ps(speed, gate_parameters(s), tokens, s.hidden,
                    static_cast<std::uint64_t>(s.experts));
}

double shared_experts_ps(const ComputeSpeed& speed, const TransformerShape& s,
                         std::uint64_t tokens) {
  return of_width_ps(speed, s, shared_width(s), tokens);
}

double experts_ps(const ComputeSpeed& speed, const TransformerShape& s,
                  const std::vector<std::uint64_t>& tokens) {
  double ps = 0;
  for (const std::uint64_t own : tokens) ps += of_width_ps(speed, s, s.expert_mlp, own);
  return ps;
}

}  // namespace fredsim

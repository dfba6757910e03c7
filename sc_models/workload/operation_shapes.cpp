// SPDX-License-Identifier: Apache-2.0
#include "workload/operation_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/member.h"

namespace fredsim {

std::vector<CollectiveSpec> all_specs(const OperationShape& shape) {
  std::vector<CollectiveSpec> all = shape.before;
  all.insert(all.end(), shape.work.begin(), shape.work.end());
  all.insert(all.end(), shape.beside.begin(), shape.beside.end());
  return all;
}

int OperationShapes::label(const std::string& text) {
  const auto [at, is_new] = labels_.try_emplace(text, static_cast<int>(graph_.labels.size()));
  if (is_new) graph_.labels.push_back(text);
  return at->second;
}

int OperationShapes::add(OperationShape shape, const std::string& label_of_it) {
  std::string key;
  for (const auto* specs : {&shape.before, &shape.work, &shape.beside}) {
    for (const CollectiveSpec& spec : *specs) {
      key += fmt::format("{} {} {} {} {} {} {} {};", static_cast<int>(spec.collective),
                         spec.algorithm, member_names(spec.group), spec.bytes, spec.vc, spec.root,
                         spec.roots, fmt::join(spec.matrix, ","));
    }
    key += '|';
  }
  const auto [at, is_new] = shapes_.try_emplace(key, static_cast<int>(graph_.shapes.size()));
  if (is_new) graph_.shapes.push_back(std::move(shape));
  graph_.operations.push_back({at->second, label(label_of_it)});
  return static_cast<int>(graph_.operations.size()) - 1;
}

}  // namespace fredsim

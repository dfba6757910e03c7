// SPDX-License-Identifier: Apache-2.0
#include "runner/topoopt_options.h"

#include <fmt/format.h>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/units.h"

namespace fredsim {

TopooptAsked topoopt_options(const OptionTexts& texts) {
  const OptionText& topology = row_of(kTopooptRows, "--topology").text;
  parse_word(topology.name, texts[topology.name], words_in(topology.words));
  for (const auto& row : kBandwidthRows)
    if ((row.text.where & bandwidth_rows::kNetwork) == 0 && differs(row.text, texts))
      throw BadInput(
          fmt::format("{}: found '{}' with --topology; allowed: with a search for bandwidths",
                      row.text.name, shown(texts[row.text.name])));
  TopooptAsked asked;
  read_rows(kTopooptRows, texts, asked);
  if (texts.has("--max-evaluations"))
    asked.max_evaluations =
        parse_number(texts["--max-evaluations"], "--max-evaluations", 1, asked.max_evaluations);
  const std::size_t workloads = texts.list("--workload").size();
  if (workloads > 1)
    throw BadInput(fmt::format("--workload: found {} with --topology; allowed: one", workloads));
  OptionTexts of_train = texts.of({"--workload", "--minibatch", "--microbatches"});
  const bool is_text = texts["--workload"].ends_with(".txt");
  const std::string accounting = texts.has("--accounting") ? texts["--accounting"] : "serial";
  if (!is_text || accounting != "serial") of_train["--accounting"] = accounting;
  if (!is_text) of_train["--execution"] = "stationary";
  asked.train = train_options(of_train, {});
  asked.names_minibatch = texts.has("--minibatch");
  asked.names_microbatches = texts.has("--microbatches");
  return asked;
}

void refuse_without_topology(const OptionTexts& texts) {
  for (const auto& row : kTopooptRows)
    if (texts.has(row.text.name))
      throw BadInput(fmt::format("{}: found without --topology; allowed: with --topology topoopt",
                                 row.text.name));
}

}  // namespace fredsim

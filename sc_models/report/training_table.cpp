// SPDX-License-Identifier: Apache-2.0
#include "report/training_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/setting.h"
#include "report/table_fields.h"
#include "workload/training_rows.h"

namespace fredsim {
namespace {

using TrainingField = Field<TrainingResult>;

constexpr double kNsPerMs = 1e6;
constexpr const char* kFlowTrainingLegend =
    "Times come from flows, not flits. Error: of the iteration; 95 % of random iterations stay "
    "within it. A part may be off by more, the smaller it is (breakdown_error_percent in the "
    "JSON).\n";

std::string count_text(double count) {
  constexpr std::array<std::pair<double, const char*>, 5> kScales{
      {{1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
  for (const auto& [scale, unit] : kScales)
    if (count >= scale) return fmt::format("{:.3g}{}", count / scale, unit);
  return fmt::format("{:g}", count);
}

std::string compute_text(const TrainedWorkload& workload) {
  if (!workload.compute_rate) return "compute by the roofline of each machine file";
  std::string rate = fmt::format("compute {}FLOP/s per NPU", count_text(*workload.compute_rate));
  if (!workload.fit) return rate;
  return fmt::format("{}, fitted on {} = {:g}", rate, workload.fit->config, workload.fit->speedup);
}

// Value of an option; empty: it does not apply here.
std::string value_of(const TrainingQuestion& asked, std::string_view option) {
  return stated_text(row_of(kTrainingRows, option), asked, asked.kind);
}

std::string execution_text(const TrainingQuestion& asked) {
  if (asked.kind != TrainingQuestion::kStreaming)
    return fmt::format("gradients {}{}, optimizer {}", asked.gradients,
                       asked.compress.empty() ? "" : ", compressed " + asked.compress,
                       value_of(asked, "--optimizer"));
  const int layers = asked.training.stream_layers;
  return fmt::format("weights streamed by {}, {} layer{} of a stage at a time",
                     value_of(asked, "--stream"), layers, layers == 1 ? "" : "s");
}

// "39+39"; of equal stages beside each other "12*8+11.5".
std::string layers_text(const std::vector<double>& stages) {
  std::string text;
  for (auto at = stages.begin(); at != stages.end();) {
    const auto end = std::find_if(at, stages.end(), [&](double other) { return other != *at; });
    const auto count = end - at;
    constexpr auto kListed = 2;  // pipeline stages listed one by one
    if (count > kListed) {
      text += fmt::format("{}{}*{:g}", text.empty() ? "" : "+", count, *at);
      at = end;
    } else {
      text += fmt::format("{}{:g}", text.empty() ? "" : "+", *at++);
    }
  }
  return text;
}

std::string strategy_text(const TrainingQuestion& asked, const TrainedWorkload& workload) {
  return workload.strategy + (asked.split.sp ? " with sequence parallelism" : "");
}

// "placement paper", or if machines differ "placement snake on mesh, paper on fred_d".
std::string placement_text(std::span<const TrainingResult> runs) {
  const auto differs = [&](const TrainingResult& r) {
    return r.placement != runs.front().placement;
  };
  if (std::ranges::none_of(runs, differs)) return "placement " + runs.front().placement;
  std::string text;
  for (const TrainingResult& r : runs)
    text += fmt::format("{}{} on {}", text.empty() ? "placement " : ", ", r.placement,
                        with_settings(r.run.fabric, r.run.settings.own));
  return text;
}

// A line for the experts; empty: the model has none.
std::string experts_text(std::span<const TrainingResult> runs) {
  if (!runs.front().experts) return "";
  const ExpertUse& e = *runs.front().experts;
  std::string text =
      fmt::format("experts over {} ranks, {}, router {}", e.ep, e.placement, e.router);
  if (e.slots > 0) text += fmt::format(", {} on each", e.slots);
  text += fmt::format(": the busiest rank has {:.2f} times the mean", e.imbalance);
  if (e.capacity > 0)
    text += fmt::format(", capacity {:g}, {:.1f} % of tokens dropped", e.capacity,
                        100 * static_cast<double>(e.dropped) /
                            static_cast<double>(std::max<std::uint64_t>(e.routed + e.dropped, 1)));
  return text + "\n";
}

std::string heading(const TrainingQuestion& asked, const TrainedWorkload& workload,
                    std::span<const TrainingResult> runs) {
  const RunResult& first = runs.front().run;
  const TrainingOptions& training = asked.training;
  const auto counted = [](std::uint64_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  };
  const auto iterations = static_cast<std::uint64_t>(training.iterations);
  const char* const order =
      asked.packet_order == PacketOrder::kPaced ? "packets paced where they can be, " : "";
  if (!asked.is_model()) {
    return fmt::format("{}: {}\nalgorithm {}, {}{}; model {}, lanes {}, seed {}", workload.name,
                       workload.given, workload.algorithm, order, compute_text(workload),
                       first.model, first.lanes, first.seed);
  }
  if (asked.inference) {
    return fmt::format(
        "{}: {} parameters, {} ({}), {} of {} with a context of {}, {}{}, {}\n"
        "{}algorithm {}, {}{}; model {}, lanes {}, seed {}",
        workload.name, count_text(static_cast<double>(workload.parameters)),
        strategy_text(asked, workload), placement_text(runs), value_of(asked, "--phase"),
        counted(asked.inference->batch, "sequence", "sequences"),
        counted(asked.inference->context, "token", "tokens"),
        counted(training.microbatches, "microbatch", "microbatches"),
        asked.inference->overlap > 1 ? ", of which two overlap" : "",
        counted(iterations, "pass", "passes"), experts_text(runs), workload.algorithm, order,
        compute_text(workload), first.model, first.lanes, first.seed);
  }
  return fmt::format(
      "{}: {} parameters, {} ({}), minibatch {}, {}, {}\n"
      "{}algorithm {}, {}accounting {}, {}, {}; model {}, lanes {}, seed {}",
      workload.name, count_text(static_cast<double>(workload.parameters)),
      strategy_text(asked, workload), placement_text(runs), training.minibatch,
      counted(training.microbatches, "microbatch", "microbatches"),
      counted(iterations, "iteration", "iterations"), experts_text(runs), workload.algorithm, order,
      value_of(asked, "--accounting"), execution_text(asked), compute_text(workload), first.model,
      first.lanes, first.seed);
}

// Ranks by which columns are left out, highest first. Columns of algorithm and placement exist if
// they differ; the smallest part goes first.
enum Rank : std::uint8_t {
  kAlways,
  kTokens,
  kMemory,
  kAlgorithm,
  kPlacement,
  kLayers,
  kLargestPart
};

// Rank of part i: the number of parts that are larger, or equal and before it, in the mean
// iterations of all machines together.
int rank_of_part(std::size_t i, std::span<const TrainingResult> runs) {
  const auto total = [&](std::size_t part) {
    double ns = 0;
    for (const TrainingResult& r : runs)
      if (!r.run.incomplete) ns += r.breakdown_ns[part].second;
    return ns;
  };
  int rank = kLargestPart;
  for (std::size_t k = 0; k < runs.front().breakdown_ns.size(); ++k)
    if (total(k) > total(i) || (total(k) == total(i) && k < i)) ++rank;
  return rank;
}

// Meaning of a part of an iteration, for --legend.
std::string_view part_meaning(std::string_view name) {
  using Meaning = std::pair<std::string_view, std::string_view>;
  static constexpr std::array kMeanings{
      Meaning{"compute", "an NPU computes"},
      Meaning{"input_load", "an NPU waits for its input"},
      Meaning{"mp", "exposed: an NPU waits in a collective of its MP group"},
      Meaning{"sp", "exposed: an NPU waits in a collective of its SP group"},
      Meaning{"pp", "exposed: an NPU waits for a transfer between pipeline stages"},
      Meaning{"dp", "exposed: an NPU waits in a collective of its DP group"},
      Meaning{"cp", "exposed: an NPU waits for a block of keys and values"},
      Meaning{"streaming", "exposed: an NPU waits for weights or gradients that are streamed"},
      Meaning{"bubble", "an NPU waits for a peer that has not sent"}};
  const auto* const found = std::ranges::find(kMeanings, name, &Meaning::first);
  return found != kMeanings.end() ? found->second : std::string_view();
}

// A part that is 0 everywhere has no column in text, nor has a bubble too short to be seen there:
// NPUs end a run at slightly different cycles.
TrainingField part_field(std::size_t i, std::span<const TrainingResult> runs,
                         std::span<const NumberUnit> units) {
  const std::string& name = runs.front().breakdown_ns[i].first;
  constexpr double kMinShown = 0.05;
  const double min = name == "bubble" ? kMinShown * units.front().size : 0;
  const bool is_some = std::ranges::any_of(runs, [i, min](const TrainingResult& r) {
    return !r.run.incomplete && r.breakdown_ns[i].second > min;
  });
  return {{.label = name == "input_load" ? "input" : name,
           .rank = rank_of_part(i, runs),
           .name = name + "_ns",
           .shown = is_some ? Shown::kAlways : Shown::kOnlyInCsv,
           .units = units,
           .meaning = part_meaning(name)},
          [i](const TrainingResult& r) {
            return r.run.incomplete ? no_cell() : number_cell(r.breakdown_ns[i].second, 1);
          }};
}

void add_token_fields(InferencePhase phase, std::vector<TrainingField>& fields) {
  const bool is_prefill = phase == InferencePhase::kPrefill;
  fields.push_back({{.label = is_prefill ? "first token" : "per token",
                     .rank = kTokens,
                     .name = is_prefill ? "time_to_first_token_ns" : "time_per_token_ns",
                     .units = units_of_ns().subspan(1)},
                    [](const TrainingResult& r) {
                      return r.tokens ? number_cell(r.tokens->pass_ns, 1) : no_cell();
                    }});
  fields.push_back({{.label = "tokens/s",
                     .rank = kTokens,
                     .name = "tokens_per_s",
                     .meaning = "tokens of all sequences per second"},
                    [](const TrainingResult& r) {
                      return r.tokens ? number_cell(r.tokens->tokens_per_s, 0) : no_cell();
                    }});
}

// Memory of the NPU with the highest use: total, and the share in expanded memory.
void add_memory_fields(bool shown, std::vector<TrainingField>& fields) {
  const auto add = [&](const char* label, const char* name, const auto& bytes) {
    fields.push_back({{.label = label,
                       .rank = kMemory,
                       .name = name,
                       .shown = shown ? Shown::kAlways : Shown::kOnlyInCsv,
                       .units = units_of_bytes()},
                      [bytes](const TrainingResult& r) {
                        return r.memory ? bytes_cell(bytes(*r.memory)) : no_cell();
                      }});
  };
  add("NPU memory", "npu_memory_bytes",
      [](const NpuMemory& m) { return m.weights + m.gradients + m.optimizer + m.activations; });
  add("expanded", "expanded_bytes", [](const NpuMemory& m) { return m.expanded; });
}

// Stated error of iterations simulated as flows.
TrainingField error_field() {
  return {{.label = "error",
           .unit = "± %",
           .name = "error_mean_percent",
           .meaning = "stated error of its operations, each in isolation"},
          [](const TrainingResult& r) -> Cell {
            if (!r.run.flow) return no_cell();
            return r.run.flow->error ? error_cell(r.run.flow->error->mean_percent)
                                     : Cell("unmeasured", "");
          }};
}

TrainingField csv_field(std::string_view key, const std::string& text) {
  const std::string name(key);
  return {{.label = name, .name = name, .shown = Shown::kOnlyInCsv},
          [text](const TrainingResult&) { return text; }};
}

}  // namespace

std::string idealised_text(const TrainedWorkload& workload) {
  if (workload.idealised.empty()) return "";
  return fmt::format("Idealised: {}.", fmt::join(workload.idealised, "; "));
}

std::string training_legend(bool is_flow) {
  std::string text =
      "iteration: mean over iterations. Parts: time of an NPU, mean over NPUs. An NPU computes, "
      "waits in a collective (exposed, by kind), or waits for a peer that has not sent (bubble). "
      "Parts of the critical path are in the JSON. Traffic is simulated; computation times are "
      "inputs.\n";
  if (is_flow) text += kFlowTrainingLegend;
  return text;
}

TitledTable training_table(const TrainingQuestion& asked, const TrainedWorkload& workload,
                           std::span<const TrainingResult> runs) {
  const double longest =
      std::ranges::max_element(runs, {}, &TrainingResult::iteration_ns)->iteration_ns;
  constexpr double kFewestMs = 100;
  const std::span<const NumberUnit> units =
      units_of_ns().subspan(longest >= kFewestMs * kNsPerMs ? 0 : 1);
  const bool has_best = std::ranges::any_of(runs, &TrainingResult::is_best_base);
  const auto algorithm = [&](const TrainingResult& r) {
    return r.algorithm.empty() ? workload.algorithm : r.algorithm;
  };
  std::vector<TrainingField> fields{csv_field("workload", workload.name),
                                    csv_field("strategy", workload.strategy)};
  const auto add_options = [&](std::string_view first, std::string_view last) {
    for (const OptionRow<TrainingQuestion>& row : rows_between(kTrainingRows, first, last))
      if (!row.text.key.empty())
        fields.push_back(csv_field(row.text.key, stated_text(row, asked, asked.kind)));
  };
  const auto add = [&fields](std::initializer_list<TrainingField> more) {
    fields.insert(fields.end(), more);
  };
  add_options("--sp", "--sp");
  add_options("--phase", "--context");
  add_options("--minibatch", "--microbatches");
  add_options("--overlap", "--overlap");
  add_options("--iterations", "--iterations");
  add({{{.label = "algorithm", .name = "algorithm", .shown = Shown::kOnlyInCsv}, algorithm},
       {{.label = "packet_order", .name = "packet_order", .shown = Shown::kOnlyInCsv},
        [](const TrainingResult& r) {
          return r.packet_order.empty() ? "arrival" : r.packet_order;
        }}});
  add_options("--accounting", "--execution");
  add({{{.label = "stream", .name = "stream", .shown = Shown::kOnlyInCsv},
        [stream = value_of(asked, "--stream")](const TrainingResult& r) {
          return r.stream.empty() ? stream : r.stream;
        }},
       csv_field("compute_flops_per_s",
                 workload.compute_rate ? fmt::to_string(*workload.compute_rate) : ""),
       {{.label = "placement", .name = "placement", .shown = Shown::kOnlyInCsv},
        [](const TrainingResult& r) { return r.placement; }},
       {{.label = "machine", .align = Align::kLeft, .name = "machine"},
        [](const TrainingResult& r) { return with_settings(r.run.fabric, r.run.settings.own); }},
       {{.label = "iteration",
         .name = "iteration_ns",
         .units = units,
         .meaning = "mean over iterations"},
        [](const TrainingResult& r) {
          return r.run.incomplete ? no_cell() : number_cell(r.iteration_ns, 1);
        }},
       {{.label = "speed-up",
         .name = "speedup",
         .meaning = "iteration of the base over that of this machine"},
        [](const TrainingResult& r) {
          return r.speedup ? number_cell(*r.speedup, 3) : no_cell();
        }}});
  if (has_best)
    fields.push_back(
        {{.label = "over best base",
          .header = {"over best", "base"},
          .name = "speedup_best_base",
          .meaning =
              "iteration of the faster of the base and its best self over that of this machine"},
         [](const TrainingResult& r) {
           return r.speedup_best_base ? number_cell(*r.speedup_best_base, 3) : no_cell();
         }});
  if (std::ranges::any_of(runs, [](const TrainingResult& r) { return r.run.flow.has_value(); }))
    fields.push_back(error_field());
  if (asked.inference) add_token_fields(asked.inference->phase, fields);
  if (has_best) {  // best selves differ in them; CSV has the fields above
    fields.push_back(
        {{.label = "algorithm", .align = Align::kLeft, .rank = kAlgorithm}, algorithm});
    fields.push_back({{.label = "placement", .align = Align::kLeft, .rank = kPlacement},
                      [](const TrainingResult& r) { return r.placement; }});
  }
  if (asked.is_training()) add_memory_fields(asked.training.limits_memory, fields);
  fields.push_back(
      {{.label = "layers per stage",
        .align = Align::kLeft,
        .rank = kLayers,
        .header = {"layers", "per stage"},
        .name = "layers_per_stage",
        .shown = workload.layers_per_stage.size() > 1 ? Shown::kAlways : Shown::kOnlyInCsv},
       [text = layers_text(workload.layers_per_stage)](const TrainingResult&) {
         return Cell(text, text);
       }});
  const std::size_t parts = runs.front().breakdown_ns.size();
  for (std::size_t i = 0; i < parts; ++i) fields.push_back(part_field(i, runs, units));
  const int behind = kLargestPart + static_cast<int>(parts);
  fields.push_back({{.label = "cycles", .rank = behind + 1, .name = "cycles"},
                    [](const TrainingResult& r) { return count_cell(r.run.cycles); }});
  fields.push_back({{.label = "payload", .align = Align::kLeft, .rank = behind, .name = "payload"},
                    [](const TrainingResult& r) { return Cell(r.run.payload); }});
  if (std::ranges::any_of(runs, [](const TrainingResult& r) { return r.run.energy.has_value(); })) {
    fields.push_back({{.label = "energy",
                       .unit = "J/iter.",
                       .rank = behind + 2,
                       .name = "energy_j_per_iteration",
                       .meaning = "of switches, links and NPUs"},
                      [iterations = asked.training.iterations](const TrainingResult& r) {
                        constexpr double kPjOfJ = 1e12;
                        return energy_cell(r.run.energy, iterations, kPjOfJ);
                      }});
  }
  const auto add_count = [&](const char* name, std::uint64_t RunResult::*count) {
    fields.push_back({{.label = name, .name = name, .shown = Shown::kOnlyInCsv},
                      [count](const TrainingResult& r) { return count_cell(r.run.*count); }});
  };
  add_count("flit_hops", &RunResult::flit_hops);
  add_count("idle_cycles", &RunResult::idle_cycles);
  add_count("repeated_cycles", &RunResult::repeated_cycles);
  add_count("repeated_flit_hops", &RunResult::repeated_flit_hops);
  add_count("equal_slices_flit_hops", &RunResult::equal_slices_flit_hops);
  return {heading(asked, workload, runs), table_of(fields, std::vector(runs.begin(), runs.end()))};
}

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "cli/known_words.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "config/config_schema.h"

namespace fredsim {
namespace {

constexpr auto kOptions = std::to_array<Alias>(
    {{"--size", "bytes message-size msg-size data-size"},
     {"-b", "minbytes min-bytes begin"},
     {"-e", "maxbytes max-bytes end"},
     {"-f", "stepfactor step-factor factor"},
     {"--collective", "coll comm comm-type operation"},
     {"--algorithm", "algo alg nccl-algo collective-algorithm"},
     {"--group", "ranks members"},
     {"--root", "r"},
     {"--matrix", "traffic-matrix"},
     {"--json", "o out output out-file output-file save results result"},
     {"--format", "output-format style"},
     {"--quiet", "q silent"},
     {"--model", "impl implementation switch-model"},
     {"--engine", "backend network-backend simulator fidelity mode"},
     {"--workload", "workload-configuration model-name network-model"},
     {"--trace", "et chakra execution-trace traces workload-prefix"},
     {"--comm-groups", "comm-group comm-group-configuration"},
     {"--mp", "tp tensor tensor-parallel tensor-parallel-size tensor-model-parallel-size"},
     {"--dp", "data-parallel data-parallel-size fsdp"},
     {"--pp", "pipeline-parallel pipeline-parallel-size pipeline-model-parallel-size stages"},
     {"--cp", "context-parallel context-parallel-size"},
     {"--sp", "sequence-parallel"},
     {"--minibatch", "batch-size global-batch-size global-batch gbs bs"},
     {"--microbatches", "num-microbatches micro-batches gradient-accumulation-steps"},
     {"--samples", "samples-per-replica local-batch-size"},
     {"--iterations", "num-passes passes steps epochs iters num-iters"},
     {"--context", "seq-length seq-len sequence-length prompt-length"},
     {"--compute-rate", "peak-perf flops tflops peak"},
     {"--rate", "injection-rate injectionrate inj-rate offered-load load"},
     {"--pattern", "synthetic traffic traffic-pattern"},
     {"--seed", "random-seed rng-seed"},
     {"--set", "D override config-set param"},
     {"--wave", "vcd fst waves waveform dump"},
     {"--timeout-cycles", "max-cycles sim-cycles max-ticks timeout"},
     {"--threads", "j jobs num-threads"},
     {"--placement", "mapping rank-map"},
     {"--fault", "faults fail failure broken"},
     {"--npus", "num-npus num-gpus num-nodes count"}});

// Options without an equivalent.
struct Answer {
  std::string_view options;
  std::string_view text;
};
constexpr auto kAnswers = std::to_array<Answer>(
    {{"n iters", "leave it out: all iterations of a collective take the same cycles"},
     {"w warmup_iters warmup", "leave it out: nothing needs a warm-up, the first iteration counts"},
     {"c check validate", "leave it out: the payload of every run is checked"},
     {"i stepbytes increment", "sizes grow by a factor; did you mean '-f'?"},
     {"g ngpus t nthreads gpus", "leave it out: the machine says how many NPUs; some: --group 0-3"},
     {"d datatype dtype", "leave it out: the payload is FP16, or BF16 by --set switch.format=bf16"},
     {"op reduceop", "leave it out: reductions are sums"},
     {"m agg_iters a average z blocking G cudagraph p parallel_init",
      "leave it out: nothing here depends on it"},
     {"network network-configuration system-configuration config machine topology cfg",
      "leave it out: a machine stands by itself, as in fredsim run mesh"},
     {"memory-configuration remote-memory-configuration logging-configuration",
      "leave it out: memory and NPUs are keys of the machine file"}});

std::string answer_of(std::string_view option) {
  for (const Answer& answer : kAnswers) {
    const std::array words = {answer.text};
    const std::array others = {Alias{answer.text, answer.options}};
    if (!same_word(option, words, others).empty()) return std::string(answer.text);
  }
  return {};
}

// The first command that has the option.
std::string of_other_command(const std::string& option, const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_option_no_throw(option) != nullptr)
      return fmt::format("did you mean '{} {}'?", app.get_name(), command->get_name());
  return {};
}

// Hint for an option named like a key of machine files.
std::string of_key(std::string_view option, const CLI::App& command) {
  constexpr std::size_t kLetter = 2;  // "-x" is no coordinate
  if (option.size() <= kLetter || command.get_option_no_throw("--set") == nullptr) return {};
  for (const Key& key : config_keys()) {
    const std::array words = {leaf(key.path)};
    const std::array aliases = {Alias{leaf(key.path), key.aliases}};
    if (is_value(key.holds) && !same_word(option, words, aliases).empty())
      return fmt::format("did you mean '--set {}='?", key.path);
  }
  return {};
}

}  // namespace

SpellingHints known_words(const CLI::App& app) {
  static const std::vector<Alias> kCommands = [] {
    std::vector<Alias> aliases;
    for (const CommandRow& row : commands()) aliases.push_back({row.name, row.aliases});
    return aliases;
  }();
  return {.commands = kCommands,
          .options = kOptions,
          .answer = [&app](std::string_view option, const CLI::App& command) {
            if (std::string text = answer_of(option); !text.empty()) return text;
            if (std::string text = of_other_command(std::string(option), app); !text.empty())
              return text;
            return of_key(option, command);
          }};
}

}  // namespace fredsim

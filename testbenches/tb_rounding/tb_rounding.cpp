// SPDX-License-Identifier: Apache-2.0
// Precision lost by the order of additions: sums of an all-reduce in the order of the switches'
// trees and of the endpoints' rings, against the exact sum. A table on standard output. See --help
// for options.
//
// Orders: the collective's plan on the machine prescribes the order, as in every simulated run,
//   which checks it bit for bit; sample i takes the order of the plan's tree i modulo their number
//   (each block of a ring begins at another rank). Additions are made by the switches and NPUs:
//   FP16 or BF16, rounded to nearest after each.
// Data: one value per rank and sample, the same for all machines, rounded to the format before any
//   addition:
//   uniform   in [-1, 1)
//   normal    mean 0, deviation 1
//   gradient  one parameter on data-parallel ranks: scale * (0.3 a + b_rank), a and b_rank normal,
//             with scales that differ widely over the parameters, 2^-10 * exp(2 n), n normal; FP16
//             reaches its subnormals
// Errors: in ULP of the format at the exact sum (0.5 is the maximum for one rounding of it);
//   relative to the exact sum, which cancellation can make arbitrarily small; and the largest one
//   relative to the sum of the operands' magnitudes, in units of the format's rounding error u
//   (2^-11, 2^-8), whose bound is n - 1.
// Exit code 1 when the error of a sum exceeds the bound of n - 1 roundings; 2 for bad input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fp.h"
#include "base/random.h"
#include "cli/program_options.h"
#include "config/config.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

enum class Data : std::uint8_t { kUniform, kNormal, kGradient };
constexpr std::array<std::pair<Data, const char*>, 3> kData{
    {{Data::kUniform, "uniform"}, {Data::kNormal, "normal"}, {Data::kGradient, "gradient"}}};

struct Precision {
  int significand = 0;   // bits, the hidden one included
  int min_exponent = 0;  // normal numbers
};
constexpr Precision precision(FpFormat format) {
  return format == FpFormat::kFp16 ? Precision{11, -14} : Precision{8, -126};
}

double value(FpFormat format, std::uint16_t bits) {
  return format == FpFormat::kFp16 ? fp16_to_float(bits)
                                   : std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Distance of neighbouring numbers of the format at x.
double ulp(FpFormat format, double x) {
  const auto [significand, min] = precision(format);
  const int exponent = x == 0 ? min : std::max(std::ilogb(x), min);
  return std::ldexp(1, exponent - significand + 1);
}

std::uint16_t rounded(FpFormat format, double x) {
  const double step = ulp(format, x);
  const auto exact = static_cast<float>(std::nearbyint(x / step) * step);  // ties to even
  return format == FpFormat::kFp16
             ? float_to_fp16(exact)
             : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(exact) >> 16);
}

class Source {
 public:
  Source(Data data, std::uint64_t seed) : data_(data), random_(seed) {}

  void draw(std::vector<double>& values) {
    const double scale = data_ == Data::kGradient ? 0x1p-10 * std::exp(2 * normal()) : 1;
    const double common = data_ == Data::kGradient ? 0.3 * normal() : 0;
    for (double& v : values) {
      v = data_ == Data::kUniform ? 2 * unit() - 1 : scale * (common + normal());
    }
  }

 private:
  double unit() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }
  double normal() {  // Box-Muller
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

  Data data_;
  Random random_;
};

struct Variant {
  std::string machine, algorithm;
  std::vector<SumOrder> orders;
  std::size_t ranks = 0;
};

Variant variant_of(const std::string& argument) {
  const std::size_t colon = argument.rfind(':');
  if (colon == std::string::npos) {
    throw BadInput(fmt::format("argument: '{}' found, allowed: CONFIG:ALGORITHM", argument));
  }
  const Topology topology = load_config(argument.substr(0, colon), {}).topology;
  std::vector<int> group(topology.npus.size());
  std::iota(group.begin(), group.end(), 0);
  // Large enough that no tree is left out.
  constexpr std::uint64_t kBytes = 16 << 20;
  const Plan plan =
      make_plan(topology, Collective::kAllReduce, group, kBytes, argument.substr(colon + 1));
  Variant result{topology.name, argument.substr(colon + 1), {}, group.size()};
  for (const Tree& tree : plan.trees) result.orders.push_back(tree.order.sum());
  return result;
}

std::uint16_t sum(FpFormat format, const SumOrder& order, const std::vector<std::uint16_t>& values,
                  std::vector<std::uint16_t>& stack) {
  stack.clear();
  for (const int n : order.postfix) {
    if (n == SumOrder::kAdd) {
      const std::uint16_t right = stack.back();
      stack.pop_back();
      stack.back() = fp_add(format, stack.back(), right);
    } else {
      stack.push_back(values[n]);
    }
  }
  return stack.front();
}

double quantile(std::vector<double>& values, double q) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(std::ssize(values) - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

struct Errors {
  std::vector<double> ulps, relative;  // errors of sums that are not zero
  double backward = 0;                 // the largest, in u times the operands' magnitudes
  std::uint64_t nearest = 0;           // sums equal to a single rounding of the exact sum
};

Errors measure(const Variant& variant, FpFormat format, Data data, std::uint64_t samples,
               std::uint64_t seed) {
  Source source(data, seed);
  std::vector<double> drawn(variant.ranks);
  std::vector<std::uint16_t> values(variant.ranks);
  std::vector<std::uint16_t> stack;
  Errors errors;
  const double unit = std::ldexp(1, -precision(format).significand);
  const auto roundings = static_cast<double>(variant.ranks - 1);
  for (std::uint64_t i = 0; i < samples; ++i) {
    source.draw(drawn);
    long double exact = 0;
    double magnitude = 0;
    for (std::size_t rank = 0; rank < variant.ranks; ++rank) {
      values[rank] = rounded(format, drawn[rank]);
      exact += value(format, values[rank]);
      magnitude += std::abs(value(format, values[rank]));
    }
    const std::uint16_t got = sum(format, variant.orders[i % variant.orders.size()], values, stack);
    const auto error = static_cast<double>(std::abs(value(format, got) - exact));
    const auto truth = static_cast<double>(exact);
    // Higham's bound; sums within the subnormals are exact, so nothing is added for them.
    if (!(error <= roundings * unit / (1 - roundings * unit) * magnitude)) {
      throw RunFailed(fmt::format("{} {}, {}, sample {}: {} in place of {}", variant.machine,
                                  variant.algorithm, to_string(format), i, value(format, got),
                                  truth));
    }
    errors.backward = std::max(errors.backward, magnitude == 0 ? 0 : error / (unit * magnitude));
    if (truth != 0) {
      errors.ulps.push_back(error / ulp(format, truth));
      errors.relative.push_back(error / std::abs(truth));
    }
    if (got == rounded(format, truth)) ++errors.nearest;
  }
  return errors;
}

void print(const Variant& variant, FpFormat format, const char* data, std::uint64_t samples,
           Errors errors) {
  fmt::print("{:<10} {:<10} {:<6} {:<9} {:9.1f} {:8.2f} {:8.2f} {:12.2e} {:12.2e} {:9.2f}\n",
             variant.machine, variant.algorithm, to_string(format), data,
             100 * static_cast<double>(errors.nearest) / static_cast<double>(samples),
             quantile(errors.ulps, 0.5), quantile(errors.ulps, 0.99),
             quantile(errors.relative, 0.5), quantile(errors.relative, 0.99), errors.backward);
}

void run(const std::vector<std::string>& machines, std::uint64_t samples, std::uint64_t seed) {
  std::vector<Variant> variants;
  variants.reserve(machines.size());
  for (const std::string& machine : machines) variants.push_back(variant_of(machine));
  fmt::print("{:<10} {:<10} {:<6} {:<9} {:>9} {:>8} {:>8} {:>12} {:>12} {:>9}\n", "machine",
             "order", "format", "data", "nearest %", "ULP p50", "ULP p99", "relative p50",
             "relative p99", "max u*|x|");
  for (const FpFormat format : {FpFormat::kFp16, FpFormat::kBf16}) {
    for (const auto& [data, name] : kData) {
      for (const Variant& variant : variants) {
        print(variant, format, name, samples, measure(variant, format, data, samples, seed));
      }
    }
  }
  fmt::print("nearest: sums that are the exact one rounded once\n");
}

}  // namespace
}  // namespace fredsim

int main(int argc, char** argv) {
  fredsim::ProgramOptions options(
      "tb_rounding",
      "What the order of additions costs in precision: sums of an all-reduce in the order that "
      "the\n"
      "switches' trees or the endpoints' rings add in, against the exact sum. A line per machine,\n"
      "format and data.",
      "  build/tb_rounding configs/mesh.yaml:hier_ring "
      "configs/mesh.yaml:ring configs/fred_d.yaml:in_switch");
  std::uint64_t samples = 200'000;
  std::uint64_t seed = 1;
  std::vector<std::string> machines;
  options.add("--samples", samples, 1, "sums per line (default 200000)");
  options.add("--seed", seed, 0, "of the data (default 1)");
  options.app()
      .add_option("CONFIG:ALGORITHM", machines, "machine file and all-reduce algorithm; several")
      ->required()
      ->type_name("");
  if (const auto end = options.parse({argv + 1, argv + argc})) return *end;
  try {
    fredsim::run(machines, samples, seed);
    return 0;
  } catch (const fredsim::Error& error) {
    return fredsim::report_error("tb_rounding", error);
  }
}

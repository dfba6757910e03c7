#include "option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"

namespace fredsim {

std::uint64_t parse_number(const std::string& text, const std::string& option, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error != std::errc() || value < least || value > most) {
    throw BadInput(fmt::format("{}: found '{}'; allowed: a whole number, {} to {}", option, text,
                               least, most));
  }
  return value;
}

std::uint64_t parse_collective_size(const std::string& text, const std::string& option) {
  const std::uint64_t bytes = parse_size(text, option, BareNumber::kBytes);
  if (bytes > kMaxCollectiveBytes) {
    throw BadInput(fmt::format("{}: found '{}'; allowed: at most {}", option, text,
                               format_size(kMaxCollectiveBytes)));
  }
  return bytes;
}

std::vector<std::uint64_t> parse_size_sweep(const std::string& begin, const std::string& end,
                                            const std::string& factor) {
  const std::uint64_t first = parse_collective_size(begin, "-b");
  const std::uint64_t last = parse_collective_size(end, "-e");
  const std::uint64_t step = parse_number(factor, "-f", 2, kMaxCollectiveBytes);
  if (first > last) {
    throw BadInput(fmt::format("-b, -e: found -b {} above -e {}; allowed: -b at most -e",
                               format_size(first), format_size(last)));
  }
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = first;; size *= step) {
    sizes.push_back(size);
    if (size > last / step) break;
  }
  return sizes;
}

std::vector<int> parse_groups(const std::vector<std::string>& texts) {
  if (texts.size() > 1) {
    throw BadInput(
        fmt::format("--group: found {} groups; allowed: one (several groups at the same "
                    "time are not there yet)",
                    texts.size()));
  }
  std::vector<int> ranks;
  if (texts.empty() || texts.front() == "all") return ranks;
  std::string_view rest = texts.front();
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view field = rest.substr(0, comma);
    int rank = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, rank);
    if (field.empty() || stop != end || error != std::errc() || rank < 0) {
      throw BadInput(
          fmt::format("--group {}: found '{}'; allowed: 'all' or ranks with commas "
                      "between them, such as 0,1,5,6",
                      texts.front(), field));
    }
    ranks.push_back(rank);
    if (comma == std::string_view::npos) return ranks;
    rest.remove_prefix(comma + 1);
  }
}

SwitchModel parse_model(const std::string& text) {
  constexpr std::array<SwitchModel, 3> kModels{SwitchModel::kTlm, SwitchModel::kRtl,
                                               SwitchModel::kLockstep};
  std::vector<std::string_view> names;
  for (const SwitchModel model : kModels) {
    names.push_back(switch_model_name(model));
    if (text == names.back()) return model;
  }
  throw BadInput(fmt::format("--model: found '{}'; allowed: {}{}", text, join_words(names),
                             did_you_mean(text, names)));
}

}  // namespace fredsim

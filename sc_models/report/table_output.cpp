// SPDX-License-Identifier: Apache-2.0
#include "report/table_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text_width.h"

namespace fredsim {

namespace {

constexpr std::size_t kWidestProse = 100;  // longer lines are hard to read on a wide terminal
constexpr std::size_t kIndent = 2;
constexpr int kAllRanks = std::numeric_limits<int>::max();

std::string markdown_field(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string markdown_label(const Column& column) {
  return column.unit.empty() ? column.label : fmt::format("{} ({})", column.label, column.unit);
}

std::string csv_line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

std::string markdown_line(const std::vector<std::string>& fields) {
  return fmt::format("| {} |\n", fmt::join(fields, " | "));
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

TableFormat parse_format(const std::string& text, TableFormat own) {
  constexpr std::array<std::string_view, 5> kNames{"table", "csv", "markdown", "astra", "nccl"};
  constexpr std::size_t kShared = 3;
  static constexpr std::array kAliases{Alias{"csv", "excel tsv"}, Alias{"table", "text txt ascii"},
                                       Alias{"markdown", "md"}};
  std::vector<std::string_view> names(kNames.begin(), kNames.begin() + kShared);
  const auto of_command = static_cast<std::size_t>(own);
  if (of_command >= kShared) names.push_back(kNames[of_command]);
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    throw BadInput(
        fmt::format("--format: found '{}'; {}", text, advice(text, names, {.aliases = kAliases})));
  }
  return static_cast<TableFormat>(std::ranges::find(kNames, text) - kNames.begin());
}

std::string TableOutput::part(std::string text) {
  header_.clear();
  if (!text.empty() && text.back() != '\n') text += '\n';
  return (std::exchange(is_first_, false) ? "" : "\n") + text;
}

std::string TableOutput::lists(const std::vector<TitledList>& lists) {
  if (is_rows_only()) return "";
  const bool is_markdown = format_ == TableFormat::kMarkdown;
  std::string text;
  for (const auto& [title, lines] : lists) {
    text += fmt::format("{}{}\n", is_markdown ? "- " : "", title);
    for (const std::string& line : lines) {
      text += fmt::format("  {}{}\n", is_markdown ? "- " : "", line);
    }
  }
  const std::size_t width = std::min(style_.columns, kWidestProse);
  return part(is_markdown ? text : wrap(text, width, kIndent));
}

std::string TableOutput::paragraph(const std::string& text) {
  if (is_rows_only()) return "";
  if (format_ == TableFormat::kMarkdown) return part(text);
  return part(wrap(text, std::min(style_.columns, kWidestProse)));
}

std::string TableOutput::block(const std::string& lines) {
  if (is_rows_only()) return "";
  if (format_ == TableFormat::kMarkdown) return part(fmt::format("```text\n{}```\n", lines));
  return part(wrap(lines, style_.columns, kIndent));
}

std::string TableOutput::rows_of_csv(const TextTable& table) {
  std::vector<std::size_t> shown;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (table.columns()[c].name.empty()) continue;
    shown.push_back(c);
    names.push_back(table.columns()[c].name);
  }
  std::string text;
  if (header_.empty()) {
    header_ = names;
    text = csv_line(names);
  } else if (header_ != names) {
    return "";
  }
  for (const auto& row : table.rows()) {
    std::vector<std::string> fields;
    fields.reserve(shown.size());
    for (const std::size_t c : shown) fields.push_back(csv_field(row[c].value));
    text += csv_line(fields);
  }
  return text;
}

std::string TableOutput::rows_of_markdown(const TitledTable& titled) {
  std::vector<std::size_t> shown;
  std::vector<std::string> labels;
  std::vector<std::string> rules;
  for (std::size_t c = 0; c < titled.table.columns().size(); ++c) {
    const Column& column = titled.table.columns()[c];
    if (column.shown == Shown::kOnlyInCsv) continue;
    shown.push_back(c);
    labels.push_back(markdown_label(column));
    rules.emplace_back(column.align == Align::kRight ? "---:" : ":---");
  }
  std::string text;
  if (header_ != labels) {
    text = titled.heading.empty() ? "" : titled.heading + "\n\n";
    text = part(text + markdown_line(labels) + markdown_line(rules));
    header_ = labels;
  }
  for (const auto& row : titled.table.rows()) {
    std::vector<std::string> fields;
    fields.reserve(shown.size());
    for (const std::size_t c : shown) fields.push_back(markdown_field(row[c].text));
    text += markdown_line(fields);
  }
  for (const std::string& note : titled.notes) text += part(note);
  return text;
}

std::string TableOutput::table(const TitledTable& given) {
  const TitledTable titled{given.heading, given.table.written(), given.notes};
  if (has_lines_of_command()) return "";
  for (const Column& column : titled.table.columns())
    if (!column.meaning.empty() && column.shown != Shown::kOnlyInCsv &&
        !std::ranges::count(meanings_, column.label, &decltype(meanings_)::value_type::first))
      meanings_.emplace_back(column.label, column.meaning);
  if (format_ == TableFormat::kCsv) return rows_of_csv(titled.table);
  if (format_ == TableFormat::kMarkdown) return rows_of_markdown(titled);

  std::vector<std::string> labels;
  for (const Column& column : titled.table.columns()) labels.push_back(column.label);
  const std::vector<std::string> before = std::exchange(header_, {});
  std::string text =
      titled.heading.empty() ? "" : wrap(titled.heading, style_.columns, kIndent) + "\n\n";
  // A later table of the same columns does not get back columns left out before.
  const FittedTable fitted =
      titled.table.fitted({.width = style_.columns,
                           .max_rank = before == labels ? max_rank_ : kAllRanks,
                           .colours = style_.colours});
  text = part(text + fitted.text);
  header_ = labels;
  max_rank_ = fitted.max_rank;
  for (const std::string& label : fitted.left_out) {
    if (!std::ranges::count(left_out_, label)) left_out_.push_back(label);
  }
  for (std::size_t n = 0; n < titled.notes.size(); ++n)
    text +=
        fmt::format("{}{}\n", n == 0 ? "\n" : "", wrap(titled.notes[n], style_.columns, kIndent));
  return text;
}

std::string TableOutput::left_out() {
  if (left_out_.empty()) return "";
  const std::string text = fmt::format(
      "Columns hidden at {} columns: {}. A wider terminal or --format markdown shows them.",
      style_.columns, fmt::join(left_out_, ", "));
  left_out_.clear();
  return paragraph(text);
}

std::string TableOutput::meanings() {
  if (meanings_.empty()) return "";
  TitledList list{"Columns", {}};
  std::size_t width = 0;
  for (const auto& [label, meaning] : meanings_) width = std::max(width, display_width(label));
  for (const auto& [label, meaning] : meanings_)
    list.lines.push_back(
        fmt::format("{}{}  {}", label, std::string(width - display_width(label), ' '), meaning));
  meanings_.clear();
  return lists({list});
}

std::string TableOutput::warning(const std::string& text) {
  return paragraph((format_ == TableFormat::kMarkdown ? "**warning:** " : "warning: ") + text);
}

std::string TableOutput::legend(const std::string& text) {
  if (!has_legend_) return "";
  const std::string hidden = left_out();
  const std::string columns = meanings();
  return hidden + columns + paragraph(text);
}

}  // namespace fredsim

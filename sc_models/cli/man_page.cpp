// SPDX-License-Identifier: Apache-2.0
#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/add_option.h"

namespace fredsim {
namespace {

// Text with roff's special characters escaped.
std::string roff(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\') {
      line += "\\(rs";
    } else if (c == '-') {
      line += "\\-";
    } else {
      line += c;
    }
  }
  if (!line.empty() && (line.front() == '.' || line.front() == '\'')) line.insert(0, "\\&");
  return line;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Short text behind a name: "A sentence." without its form of a sentence.
std::string short_text(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string option_entry(const CLI::Option& option) {
  const bool is_positional = !option.nonpositional();
  const std::string name = is_positional ? option.get_name() : option.get_name(false, true);
  const std::string value = option.get_type_name();
  return fmt::format(".TP\n.B {}{}\n{}\n", roff(name), value.empty() ? "" : " " + roff(value),
                     roff(option.get_description()));
}

// Exit codes and examples: paragraphs, and verbatim command lines.
std::string footer_text(const std::string& footer) {
  std::istringstream lines(footer);
  std::string text;
  bool is_example = false;
  for (std::string line; std::getline(lines, line);) {
    const bool was_example = std::exchange(is_example, line.starts_with("  "));
    if (is_example && !was_example) text += ".PP\n.nf\n";
    if (!is_example && was_example) text += ".fi\n";
    if (line.empty()) {
      text += is_example ? "" : ".PP\n";
    } else {
      text += roff(line) + "\n";
    }
  }
  return is_example ? text + ".fi\n" : text;
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
  const CLI::App* const parent = app.get_parent();
  const std::string program = parent == nullptr ? app.get_name() : parent->get_name();
  const std::string name = parent == nullptr ? program : program + "-" + app.get_name();
  std::string text =
      fmt::format(".TH {} 1 \"\" \"{}\" \"User commands\"\n.SH NAME\n{} \\- {}\n",
                  upper(roff(name)), version, roff(name), roff(short_text(app.get_description())));
  const std::string command = parent == nullptr ? "\\fICOMMAND\\fR" : app.get_name();
  text += fmt::format(".SH SYNOPSIS\n.B {} {}\n", roff(program), command);
  for (const CLI::Option* option : app.get_options())
    if (!option->nonpositional()) text += roff(option->get_name()) + "\n";
  text +=
      "[\\fIOPTION\\fR...]\n.SH DESCRIPTION\n" + roff(short_text(app.get_description())) + ".\n";
  if (!app.get_subcommands({}).empty()) text += ".SH COMMANDS\n";
  for (const CLI::App* one : app.get_subcommands({}))
    text += fmt::format(".TP\n.B {}\n{}\n", one->get_name(), roff(one->get_description()));
  text += ".SH OPTIONS\n";
  for (const OptionGroup& group : option_groups(app)) {
    text += ".SS " + roff(group.heading) + "\n";
    for (const CLI::Option* option : group.options) text += option_entry(*option);
  }
  const std::string footer = app.get_footer();
  if (!footer.empty()) text += ".SH NOTES\n" + footer_text(footer);
  text += ".SH SEE ALSO\n";
  const CLI::App& root = parent == nullptr ? app : *parent;
  std::string others = parent == nullptr ? "" : fmt::format(".BR {} (1)", roff(program));
  for (const CLI::App* one : root.get_subcommands({})) {
    if (one == &app) continue;
    others += fmt::format("{}.BR {} (1)", others.empty() ? "" : ",\n",
                          roff(program + "-" + one->get_name()));
  }
  return text + others + "\n";
}

}  // namespace fredsim

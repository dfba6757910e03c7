// SPDX-License-Identifier: Apache-2.0
#include "results/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace fredsim {
namespace {

using fields::Field;
using fields::Kind;
using fields::Many;
using fields::Null;
using fields::Object;
using fields::Type;

std::string listed(std::string_view words) {
  std::string shown;
  for (const char c : words) shown += c == ' ' ? std::string(", ") : std::string(1, c);
  return shown;
}

std::string one(const Type& type) {
  switch (type.kind) {
    case Kind::kText:
    case Kind::kPattern:
    case Kind::kCommand:
      return "text";
    case Kind::kWord:
      return listed(type.words);
    case Kind::kPayload:
      return "exact, incomplete, not carried";
    case Kind::kCount:
      return "integer";
    case Kind::kPositive:
      return "integer from 1";
    case Kind::kSeveral:
      return "integer from 2";
    case Kind::kNumber:
      return "number";
    case Kind::kFlag:
      return "true or false";
    case Kind::kTrue:
      return "true";
    case Kind::kSchema:
      return "integer";
    case Kind::kMembers:
      return "list of integers and texts";
    case Kind::kObject:
      return fmt::format("[{0}](#{0})", type.object->name);
    case Kind::kTexts:
      return "texts by key";
    case Kind::kScalars:
      return "values by key";
    case Kind::kCauses:
      return fmt::format("integers by cause: {}", listed(type.words));
    case Kind::kMachine:
      return "[machine](machine_files.md)";
  }
  return "";
}

std::string type_of(const Field& field) {
  std::string text = one(field.type);
  if (field.type.many != Many::kOne) text = "list: " + text;
  switch (field.type.null) {
    case Null::kNever:
      return text;
    case Null::kOwn:
      return text + "; null: does not apply to NPUs of a testbench's own";
    case Null::kInterrupted:
      return text + "; null: interrupted";
    case Null::kOwnOrInterrupted:
      return text + "; null: interrupted, or does not apply to NPUs of a testbench's own";
    case Null::kSometimes:
      return text + " or null";
  }
  return text;
}

void describe(const Object& object, std::vector<const Object*>& described, std::string& text) {
  if (std::ranges::find(described, &object) != described.end()) return;
  described.push_back(&object);
  text += fmt::format(
      "\n## {}\n\n{}\n\n| key | type | unit | meaning | appears |\n|---|---|---|---|---|\n",
      object.name, object.meaning);
  for (const Field& field : object.fields) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", field.key, markdown_cell(type_of(field)),
                        field.unit, markdown_cell(field.meaning),
                        field.appears.empty() ? "always" : field.appears);
  }
  for (const Field& field : object.fields) {
    if (field.type.object != nullptr) describe(*field.type.object, described, text);
  }
}

}  // namespace

std::string markdown_cell(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == '|') shown += '\\';
    shown += c;
  }
  return shown;
}

std::string results_reference(std::span<const Object* const> documents) {
  std::string text =
      "# Keys of results\n\n"
      "Made from the tables in `sc_models/results/fields` and `sc_models/report/fields`; "
      "`scripts/reference.sh` renews it. "
      "`sc_models/results/results.schema.json` is\nthe same as a JSON "
      "schema. Numbers are 0 or more. No file has other keys. A testbench with NPUs of its own "
      "writes what [run](#run) does.\n\nFiles:";
  for (const Object* document : documents)
    text +=
        fmt::format("{0} [{1}](#{1})", document == documents.front() ? "" : ",", document->name);
  text += "\n";
  std::vector<const Object*> described;
  for (const Object* document : documents) describe(*document, described, text);
  return text;
}

}  // namespace fredsim

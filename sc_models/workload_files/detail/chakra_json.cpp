// SPDX-License-Identifier: Apache-2.0
#include "workload_files/detail/chakra_json.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/strutil.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fredsim {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr const char* kUnknownFields = "unknownFields";

// Texts are bytes in our schema; only these are bytes in Chakra's.
bool is_bytes(const FieldDescriptor& field) {
  return field.name() == "bytes_val" || field.containing_type()->name() == "BytesList";
}

std::string base64_of(const std::string& bytes) {
  std::string text;
  google::protobuf::Base64Escape(bytes, &text);
  return text;
}

Ordered real_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Ordered message_json(const Message& message);

// Value `at` of a repeated field; 0 and one value for others.
Ordered value_json(const Message& message, const FieldDescriptor& field, int at) {
  const auto& reflection = *message.GetReflection();
  const bool many = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return many ? reflection.GetRepeatedInt32(message, &field, at)
                  : reflection.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return fmt::to_string(many ? reflection.GetRepeatedInt64(message, &field, at)
                                 : reflection.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return many ? reflection.GetRepeatedUInt32(message, &field, at)
                  : reflection.GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return fmt::to_string(many ? reflection.GetRepeatedUInt64(message, &field, at)
                                 : reflection.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return real_json(many ? reflection.GetRepeatedDouble(message, &field, at)
                            : reflection.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return real_json(many ? reflection.GetRepeatedFloat(message, &field, at)
                            : reflection.GetFloat(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return many ? reflection.GetRepeatedBool(message, &field, at)
                  : reflection.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int number = reflection.GetEnumValue(message, &field);
      const auto* const named = field.enum_type()->FindValueByNumber(number);
      return named == nullptr ? Ordered(number) : Ordered(named->name());
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text = many ? reflection.GetRepeatedString(message, &field, at)
                                    : reflection.GetString(message, &field);
      return is_bytes(field) ? base64_of(text) : text;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return message_json(many ? reflection.GetRepeatedMessage(message, &field, at)
                               : reflection.GetMessage(message, &field));
  }
  return nullptr;
}

Ordered message_json(const Message& message) {
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  Ordered object = Ordered::object();
  for (const FieldDescriptor* const field : fields) {
    Ordered& value = object[field->json_name()];
    if (!field->is_repeated()) {
      value = value_json(message, *field, 0);
      continue;
    }
    value = Ordered::array();
    for (int at = 0; at < reflection.FieldSize(message, field); ++at)
      value.push_back(value_json(message, *field, at));
  }
  if (const auto& unknown = reflection.GetUnknownFields(message); !unknown.empty()) {
    std::string bytes;
    unknown.SerializeToString(&bytes);
    object[kUnknownFields] = base64_of(bytes);
  }
  return object;
}

[[noreturn]] void refuse(const std::string& place, const Json& found, std::string_view allowed) {
  constexpr std::size_t kShown = 40;
  std::string text = found.is_structured()
                         ? std::string(found.type_name())
                         : found.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kShown) text = text.substr(0, kShown) + "…";
  throw BadInput(fmt::format("{}: found {}; allowed: {}", place, text, allowed));
}

template <class Int>
Int whole_number(const Json& value, const std::string& place) {
  constexpr double kMaxExact = 9007199254740992.0;
  const auto within = [](auto number) -> std::optional<Int> {
    return std::in_range<Int>(number) ? std::optional(static_cast<Int>(number)) : std::nullopt;
  };
  std::optional<Int> read;
  if (value.is_number_unsigned()) {
    read = within(value.get<std::uint64_t>());
  } else if (value.is_number_integer()) {
    read = within(value.get<std::int64_t>());
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::trunc(number) == number && std::abs(number) <= kMaxExact)
      read = within(static_cast<std::int64_t>(number));
  } else if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    Int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) read = number;
  }
  if (!read)
    refuse(place, value,
           fmt::format("a whole number, {} to {}", std::numeric_limits<Int>::min(),
                       std::numeric_limits<Int>::max()));
  return *read;
}

double real_number(const Json& value, const std::string& place, double max) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return kInfinity;
  if (value == "-Infinity") return -kInfinity;
  if (!value.is_number() || std::abs(value.get<double>()) > max)
    refuse(place, value, fmt::format("a number, {:g} to {:g}, \"NaN\" or \"Infinity\"", -max, max));
  return value.get<double>();
}

std::string json_string(const Json& value, const std::string& place, bool is_base64) {
  if (!value.is_string()) refuse(place, value, is_base64 ? "base64 in a text" : "a text");
  const std::string& text = value.get_ref<const std::string&>();
  if (!is_base64) return text;
  std::string bytes;
  if (!google::protobuf::Base64Unescape(text, &bytes)) refuse(place, value, "base64 in a text");
  return bytes;
}

int type_number(const Json& value, const FieldDescriptor& field, const std::string& place) {
  if (value.is_string())
    if (const auto* const named = field.enum_type()->FindValueByName(value.get<std::string>()))
      return named->number();
  if (!value.is_number()) refuse(place, value, "a type of node, COMP_NODE or its number");
  return whole_number<std::int32_t>(value, place);
}

// Sets a field, or adds to a repeated one.
void read_value(const Json& value, const std::string& place, const FieldDescriptor& field,
                Message& into) {
  const auto& reflection = *into.GetReflection();
  const bool many = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto number = whole_number<std::int32_t>(value, place);
      return many ? reflection.AddInt32(&into, &field, number)
                  : reflection.SetInt32(&into, &field, number);
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      const auto number = whole_number<std::int64_t>(value, place);
      return many ? reflection.AddInt64(&into, &field, number)
                  : reflection.SetInt64(&into, &field, number);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      const auto number = whole_number<std::uint32_t>(value, place);
      return many ? reflection.AddUInt32(&into, &field, number)
                  : reflection.SetUInt32(&into, &field, number);
    }
    case FieldDescriptor::CPPTYPE_UINT64: {
      const auto number = whole_number<std::uint64_t>(value, place);
      return many ? reflection.AddUInt64(&into, &field, number)
                  : reflection.SetUInt64(&into, &field, number);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      const double number = real_number(value, place, std::numeric_limits<double>::max());
      return many ? reflection.AddDouble(&into, &field, number)
                  : reflection.SetDouble(&into, &field, number);
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const auto number =
          static_cast<float>(real_number(value, place, std::numeric_limits<float>::max()));
      return many ? reflection.AddFloat(&into, &field, number)
                  : reflection.SetFloat(&into, &field, number);
    }
    case FieldDescriptor::CPPTYPE_BOOL: {
      if (!value.is_boolean()) refuse(place, value, "true or false");
      return many ? reflection.AddBool(&into, &field, value.get<bool>())
                  : reflection.SetBool(&into, &field, value.get<bool>());
    }
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(&into, &field, type_number(value, field, place));
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text = json_string(value, place, is_bytes(field));
      return many ? reflection.AddString(&into, &field, std::move(text))
                  : reflection.SetString(&into, &field, std::move(text));
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return read_json_message(
          value, place,
          many ? *reflection.AddMessage(&into, &field) : *reflection.MutableMessage(&into, &field));
  }
}

const FieldDescriptor* field_named(const Message& message, const std::string& key) {
  const auto* const type = message.GetDescriptor();
  const auto* const field = type->FindFieldByCamelcaseName(key);
  return field != nullptr ? field : type->FindFieldByName(key);
}

void read_field(const Json& value, const std::string& place, const FieldDescriptor& field,
                Message& into) {
  if (value.is_null()) return;  // the default
  const auto* const kinds = field.containing_oneof();
  if (kinds != nullptr && into.GetReflection()->HasOneof(into, kinds))
    throw BadInput(fmt::format("{}: found a second value; allowed: one", place));
  if (!field.is_repeated()) return read_value(value, place, field, into);
  if (!value.is_array()) refuse(place, value, "a list");
  for (std::size_t n = 0; n < value.size(); ++n)
    read_value(value[n], fmt::format("{}[{}]", place, n), field, into);
}

// An attribute of the feeder's JSON, of the kind that its value has.
void add_attribute(const std::string& name, const Json& value, const std::string& place,
                   pb::ChakraNode& into) {
  pb::ChakraAttribute& attribute = *into.add_attr();
  attribute.set_name(name);
  const auto all = [&value](const auto& is) {
    return value.is_array() && std::ranges::all_of(value, is);
  };
  if (value.is_boolean()) {
    attribute.set_bool_val(value.get<bool>());
  } else if (value.is_number_unsigned()) {
    attribute.set_uint64_val(value.get<std::uint64_t>());
  } else if (value.is_number_integer()) {
    attribute.set_int64_val(value.get<std::int64_t>());
  } else if (value.is_number_float()) {
    attribute.set_double_val(value.get<double>());
  } else if (value.is_string()) {
    attribute.set_string_val(value.get<std::string>());
  } else if (all([](const Json& one) { return one.is_boolean(); })) {
    for (const Json& one : value) attribute.mutable_bool_list()->add_values(one.get<bool>());
  } else if (all([](const Json& one) { return one.is_number_unsigned(); })) {
    for (const Json& one : value)
      attribute.mutable_uint64_list()->add_values(one.get<std::uint64_t>());
  } else if (all([](const Json& one) { return one.is_string(); })) {
    for (const Json& one : value)
      attribute.mutable_string_list()->add_values(one.get<std::string>());
  } else if (!value.is_null()) {
    refuse(place, value, "true, false, a number, a text, or a list of one of them");
  }
}

}  // namespace

std::string json_text(const Message& message, const std::string& place) {
  try {
    return message_json(message).dump();
  } catch (const Json::type_error&) {
    throw BadInput(fmt::format("{}: found text that is not UTF-8; allowed in JSON: UTF-8", place));
  }
}

void read_json_message(const Json& value, const std::string& place, Message& into) {
  if (!value.is_object()) refuse(place, value, "an object");
  for (const auto& [key, member] : value.items()) {
    const std::string at = fmt::format("{}: {}", place, key);
    if (const auto* const field = field_named(into, key)) {
      read_field(member, at, *field, into);
    } else if (key == kUnknownFields) {
      if (!into.GetReflection()->MutableUnknownFields(&into)->ParseFromString(
              json_string(member, at, true)))
        refuse(at, member, "fields of protobuf as base64");
    } else {
      throw BadInput(
          fmt::format("{}: found the key; allowed: those of {}", at, into.GetDescriptor()->name()));
    }
  }
}

void read_feeder_node(const Json& value, const std::string& place, pb::ChakraNode& into) {
  using Named = std::pair<std::string_view, const char*>;
  static constexpr std::array kNames{Named{"Id", "id"}, Named{"Name", "name"},
                                     Named{"NodeType", "type"},
                                     Named{"runtime", "duration_micros"}};
  if (!value.is_object()) refuse(place, value, "an object");
  if (!value.contains("Id") && !value.contains("id"))
    throw BadInput(fmt::format("{}: Id: found nothing; allowed: a whole number", place));
  for (const auto& [key, member] : value.items()) {
    const auto* const named = std::ranges::find(kNames, key, &Named::first);
    const std::string at = fmt::format("{}: {}", place, key);
    if (const auto* const field =
            field_named(into, named == kNames.end() ? key : std::string(named->second)))
      read_field(member, at, *field, into);
    else
      add_attribute(key, member, at, into);
  }
}

}  // namespace fredsim

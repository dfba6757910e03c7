// SPDX-License-Identifier: Apache-2.0
// Chakra's messages as JSON: protobuf's mapping, as Chakra's jsonizer writes it.
//
// Numbers of 64 bits are texts ("216"), bytes are base64, no number is "NaN", "Infinity" or
//   "-Infinity"; types of nodes are names. Names of keys are in camel case; the names of
//   et_def.proto are read, too (ctrl_deps), and numbers for texts. What the schema does not have is kept
//   under "unknownFields".
// Lossless for each kind of attribute, lists included, but for the payload of a NaN.
// Errors: BadInput, "PLACE: attr[0].int32Val: found X; allowed: Y"; text that is not UTF-8, which
//   JSON does not have.
#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <string>

#include "workload_files/chakra.pb.h"

namespace fredsim {

// Text in one line.
std::string json_text(const google::protobuf::Message& message, const std::string& place);

void read_json_message(const nlohmann::json& value, const std::string& place,
                       google::protobuf::Message& into);

// A node of the feeder's JSON: Id, Name, NodeType, runtime in µs; other keys are attributes.
void read_feeder_node(const nlohmann::json& value, const std::string& place, pb::ChakraNode& into);

}  // namespace fredsim

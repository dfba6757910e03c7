// SPDX-License-Identifier: Apache-2.0
// Messages of protobuf with their length before them, as Chakra's files have them.
#pragma once

#include <google/protobuf/message_lite.h>

#include <string>

namespace fredsim {

void append_delimited(std::string& text, const google::protobuf::MessageLite& message);

}  // namespace fredsim

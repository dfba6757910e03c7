// SPDX-License-Identifier: Apache-2.0
// Conversion of Chakra traces between protobuf and JSON, without loss for each kind of attribute.
//
// JSON: a list of all messages, the metadata first, one in a line; JSON lines: the same without
//   the list, as Chakra's jsonizer has them. The mapping is protobuf's (detail/chakra_json.h).
// Errors: BadInput, as ChakraReader; in JSON: text that is not UTF-8, with file and node.
#pragma once

#include <cstdint>
#include <string>

namespace fredsim {

enum class ChakraFormat : std::uint8_t { kProtobuf, kJson, kJsonLines };

// A file of any of the formats as text of one.
std::string chakra_text(const std::string& path, ChakraFormat to);
bool is_json_trace(const std::string& path);

}  // namespace fredsim

// SPDX-License-Identifier: Apache-2.0
#include "workload_files/chakra_formats.h"

#include <fmt/format.h>

#include "workload_files/detail/chakra_json.h"
#include "workload_files/detail/chakra_stream.h"
#include "workload_files/detail/delimited_message.h"

namespace fredsim {

std::string chakra_text(const std::string& path, ChakraFormat to) {
  const auto stream = ChakraStream::open(path);
  std::string text = to == ChakraFormat::kJson ? "[\n" : "";
  const auto add = [&](const google::protobuf::Message& message, const std::string& place) {
    if (to == ChakraFormat::kProtobuf)
      append_delimited(text, message);
    else
      text += json_text(message, place);
  };
  pb::ChakraMetadata metadata;
  stream->metadata(metadata);
  add(metadata, path + ": metadata");
  const char* const between = to == ChakraFormat::kProtobuf ? ""
                              : to == ChakraFormat::kJson   ? ",\n"
                                                            : "\n";
  for (pb::ChakraNode node; stream->next(node);) {
    text += between;
    add(node, fmt::format("{}: node {}", path, node.id()));
  }
  if (to == ChakraFormat::kJson) text += "\n]";
  if (to != ChakraFormat::kProtobuf) text += "\n";
  return text;
}

bool is_json_trace(const std::string& path) { return ChakraStream::open(path)->is_json(); }

}  // namespace fredsim

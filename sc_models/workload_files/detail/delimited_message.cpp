// SPDX-License-Identifier: Apache-2.0
#include "workload_files/detail/delimited_message.h"

#include <google/protobuf/io/coded_stream.h>

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace fredsim {

// A stream on a text would fill all of its spare memory for every message.
void append_delimited(std::string& text, const google::protobuf::MessageLite& message) {
  constexpr std::size_t kMostVarint = 5;
  const std::size_t size = message.ByteSizeLong();
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::length_error("a node of a trace is longer than 2 GiB");
  std::array<std::uint8_t, kMostVarint> head{};
  const std::uint8_t* const end = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(
      static_cast<std::uint32_t>(size), head.data());
  text.append(static_cast<const std::uint8_t*>(head.data()), end);
  message.AppendToString(&text);
}

}  // namespace fredsim

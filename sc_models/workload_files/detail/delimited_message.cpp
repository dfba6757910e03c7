// SPDX-License-Identifier: Apache-2.0
#include "workload_files/detail/delimited_message.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <stdexcept>

namespace fredsim {

void append_delimited(std::string& text, const google::protobuf::MessageLite& message) {
  google::protobuf::io::StringOutputStream output(&text);
  if (!google::protobuf::util::SerializeDelimitedToZeroCopyStream(message, &output))
    throw std::length_error("a node of a trace is longer than 2 GiB");
}

}  // namespace fredsim

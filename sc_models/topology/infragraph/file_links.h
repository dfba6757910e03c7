// SPDX-License-Identifier: Apache-2.0
// Links of an InfraGraph file by name, completed by the machine file.
//
//   New dialect: physical.bandwidth in gigabits_per_second or gigabytes_per_second,
//     physical.latency in ns, us or ms. Older one: bandwidth and latency without physical, and
//     giga_bits_per_second and giga_bytes_per_second, too. gigatransfers_per_second give no
//     bandwidth without lanes and coding: such a link counts as a link without bandwidth.
//   Machine file: fabric.links by name and fabric.link_bandwidth for links without bandwidth,
//     fabric.link_latency for links without latency.
// Errors: BadInput with file and line: keys that are not in the schema; a link that is used
//   without bandwidth or latency; a name of fabric.links that no link has, or one whose bandwidth
//   the file says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/key_reader.h"

namespace fredsim {

// Values of the machine file for links that have none, asked for where such a link is used.
struct LinkDefaults {
  using Value = std::function<std::optional<std::uint64_t>()>;
  Value latency_ps{}, bandwidth{};
  struct Rate {
    std::uint64_t bandwidth = 0;
    std::string label{};
  };
  std::map<std::string, Rate> rates{};  // rate by name of the link
};

// Link of the file. Missing values are reported only when the link is used.
struct FileLink {
  std::optional<std::uint64_t> bandwidth{}, latency_ps{};
  std::string label{};
  std::string found_bandwidth = "none";

  std::uint64_t used_bandwidth(const LinkDefaults& defaults) const;
  std::uint64_t used_latency_ps(const LinkDefaults& defaults) const;
};

using FileLinks = std::map<std::string, FileLink>;

class FileLinksReader {
 public:
  explicit FileLinksReader(const LinkDefaults& defaults) : defaults_(defaults) {}

  // Links under `links` of a device, or of the whole file.
  FileLinks read(const KeyReader& owner);
  // Checks; call after all links.
  void check_names() const;

 private:
  FileLink read_link(const KeyReader& reader) const;
  void fill(const std::string& name, FileLink& link);

  const LinkDefaults& defaults_;
  std::map<std::string, bool> filled_;  // all links by name; true: filled from fabric.links
};

}  // namespace fredsim

#pragma once
// What a data set is, in 32 hex digits: a hash over the ordered (key, field name, stored size) of all
// samples. To the byte: docs/formats/fingerprint.md.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/sha256.hpp"

namespace penstock {

/// Feed the samples in order; within a sample the fields in the order of their names. One owner.
class Fingerprint {
 public:
  /// `fields`: how many of the sample's fields follow (those that it has).
  void add_sample(std::string_view key, std::uint64_t fields);
  void add_field(std::string_view name, std::uint64_t stored_size);
  /// The first 32 digits of the hash.
  std::string finish();

 private:
  void add_number(std::uint64_t number);
  void add_text(std::string_view text);

  Sha256 hash_;
};

}  // namespace penstock

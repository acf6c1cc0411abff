#pragma once
// What a data set is, in 32 hex digits: a hash over the ordered (key, field name, stored size) of all
// samples. To the byte: docs/formats/fingerprint.md.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sha256.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

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

/// Of `samples` samples: key(sample) gives the key of each, size(sample, field) the stored size of a field
/// that it has, as std::optional.
template <class Key, class Size>
std::string fingerprint_of(std::uint64_t samples, const std::vector<FieldInfo>& fields, Key&& key,
                           Size&& size) {
  std::vector<std::size_t> by_name(fields.size());
  std::iota(by_name.begin(), by_name.end(), std::size_t{0});
  std::sort(by_name.begin(), by_name.end(), [&](auto a, auto b) { return fields[a].name < fields[b].name; });
  Fingerprint hash;
  std::vector<std::pair<std::size_t, std::uint64_t>> present;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    present.clear();
    for (const std::size_t field : by_name) {
      if (const std::optional<std::uint64_t> bytes = size(sample, field)) {
        present.emplace_back(field, *bytes);
      }
    }
    hash.add_sample(key(sample), present.size());
    for (const auto& [field, bytes] : present) {
      hash.add_field(fields[field].name, bytes);
    }
  }
  return hash.finish();
}

}  // namespace penstock::inline v0

#pragma once
// manifest.json of a store. To the byte: docs/formats/store.md.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/sample_table.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

struct StoreFile {
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;

  bool operator==(const StoreFile&) const = default;
};

/// Where samples came from, as the user named it.
struct StoreSource {
  std::string description;
  std::string fingerprint;
  std::uint64_t samples = 0;
  std::string identity{};  ///< of its files, as SampleTable::identity() gives it: in caches alone

  bool operator==(const StoreSource&) const = default;
};

/// What was asked of the build, in the words of docs/formats/store.md.
struct StoreSettings {
  std::string image;
  std::optional<std::uint64_t> resize_shorter{};
  std::optional<std::uint64_t> resize_longest{};
  std::optional<std::uint64_t> quality{};
  std::uint64_t shard_bytes = 0;

  bool operator==(const StoreSettings&) const = default;
};

/// A plain value.
struct StoreManifest {
  std::string written_by;
  std::string fingerprint;
  std::uint64_t samples = 0;
  std::uint64_t skipped = 0;
  std::vector<FieldInfo> fields;
  ArraySpecs arrays;       ///< of the fields of kind array
  FieldReadings readings;  ///< of the fields that are read otherwise than their kind alone says
  std::vector<std::string> classes;
  std::vector<StoreSource> sources;
  StoreSettings settings;
  std::vector<std::string> kept_because;
  StoreFile index;
  StoreFile keys;
  std::optional<StoreFile> tables;
  std::vector<StoreFile> shards;

  std::string text() const;
  /// `unsupported` for a newer version, `corrupt` for anything that text() does not write.
  static Result<StoreManifest> parse(std::string_view text);
  /// Whether the text says that it is a manifest of ours, damaged or not.
  static bool recognises(std::string_view text) noexcept;

  bool operator==(const StoreManifest&) const = default;
};

}  // namespace penstock::inline v0
